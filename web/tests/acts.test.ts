// What is done from the page: each act asks first, says in numbers what it would do, and acts once.
import assert from 'node:assert/strict';
import { inBrowser, type Tab } from './harness';

const button = (label: string): string => `[...document.querySelectorAll('.acts > button')].find((one) => one.textContent.startsWith('${label}'))`;
async function asks(tab: Tab, label: string): Promise<string> {
  await tab.becomes(button(label));
  await tab.evaluate(`${button(label)}.click()`);
  await tab.becomes("document.querySelector('dialog[open] .choice')", 'the dialog');
  return String(await tab.evaluate("document.querySelector('dialog[open]').innerText"));
}

inBrowser('a cancel says in numbers what it will kill, and waits for the name of a large campaign', 'normal acts', '?view=campaign&id=12', async (tab, stub) => {
  assert.match(await asks(tab, 'Cancel'), /1.196 jobs/);
  await tab.becomes("/1196 jobs would be killed .640 on alpha, 556 on beta.*612034 stay done/.test(document.querySelector('dialog[open]').innerText)", 'the numbers of the server');
  assert.equal(await tab.evaluate("/jobs of it are killed/.test(document.querySelector('dialog[open]').innerText)"), false);
  assert.equal(await tab.evaluate("document.querySelector('dialog[open] .final').disabled"), true);
  await tab.evaluate("(() => { const input = document.querySelector('dialog[open] input'); input.value = 'sweep'; input.dispatchEvent(new Event('input', { bubbles: true })); })()");
  await tab.becomes("document.querySelector('dialog[open] .final').disabled === false");
  assert.deepEqual(stub.requests.filter((line) => line.startsWith('DELETE')), ['DELETE v1/campaigns/12?dry_run=1'], 'nothing was done before');
  await tab.evaluate("(() => { const go = document.querySelector('dialog[open] .final'); go.click(); go.click(); })()");
  await tab.becomes("document.querySelector('.acts > [role=status]').textContent === 'Campaign 12: cancelled'", 'the answer of the server');
  assert.deepEqual(stub.requests.filter((line) => line.startsWith('DELETE')), ['DELETE v1/campaigns/12?dry_run=1', 'DELETE v1/campaigns/12'], 'two clicks act once');
});

inBrowser('of very many failed tasks the rest is asked for, too', 'normal retries', '?view=fix&id=12', async (tab, stub) => {
  await asks(tab, 'Run');
  await tab.becomes("/If done now: 17 failed tasks of campaign 12 will run again/.test(document.querySelector('dialog[open]').innerText)", 'the answer of the server');
  await tab.evaluate("document.querySelector('dialog[open] .choice button').click()");
  await tab.becomes("document.querySelector('.acts > [role=status]').textContent !== ''");
  assert.deepEqual(stub.requests.filter((line) => line.startsWith('POST v1')), ['POST v1/campaigns/12/retries?expect=17&dry_run=1', 'POST v1/campaigns/12/retries?expect=17', 'POST v1/campaigns/12/retries?tasks=8-*']);
});

inBrowser('a group of failures has a line of its stderr, and is run again as it was counted', 'normal group', '?view=fix&id=12', async (tab, stub) => {
  await asks(tab, 'Run these 15');
  await tab.becomes("/If done now: 15 failed tasks of campaign 12 will run again/.test(document.querySelector('dialog[open]').innerText)", 'the answer of the server');
  assert.equal(await tab.evaluate("document.querySelector('.group pre').innerText"), 'No such file: mesh_88');
  await tab.evaluate("document.querySelector('dialog[open] .choice button').click()");
  await tab.becomes("document.querySelector('.group .acts > [role=status]').textContent !== ''");
  assert.deepEqual(stub.requests.filter((line) => line.startsWith('POST v1')), ['POST v1/campaigns/12/retries?failure=3&expect=15&dry_run=1', 'POST v1/campaigns/12/retries?failure=3&expect=15']);
});

inBrowser('a group of failures leads to its tasks, and a list of them names the commands for the group', 'normal', '?view=fix&id=12', async (tab, stub) => {
  await tab.becomes("document.querySelector('.group b a')");
  await tab.evaluate("document.querySelector('.group b a').click()");
  await tab.becomes("/15 failed tasks of group 3/.test(document.querySelector('main').innerText)", 'the list of the group');
  assert(stub.requests.some((line) => /^GET v1\/campaigns\/12\/tasks\?.*failure=3/.test(line)), 'it is asked for by the group');
  const text = String(await tab.evaluate("document.querySelector('main').innerText"));
  for (const command of ['gridstat 12 --failure 3', 'gridsub --retry 12 --failure 3']) assert(text.includes(command), command);
});

const inRow = (words: string, label: string): string =>
  `[...document.querySelectorAll('main tr')].find((one) => one.innerText.includes('${words}'))?.querySelector('${label}')`;
const buttonIn = (words: string, label: string): string => `[...${inRow(words, '.acts')}.querySelectorAll('button')].find((one) => one.textContent.startsWith('${label}'))`;
const dialogSays = (words: string): string => `document.querySelector('dialog[open]')?.innerText.includes(${JSON.stringify(words)})`;
const twoClicks = "(() => { const go = [...document.querySelectorAll('dialog[open] .choice button:not([type=submit])')].at(-2); go.click(); go.click(); })()";
async function answerInRow(tab: Tab, words: string): Promise<string> {
  await tab.becomes(`${inRow(words, '.acts > [role=status]')}.textContent !== ''`, 'the answer of the server');
  return String(await tab.evaluate(`${inRow(words, '.acts > [role=status]')}.textContent`));
}
/** Does what the button says, after its dry run. */
async function actsInRow(tab: Tab, words: string, label: string, foretold: string): Promise<string> {
  await tab.becomes(inRow(words, '.acts button'));
  await tab.evaluate(`${buttonIn(words, label)}.click()`);
  await tab.becomes(dialogSays(foretold), 'the dry run');
  await tab.evaluate(twoClicks);
  return answerInRow(tab, words);
}
const fill = (name: string, value: string): string =>
  `(() => { const field = document.querySelector('dialog[open] [name=${name}]'); field.value = '${value}'; field.dispatchEvent(new Event('input', { bubbles: true })); })()`;
const submit = "document.querySelector('dialog[open] [type=submit]').click()";

inBrowser('administrators lift limits and brakes, and disable clusters, each once, after a dry run', 'normal shares', '?view=shares', async (tab, stub) => {
  assert.equal(await actsInRow(tab, 'user u01, cluster beta', 'Lift', 'If done now: limit 3 is removed.'), 'limit 3 is removed');
  assert.equal(await actsInRow(tab, 'campaign 12 on gamma', 'Lift', 'If done now: the brake is lifted.'), 'the brake is lifted');
  assert.equal(await actsInRow(tab, 'alpha', 'Disable', 'If done now: cluster 1: disabled.'), 'cluster 1: disabled');
  assert.equal(await actsInRow(tab, 'chem', 'Remove', 'If done now: group chem has no shares'), 'group chem has no shares any more');
  const changes = stub.requests.filter((line) => !line.startsWith('GET') && !line.includes('dry_run=1'));
  assert.deepEqual(changes, ['DELETE v1/limits/3', 'DELETE v1/brakes?campaign=12&cluster=3', 'POST v1/clusters/1/disable', 'DELETE v1/shares?kind=group&name=chem&project=science']);
});

inBrowser('what a dry run refuses cannot be done', 'normal refused', '?view=shares', async (tab, stub) => {
  await tab.becomes(inRow('each user', '.acts button'));
  await tab.evaluate(`${buttonIn('each user', 'Lift')}.click()`);
  await tab.becomes(dialogSays('there is no limit 4.'));
  assert.equal(await tab.evaluate("document.querySelector('dialog[open] .choice button').disabled"), true);
  await tab.evaluate(twoClicks);
  assert.deepEqual(stub.requests.filter((line) => line.startsWith('DELETE')), ['DELETE v1/limits/4?dry_run=1']);
});

inBrowser('administrators set limits and shares in place of those that are there, and see what that would change', 'normal declared', '?view=shares', async (tab, stub) => {
  await tab.becomes(inRow('user u01, cluster beta', '.acts button'));
  await tab.evaluate(`${buttonIn('user u01, cluster beta', 'Change')}.click()`);
  await tab.evaluate(fill('most', 'many'));
  await tab.evaluate(submit);
  await tab.becomes(dialogSays("'many' is not a limit"), 'a wrong value is refused before anything is done');
  assert.equal(await tab.evaluate("[...document.querySelectorAll('dialog[open] .choice button')].at(-2).disabled"), true);
  await tab.evaluate(fill('most', '150'));
  await tab.becomes("!document.querySelector('dialog[open] .bad')", 'the answer to another value is gone');
  await tab.evaluate(submit);
  await tab.becomes(dialogSays('If done now: limit 3 (user u01, cluster beta): at most 150 running_jobs instead of 200'), 'the dry run');
  assert(!stub.requests.some((line) => line === 'PUT v1/limits'), 'nothing is done yet');
  await tab.evaluate(twoClicks);
  assert.match(await answerInRow(tab, 'user u01, cluster beta'), /^limit 3 .*at most 150/);
  assert.equal(stub.requests.filter((line) => line === 'PUT v1/limits').length, 1, 'two clicks act once');
  assert.equal(stub.requests.filter((line) => line.startsWith('declared')).at(-1), 'declared {"kind":"running_jobs","user":"u01","cluster":"beta","most":"150"}', 'it is the same limit');

  await tab.evaluate(`${buttonIn('chem', 'Change')}.click()`);
  await tab.evaluate(fill('shares', '3'));
  await tab.evaluate(submit);
  await tab.becomes(dialogSays('35.0 % of the grid instead of 23.3 %'), 'the dry run');
  await tab.evaluate(twoClicks);
  assert.match(await answerInRow(tab, 'chem'), /^group chem has 3 shares/);
  assert.equal(stub.requests.filter((line) => line.startsWith('declared')).at(-1), 'declared {"shares":"3","kind":"group","name":"chem","project":"science"}');

  await tab.evaluate("[...document.querySelectorAll('main .acts button')].find((one) => one.textContent.startsWith('Set a limit')).click()");
  await tab.evaluate(submit);
  assert.equal(await tab.evaluate("document.querySelector('dialog[open] [name=most]').matches(':invalid') && !document.querySelector('dialog[open] [role=status]')"), true, 'a number is needed');
  for (const [name, value] of [['most', '40'], ['user', 'each']] as const) await tab.evaluate(fill(name, value));
  await tab.evaluate(submit);
  await tab.becomes(dialogSays('If done now'));
  assert.equal(stub.requests.filter((line) => line.startsWith('declared')).at(-1), 'declared {"kind":"running_jobs","most":"40","user":"each"}', 'empty fields are not sent');
  assert.deepEqual(tab.complaints.filter((one) => !one.includes('400')), []);
});

inBrowser('who is no administrator sees shares, limits and brakes, and no button', 'reader', '?view=shares', async (tab) => {
  await tab.becomes("/physics/.test(document.querySelector('main').innerText) && /disk full/.test(document.querySelector('main').innerText)");
  assert.equal(await tab.evaluate("document.querySelectorAll('main .acts button').length"), 0);
});

inBrowser('who does nothing changes nothing', 'normal nothing', '?view=campaign&id=12', async (tab, stub) => {
  await asks(tab, 'Pause');
  await tab.press('Escape');
  await tab.becomes("!document.querySelector('dialog[open]')");
  assert(!stub.requests.some((line) => /^(POST|DELETE) v1/.test(line) && !line.includes('dry_run=1')));
});
