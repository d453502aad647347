// The stream of changes, one for all tabs of a browser: over HTTP/1.1 a site has six connections, which the streams of six tabs would take.
// The tab that has the lock reads the stream, and rings in the others. Without locks or channels, as on plain http, there is no stream.
import { signal } from '@preact/signals';

export const hasStream = signal(false);

type Word = 'ring' | 'open' | 'closed' | 'who';

let ring: () => void = () => {};
let stream: EventSource | null = null;
let channel: BroadcastChannel | null = null;
let leaving: AbortController | null = null;
let release: (() => void) | null = null; // the lock, for another tab
let again = 0;

const canListen = (): boolean => 'locks' in navigator && typeof BroadcastChannel !== 'undefined' && typeof EventSource !== 'undefined';

/** Of this grid: two may be below prefixes of one site. */
const nameOfGrid = (): string => `gleaner stream ${new URL('..', location.href).pathname}`;

function tell(word: Word): void {
  channel?.postMessage(word);
  hear(word);
}

function hear(word: Word): void {
  if (word === 'who' && stream?.readyState === EventSource.OPEN) channel?.postMessage('open');
  if (word === 'closed') hasStream.value = false;
  if (word === 'open' && !hasStream.peek()) {
    hasStream.value = true;
    ring(); // something may have changed before
  }
  if (word === 'ring') ring();
}

function open(): void {
  close();
  stream = new EventSource('../v1/events?after=now');
  stream.onopen = () => tell('open');
  for (const kind of ['message', 'campaign', 'progress', 'event', 'cluster']) stream.addEventListener(kind, () => tell('ring'));
  stream.addEventListener('end', () => openLater());
  stream.onerror = () => {
    tell('closed');
    // The browser comes again by itself, unless the answer was an error.
    if (stream?.readyState === EventSource.CLOSED) openLater();
  };
}

function openLater(): void {
  close();
  again = window.setTimeout(open, 10000 + Math.random() * 20000);
}

function close(): void {
  clearTimeout(again);
  if (!stream) return;
  stream.close();
  stream = null;
  tell('closed');
}

/** Calls `onRing` when something may have changed, until `leave`. */
export function listen(onRing: () => void): void {
  leave();
  ring = onRing;
  if (!canListen()) return;
  channel = new BroadcastChannel(nameOfGrid());
  channel.onmessage = ({ data }: MessageEvent<Word>) => hear(data);
  channel.postMessage('who' satisfies Word);
  leaving = new AbortController();
  const lead = (): Promise<void> =>
    new Promise((done) => {
      release = done;
      open();
    });
  navigator.locks.request(nameOfGrid(), { signal: leaving.signal }, lead).catch(() => {
    // It was left before it had the lock.
  });
}

export function leave(): void {
  close();
  leaving?.abort();
  release?.();
  channel?.close();
  leaving = release = channel = null;
  hasStream.value = false;
}
