// One-letter keys, for those who want them: / j k m f g u o w s c n p z ?
import { hasKeys } from './settings';
import { campaignId, go } from './router';

export const KEYS: [string, string][] = [
  ['/', 'search a campaign'],
  ['j, k', 'next row, row before'],
  ['Enter', 'open the row'],
  ['n, p', 'next page, page before'],
  ['m', 'my campaigns'],
  ['f', 'what is to be fixed, of the campaign that is shown'],
  ['g', 'the grid now'],
  ['u', 'its use in time'],
  ['o', 'who goes first'],
  ['w', 'what if'],
  ['s', 'shares, limits and brakes'],
  ['c', 'the conductor'],
  ['z', 'freeze the page, or go on'],
  ['?', 'this list'],
];

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(input|select|textarea)$/i.test(target.tagName));

function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

const click = (selector: string): void => document.querySelector<HTMLElement>(selector)?.click();

const ACTS: Record<string, () => void> = {
  '/': () => document.querySelector<HTMLElement>('#search')?.focus(),
  j: () => step(1),
  k: () => step(-1),
  n: () => click('main [data-page=next]'),
  p: () => click('main [data-page=prev]'),
  m: () => go({ view: 'mine' }),
  f: () => go({ view: 'fix', id: String(campaignId.peek() ?? '') }),
  g: () => go({ view: 'grid' }),
  u: () => go({ view: 'use' }),
  o: () => go({ view: 'order' }),
  w: () => go({ view: 'whatif' }),
  s: () => go({ view: 'shares' }),
  c: () => go({ view: 'conductor' }),
  z: () => click('#freeze'),
  '?': () => click('#help'),
};

export function followKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === 'Escape' && (event.target as HTMLElement).id === 'search') (event.target as HTMLElement).blur();
    if (!hasKeys.peek() || isTyping(event.target) || document.querySelector('dialog[open]')) return;
    const act = Object.hasOwn(ACTS, event.key) ? ACTS[event.key] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  });
}
