// The history of forecasts: the end that was expected over time, against the end that came.
import { now } from '../live/summary';
import { TimeChart, type Scale } from '../parts/chart';
import { count, duration, minuteTime, parseTime } from '../parts/format';
import { Time } from '../parts/text';
import { basisOf } from '../parts/words';
import type { KeptForecast, UtcText } from '../types';

interface Told {
  made: number;
  end: number;
  from: number;
  to: number;
  isBound: boolean;
  method: string;
}

export function toldOf(forecasts: KeptForecast[]): Told[] {
  const told: Told[] = [];
  for (const one of forecasts) {
    const made = parseTime(one.forecast_time);
    const end = parseTime(one.forecast_end);
    if (made === null || end === null) continue;
    const from = parseTime(one.forecast_end_earliest) ?? end;
    const to = parseTime(one.forecast_end_latest) ?? end;
    told.push({ made, end, from, to, isBound: one.forecast_method === 'walltime', method: one.forecast_method });
  }
  return told;
}

/** Bounds say little, and would squeeze the rest: the scale leaves those out that lie far beyond. */
export function scaleOf(told: Told[], came: number | null): Scale {
  const sure = told.filter((one) => !one.isBound);
  const values = (sure.length > 0 ? sure : told).flatMap((one) => [one.from, one.end, one.to]);
  if (came !== null) values.push(came);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const margin = Math.max(30000, (high - low) * 0.06);
  return { from: low - margin, to: high + margin };
}

/** A forecast holds until the next one: the line has steps. */
function steps(told: Told[], last: number, value: (one: Told) => number): [number, number][] {
  return told.flatMap((one, index): [number, number][] => {
    const until = told[index + 1]?.made ?? Math.max(last, one.made);
    return [[one.made, value(one)], [until, value(one)]];
  });
}

function sentenceOf(told: Told[], came: number | null, at: number): string {
  const first = told.find((one) => !one.isBound) ?? told[0]!;
  const last = told[told.length - 1]!;
  if (came !== null) {
    const hits = told.filter((one) => came >= one.from && came <= one.to && !one.isBound).length;
    const all = told.filter((one) => !one.isBound).length;
    return `It ended at ${minuteTime(came, at)}, within the interval of ${count(hits)} of ${count(all)} forecasts.`;
  }
  const moved = (last.end - first.end) / 1000;
  const way = Math.abs(moved) < 60 ? 'it has not moved since' : `it is ${duration(Math.abs(moved))} ${moved > 0 ? 'later' : 'earlier'} now`;
  return `The first forecast, made ${minuteTime(first.made, at)}, expected the end at ${minuteTime(first.end, at)}; ${way}.`;
}

export function ToldBefore({ forecasts, ended }: { forecasts: KeptForecast[]; ended: UtcText | null }) {
  const told = toldOf(forecasts);
  if (told.length === 0) return <p class="faint">No forecast was kept yet.</p>;
  const came = parseTime(ended);
  const last = came ?? now.value;
  const y = scaleOf(told, came);
  const x = { from: told[0]!.made, to: Math.max(last, told[told.length - 1]!.made + 60000) };
  const sentence = sentenceOf(told, came, now.value);
  const clamp = (ms: number) => Math.min(y.to, Math.max(y.from, ms));
  return (
    <>
      <p>{sentence}</p>
      <div class="wide">
        <TimeChart x={x} y={y} label={sentence}>
          {(atX, atY) => {
            const line = (points: [number, number][]) => points.map(([t, v]) => `${atX(t).toFixed(1)},${atY(clamp(v)).toFixed(1)}`);
            const upper = line(steps(told, last, (one) => one.to));
            const lower = line(steps(told, last, (one) => one.from)).reverse();
            return (
              <>
                <polygon class="interval" points={[...upper, ...lower].join(' ')} />
                <polyline class="told" points={line(steps(told, last, (one) => one.end)).join(' ')} />
                {came !== null ? (
                  <line class="came" x1={atX(x.from)} x2={atX(x.to)} y1={atY(came)} y2={atY(came)} />
                ) : (
                  <line class="came" x1={atX(last)} x2={atX(last)} y1={atY(y.from)} y2={atY(y.to)} />
                )}
              </>
            );
          }}
        </TimeChart>
      </div>
      <p class="faint">
        From left to right when a forecast was made, from bottom to top the end that it expected: line and band (8 of 10 cases); dashed:{' '}
        {came !== null ? 'the end that came' : 'now'}.
      </p>
      <details>
        <summary>As a table ({count(told.length)})</summary>
        <div class="wide">
          <table>
            <thead>
              <tr>
                <th scope="col">made</th>
                <th scope="col">end</th>
                <th scope="col">from</th>
                <th scope="col">to</th>
                {came !== null ? <th scope="col">error</th> : null}
                <th scope="col">rests on</th>
              </tr>
            </thead>
            <tbody>
              {told.map((one) => (
                <tr key={one.made}>
                  <td><Time at={one.made} /></td>
                  <td><Time at={one.end} /></td>
                  <td>{one.isBound ? '' : <Time at={one.from} />}</td>
                  <td><Time at={one.to} /></td>
                  {came !== null ? (
                    <td>{(one.end < came ? '\u2212' : '+') + duration(Math.abs(one.end - came) / 1000)}</td>
                  ) : null}
                  <td>{basisOf(one.method)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}
