// The tasks that ended over time, and where they are going: the forecast as a fan, behind it those that were made 6 and 24 hours ago.
import { useResource } from '../live/resource';
import { now } from '../live/summary';
import { TimeChart } from '../parts/chart';
import { count, minuteTime, parseTime } from '../parts/format';
import { Time } from '../parts/text';
import type { Campaign, KeptForecast, Progress } from '../types';
import { toldOf } from './told';

const H = 3600e3;
const AGO = [6 * H, 24 * H];

export type Point = [at: number, tasks: number];

/** The number of tasks that had ended by the end of each slice, from the time at which none had. */
export function curveOf(progress: Progress, most: number): Point[] {
  const points: Point[] = [];
  let ended = 0;
  for (const { time, tasks } of progress.items) {
    const at = parseTime(time);
    if (at === null) continue;
    const last = points[points.length - 1];
    if (!last || last[0] < at) points.push([at, ended]);
    ended = Math.min(most, ended + tasks);
    points.push([at + progress.step * 1000, ended]);
  }
  return points;
}

export interface Fan {
  from: Point; // when it was made, and the tasks that had ended then
  early: number;
  end: number;
  late: number;
}

const tasksAt = (curve: Point[], at: number): number => {
  let [before, after] = [curve[0]!, curve[0]!];
  for (const point of curve) {
    after = point;
    if (point[0] >= at) break;
    before = point;
  }
  if (at >= after[0] || after[0] === before[0]) return at < after[0] ? before[1] : after[1];
  return before[1] + ((after[1] - before[1]) * (at - before[0])) / (after[0] - before[0]);
};

/** The forecast that held at a time; bounds by the walltime are none. */
export function fanAt(curve: Point[], forecasts: KeptForecast[], at: number): Fan | null {
  if (curve.length === 0 || at < curve[0]![0]) return null;
  const held = toldOf(forecasts).filter((one) => one.made <= at && !one.isBound).pop();
  return held ? { from: [at, tasksAt(curve, at)], early: held.from, end: held.end, late: held.to } : null;
}

function Fans({ list, at, total, atX, atY }: { list: Fan[]; at: number; total: number; atX: (ms: number) => number; atY: (tasks: number) => number }) {
  return (
    <>
      {list.map(({ from, early, end, late }) => {
        const foot = `${atX(from[0]).toFixed(1)},${atY(from[1]).toFixed(1)}`;
        const top = (ms: number) => `${atX(Math.max(ms, from[0])).toFixed(1)},${atY(total).toFixed(1)}`;
        return (
          <g key={from[0]} class={from[0] === at ? 'fan' : 'fan old'}>
            <polygon points={`${foot} ${top(early)} ${top(late)}`} />
            <polyline points={`${foot} ${top(end)}`} />
          </g>
        );
      })}
    </>
  );
}

export function ProgressOf({ of, forecasts }: { of: Campaign; forecasts: KeptForecast[] }) {
  const read = useResource<Progress>(`v1/campaigns/${of.id}/progress`, { every: 30000 });
  const curve = read.data ? curveOf(read.data, of.total_tasks) : [];
  if (curve.length === 0) return read.data ? <p class="faint">No task has ended yet.</p> : null;
  const over = parseTime(of.end_time);
  const at = over ?? now.value;
  const ended = curve[curve.length - 1]![1];
  if (at > curve[curve.length - 1]![0]) curve.push([at, ended]);
  const fans = (over === null ? [0, ...AGO] : AGO).map((ago) => fanAt(curve, forecasts, at - ago)).filter((fan): fan is Fan => fan !== null);
  const x = { from: curve[0]![0], to: Math.max(at, ...fans.map((fan) => fan.late)) };
  const sentence = `${count(ended)} of ${count(of.total_tasks)} tasks ended since ${minuteTime(x.from, now.value)}.`;
  const marks = [...new Set([0, 0.25, 0.5, 0.75, 1].map((part) => Math.round(part * of.total_tasks)))].map((n): [number, string] => [n, count(n)]);
  return (
    <>
      <div class="wide">
        <TimeChart x={x} y={{ from: 0, to: of.total_tasks }} marks={marks} label={sentence}>
          {(atX, atY) => (
            <>
              <Fans list={[...fans].reverse()} at={at} total={of.total_tasks} atX={atX} atY={atY} />
              <polyline class="told" points={curve.map(([t, n]) => `${atX(t).toFixed(1)},${atY(n).toFixed(1)}`).join(' ')} />
              <line class="came" x1={atX(at)} x2={atX(at)} y1={atY(0)} y2={atY(of.total_tasks)} />
            </>
          )}
        </TimeChart>
      </div>
      <p class="faint">
        The line: tasks that ended, done or failed; one that is tried again counts each time.{' '}
        {fans.length > 0 ? 'The fans: where it goes on in 8 of 10 cases, as forecast ' + (over === null ? 'now and ' : '') + '6 and 24 hours before; the pale ones are the older ones.' : ''}{' '}
        Dashed: {over === null ? 'now' : 'its end'}.
      </p>
      <details>
        <summary>As a table ({count(read.data!.items.length)})</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">from</th>
              <th scope="col" class="num">tasks that ended</th>
            </tr>
          </thead>
          <tbody>
            {read.data!.items.map(({ time, tasks }) => (
              <tr key={time}>
                <td><Time at={time} /></td>
                <td class="num">{count(tasks)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
