// Answers that a view reads beside the summary. They are kept while they are read again, so that nothing flickers.
import { useEffect, useRef, useState } from 'preact/hooks';
import { asFailure, get, type Failure } from './api';
import { bell } from './summary';

export interface Resource<T> {
  data: T | null;
  failure: Failure | null;
}

interface Kept<T> extends Resource<T> {
  path: string;
}

/** Reads one path again whenever it is told to, one request at a time. */
class Reader<T> {
  private isBusy = false;
  private isRung = false;
  private isOver = false;
  private last = 0;
  private timer = 0;
  private readonly abort = new AbortController();

  constructor(
    private readonly path: string,
    private readonly every: number,
    private readonly take: (change: (old: Kept<T> | null) => Kept<T>) => void,
  ) {
    void this.read();
  }

  ring(): void {
    if (this.isOver) return;
    this.isRung = true;
    if (this.isBusy) return;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.read(), Math.max(0, this.last + this.every - Date.now()));
  }

  stop(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    this.abort.abort();
  }

  private async read(): Promise<void> {
    [this.isBusy, this.isRung, this.last] = [true, false, Date.now()];
    const path = this.path;
    try {
      const data = await get<T>(path, this.abort.signal);
      if (!this.isOver) this.take(() => ({ path, data, failure: null }));
    } catch (error) {
      if (!this.isOver) this.take((old) => ({ path, data: old?.path === path ? old.data : null, failure: asFailure(error) }));
    }
    this.isBusy = false;
    if (this.isRung) this.ring();
  }
}

/** path null: nothing is read. follow: read again when the grid has changed, at most once in `every` ms. again: another number reads at once. */
export function useResource<T>(path: string | null, { follow = true, every = 2000, again = 0 } = {}): Resource<T> {
  const [kept, setKept] = useState<Kept<T> | null>(null);
  const reader = useRef<Reader<T> | null>(null);
  const rings = useRef(bell.peek());
  useEffect(() => {
    if (path === null) return;
    const mine = new Reader<T>(path, every, setKept);
    reader.current = mine;
    return () => mine.stop();
  }, [path, again]);
  const ring = follow ? bell.value : 0;
  useEffect(() => {
    if (!follow || ring === rings.current) return;
    rings.current = ring;
    reader.current?.ring();
  }, [ring]);
  return kept && kept.path === path ? kept : { data: null, failure: null };
}
