// The frame of a chart in time, drawn as SVG: axes, their words, and what is drawn inside.
import type { ComponentChildren } from 'preact';
import { now } from '../live/summary';
import { minuteTime } from './format';

export interface Scale {
  from: number;
  to: number;
}

export const WIDTH = 640;
export const HEIGHT = 220;
const LEFT = 84;
const BOTTOM = 22;
const TOP = 8;

export const place = (scale: Scale, value: number, size: number): number =>
  scale.to > scale.from ? ((value - scale.from) / (scale.to - scale.from)) * size : 0;

const STEPS = [60, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 2592000].map((s) => s * 1000);

/** Round local times within a scale, at most `most` of them. */
export function ticks({ from, to }: Scale, most: number): number[] {
  const step = STEPS.find((one) => (to - from) / one <= most) ?? (to - from) / most;
  const zone = new Date(from).getTimezoneOffset() * 60000;
  const list: number[] = [];
  for (let t = Math.ceil((from - zone) / step) * step + zone; t <= to; t += step) list.push(t);
  return list;
}

/** x is a time, ms; so is y, unless it has marks of its own: values and their words. */
export function TimeChart({
  x, y, marks, label, children,
}: {
  x: Scale;
  y: Scale;
  marks?: [number, string][];
  label: string;
  children: (atX: (ms: number) => number, atY: (ms: number) => number) => ComponentChildren;
}) {
  const atX = (ms: number) => LEFT + place(x, ms, WIDTH - LEFT - 10);
  const atY = (ms: number) => HEIGHT - BOTTOM - place(y, ms, HEIGHT - BOTTOM - TOP);
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {(marks ?? ticks(y, 5).map((t): [number, string] => [t, minuteTime(t, now.value)])).map(([value, words]) => (
        <g key={`y${value}`}>
          <line class="grid" x1={LEFT} x2={WIDTH - 10} y1={atY(value)} y2={atY(value)} />
          <text x={LEFT - 6} y={atY(value) + 4} text-anchor="end">{words}</text>
        </g>
      ))}
      {ticks(x, 5).map((t) => (
        <g key={`x${t}`}>
          <line class="grid" x1={atX(t)} x2={atX(t)} y1={TOP} y2={HEIGHT - BOTTOM} />
          <text x={atX(t)} y={HEIGHT - 6} text-anchor="middle">{minuteTime(t, now.value)}</text>
        </g>
      ))}
      {children(atX, atY)}
    </svg>
  );
}
