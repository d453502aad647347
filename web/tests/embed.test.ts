// The page within another site's: without its head, in a frame that the policy allows.
import assert from 'node:assert/strict';
import { inBrowser, isRead, VIEWS } from './harness';

for (const view of VIEWS)
  inBrowser(`embedded, a view has no head, and its links stay so: ${view || 'mine'}`, 'normal', view ? `${view}&embed=1` : '?embed=1', async (tab) => {
    await tab.becomes(isRead, 'all is read');
    assert.equal(await tab.evaluate("document.querySelectorAll('header, #help, #search, .who').length"), 0);
    assert.deepEqual(await tab.evaluate("[...document.querySelectorAll('a[href^=\"?\"], a[href=\"./\"]')].filter((one) => !one.search.includes('embed=1')).map((one) => one.outerHTML)"), []);
    assert.deepEqual(tab.complaints, []);
  });

inBrowser('embedded, a row is opened and a key leads on, and both stay embedded', 'normal', '?embed=1', async (tab) => {
  await tab.becomes("document.querySelector('.campaign')");
  await tab.press('j');
  await tab.press('Enter');
  await tab.becomes("document.querySelector('main h1')?.innerText.includes('sweep')");
  assert.equal(await tab.evaluate('location.search'), '?view=campaign&id=12&embed=1');
  await tab.press('g');
  await tab.becomes("document.querySelector('main h1')?.innerText === 'Grid now'");
  assert.equal(await tab.evaluate('location.search'), '?view=grid&embed=1');
});

inBrowser('embedded and signed out, the page says what counts there, and leads out of the frame', 'signedout', '?view=campaign&id=12&embed=1', async (tab) => {
  await tab.becomes("document.body.innerText.includes('only the login of the web server counts here')");
  assert.equal(await tab.evaluate("document.querySelector('[role=status] a').getAttribute('href')"), '?view=campaign&id=12');
  assert.equal(await tab.evaluate("document.querySelector('[role=status] a').target"), '_blank');
});

const shown = "document.querySelector('iframe').contentDocument?.querySelector('.campaign')";

inBrowser('a site that the policy names shows the page in a frame', 'framed', '../portal', async (tab) => {
  await tab.becomes(shown, 'the campaigns');
  assert.deepEqual(tab.complaints, []);
});

inBrowser('no other site shows the page in a frame', 'normal', '../portal', async (tab) => {
  await tab.becomes("document.querySelector('iframe').contentDocument === null", 'the frame has nothing of this site');
  assert.match(tab.complaints.join(), /frame-ancestors/);
});
