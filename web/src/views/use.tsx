// View 7: who held each cluster, from an hour to a week, when it was lost, and when there is room.
import { useEffect, useState } from 'preact/hooks';
import { serverNow } from '../live/api';
import { useResource } from '../live/resource';
import { href, params } from '../live/router';
import { coarseNow } from '../live/summary';
import { Legend, type Part } from '../parts/bar';
import { Notice, Waiting } from '../parts/broken';
import { ticks } from '../parts/chart';
import { count, duration, minuteTime, oneLine, parseTime, percent, plural } from '../parts/format';
import { Heads, numbers } from '../parts/table';
import { Commands, Time } from '../parts/text';
import type { ClusterUse, FigureInTime, UseInTime } from '../types';

const H = 3600e3;
/** The span in the address: its length, and that of a slice, which is drawn as one column. */
const SPANS: Record<string, { length: number; step: number; title: string }> = {
  '1h': { length: H, step: 60e3, title: '1 hour' },
  '6h': { length: 6 * H, step: 300e3, title: '6 hours' },
  '24h': { length: 24 * H, step: 600e3, title: '24 hours' },
  '7d': { length: 168 * H, step: H, title: '7 days' },
};
const USUAL = '24h';
const ROWS = 24; // of the table of one cluster

/** From the bottom of the picture. */
const LAYERS = [
  ['local', 'L', 'local'],
  ['ours', 'O', 'ours'],
  ['others', 'B', 'other best-effort'],
  ['free', '', 'free'],
  ['gone', 'X', 'out of use'],
] as const;

/** The resources of a cluster in a slice by who held them, in the order of LAYERS; null: unknown. */
export type Slice = number[] | null;

export interface Strip {
  name: string;
  slices: Slice[];
  columns: number; // slices, of which the last one may be a part
  top: number; // the most resources that it ever had
  unknown: number; // seconds
  leastFree: number | null;
  outages: { from: number; to: number }[]; // ms, within the span
}

const mean = (of: FigureInTime, i: number): number => of.mean[i] ?? 0;

/** A slice is unknown if figures are known for less than half of it: a lost cluster is not drawn idle. */
export function stripOf(c: ClusterUse, use: { from: string; to: string; step: number; slices: number }): Strip {
  const [from, to] = [parseTime(use.from) ?? 0, parseTime(use.to) ?? 0];
  const top = Math.max(0, ...c.max_resources.max.map((value) => value ?? 0));
  let [unknown, leastFree] = [0, null as number | null];
  const slices = Array.from({ length: use.slices }, (_, i): Slice => {
    const length = Math.min(use.step, (to - from) / 1000 - i * use.step);
    const known = c.known_seconds[i] ?? 0;
    unknown += Math.max(0, length - known);
    if (known < length / 2) return null;
    const used = mean(c.used_resources, i);
    const ours = Math.min(mean(c.used_by_grid, i), used);
    const others = Math.max(0, Math.min(mean(c.used_besteffort, i), used) - ours);
    const max = mean(c.max_resources, i);
    const gone = mean(c.unavailable_resources, i);
    const least = Math.max(0, (c.max_resources.min[i] ?? 0) - (c.used_resources.max[i] ?? 0) - (c.unavailable_resources.max[i] ?? 0));
    leastFree = leastFree === null ? least : Math.min(leastFree, least);
    return [used - ours - others, ours, others, Math.max(0, max - used - gone), gone + top - max];
  });
  const outages = c.outages
    .map((one) => ({ from: Math.max(from, parseTime(one.from) ?? from), to: Math.min(to, parseTime(one.to) ?? to) }))
    .sort((a, b) => a.from - b.from);
  return { name: c.cluster_name, slices, columns: (to - from) / 1000 / use.step, top, unknown, leastFree, outages };
}

/** The means of the known slices, in the order of LAYERS; null: none is known. */
export function meanOf(slices: Slice[]): Slice {
  const known = slices.filter((one) => one !== null) as number[][];
  return known.length === 0 ? null : LAYERS.map((_, k) => known.reduce((sum, one) => sum + one[k]!, 0) / known.length);
}

const percents = (value: number): string => `${+(100 * value).toFixed(2)}%`;

/** The outline of the layers up to one of them; where nothing is known it has no height. */
export function outline({ slices, columns, top }: Strip, upTo: number): string {
  const x = (i: number) => percents(Math.min(1, i / columns));
  const points: string[] = ['0% 100%'];
  slices.forEach((one, i) => {
    const sum = one === null || top === 0 ? 0 : one.slice(0, upTo + 1).reduce((a, b) => a + b, 0) / top;
    const y = percents(1 - Math.min(1, sum));
    points.push(`${x(i)} ${y}`, `${x(i + 1)} ${y}`);
  });
  return `polygon(${[...points, '100% 100%'].join(', ')})`;
}

const partsOf = (slice: number[]): Part[] => LAYERS.map(([key, letter, name], k) => ({ key, letter, name, value: slice[k]! }));

function sentenceOf(strip: Strip): string {
  const all = meanOf(strip.slices);
  if (!all) return `${oneLine(strip.name)}: nothing is known`;
  const shares = LAYERS.map(([, , name], k) => `${percent(all[k]!, strip.top)} ${name}`).join(', ');
  const lost = strip.outages.length > 0 ? `; lost ${plural(strip.outages.length, 'time')}` : '';
  return `${oneLine(strip.name)}, on average: ${shares}${strip.unknown >= 1 ? `; unknown for ${duration(strip.unknown)}` : ''}${lost}`;
}

function Picture({ of, from, to, marks }: { of: Strip; from: number; to: number; marks: number[] }) {
  const at = (ms: number) => percents((ms - from) / (to - from));
  return (
    <div class="strip" role="img" aria-label={sentenceOf(of)}>
      {LAYERS.map(([key], k) => <i key={key} class={`seg ${key}`} style={{ clipPath: outline(of, k) }} />).reverse()}
      {marks.map((t) => <i key={t} class="tick" style={{ left: at(t) }} />)}
      {of.outages.map((one) => (
        <i key={one.from} class="outage" style={{ left: at(one.from), width: percents((one.to - one.from) / (to - from)) }} title={`lost for ${duration((one.to - one.from) / 1000)}`} />
      ))}
    </div>
  );
}

/** The same in numbers, in rows of several slices. */
function Details({ of, from, step }: { of: Strip; from: number; step: number }) {
  const each = Math.max(1, Math.round(of.slices.length / ROWS));
  const rows = Array.from({ length: Math.ceil(of.slices.length / each) }, (_, i) => of.slices.slice(i * each, (i + 1) * each));
  return (
    <>
      <h2 id="details">{oneLine(of.name)}, each {duration((each * step) / 1000)}</h2>
      {of.outages.map((one) => (
        <p key={one.from}>
          Lost from <Time at={one.from} /> to <Time at={one.to} />, for {duration((one.to - one.from) / 1000)}.
        </p>
      ))}
      <div class="wide">
        <table aria-labelledby="details">
          <Heads of={['from', ...numbers(...LAYERS.map(([, , name]) => name))]} />
          <tbody>
            {rows.map((slices, i) => {
              const all = meanOf(slices);
              return (
                <tr key={i}>
                  <th scope="row"><Time at={from + i * each * step} minute /></th>
                  {all ? all.map((value, k) => <td key={k} class="num">{count(value)}</td>) : <td colSpan={LAYERS.length}>unknown</td>}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Row({ of, span, isOpen, children }: { of: Strip; span: string; isOpen: boolean; children: preact.ComponentChildren }) {
  const all = meanOf(of.slices);
  const used = all ? all[0]! + all[1]! + all[2]! : 0;
  return (
    <tr>
      <th scope="row">
        <a href={href({ view: 'use', span, cluster: isOpen ? '' : of.name })} data-row aria-expanded={isOpen}>{oneLine(of.name)}</a>
      </th>
      <td class="spark">{children}</td>
      <td class="num">{all ? percent(used, of.top) : '-'}</td>
      <td class="num">{all ? percent(all[1]!, of.top) : '-'}</td>
      <td class="num">{of.leastFree === null ? '-' : count(of.leastFree)}</td>
      <td class="num">{of.unknown >= 1 ? duration(of.unknown) : ''}</td>
      <td class="num">{of.outages.length || ''}</td>
    </tr>
  );
}

function Strips({ of: use, span }: { of: UseInTime; span: string }) {
  const [from, to] = [parseTime(use.from) ?? 0, parseTime(use.to) ?? 0];
  const marks = ticks({ from, to }, 6);
  const strips = use.items.map((one) => stripOf(one, use));
  const open = strips.find(({ name }) => name === params.value['cluster']);
  const means = strips.map(({ slices }) => meanOf(slices)).filter((one) => one !== null) as number[][];
  const sum = LAYERS.map((_, k) => means.reduce((all, one) => all + one[k]!, 0));
  return (
    <>
      <Legend parts={partsOf(sum)} />
      <div class="wide">
        <table class="use">
          <Heads of={['cluster', <><Time at={from} minute /> to <Time at={to} minute /></>, ...numbers('used', 'ours', 'least free', 'unknown', 'lost')]} />
          <tbody>
            {strips.map((one) => (
              <Row key={one.name} of={one} span={span} isOpen={one === open}>
                <Picture of={one} from={from} to={to} marks={marks} />
              </Row>
            ))}
          </tbody>
        </table>
      </div>
      <p class="faint">
        Means, summed above over the clusters. Hatched: unknown; a line on top: the cluster was lost. Upright lines: {marks.map((t) => minuteTime(t, coarseNow.value)).join(', ')}. A cluster’s name opens its figures.
      </p>
      {open ? <Details of={open} from={from} step={use.step * 1000} /> : null}
      {use.total > use.items.length ? <p class="faint">{count(use.items.length)} of {count(use.total)} clusters are shown.</p> : null}
    </>
  );
}

/** The present, in steps that ask for the figures not too often. */
function useEnd(step: number): number {
  const every = Math.max(30e3, step / 5);
  const end = () => Math.floor(serverNow() / every) * every;
  const [to, setTo] = useState(end);
  useEffect(() => {
    setTo(end());
    const timer = setInterval(() => setTo(end()), 10e3);
    return () => clearInterval(timer);
  }, [step]);
  return to;
}

export function Use() {
  const asked = params.value['span'] ?? USUAL;
  const span = Object.hasOwn(SPANS, asked) ? asked : USUAL;
  const { length, step } = SPANS[span]!;
  const to = useEnd(step);
  const text = (ms: number) => new Date(ms).toISOString().slice(0, 19) + 'Z';
  const use = useResource<UseInTime>(`v1/gridusage?from=${text(to - length)}&to=${text(to)}&step=${step / 1000}`, { follow: false });
  return (
    <>
      <h1 tabIndex={-1}>Use in time</h1>
      <nav class="switch" aria-label="Span">
        {Object.entries(SPANS).map(([key, { title }]) => (
          <a key={key} href={href({ view: 'use', span: key, cluster: params.value['cluster'] ?? '' })} aria-current={key === span ? 'page' : undefined}>{title}</a>
        ))}
      </nav>
      {!use.data ? <Waiting of={use} what="the use in time" /> : use.data.items.length === 0 ? (
        <Notice>
          The grid has no cluster yet. Administrators add one with <code>gridctl cluster add</code>.
        </Notice>
      ) : (
        <Strips of={use.data} span={span} />
      )}
      <Commands
        list={[
          [`gridclusters --since ${span}`, 'says the same'],
          ['gridevents --global --all', 'outages, and what else happened to the grid'],
          ['gridusage --by day,cluster', 'what jobs used, and for what'],
        ]}
      />
    </>
  );
}
