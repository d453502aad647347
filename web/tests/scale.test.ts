// How the page scales: a new picture costs what has changed in it, and not what is shown. Work is counted and not timed, as the time of a
// task is that of the machine, which tests share.
import assert from 'node:assert/strict';
import { inBrowser, type Tab } from './harness';

/** Done by the page, but for texts that count seconds. */
interface Work {
  records: number;
  nodes: number; // added or removed
  touched: string[]; // the campaigns in which something was changed
  others: string[];
}

inBrowser('a picture of 210 campaigns touches the campaigns that have changed alone, and makes no nodes', 'many', '?view=mine&user=all', async (tab, stub) => {
  await tab.becomes("document.querySelectorAll('.campaign').length === 210");
  await tab.evaluate(`{
    window.work = { records: 0, nodes: 0, touched: [], others: [] };
    new MutationObserver((records) => {
      for (const { target, addedNodes, removedNodes } of records) {
        const at = target.nodeType === 1 ? target : target.parentElement;
        if (at?.closest('time, .since')) continue;
        ++work.records;
        work.nodes += addedNodes.length + removedNodes.length;
        const campaign = at?.closest('.campaign');
        if (campaign) work.touched.push(campaign.querySelector('[data-row]').search);
        else work.others.push(at?.outerHTML.slice(0, 100));
      }
    }).observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true, attributes: true });
  }`);
  const asked = () => stub.requests.filter((line) => line.startsWith('GET v1/summary')).length;
  const first = asked();
  while (asked() < first + 4) await new Promise((go) => setTimeout(go, 20));
  const { records, nodes, touched, others } = (await tab.evaluate('work')) as Work;
  // Two of three campaigns stay as they are (tests/stub.mjs).
  const changed = new Set(touched.filter((search) => Math.floor(Number(new URLSearchParams(search).get('id')) / 100) % 3 === 0));
  assert(changed.size >= 10, `${changed.size} campaigns have changed`);
  assert.deepEqual(touched.filter((search) => !changed.has(search)), [], 'the others are left alone');
  assert.equal(nodes, 0, 'elements stay the same ones, under a pointer and for a reader of screens');
  const [pictures, most] = [asked() - first, 20]; // seven counts with their bars, the part that is done, the band
  assert(records <= pictures * (most * changed.size + 10), `${records} changes for ${changed.size} campaigns in ${pictures} pictures; beside them ${new Set(others).size} places`);
});

/** Calls of the page's own functions since the last time. */
async function calls(tab: Tab): Promise<number> {
  const { result } = (await tab.ask('Profiler.takePreciseCoverage')) as { result: { url: string; functions: { ranges: { count: number }[] }[] }[] };
  const own = result.filter(({ url }) => url.includes('/ui/')).flatMap(({ functions }) => functions);
  return own.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
}

inBrowser('a picture in which a third has changed takes a part of the work of the first one', 'many', '?view=mine&user=all', async (tab, stub) => {
  const isThere = "document.querySelectorAll('.campaign').length === 210";
  await tab.becomes(isThere);
  await tab.ask('Profiler.enable');
  await tab.ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await tab.evaluate('void (window.isOld = true, setTimeout(() => location.reload()))');
  await tab.becomes(`!window.isOld && ${isThere}`);
  const whole = await calls(tab);
  const asked = () => stub.requests.filter((line) => line.startsWith('GET v1/summary')).length;
  const first = asked();
  while (asked() < first + 4) await new Promise((go) => setTimeout(go, 20));
  const each = (await calls(tab)) / (asked() - first);
  assert(each > 0.02 * whole, 'something was drawn');
  assert(each < 0.5 * whole, `${each} calls for each picture, ${whole} for the first one`);
});
