// Use in time: who held each cluster in the last 24 hours.
import { useState } from 'preact/hooks';
import { serverNow } from '../live/api';
import { useResource } from '../live/resource';
import { Waiting } from '../parts/broken';
import { ticks } from '../parts/chart';
import { count, duration, minuteTime, oneLine, parseTime } from '../parts/format';
import { Time } from '../parts/text';
import type { GridUse } from '../types';

const SLICE = 600e3; // ms; what is drawn as one column
const DAY = 86400e3;

export interface Slice {
  known: boolean;
  max: number;
  used: number; // means over the slice
  ours: number;
}

export interface Use {
  name: string;
  slices: Slice[];
}

/** Slices of ten minutes by cluster: means of the figures in them. A slice without figures is unknown, not idle. */
export function slicesOf(use: GridUse, from: number, slices: number): Use[] {
  const sums = new Map<string, { n: number; max: number; used: number; ours: number }[]>();
  for (const { date, clusters } of use.items) {
    const at = parseTime(date);
    const index = at === null ? -1 : Math.floor((at - from) / SLICE);
    if (index < 0 || index >= slices) continue;
    for (const c of clusters) {
      let list = sums.get(c.cluster_name);
      if (!list) sums.set(c.cluster_name, (list = Array.from({ length: slices }, () => ({ n: 0, max: 0, used: 0, ours: 0 }))));
      const sum = list[index]!;
      sum.n += 1;
      sum.max += c.max_resources;
      sum.used += c.used_resources;
      sum.ours += Math.min(c.used_by_grid, c.used_resources);
    }
  }
  return [...sums].map(([name, list]) => ({
    name,
    slices: list.map(({ n, max, used, ours }) => (n === 0 ? { known: false, max: 0, used: 0, ours: 0 } : { known: true, max: max / n, used: used / n, ours: ours / n })),
  }));
}

/** The outline of a stack from the bottom, with gaps where nothing is known. */
function areas(slices: Slice[], value: (one: Slice) => number): string {
  let path = '';
  slices.forEach((one, index) => {
    if (!one.known || one.max <= 0) return;
    const y = (30 * (1 - Math.min(1, value(one) / one.max))).toFixed(1);
    path += `M${index} 30V${y}H${index + 1}V30Z`;
  });
  return path;
}

/** The upper edge alone: two neighbours are told apart without their colours. */
function edge(slices: Slice[], value: (one: Slice) => number): string {
  let path = '';
  slices.forEach((one, index) => {
    if (!one.known || one.max <= 0) return;
    const y = (30 * (1 - Math.min(1, value(one) / one.max))).toFixed(1);
    path += `${path && slices[index - 1]?.known ? 'L' : 'M'}${index} ${y}H${index + 1}`;
  });
  return path;
}

function Row({ of, from }: { of: Use; from: number }) {
  const known = of.slices.filter((one) => one.known && one.max > 0);
  const mean = (value: (one: Slice) => number) =>
    known.length === 0 ? 0 : Math.round((100 * known.reduce((sum, one) => sum + value(one) / one.max, 0)) / known.length);
  const [used, ours] = [mean((one) => one.used), mean((one) => one.ours)];
  const unknown = of.slices.length - known.length;
  const sentence = `${oneLine(of.name)}: ${used} % used on average, ${ours} % by the grid${unknown > 0 ? `, unknown for ${duration((unknown * SLICE) / 1000)}` : ''}`;
  const size = of.slices.length;
  return (
    <tr>
      <th scope="row">{oneLine(of.name)}</th>
      <td class="spark">
        <svg viewBox={`0 0 ${size} 30`} preserveAspectRatio="none" role="img" aria-label={sentence}>
          <path d={areas(of.slices, (one) => one.max)} class="free" />
          <path d={areas(of.slices, (one) => one.used)} class="others" />
          <path d={areas(of.slices, (one) => one.ours)} class="ours" />
          <path d={edge(of.slices, (one) => one.ours)} class="edge" />
          {ticks({ from, to: from + size * SLICE }, 6).map((t) => (
            <line key={t} x1={(t - from) / SLICE} x2={(t - from) / SLICE} y1="0" y2="30" class="grid" />
          ))}
        </svg>
      </td>
      <td class="num">{known.length === 0 ? '-' : `${used} %`}</td>
      <td class="num">{known.length === 0 ? '-' : `${ours} %`}</td>
      <td class="num">{known.length === 0 ? '-' : count(Math.min(...known.map((one) => one.max - one.used)))}</td>
      <td class="num">{unknown > 0 ? duration((unknown * SLICE) / 1000) : ''}</td>
    </tr>
  );
}

export function UseInTime() {
  // The span stays while the view is open, so that the answer can be kept.
  const [to] = useState(() => Math.ceil(serverNow() / SLICE) * SLICE);
  const from = to - DAY;
  const text = (ms: number) => new Date(ms).toISOString().slice(0, 19) + 'Z';
  const use = useResource<GridUse>(`v1/gridusage?from=${text(from)}&to=${text(to)}&limit=1000`, { every: 600e3 });
  return (
    <section>
      <h2>Use in the last 24 hours</h2>
      {use.data ? (
        <>
          <div class="wide">
            <table class="use">
              <thead>
                <tr>
                  <th scope="col">cluster</th>
                  <th scope="col">
                    <Time at={from} minute /> to {minuteTime(to, to)}
                  </th>
                  <th scope="col" class="num">used</th>
                  <th scope="col" class="num">ours</th>
                  <th scope="col" class="num">least free</th>
                  <th scope="col" class="num">unknown</th>
                </tr>
              </thead>
              <tbody>
                {slicesOf(use.data, from, DAY / SLICE).map((one) => (
                  <Row key={one.name} of={one} from={from} />
                ))}
              </tbody>
            </table>
          </div>
          <p class="faint">
            From the bottom: the grid’s jobs, up to the edge; others’ above them; free; hatched: unknown. Lines: {ticks({ from, to }, 6).map((t) => minuteTime(t, to)).join(', ')}.
          </p>
        </>
      ) : (
        <Waiting of={use} what="the use in time" />
      )}
    </section>
  );
}
