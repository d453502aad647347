// A grid behind a gridapi, in a browser, for as many pictures: node tests/eight-hours.mjs SOCKET CODE PICTURES. Timers run a thousand times
// faster there, so that the page asks again as soon as it is told of a change. Prints, as JSON, after each sixteenth of the pictures how many
// it has drawn, its heap after a collection in MB, and its elements.
import { browserPath, launch } from './browser.mjs';
import { tunnelTo } from './tunnel.mjs';

const [socketPath, code, most] = process.argv.slice(2);
if (!browserPath()) {
  console.log('{"skipped": "there is no chromium"}');
  process.exit();
}
let pictures = 0;
const tunnel = await tunnelTo(socketPath, (asked, from) => {
  if (asked.url.includes('v1/summary') && from.statusCode === 200) ++pictures;
});
const ui = `http://localhost:${tunnel.port}/ui/`;

const browser = await launch();
const first = await browser.open(`${ui}#code=${code}`);
await first.becomes("document.querySelector('.who button')", 'signed in');
await first.close();

const before = '{ const plain = setTimeout; window.setTimeout = (work, pause = 0, ...words) => plain(work, pause / 1000, ...words); }';
const tab = await browser.open(`${ui}?view=mine&user=all`, { before });
await tab.becomes("document.querySelectorAll('.campaign').length >= 200", 'the campaigns');
const PARTS = 16;
const curve = [];
const begin = pictures;
for (let part = 1; part <= PARTS; ++part) {
  while (pictures - begin < (part * Number(most)) / PARTS) await new Promise((done) => setTimeout(done, 50));
  let heap = Infinity; // the least of three, as some collections leave more
  for (let i = 0; i < 3; ++i) {
    await tab.ask('HeapProfiler.collectGarbage');
    heap = Math.min(heap, (await tab.ask('Runtime.getHeapUsage')).usedSize / 1e6);
  }
  curve.push([pictures - begin, Math.round(heap * 100) / 100, await tab.evaluate("document.querySelectorAll('*').length")]);
}
console.log(JSON.stringify({ curve, complaints: tab.complaints }));
await browser.close();
process.exit();
