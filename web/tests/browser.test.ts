// The page in a real browser, with the answers of tests/stub.mjs, under the policy that gridapi sends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, inBrowser, isRead, stubOf, VIEWS } from './harness';

for (const view of VIEWS)
  for (const width of [1280, 320])
    inBrowser(`the console stays empty under the policy, and nothing is wider than ${width} px: ${view || 'mine'}`, 'normal', view, async (tab) => {
      await tab.becomes(isRead, 'all is read');
      await tab.becomes('document.title !== "Gleaner"', 'the title has figures');
      assert.deepEqual(tab.complaints, []);
      assert((await tab.evaluate('document.documentElement.scrollWidth')) as number <= width);
    }, { width });

inBrowser('the code leaves the address before anything is asked, and is sent once', 'normal', '#code=AB%2BC', async (tab, stub) => {
  await tab.becomes("document.querySelector('.campaign')", 'the campaigns');
  assert.equal(await tab.evaluate('location.hash'), '');
  assert(!String(await tab.evaluate('location.href')).includes('#'));
  assert.equal(stub.requests.filter((line) => line === 'POST session').length, 1);
});

inBrowser('a used link says what to do', 'usedlink', '#code=AAAA', async (tab) => {
  await tab.becomes("document.body.innerText.includes('Run gridstat --web again')");
});

inBrowser('who is signed out is told how to sign in', 'signedout', '', async (tab) => {
  await tab.becomes("document.body.innerText.includes('gridstat --web')");
});

inBrowser('the database that is away is said, with the next step', 'database', '?view=grid', async (tab) => {
  await tab.becomes("document.body.innerText.includes('The database is away')");
});

inBrowser('a campaign that was pruned is said', 'pruned', '?view=campaign&id=12', async (tab) => {
  await tab.becomes("document.body.innerText.includes('may have been pruned')");
});

inBrowser('an output of another user is not allowed', 'forbidden', '?view=tasks&id=12&task=7&output=stdout', async (tab) => {
  await tab.becomes("document.body.innerText.includes('Not allowed')");
});

inBrowser('a grid that stands still has a band', 'standstill', '', async (tab) => {
  await tab.becomes("document.body.innerText.includes('Nobody conducts the grid')");
});

inBrowser('nobody without a campaign is left without a first one', 'empty', '', async (tab) => {
  await tab.becomes("document.body.innerText.includes('gridsub -f squares.jdl')");
});

inBrowser('markup in names and outputs is text', 'normal', '?view=tasks&id=12&task=7&output=stderr', async (tab) => {
  await tab.becomes("document.body.innerText.includes('<script>alert(1)</script>')");
  assert.equal(await tab.evaluate("document.querySelectorAll('main script').length"), 0);
});

inBrowser('a lost cluster is not drawn idle', 'normal', '?view=grid', async (tab) => {
  await tab.becomes("document.querySelector('.cluster.lost')");
  assert.equal(await tab.evaluate("document.querySelectorAll('.cluster.lost .seg').length"), 0);
});

inBrowser('the use of a lost cluster is not drawn, and its outages are said', 'normal', '?view=use&cluster=gamma', async (tab) => {
  await tab.becomes("document.querySelector('.strip')");
  const label = String(await tab.evaluate("[...document.querySelectorAll('.strip')][2].getAttribute('aria-label')"));
  assert.match(label, /^gamma, on average: .*unknown for \d+ h.*lost 2 times$/);
  assert.equal(await tab.evaluate("[...document.querySelectorAll('.strip')][2].querySelectorAll('.outage').length"), 2);
  assert.equal(await tab.evaluate("document.querySelector('#details').innerText"), 'gamma, each 1 h');
  assert(String(await tab.evaluate("document.querySelector('[aria-labelledby=details]').innerText")).includes('unknown'));
});

inBrowser('the use in time is reached by keys: its clusters and their figures', 'normal of use', '', async (tab, stub) => {
  await tab.press('u');
  await tab.becomes("document.querySelectorAll('.strip').length === 10");
  await tab.press('j');
  await tab.press('j');
  await tab.press('Enter');
  await tab.becomes("document.querySelector('#details')?.innerText.startsWith('beta')");
  assert.equal(await tab.evaluate('location.search'), '?view=use&span=24h&cluster=beta');
  assert.equal(stub.requests.filter((line) => line.startsWith('GET v1/gridusage')).length, 1, 'opening a row asks for nothing');
});

inBrowser('the layers of the use keep their textures in forced colours', 'normal', '?view=use', async (tab) => {
  await tab.becomes("document.querySelector('.strip')");
  const looks = (await tab.evaluate(
    "[...document.querySelector('.strip').querySelectorAll('.seg')].map((e) => { const s = getComputedStyle(e); return s.backgroundColor + s.backgroundImage; })",
  )) as string[];
  assert.equal(new Set(looks).size, 5);
}, { media: [{ name: 'forced-colors', value: 'active' }] });

inBrowser('the title says how far it is, and when it ends', 'normal', '?view=campaign&id=12', async (tab) => {
  await tab.becomes(String.raw`/^61 % · (\w+ )?\d\d:\d\d · sweep · Gleaner$/.test(document.title)`);
});

inBrowser('the doorbell asks for the summary at most once in 2 s', 'normal', '', async (tab, stub) => {
  await tab.becomes("document.querySelector('.campaign')");
  const asked = () => stub.requests.filter((line) => line.startsWith('GET v1/summary')).length;
  const first = asked();
  const start = Date.now();
  while (asked() < first + 2) await new Promise((go) => setTimeout(go, 20));
  assert(Date.now() - start >= 2000, 'two more answers are 2 s apart at least');
});

test('tabs share one stream, and when its tab is closed another one reads it', async (context) => {
  if (!browser) return context.skip('there is no chromium');
  const stub = await stubOf('normal to share');
  const streams = () => stub.requests.filter((line) => line.startsWith('GET v1/events')).length;
  const live = "document.querySelector('.campaign') && !document.body.innerText.includes('asked every 10 s')";
  const first = await browser.open(stub.url);
  await first.becomes(live, 'the first tab has a stream');
  const others = [await browser.open(stub.url), await browser.open(stub.url)];
  for (const tab of others) await tab.becomes(live, 'the others hear of it');
  assert.equal(streams(), 1);
  await first.close();
  for (const end = Date.now() + 20000; streams() < 2 && Date.now() < end; ) await new Promise((go) => setTimeout(go, 30));
  assert.equal(streams(), 2);
  for (const tab of others) {
    await tab.becomes(live, 'another tab reads it');
    await tab.close();
  }
  assert.equal(streams(), 2);
});

inBrowser('all is reached by keys: rows, Enter, grid, mine, help', 'normal', '', async (tab) => {
  await tab.becomes("document.querySelector('.campaign')");
  await tab.press('j');
  await tab.press('j');
  await tab.press('k');
  assert.match(String(await tab.evaluate('document.activeElement.innerText')), /^12 sweep/);
  await tab.press('Enter');
  await tab.becomes("location.search === '?view=campaign&id=12'");
  await tab.press('g');
  await tab.becomes("document.querySelector('main h1').innerText === 'Grid now'");
  await tab.press('m');
  await tab.becomes("document.querySelector('main h1').innerText === 'My campaigns'");
  await tab.press('/');
  assert.equal(await tab.evaluate('document.activeElement.id'), 'search');
  await tab.press('9');
  await tab.press('Enter');
  await tab.becomes("location.search === '?view=campaign&id=9'");
  await tab.evaluate('document.activeElement.blur()');
  await tab.press('?');
  await tab.becomes("document.querySelector('dialog[open]')");
  await tab.evaluate("document.querySelector('dialog input[type=checkbox]').click(), document.querySelector('dialog button').click(), document.activeElement.blur()");
  await tab.press('g');
  assert.equal(await tab.evaluate('location.search'), '?view=campaign&id=9');
  await tab.evaluate('localStorage.clear()');
});

inBrowser('a new view has the focus, but not if its reader has gone on meanwhile', 'normal', '', async (tab) => {
  await tab.becomes("document.querySelector('.campaign')");
  const drawn = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
  const after = async (act: string): Promise<unknown> => tab.evaluate(`(async () => { ${act}; await ${drawn}; return document.activeElement.id || document.activeElement.tagName; })()`);
  const open = (title: string): string => `[...document.querySelectorAll('nav a')].find((one) => one.innerText === '${title}').click()`;
  assert.equal(await after(open('Grid')), 'H1');
  assert.equal(await after(`${open('Mine')}; document.querySelector('#search').focus()`), 'search');
});

inBrowser('the next page of tasks and the page before are links', 'normal', '?view=tasks&id=12', async (tab) => {
  await tab.becomes("document.querySelectorAll('.tasks tbody tr').length === 100");
  await tab.press('n');
  await tab.becomes("document.querySelector('.tasks tbody a')?.innerText === '100'");
  assert.equal(await tab.evaluate('location.search'), '?view=tasks&id=12&after=99');
  await tab.press('p');
  await tab.becomes("document.querySelector('.tasks tbody a')?.innerText === '0'");
});

inBrowser('states keep their textures and letters in forced colours', 'normal', '?view=campaign&id=12', async (tab) => {
  await tab.becomes("document.querySelectorAll('.legend .seg').length === 7");
  const looks = (await tab.evaluate(
    "[...document.querySelectorAll('.legend .seg')].map((e) => { const s = getComputedStyle(e); return s.backgroundColor + s.backgroundImage + s.backgroundSize; })",
  )) as string[];
  assert.equal(new Set(looks).size, 7);
}, { media: [{ name: 'forced-colors', value: 'active' }] });

inBrowser('without a stream the page asks on, and says so', 'normal', '', async (tab) => {
  await tab.becomes("document.body.innerText.includes('asked every 10 s')");
}, { before: 'delete window.EventSource' });

inBrowser('an ended session is said, the page stays, and a new link mends it', 'normal to sign out of', '', async (tab, stub) => {
  await tab.becomes("document.querySelector('.campaign') && document.querySelector('.who')");
  stub.turn('signedout');
  await tab.becomes("document.body.innerText.includes('Signed out: run')");
  assert.equal(await tab.evaluate("document.querySelectorAll('.campaign').length"), 6);
  assert.equal(await tab.evaluate("document.querySelector('main').className"), 'old');
  stub.turn('normal');
  await tab.evaluate("void (location.hash = '#code=BBBB')");
  await tab.becomes("!document.body.innerText.includes('Signed out: run')");
  assert.equal(await tab.evaluate('location.hash'), '');
});

inBrowser('who is named by a web server signs in and out there', 'named', '', async (tab) => {
  await tab.becomes("document.querySelector('.who')?.innerText.startsWith('u01')");
  assert.equal(await tab.evaluate("document.querySelectorAll('.who button').length"), 0);
});

inBrowser('a login of the web server that is over is said, and the page stays', 'normal to be led away', '', async (tab, stub) => {
  await tab.becomes("document.querySelector('.campaign') && document.querySelector('.who button')");
  stub.turn('loginover');
  await tab.becomes("document.body.innerText.includes('Signed out: run') && document.body.innerText.includes('load the page again')");
  assert.equal(await tab.evaluate("document.querySelectorAll('.campaign').length"), 6);
  assert.match(String(await tab.evaluate('location.href')), /\/grid\/ui\/$/);
});

inBrowser('figures that nothing confirms turn grey, with their age', 'normal to lose', '', async (tab, stub) => {
  await tab.becomes("document.querySelector('.campaign')");
  stub.turn('database');
  await tab.becomes("document.body.innerText.includes('The database is away')");
  assert.equal(await tab.evaluate("document.querySelector('main').className"), '');
  await tab.evaluate('{ const real = Date.now; Date.now = () => real() + 40000; }');
  await tab.becomes("document.querySelector('main').className === 'old' && /The figures are \\d+ s old/.test(document.body.innerText)");
  assert.equal(await tab.evaluate("document.querySelectorAll('.campaign').length"), 6);
});

inBrowser('a command is selected where there is no clipboard', 'normal', '', async (tab) => {
  await tab.evaluate("document.querySelector('.commands button').click()");
  await tab.becomes("getSelection().toString() === 'gridstat -u'");
  await tab.becomes("document.querySelector('.commands button').innerText !== 'copy'");
}, { before: "Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })" });

inBrowser('the theme that was chosen is kept', 'normal', '?view=grid', async (tab) => {
  await tab.evaluate("{ const s = document.querySelector('.theme select'); s.value = 'dark'; s.dispatchEvent(new Event('change', { bubbles: true })); }");
  await tab.becomes("getComputedStyle(document.documentElement).backgroundColor === 'rgb(20, 24, 28)'");
  await tab.evaluate('void setTimeout(() => location.reload())');
  await tab.becomes("document.querySelector('.theme select')?.value === 'dark' && document.documentElement.dataset.theme === 'dark'");
  await tab.evaluate('localStorage.clear()');
});

inBrowser('pictures in tables are as wide as their columns', 'normal', '?view=use', async (tab) => {
  await tab.becomes("document.querySelector('.use .strip')");
  const widths = (await tab.evaluate("[...document.querySelectorAll('.use .strip')].map((one) => [one.offsetWidth, one.parentElement.offsetWidth])")) as [number, number][];
  for (const [strip, cell] of widths) assert(strip > 400 && strip > 0.9 * cell, `${strip} of ${cell} px`);
});

inBrowser('the reasons of the past are a picture, a sentence and a table, and another span is asked for once', 'normal of why', '?view=why&id=12', async (tab, stub) => {
  await tab.becomes("document.querySelectorAll('.reasons-strip').length === 3");
  const label = String(await tab.evaluate("document.querySelector('.reasons-strip').getAttribute('aria-label')"));
  assert.match(label, /^\d+ % full, \d+ % jobs sent, all that was free$/);
  assert(String(await tab.evaluate("document.querySelector('.reasons-cluster').innerText")).includes(label), 'the sentence is beside the picture');
  assert(String(await tab.evaluate("document.querySelector('.commands').innerText")).includes('gridstat 12 --why --since 24h'));
  await tab.evaluate("[...document.querySelectorAll('summary')].forEach((one) => one.click())");
  assert(String(await tab.evaluate("document.querySelector('details table').innerText")).includes('limit 3 (each user: u01)'));
  await tab.evaluate("[...document.querySelectorAll('.switch a')].find((one) => one.innerText === '7 days').click()");
  await tab.becomes("document.querySelector('.commands')?.innerText.includes('--since 7d')");
  await tab.becomes("document.querySelectorAll('.reasons-strip').length === 3");
  assert.equal(await tab.evaluate('location.search'), '?view=why&id=12&span=7d');
  const asked = stub.requests.filter((line) => line.includes('/decisions/history?since='));
  assert.equal(asked.length, 2, asked.join('\n'));
  assert(Date.parse(asked[0]!.slice(asked[0]!.indexOf('since=') + 6, -11)) - Date.parse(asked[1]!.slice(asked[1]!.indexOf('since=') + 6, -11)) > 5 * 86400e3);
});

const rowsOfWhatIf = "[...document.querySelectorAll('.whatif-table tbody tr')].map((row) => row.innerText.replace(/\\s+/g, ' '))";

inBrowser('a what-if is asked by the keyboard alone, moves the others too, and is a link', 'normal what-if', '?view=whatif', async (tab, stub) => {
  await tab.becomes("document.querySelectorAll('.whatif-form input[type=checkbox]').length > 1", 'the clusters');
  assert(!stub.requests.some((line) => line.startsWith('what if')), 'nothing is asked unasked');
  await tab.evaluate("document.querySelectorAll('.whatif-form input[type=checkbox]')[1].focus()");
  await tab.press(' ');
  await tab.becomes("document.querySelectorAll('.whatif-form input[type=checkbox]')[1].checked", 'beta is off');
  await tab.evaluate("document.querySelector('.whatif-go').focus()");
  await tab.press('Enter');
  await tab.becomes("document.querySelector('.whatif-table')", 'the answer');
  assert.deepEqual(stub.requests.filter((line) => line.startsWith('what if')), ['what if {"changes":{"clusters_off":["beta"]}}']);
  const rows = (await tab.evaluate(rowsOfWhatIf)) as string[];
  assert.match(rows[0]!, / pays \+/);
  assert(rows.some((row) => / gains \u2212/.test(row)) && rows.some((row) => / the same 0/.test(row)), rows.join('; '));
  assert.match(String(await tab.evaluate('location.search')), /off=beta/);
  assert.match(String(await tab.evaluate("document.querySelector('.commands').innerText")), /gridsub --what-if clusters_off=beta/);
  assert.deepEqual(tab.complaints, []);
});

inBrowser('a link to a what-if shows its answer, and the campaign that is new comes first', 'normal what-if', '?view=whatif&fates=12:2&hours=2', async (tab, stub) => {
  await tab.becomes("document.querySelector('.whatif-table')", 'the answer');
  assert(stub.requests.includes('what if {"changes":{"campaigns":[{"id":12,"priority":2}]}}'), 'no time without a campaign');
  await tab.evaluate("document.querySelector('.whatif-form textarea').focus()");
  await tab.press('{');
  await tab.becomes("document.body.innerText.includes('The form has changed since')", 'the answer is of another question');
  await tab.evaluate("document.querySelector('.whatif-go').click()");
  await tab.becomes("document.querySelector('.whatif-table tbody tr').innerText.includes('(new)')", 'the new campaign');
  assert(stub.requests.includes('what if {"jdl":"{","changes":{"after":7200,"campaigns":[{"id":12,"priority":2}]}}'));
});

inBrowser('a grid that is busy, and one that stands still, say what to do', 'busy', '?view=whatif&off=beta', async (tab, stub) => {
  await tab.becomes("document.body.innerText.includes('Ask again in a moment')");
  stub.turn('standstill');
  await tab.evaluate("document.querySelector('.whatif-go').click()");
  await tab.becomes("document.body.innerText.includes('There is nothing to forecast until then')");
});

inBrowser('a grid without campaigns says how to ask about a new one', 'empty', '?view=whatif&off=beta', async (tab) => {
  await tab.becomes("document.body.innerText.includes('Paste a campaign file above')");
});
