// Times, durations and numbers, as the commands write them.
const SPACE = '\u202f'; // a narrow space that does not break

export const count = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, SPACE);

/** As gridstat: rounded down, so that 100 % means all. */
export const percent = (part: number, whole: number): string => `${whole > 0 ? Math.floor((part * 100) / whole) : 0} %`;

/** `5 min 30 s`, the two largest units, without a unit of 0. */
export function duration(seconds: number): string {
  const s = Math.floor(seconds);
  if (s < 0) return '0 s';
  const both = (big: number, unit: string, small: number, smallUnit: string) =>
    small === 0 ? `${big} ${unit}` : `${big} ${unit} ${small} ${smallUnit}`;
  if (s < 60) return `${s} s`;
  if (s < 3600) return both(Math.floor(s / 60), 'min', s % 60, 's');
  if (s < 86400) return both(Math.floor(s / 3600), 'h', Math.floor((s % 3600) / 60), 'min');
  return both(Math.floor(s / 86400), 'd', Math.floor((s % 86400) / 3600), 'h');
}

/** Rounded to the precision that a forecast can have: no seconds beside minutes. */
export function roughly(seconds: number): string {
  const to = (step: number) => Math.floor((seconds + step / 2) / step) * step;
  if (seconds < 600) return duration(seconds);
  return duration(seconds < 86400 ? to(60) : to(3600));
}

const two = (value: number): string => String(value).padStart(2, '0');
const clock = (t: Date): string => `${two(t.getHours())}:${two(t.getMinutes())}:${two(t.getSeconds())}`;
const day = (t: Date): string => `${t.getFullYear()}-${two(t.getMonth() + 1)}-${two(t.getDate())}`;

/** Local, with its date where it is more than 12 hours away. */
export function nearTime(ms: number, now: number): string {
  const t = new Date(ms);
  return Math.abs(ms - now) < 12 * 3600e3 ? clock(t) : `${day(t)} ${clock(t)}`;
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** A time of a forecast, to the minute: `15:20`, within six days `Tue 15:20`, else `2026-11-20 15:20`. */
export function minuteTime(ms: number, now: number): string {
  const t = new Date(ms);
  const time = `${two(t.getHours())}:${two(t.getMinutes())}`;
  if (day(t) === day(new Date(now))) return time;
  return Math.abs(ms - now) < 6 * 86400e3 ? `${DAYS[t.getDay()]} ${time}` : `${day(t)} ${time}`;
}

export const utcText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ') + ' UTC';

export const parseTime = (text: string | null | undefined): number | null => {
  const ms = text ? Date.parse(text) : NaN;
  return Number.isNaN(ms) ? null : ms;
};

/** The parts of a sentence of the API: its times in UTC are cut out, to be shown as local ones. */
export function splitTimes(sentence: string): (string | number)[] {
  const parts: (string | number)[] = [];
  let from = 0;
  for (const match of sentence.matchAll(/(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/g)) {
    const time = Date.parse(`${match[1]}T${match[2]}Z`);
    if (Number.isNaN(time)) continue;
    if (match.index > from) parts.push(sentence.slice(from, match.index));
    parts.push(time);
    from = match.index + match[0].length;
  }
  if (from < sentence.length) parts.push(sentence.slice(from));
  return parts;
}

/** Control characters of outputs and names are shown as `^[`, not obeyed; newlines and tabs stay. */
export const visible = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (c) => {
    const code = c.charCodeAt(0);
    return code < 0x80 ? `^${String.fromCharCode(code ^ 0x40)}` : '\ufffd';
  });

export const oneLine = (text: string): string => visible(text).replace(/[\n\t]/g, ' ');

export const plural = (value: number, thing: string): string => `${count(value)} ${thing}${value === 1 ? '' : 's'}`;
