// The page for everyone: what axe-core (WCAG 2.2 AA) finds in its views, by keyboard alone, on a narrow screen, in forced colours.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inBrowser, isRead, VIEWS, type Tab } from './harness';

const axe = readFileSync(join(WEB, 'node_modules/axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Found {
  passes: number;
  violations: string[];
}
/** Each violation as `rule: element`. */
async function examine(tab: Tab): Promise<Found> {
  return (await tab.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'] }).then(({ passes, violations }) => ({
    passes: passes.length,
    violations: violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 300) + ' ' + failureSummary)),
  }))`)) as Found;
}

/** The views in their usual state, and what the page shows where something is missing. */
const STATES: [string, string][] = [
  ...VIEWS.map((view): [string, string] => ['normal', view]),
  ['empty', ''], ['empty', '?view=grid'], ['empty', '?view=use'], ['empty', '?view=fix'],
  ['standstill', ''], ['database', '?view=grid'], ['signedout', ''], ['pruned', '?view=campaign&id=12'], ['forbidden', '?view=tasks&id=12&task=7&output=stdout'],
];
for (const scheme of ['light', 'dark']) {
  const options = { before: axe, media: [{ name: 'prefers-color-scheme', value: scheme }] };
  for (const [scenario, view] of STATES)
    inBrowser(`axe finds nothing, ${scheme}: ${scenario} ${view || 'mine'}`, scenario, view, async (tab) => {
      await tab.becomes(isRead, 'all is read');
      const found = await examine(tab);
      assert.deepEqual(found.violations, []);
      assert(found.passes > 10, `${found.passes} rules were applied`);
    }, options);

  inBrowser(`axe finds nothing, ${scheme}: the dialogs`, 'normal', '?view=campaign&id=12', async (tab) => {
    await tab.becomes(isRead, 'all is read');
    for (const open of ["document.querySelector('#help').click()", "[...document.querySelectorAll('.acts > button')].find((one) => one.textContent.startsWith('Cancel')).click()"]) {
      await tab.evaluate(open);
      await tab.becomes("document.querySelector('dialog[open]')");
      assert.deepEqual((await examine(tab)).violations, []);
      await tab.press('Escape');
      await tab.becomes("!document.querySelector('dialog[open]')");
    }
  }, options);

  inBrowser(`axe finds nothing, ${scheme}: the dialogs with fields`, 'normal', '?view=shares', async (tab) => {
    await tab.becomes(isRead, 'all is read');
    for (const label of ['Set a limit', 'Give shares', 'Change']) {
      await tab.evaluate(`[...document.querySelectorAll('main .acts button')].find((one) => one.textContent.startsWith('${label}')).click()`);
      await tab.becomes("document.querySelector('dialog[open]')");
      assert.deepEqual((await examine(tab)).violations, []);
      await tab.press('Escape');
      await tab.becomes("!document.querySelector('dialog[open]')");
    }
  }, options);
}

inBrowser('axe finds what is wrong', 'normal', '', async (tab) => {
  await tab.evaluate("document.querySelector('main').insertAdjacentElement('beforeend', document.createElement('button'))");
  assert.match((await examine(tab)).violations.join(), /button-name/);
}, { before: axe });

/** Whatever can be acted on, as its tag, text and place; what is in a closed part of the page is not there. */
const CONTROLS = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  .filter((one) => !one.disabled && one.checkVisibility({ visibilityProperty: true }) && one.tabIndex >= 0)`;

for (const view of VIEWS)
  inBrowser(`all controls are reached by Tab alone, and the focus is seen: ${view || 'mine'}`, 'still', view, async (tab) => {
    await tab.becomes(isRead, 'all is read');
    const all = Number(await tab.evaluate(`(window.controls = ${CONTROLS}).length`));
    assert(all > 8, `${all} controls`);
    await tab.evaluate('void (window.reached = new Set(), window.unseen = [])');
    const left = 'controls.filter((one) => one.isConnected && !reached.has(one))';
    // Rows that come meanwhile, as the list is windowed, take presses, too.
    for (let presses = 0; presses < all + 3 || (presses < 4 * all && (await tab.evaluate(`${left}.length > 0`))); ++presses) {
      await tab.press('Tab');
      await tab.evaluate(`{
        const one = document.activeElement, style = getComputedStyle(one), at = one.getBoundingClientRect();
        reached.add(one);
        if (one !== document.body && (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2 || at.bottom < 0 || at.top > innerHeight)) unseen.push(one.outerHTML.slice(0, 200));
      }`);
    }
    assert.deepEqual(await tab.evaluate('unseen'), []);
    assert.deepEqual(await tab.evaluate(`${left}.map((one) => one.outerHTML.slice(0, 200))`), []);
  });

inBrowser('all views are reached by keyboard alone', 'still', '', async (tab) => {
  await tab.becomes("document.querySelector('.campaign')");
  const seen: string[] = [];
  const see = async (title: string): Promise<void> => {
    await tab.becomes(`document.querySelector('main h1')?.innerText.includes(${JSON.stringify(title)}) && document.activeElement === document.querySelector('main h1')`, `${title} has the focus`);
    seen.push(String(await tab.evaluate("new URLSearchParams(location.search).get('view')")));
  };
  /** Tab until the control with these words has the focus, then Enter. */
  const follow = async (words: string): Promise<void> => {
    for (let presses = 0; presses < 80; ++presses) {
      await tab.press('Tab');
      if (await tab.evaluate(`document.activeElement.innerText === ${JSON.stringify(words)}`)) return tab.press('Enter');
    }
    throw new Error(`Tab never comes to '${words}'`);
  };
  await tab.press('j');
  await tab.press('Enter');
  await see('sweep');
  for (const words of ['Why', 'Tasks', 'To fix', 'Campaign']) {
    await follow(words);
    await see('sweep');
  }
  for (const [key, title] of [['g', 'Grid now'], ['u', 'Use'], ['o', 'Who goes first'], ['s', 'Shares'], ['c', 'onductor'], ['m', 'My campaigns']] as const) {
    await tab.press(key);
    await see(title);
  }
  assert.deepEqual(new Set(seen), new Set(['campaign', 'why', 'tasks', 'fix', 'grid', 'use', 'order', 'shares', 'conductor', 'mine']));
});

for (const view of VIEWS)
  inBrowser(`nothing is cut at 320 px, or 400 %: ${view || 'mine'}`, 'normal', view, async (tab) => {
    await tab.becomes(isRead, 'all is read');
    const cut = await tab.evaluate(`[...document.querySelectorAll('body *')].filter((one) => {
      if (!one.checkVisibility() || one.closest('.sr, svg, dialog:not([open])')) return false;
      const scrolls = (at) => at && (/auto|scroll/.test(getComputedStyle(at).overflowX) || scrolls(at.parentElement));
      const style = getComputedStyle(one);
      const hides = /hidden|clip/.test(style.overflowX) && one.textContent.trim() !== '' && one.scrollWidth > one.clientWidth + 1;
      const leaves = one.getBoundingClientRect().right > innerWidth + 1 && !scrolls(one.parentElement);
      return hides || leaves;
    }).map((one) => one.outerHTML.slice(0, 200))`);
    assert.deepEqual(cut, []);
  }, { width: 320 });

const contrasts = `(() => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  const light = (color) => {
    canvas.clearRect(0, 0, 1, 1), canvas.fillStyle = color, canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = light(getComputedStyle(document.documentElement).backgroundColor);
  const ratio = (color) => { const one = light(color); return (Math.max(one, behind) + 0.05) / (Math.min(one, behind) + 0.05); };
  return [...document.querySelectorAll('main svg :is(path, rect, polyline, line, text, circle)')].map((one) => {
    const { fill, stroke } = getComputedStyle(one);
    const best = Math.max(...[fill, stroke].filter((color) => color !== 'none').map(ratio));
    return [one.closest('svg').getAttribute('class') + ' ' + one.outerHTML.slice(0, 120), best];
  });
})()`;
for (const scheme of ['light', 'dark'])
  for (const view of VIEWS)
    inBrowser(`in forced colours, each mark of the charts is seen, ${scheme}: ${view || 'mine'}`, 'normal', view, async (tab) => {
      await tab.becomes(isRead, 'all is read');
      const marks = (await tab.evaluate(contrasts)) as [string, number][];
      assert.deepEqual(marks.filter(([, contrast]) => contrast < 3), []);
    }, { media: [{ name: 'forced-colors', value: 'active' }, { name: 'prefers-color-scheme', value: scheme }] });
