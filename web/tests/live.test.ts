// How the page follows the grid, and how few steps and requests an answer takes.
import assert from 'node:assert/strict';
import { inBrowser, isRead, type Stub, type Tab } from './harness';

const pause = (ms: number): Promise<void> => new Promise((go) => setTimeout(go, ms));
// Timers run a hundred times faster: a minute is 0.6 s.
const FAST = '{ const plain = setTimeout; window.setTimeout = (work, pause = 0, ...words) => plain(work, pause / 100, ...words); }';
const HIDE = (isHidden: boolean): string =>
  `(Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true }), document.dispatchEvent(new Event('visibilitychange')), true)`;
const summaries = (stub: Stub): number => stub.requests.filter((line) => line.startsWith('GET v1/summary')).length;

inBrowser('a tab that is hidden for a minute asks no more, and asks at once when it is seen again', 'normal to hide', '', async (tab, stub) => {
  await tab.becomes("document.querySelector('.campaign')");
  await tab.evaluate(HIDE(true));
  let asked = summaries(stub);
  for (let still = 0; still < 10; await pause(100)) {
    const now = summaries(stub);
    still = now === asked ? still + 1 : 0;
    asked = now;
  }
  assert(asked > 1, 'it asked before');
  await tab.evaluate(HIDE(false));
  for (const end = Date.now() + 30000; summaries(stub) === asked; await pause(20)) assert(Date.now() < end, 'it asks again');
}, { before: FAST });

inBrowser('a page that is frozen stands still and asks nothing, until its reader goes on', 'normal to freeze', '?view=mine&user=all', async (tab, stub) => {
  await tab.becomes("document.querySelectorAll('.campaign').length > 3");
  await tab.press('z');
  await tab.becomes("document.querySelector('[role=status]').innerText.includes('Frozen at')");
  await pause(300); // what was asked for before
  const words = async (): Promise<unknown> => tab.evaluate("document.querySelector('main').innerText");
  const [frozen, asked] = [await words(), stub.requests.length];
  stub.turn('reordered');
  await pause(2500); // timers run a hundred times faster: it would ask some ten times, and draw ages twice
  assert.equal(await words(), frozen);
  assert.equal(stub.requests.length, asked);
  await tab.press('z');
  await tab.becomes("document.querySelector('.campaign').innerText.includes('other')", 'the picture of now');
  assert(stub.requests.length > asked);
}, { before: FAST });

inBrowser('rows stand still while a pointer is on them', 'normal to order', '?view=mine&user=all', async (tab, stub) => {
  await tab.becomes("document.querySelectorAll('.campaign').length > 3");
  const order = async (): Promise<unknown> => tab.evaluate("[...document.querySelectorAll('.campaign [data-row]')].map((one) => one.search)");
  const first = await order();
  const { x, y } = JSON.parse(String(await tab.evaluate("(() => { const { left, top, width, height } = document.querySelectorAll('.campaign')[2].getBoundingClientRect(); return JSON.stringify({ x: left + width / 2, y: top + height / 2 }); })()"))) as { x: number; y: number };
  await tab.ask('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
  stub.turn('reordered');
  await tab.becomes("/2 failed|2 to fix/.test([...document.querySelectorAll('.campaign')].find((one) => one.innerText.includes('other'))?.innerText ?? '')", 'the new picture, in which another one comes first');
  assert.deepEqual(await order(), first);
  await tab.ask('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 1, y: 1 });
  await tab.becomes("document.querySelector('.campaign').innerText.includes('other')", 'it comes first when the pointer has left');
});

inBrowser('a link to a view survives the login', 'normal to link', '?view=why&id=12&span=7d#code=AB', async (tab, stub) => {
  await tab.becomes("document.querySelector('main h1')?.innerText.includes('sweep')");
  assert.equal(await tab.evaluate('location.search + location.hash'), '?view=why&id=12&span=7d');
  assert(stub.requests.includes('POST session'));
});

inBrowser('the first picture of 210 campaigns takes at most four requests of the API and five files', 'many', '?view=mine&user=all', async (tab) => {
  await tab.becomes("document.querySelectorAll('.campaign').length === 210");
  const names = (await tab.evaluate("performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname.replace('/grid/', ''))")) as string[];
  const ofApi = names.filter((name) => !name.startsWith('ui/'));
  assert(ofApi.length <= 4, ofApi.join(' '));
  assert(names.length - ofApi.length <= 5, names.join(' '));
});

/** Clicks on the first of these with such words, when what was asked for is drawn: a mouse finds what stands still. */
async function click(tab: Tab, selector: string, words: string): Promise<void> {
  const found = `[...document.querySelectorAll('${selector}')].find((one) => one.innerText.trim().startsWith(${JSON.stringify(words)}) && one.checkVisibility())`;
  const place = `(() => { const one = ${found}; one.scrollIntoView({ block: 'center' }); const { left, top, width, height } = one.getBoundingClientRect(); return JSON.stringify({ x: left + width / 2, y: top + height / 2 }); })()`;
  await tab.becomes(`${found} && ${isRead}`, `${words} is there`);
  let [before, now] = ['', String(await tab.evaluate(place))];
  while (now !== before) {
    await tab.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    [before, now] = [now, String(await tab.evaluate(place))];
  }
  const { x, y } = JSON.parse(now) as { x: number; y: number };
  const at = { x, y, button: 'left', clickCount: 1 };
  await tab.ask('Input.dispatchMouseEvent', { type: 'mousePressed', ...at });
  await tab.ask('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at });
}

/** From the first view, with the mouse alone. */
const QUESTIONS: [string, [string, string][], string][] = [
  ['why does 12 wait', [['.campaign [data-row]', '12'], ['nav a', 'Why']], '0 of 640 resources are free'],
  ['what do I fix', [['nav a', 'To fix']], 'No such file: mesh_88'],
  ['may I take beta down', [['nav a', 'What if'], ['.whatif-form label', 'beta'], ['.whatif-go', '']], 'would end later'],
];
for (const [question, clicks, answer] of QUESTIONS)
  inBrowser(`'${question}' takes ${clicks.length === 1 ? 'one click' : `${clicks.length} clicks`}`, 'still', '', async (tab) => {
    await tab.becomes(`document.querySelector('.campaign') && ${isRead}`);
    const begin = Date.now();
    for (const [selector, words] of clicks) await click(tab, selector, words);
    await tab.becomes(`document.querySelector('main').innerText.includes(${JSON.stringify(answer)})`, 'the answer');
    console.log(`MEASURED ${question}: ${clicks.length} clicks, and ${Date.now() - begin} ms until the page has answered`);
  });
