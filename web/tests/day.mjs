// Pictures of the views of a grid behind a real gridapi: node tests/day.mjs FOLDER SOCKET NOW CODE IDS (tools/day-pictures has them).
// NOW: the time there; the page's clock is set to it. CODE: of a link of gridstat --web. IDS: campaigns, the one with most failures first.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch } from './browser.mjs';
import { tunnelTo } from './tunnel.mjs';

const [folder, socketPath, now, code, ids] = process.argv.slice(2);
const [failing, running] = ids.split(',');
const VIEWS = {
  mine: '?view=mine&user=all',
  campaign: `?view=campaign&id=${failing}`,
  why: `?view=why&id=${running}`,
  tasks: `?view=tasks&id=${failing}&state=failed`,
  fix: `?view=fix&id=${failing}`,
  grid: '?view=grid',
  use: '?view=use&span=24h',
  whatif: '?view=whatif',
  shares: '?view=shares',
  order: '?view=order',
  conductor: '?view=conductor',
};

const tunnel = await tunnelTo(socketPath);
const page = `http://localhost:${tunnel.port}/ui/`;
const before = `(() => {
  const ahead = ${Date.parse(now)} - Date.now(), Real = Date;
  globalThis.Date = class extends Real {
    constructor(...of) { if (of.length > 0) super(...of); else super(Real.now() + ahead); }
    static now() { return Real.now() + ahead; }
  };
})();`;

mkdirSync(folder, { recursive: true });
const browser = await launch();
let complaints = 0;
async function draw(name, query, width, scheme, vision) {
  const media = [{ name: 'prefers-color-scheme', value: scheme }];
  const view = await browser.open(page + query, { width, media, vision, before });
  await view.becomes("document.querySelector('main h1') && !document.querySelector('[aria-busy]')", `${name} is there`);
  await new Promise((done) => setTimeout(done, 600));
  await view.picture(join(folder, `${name}-${vision === 'none' ? `${width}-${scheme}` : vision}.png`));
  for (const complaint of view.complaints) console.log(`${name} ${width} ${scheme}: ${complaint}`);
  complaints += view.complaints.length;
  await view.close();
}
await draw('signed-in', `#code=${code}`, 1280, 'light', 'none');
for (const [name, query] of Object.entries(VIEWS)) {
  for (const width of [1280, 320]) for (const scheme of ['light', 'dark']) await draw(name, query, width, scheme, 'none');
  for (const vision of ['protanopia', 'deuteranopia', 'tritanopia']) await draw(name, query, 1280, 'light', vision);
}
await browser.close();
tunnel.close();
process.exitCode = complaints > 0 ? 1 : 0;
