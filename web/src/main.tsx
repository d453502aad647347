// The entry: the one-time code leaves the address before anything else is done.
import './style.css';
import { render } from 'preact';
import { App } from './app';
import { followKeys } from './live/keys';
import { fetchRestWhenIdle } from './live/rest';
import { followLinks, view } from './live/router';
import { exchange, followNewCodes, takeCode } from './live/session';
import { applySettings } from './live/settings';
import { start } from './live/summary';

const code = takeCode();
applySettings();
followLinks();
followKeys();
followNewCodes();
const app = document.getElementById('app')!;
app.replaceChildren(); // what is seen until the script has come
render(<App />, app);
fetchRestWhenIdle(['shares', 'conductor', 'whatif'].includes(view.peek()));
void (code ? exchange(code) : Promise.resolve()).then(start);
