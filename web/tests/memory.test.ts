// What the page holds: over many pictures of the grid, and of a campaign of a million tasks.
import assert from 'node:assert/strict';
import { inBrowser, isRead, type Tab } from './harness';

const isLong = Boolean(process.env['GLEANER_TEST_LONG']);

/** Of scripts, after a collection, in MB: the least of three, as some collections leave more. */
async function heap(tab: Tab): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 3; ++i) {
    await tab.ask('HeapProfiler.collectGarbage');
    least = Math.min(least, ((await tab.ask('Runtime.getHeapUsage')) as { usedSize: number }).usedSize / 1e6);
  }
  return least;
}
const nodes = async (tab: Tab): Promise<number> => Number(await tab.evaluate("document.querySelectorAll('*').length"));

// Timers run a thousand times faster, so that a picture follows the other as soon as it is drawn.
const FAST = '{ const plain = setTimeout; window.setTimeout = (work, pause = 0, ...words) => plain(work, pause / 1000, ...words); }';
const FRAMES = isLong ? 5760 : 400; // 8 h with a cycle of 5 s
const PARTS = 16;
const MOST = isLong ? 1.1 : 1.15; // in few pictures, what is compiled meanwhile counts

inBrowser(`${FRAMES} pictures of 210 campaigns leave nothing behind`, 'replay', '?view=mine&user=all', async (tab, stub) => {
  await tab.becomes("document.querySelectorAll('.campaign').length === 210");
  const seen = () => stub.requests.filter((line) => line.startsWith('GET v1/summary')).length;
  const begin = seen();
  const curve: [number, number, number][] = []; // pictures, MB, elements
  for (let part = 1; part <= PARTS; ++part) {
    for (const end = begin + (part * FRAMES) / PARTS; seen() < end; ) await new Promise((go) => setTimeout(go, 20));
    curve.push([seen() - begin, await heap(tab), await nodes(tab)]);
  }
  const text = curve.map(([pictures, megabytes, elements]) => `${pictures}: ${megabytes.toFixed(2)} MB, ${elements} elements`).join('; ');
  console.log(`MEASURED the heap of the page after so many pictures of 210 campaigns: ${text}`);
  const least = (some: typeof curve) => Math.min(...some.map(([, megabytes]) => megabytes));
  assert(least(curve.slice(-PARTS / 4)) < MOST * least(curve.slice(0, PARTS / 4)), text);
  assert.equal(curve.at(-1)![2], curve[0]![2], text);
}, { before: FAST });

inBrowser('a million tasks stay within a heap of 25 MB and 2 500 elements, and a click on the strip asks for one page', 'still', '?view=tasks&id=12', async (tab, stub) => {
  await tab.becomes("document.querySelectorAll('.lane svg').length > 3");
  await tab.becomes(isRead);
  const { left, top, width } = JSON.parse(String(await tab.evaluate("JSON.stringify(document.querySelector('.lane svg').getBoundingClientRect())"))) as Record<'left' | 'top' | 'width', number>;
  const pages = () => stub.requests.filter((line) => line.startsWith('GET v1/campaigns/12/tasks?')).length;
  const CLICKS = 100;
  for (let i = 1; i <= CLICKS; ++i) {
    const before = pages();
    const from = String(await tab.evaluate('location.search'));
    const at = { x: left + (width * ((i * 37) % CLICKS + 0.5)) / CLICKS, y: top + 4, button: 'left', clickCount: 1 };
    await tab.ask('Input.dispatchMouseEvent', { type: 'mousePressed', ...at });
    await tab.ask('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at });
    await tab.becomes(`location.search !== ${JSON.stringify(from)}`, `click ${i} leads on`);
    await tab.becomes(isRead, `the page of click ${i}`);
    assert.equal(pages() - before, 1, `click ${i} asks for one page`);
  }
  const [megabytes, elements] = [await heap(tab), await nodes(tab)];
  console.log(`MEASURED a million tasks after ${CLICKS} clicks on the strip: ${megabytes.toFixed(2)} MB of heap, ${elements} elements`);
  assert(megabytes > 0.5 && megabytes <= 25, `${megabytes} MB`);
  assert(elements > 200 && elements <= 2500, `${elements} elements`);
});

inBrowser('the failed tasks of a million are three keys away: the stderr of one of the largest group', 'still', '?view=campaign&id=12', async (tab) => {
  await tab.becomes(isRead);
  await tab.press('f');
  await tab.becomes(`location.search === '?view=fix&id=12' && document.querySelector('main [data-row]') && ${isRead}`);
  await tab.press('j');
  await tab.press('Enter');
  await tab.becomes("[...document.querySelectorAll('main pre')].some((one) => one.innerText.includes('No such file: mesh_88'))", 'its stderr');
  assert.match(String(await tab.evaluate('location.search')), /view=tasks&id=12&.*output=stderr/);
});
