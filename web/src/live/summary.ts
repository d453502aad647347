// The picture of the grid, kept live: a stream of changes is only the doorbell, the summary is the answer.
import { batch, computed, effect, signal } from '@preact/signals';
import type { Root, Summary } from '../types';
import { asFailure, clockOffset, get, getText, serverNow, signedOut, type Failure } from './api';
import { hasStream, leave, listen } from './doorbell';
import { params } from './router';

const LEAST_PAUSE = 2000; // between two requests of the summary
/** gridapi gives one answer to all who ask within 250 ms: one that was begun before the change is older than this. */
const SETTLED = 300;
const SPREAD = 700; // viewers do not ask all at once
const POLL = 10000; // without a stream
const POLL_BESIDE_STREAM = 20000;
const POLL_SIGNED_OUT = 30000;
const HIDDEN_FOR = 60000; // then a hidden tab lets go
const OLD = 30000; // three cycles of polling

export const root = signal<Root | null>(null);
export const summary = signal<Summary | null>(null);
export const answeredAt = signal<number | null>(null); // by our own clock
export const failure = signal<Failure | null>(null);
export const isLetGo = signal(false); // the tab was hidden for long, or the reader froze the page
/** Since when the page stands still, because its reader wants to look at it; null: it follows the grid. */
export const frozenAt = signal<number | null>(null);
/** Rises with each answer of the summary that differs, for what else a view reads. */
export const bell = signal(0);
/** The time, for durations and ages; ticks once a second while the page is seen. */
export const now = signal(serverNow());
/** The same, every 10 s: for what needs no seconds, so that long lists are at rest. */
export const coarseNow = signal(now.peek());

/** ms since the figures were last confirmed; null: never. */
export const age = computed(() => (answeredAt.value === null ? null : Math.max(0, now.value - clockOffset.value - answeredAt.value)));
export const isOld = computed(() => age.value !== null && age.value > OLD);

export const wantsAll = computed(() => params.value['user'] === 'all');
const wanted = computed(() => {
  const user = params.value['user'];
  if (wantsAll.value || ['grid', 'whatif'].includes(params.value['view'] ?? '')) return 'v1/summary';
  return `v1/summary?user=${encodeURIComponent(user || 'me')}`;
});

let timer = 0;
let hiddenTimer = 0;
let lastAsked = 0;
let isAsking = false;
let lastText = '';
let lastPath = '';

/** Objects that have not changed stay the same ones, by which views recognise them. */
class Kept<T extends { id: number }> {
  private byId = new Map<number, { text: string; value: T }>();

  keep(list: T[]): T[] {
    const next = new Map<number, { text: string; value: T }>();
    for (const value of list) {
      const text = JSON.stringify(value);
      const last = this.byId.get(value.id);
      next.set(value.id, last?.text === text ? last : { text, value });
    }
    this.byId = next;
    return [...next.values()].map((one) => one.value);
  }
}

const campaigns = new Kept<Summary['campaigns'][number]>();
const clusters = new Kept<Summary['clusters'][number]>();

/** Long work is done in pieces, so that keys and clicks are answered in between. */
const pause = (): Promise<void> => new Promise((go) => setTimeout(go));

async function readSummary(): Promise<void> {
  isAsking = true;
  lastAsked = Date.now();
  const path = wanted.peek();
  try {
    const text = await getText(path);
    const isNew = text !== lastText || path !== lastPath;
    if (isNew && path === wanted.peek()) {
      [lastText, lastPath] = [text, path];
      const answer = JSON.parse(text) as Summary;
      await pause();
      const next = { ...answer, campaigns: campaigns.keep(answer.campaigns), clusters: clusters.keep(answer.clusters) };
      await pause();
      summary.value = next;
      bell.value = bell.peek() + 1;
    }
    if (path === wanted.peek()) {
      answeredAt.value = Date.now();
      failure.value = null;
    }
  } catch (error) {
    failure.value = asFailure(error);
  }
  isAsking = false;
  if (path !== wanted.peek()) void readSummary();
  else schedule(signedOut.peek() ? POLL_SIGNED_OUT : hasStream.peek() ? POLL_BESIDE_STREAM : POLL);
}

function schedule(pause: number): void {
  clearTimeout(timer);
  if (isLetGo.peek()) return;
  timer = window.setTimeout(() => void readSummary(), pause);
}

let isRung = false;
/** The doorbell: asks soon, at most once in LEAST_PAUSE. */
export function ring(): void {
  if (isRung || isLetGo.peek()) return;
  isRung = true;
  const pause = Math.max(SETTLED + Math.random() * SPREAD, lastAsked + LEAST_PAUSE - Date.now());
  setTimeout(() => {
    isRung = false;
    if (!isAsking) void readSummary();
    else ring();
  }, pause);
}

function openStream(): void {
  if (!signedOut.peek()) listen(ring);
}

export async function readRoot(): Promise<void> {
  try {
    root.value = await get<Root>('');
  } catch (error) {
    failure.value = asFailure(error);
  }
}

function letGo(): void {
  isLetGo.value = true;
  clearTimeout(timer);
  leave();
}

function tick(): void {
  if (frozenAt.peek() !== null) return;
  const time = serverNow();
  batch(() => {
    now.value = time;
    if (Math.abs(time - coarseNow.peek()) >= 10000) coarseNow.value = time;
  });
}

function comeBack(): void {
  clearTimeout(hiddenTimer);
  tick();
  if (!isLetGo.peek() || frozenAt.peek() !== null) return;
  isLetGo.value = false;
  openStream();
  void readSummary();
}

/** What is looked at stays as it is: no figure, age or forecast moves. */
export function freeze(): void {
  frozenAt.value = serverNow();
  letGo();
}

/** Follows the grid again; so does the page after an act, whose outcome is to be seen. */
export function thaw(): void {
  frozenAt.value = null;
  comeBack();
}

/** Asks at once, as after a sign-in. */
export function startAgain(): void {
  void readRoot();
  openStream();
  if (!isAsking) void readSummary();
}

export function start(): void {
  startAgain();
  let path = wanted.peek();
  effect(() => {
    if (wanted.value === path) return;
    path = wanted.value;
    if (!isAsking) void readSummary();
  });
  let wasOut = signedOut.peek();
  effect(() => {
    const isOut = signedOut.value;
    if (isOut === wasOut) return;
    wasOut = isOut;
    if (isOut) leave();
    else {
      openStream();
      void readRoot();
    }
  });
  effect(() => {
    if (!hasStream.value) schedule(POLL);
  });
  setInterval(() => document.hidden || tick(), 1000);
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) hiddenTimer = window.setTimeout(letGo, HIDDEN_FOR);
    else comeBack();
  });
}
