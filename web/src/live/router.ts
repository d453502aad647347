// One document: the view is in the query, so that each view, filter and open row is a link.
import { computed, signal } from '@preact/signals';

export type Params = Record<string, string>;

const read = (): Params => Object.fromEntries(new URLSearchParams(location.search));

/** Within another site's page (embed=1): without the head, and so are the views that links lead to. */
export const isEmbedded = read()['embed'] === '1';

export const params = signal<Params>(read());
export const view = computed(() => params.value['view'] ?? 'mine');
export const campaignId = computed(() => {
  const id = params.value['id'] ?? '';
  return /^\d{1,18}$/.test(id) ? Number(id) : null;
});

export function href(to: Params, embedded = isEmbedded): string {
  const query = new URLSearchParams(Object.entries(embedded ? { ...to, embed: '1' } : to).filter(([, value]) => value !== '')).toString();
  return query ? `?${query}` : './';
}

/** focus: whether the new view gets it, so that a reader of screens begins there. */
export function go(to: Params, { focus = true } = {}): void {
  if (href(to) === location.search) return;
  history.pushState(null, '', href(to));
  params.value = to;
  scrollTo(0, 0);
  if (!focus) return;
  const before = document.activeElement;
  requestAnimationFrame(() => {
    // Whoever has gone on meanwhile, to the search for instance, stays there.
    if (document.activeElement === before || document.activeElement === document.body)
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  });
}

export function followLinks(): void {
  addEventListener('popstate', () => (params.value = read()));
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.('a');
    const to = link?.getAttribute('href');
    if (!link || to == null || link.target || !(to.startsWith('?') || to === './')) return;
    event.preventDefault();
    go(Object.fromEntries(new URLSearchParams(to === './' ? '' : to)));
  });
}
