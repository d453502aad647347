// Pictures of all views, to be looked at: node tests/pictures.mjs FOLDER [VIEW...]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch } from './browser.mjs';
import { serve } from './stub.mjs';

const [folder = 'pictures', ...only] = process.argv.slice(2);
const VIEWS = {
  mine: ['normal', ''],
  all: ['normal', '?view=mine&user=all'],
  campaign: ['normal', '?view=campaign&id=12'],
  ended: ['normal', '?view=campaign&id=9'],
  why: ['normal', '?view=why&id=12'],
  tasks: ['normal', '?view=tasks&id=12&state=failed'],
  task: ['normal', '?view=tasks&id=12&task=7&output=stderr'],
  group: ['normal', '?view=tasks&id=12&state=failed&failure=3'],
  fix: ['normal', '?view=fix&id=12'],
  'fix-all': ['normal', '?view=fix'],
  grid: ['normal', '?view=grid'],
  use: ['normal', '?view=use&cluster=gamma'],
  week: ['normal', '?view=use&span=7d'],
  conductor: ['normal', '?view=conductor'],
  shares: ['normal', '?view=shares'],
  order: ['normal', '?view=order'],
  whatif: ['normal', '?view=whatif&off=beta,delta&order=priority%2Cfairshare&fates=12:2,20:p'],
  'whatif-empty': ['empty', '?view=whatif&off=beta'],
  'whatif-busy': ['busy', '?view=whatif&off=beta'],
  empty: ['empty', ''],
  standstill: ['standstill', ''],
  database: ['database', ''],
  signedout: ['signedout', ''],
  usedlink: ['usedlink', '#code=AAAA'],
  pruned: ['pruned', '?view=campaign&id=12'],
};
mkdirSync(folder, { recursive: true });
const browser = await launch();
const stubs = new Map();
for (const [name, [scenario, query]] of Object.entries(VIEWS)) {
  if (only.length > 0 && !only.includes(name)) continue;
  if (!stubs.has(scenario)) stubs.set(scenario, await serve(0, scenario));
  for (const width of [1280, 320])
    for (const scheme of ['light', 'dark']) {
      const media = [{ name: 'prefers-color-scheme', value: scheme }];
      if (process.env.FORCED) media.push({ name: 'forced-colors', value: 'active' });
      const page = await browser.open(stubs.get(scenario).url + query, { width, media, vision: process.env.VISION ?? 'none' });
      await page.becomes("document.querySelector('main h1') && !document.querySelector('[aria-busy]')", `${name} is there`).catch((e) => console.log(e.message));
      await new Promise((done) => setTimeout(done, 600));
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      if (wide > width) console.log(`${name} at ${width}: ${wide} px wide`);
      await page.picture(join(folder, `${name}-${width}-${scheme}.png`));
      for (const complaint of page.complaints) console.log(`${name} ${width} ${scheme}: ${complaint}`);
      await page.close();
    }
}
await browser.close();
for (const { server } of stubs.values()) {
  server.close();
  server.closeAllConnections();
}
