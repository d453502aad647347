// All views in Firefox ESR: each draws its heading, its answers and no error. Nothing else of the page is tested there.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isRead, stubOf, VIEWS } from './harness';

interface Firefox {
  version: string;
  complaints: string[];
  open(url: string): Promise<{ evaluate(expression: string): Promise<unknown>; becomes(expression: string, what?: string): Promise<void>; close(): Promise<unknown> }>;
  close(): Promise<void>;
}

let firefox: Firefox | null = null;
after(() => firefox?.close());

test('Firefox ESR opens all views, with their headings and without an error', async (context) => {
  const tool = (await import(`${WEB}/tests/firefox.mjs`)) as { firefoxPath(): string | null; launchFirefox(): Promise<Firefox> };
  if (!tool.firefoxPath()) return context.skip('there is no firefox-esr (tools/setup --long)');
  firefox = await tool.launchFirefox();
  const stub = await stubOf('normal in Firefox');
  const headings: string[] = [];
  for (const view of VIEWS) {
    const tab = await firefox.open(stub.url + view);
    await tab.becomes(`document.querySelector('main h1') && ${isRead}`, `${view || 'mine'} is read`);
    headings.push(String(await tab.evaluate("document.querySelector('main h1').innerText")));
    assert.equal(await tab.evaluate("/The server answered|No answer:|Not found:|Not allowed:|The database is away/.test(document.body.innerText)"), false, view);
    assert((await tab.evaluate("document.querySelector('main').innerText.length")) as number > 200, `${view}: there is more than a heading`);
    assert((await tab.evaluate('document.documentElement.scrollWidth - innerWidth')) as number <= 0, `${view} is no wider than the window`);
    await tab.close();
  }
  assert(headings.every(Boolean) && new Set(headings).size >= 10, headings.join(', '));
  assert.deepEqual(firefox.complaints, []);
  assert(firefox.version.startsWith('firefox '), firefox.version);
});
