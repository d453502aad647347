// The views that are not in the first script. They are fetched once the browser is idle, not at a click: a session that ended meanwhile
// must not break one.
import { signal } from '@preact/signals';

type Rest = typeof import('../views/rest');

const AGAIN = 10000; // ms, after a failure

export const rest = signal<Rest | null>(null);

export function fetchRest(): void {
  import('../views/rest').then(
    (views) => {
      rest.value = views;
    },
    () => setTimeout(fetchRest, AGAIN),
  );
}

/** At once where one of them is shown. */
export function fetchRestWhenIdle(isShown: boolean): void {
  if (isShown || typeof requestIdleCallback === 'undefined') fetchRest();
  else requestIdleCallback(fetchRest, { timeout: 5000 });
}
