// A campaign of a million tasks behind a gridapi, in a browser: node tests/million.mjs SOCKET CODE CAMPAIGN. Prints, as JSON, the times until
// the strip, until the list of the failed tasks, and until the twelfth of them are there, in ms, and what the tab takes.
import { browserPath, launch } from './browser.mjs';
import { tunnelTo } from './tunnel.mjs';

const [socket, code, campaign] = process.argv.slice(2);
if (!browserPath()) {
  console.log('{"skipped": "there is no chromium"}');
  process.exit();
}
const forward = await tunnelTo(socket);
const ui = `http://localhost:${forward.port}/ui/`;

const browser = await launch();
const isRead = "!document.querySelector('[aria-busy]')";
const first = await browser.open(`${ui}#code=${code}`);
await first.becomes("document.querySelector('.who button')", 'signed in');
await first.close();

const times = {};
const timed = async (name, work) => {
  const begin = performance.now();
  await work();
  times[name] = Math.round(performance.now() - begin);
};
let tab;
await timed('strip', async () => {
  tab = await browser.open(`${ui}?view=tasks&id=${campaign}`);
  await tab.becomes(`document.querySelectorAll('.lane svg').length >= 3 && ${isRead}`, 'the strip');
});
const elements = await tab.evaluate("document.querySelectorAll('*').length");
await timed('failed', async () => {
  await tab.evaluate("[...document.querySelectorAll('main a')].find((one) => one.search.includes('state=failed')).click()");
  await tab.becomes(`location.search.includes('state=failed') && document.querySelectorAll('main [data-row]').length === 12 && ${isRead}`, 'the twelve');
});
await timed('twelfth', async () => {
  await tab.evaluate("document.querySelectorAll('main [data-row]')[11].click()");
  await tab.becomes(`location.search.includes('task=') && document.querySelector('main').innerText.includes('exit status') && ${isRead}`, 'its attempts');
});
await tab.ask('HeapProfiler.collectGarbage');
const { usedSize } = await tab.ask('Runtime.getHeapUsage');
console.log(JSON.stringify({ ...times, heap: Math.round(usedSize / 1e5) / 10, elements }));
await browser.close();
forward.close();
process.exit();
