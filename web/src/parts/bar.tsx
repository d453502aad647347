// A bar by state: each state has a colour, a letter and a texture, and the numbers stand beside it as text.
import type { TaskCounts, TaskState } from '../types';
import { count, percent } from './format';
import { LETTER, STATES } from './words';

export interface Part {
  key: string; // the class of its colour and texture
  letter: string;
  name: string;
  value: number;
}

/** Narrower parts of a bar have no room for a letter at 320 px. */
const NARROW = 0.05;

export function Bar({ parts }: { parts: Part[] }) {
  const all = parts.reduce((total, part) => total + part.value, 0);
  const sentence = parts.filter((part) => part.value > 0).map((part) => `${count(part.value)} ${part.name}`).join(', ');
  return (
    <div class="bar" role="img" aria-label={sentence || 'nothing'}>
      {parts.map((part) =>
        part.value > 0 ? (
          <span key={part.key} class={`seg ${part.key}`} style={{ flexGrow: part.value }} title={`${count(part.value)} ${part.name}`}>
            {part.value >= NARROW * all ? <b>{part.letter}</b> : null}
          </span>
        ) : null,
      )}
    </div>
  );
}

export function Legend({ parts }: { parts: Part[] }) {
  return (
    <ul class="legend">
      {parts.map((part) => (
        <li key={part.key} class={part.value > 0 ? '' : 'none'}>
          <span class={`key seg ${part.key}`} aria-hidden="true">
            <b>{part.letter}</b>
          </span>
          {count(part.value)} {part.name}
        </li>
      ))}
    </ul>
  );
}

export const partsOf = (tasks: TaskCounts, only?: (state: TaskState) => boolean): Part[] =>
  STATES.filter((state) => !only || only(state)).map((state) => ({ key: state, letter: LETTER[state], name: state, value: tasks[state] }));

export const TasksBar = ({ tasks }: { tasks: TaskCounts }) => <Bar parts={partsOf(tasks)} />;

/** `D 612 034 R 812`: only the states that occur. */
export function Counts({ tasks }: { tasks: TaskCounts }) {
  return <Legend parts={partsOf(tasks, (state) => tasks[state] > 0)} />;
}

export const Done = ({ tasks, total }: { tasks: TaskCounts; total: number }) => <span class="num">{percent(tasks.done, total)}</span>;

export function StateMark({ state }: { state: TaskState }) {
  return (
    <span class="mark">
      <span class={`key seg ${state}`} aria-hidden="true">
        <b>{LETTER[state]}</b>
      </span>
      {state}
    </span>
  );
}
