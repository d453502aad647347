// All tasks of a campaign in the order of their numbers: a lane for each state, so that none is told by its colour alone. A click, or
// the slider below, leads to the tasks of that place.
import { useResource } from '../live/resource';
import { go, href } from '../live/router';
import type { Strip, StripBlock, TaskState } from '../types';
import { Waiting } from './broken';
import { count, plural } from './format';
import { LETTER, STATES } from './words';

const LANE = 10; // px
const GAP = 2;

/** Narrower screens get fewer blocks, as one narrower than a pixel would be lost. */
export const blocksFor = (width: number): number => (width >= 1100 ? 1000 : width >= 600 ? 500 : 250);

/** Every block, those included in which no task was taken yet. */
export function allBlocks(of: Strip): StripBlock[] {
  const blocks: StripBlock[] = [];
  for (let first = 0; first < of.total_tasks; first += of.block_tasks) {
    const tasks = Math.min(of.block_tasks, of.total_tasks - first);
    blocks.push({ first, tasks, [of.others]: tasks });
  }
  for (const block of of.blocks) if (block.first % of.block_tasks === 0 && blocks[block.first / of.block_tasks]) blocks[block.first / of.block_tasks] = block;
  return blocks;
}

export interface Lane {
  state: TaskState;
  tasks: number;
  blocks: StripBlock[]; // that have such a task
  last: number; // the number of the last task of the last of them
}

export function lanesOf(blocks: StripBlock[]): Lane[] {
  const lanes: Lane[] = [];
  for (const state of STATES) {
    const having = blocks.filter((block) => (block[state] ?? 0) > 0);
    const end = having[having.length - 1];
    if (end) lanes.push({ state, blocks: having, tasks: having.reduce((sum, block) => sum + block[state]!, 0), last: end.first + end.tasks - 1 });
  }
  return lanes;
}

/** Columns as high as the part of their block in that state; one task of a thousand is still a mark. */
export function laneOutline(lane: Lane, width: number): string {
  const [all, least] = [LANE, 2];
  let path = '';
  for (const block of lane.blocks) {
    const x = block.first / width;
    const height = Math.max(least, (all * block[lane.state]!) / block.tasks);
    path += `M${x} ${all}V${(all - height).toFixed(1)}H${x + 1}V${all}Z`;
  }
  return path;
}

const range = (lane: Lane): string => (lane.blocks[0]!.first === lane.last ? `task ${count(lane.last)}` : `tasks ${count(lane.blocks[0]!.first)} to ${count(lane.last)}`);

function Lanes({ id, of, lanes, columns }: { id: number; of: Strip; lanes: Lane[]; columns: number }) {
  const at = (event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const column = Math.min(columns - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * columns)));
    go({ view: 'tasks', id: String(id), after: column === 0 ? '' : String(column * of.block_tasks - 1) }, { focus: false });
  };
  return (
    <div class="lanes">
      {lanes.map((lane) => (
        <div key={lane.state} class="lane">
          <b class="letter" title={lane.state}>{LETTER[lane.state]}</b>
          <svg viewBox={`0 0 ${columns} ${LANE + GAP}`} preserveAspectRatio="none" aria-hidden="true" onClick={at}>
            <path class={lane.state} d={laneOutline(lane, of.block_tasks)} />
          </svg>
        </div>
      ))}
    </div>
  );
}

function Table({ id, of, lanes }: { id: number; of: Strip; lanes: Lane[] }) {
  return (
    <details>
      <summary>Where they are, as a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">state</th>
            <th scope="col" class="num">tasks</th>
            <th scope="col">first</th>
            <th scope="col">last</th>
            <th scope="col" class="num">{of.block_tasks > 1 ? `blocks of ${count(of.block_tasks)}` : 'places'}</th>
          </tr>
        </thead>
        <tbody>
          {lanes.map((lane) => (
            <tr key={lane.state}>
              <th scope="row">{lane.state}</th>
              <td class="num">{count(lane.tasks)}</td>
              <td>
                <a href={href({ view: 'tasks', id: String(id), state: lane.state })}>{of.block_tasks > 1 ? 'in ' : ''}{count(lane.blocks[0]!.first)}{of.block_tasks > 1 ? ' …' : ''}</a>
              </td>
              <td>{of.block_tasks > 1 ? '… ' : ''}{count(lane.last)}</td>
              <td class="num">{count(lane.blocks.length)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** place: the number of the first task that is listed; -1: the strip has no slider. */
export function TaskStrip({ id, place = -1 }: { id: number; place?: number }) {
  const read = useResource<Strip>(`v1/campaigns/${id}/strip?blocks=${blocksFor(innerWidth)}`, { every: 10000 });
  const of = read.data;
  if (!of) return <Waiting of={read} what="the strip of its tasks" />;
  if (of.total_tasks < 2 || of.block_tasks < 1) return null;
  const blocks = allBlocks(of);
  const lanes = lanesOf(blocks);
  const sentence = lanes.map((lane) => `${count(lane.tasks)} ${lane.state} (${range(lane)})`).join(', ');
  return (
    <section aria-label="Strip of all tasks">
      <p class="sr">In the order of their numbers: {sentence}.</p>
      <Lanes id={id} of={of} lanes={lanes} columns={blocks.length} />
      {place >= 0 ? (
        <label class="slide">
          <span>from task {count(place)}</span>
          <input
            type="range" min={0} max={(blocks.length - 1) * of.block_tasks} step={of.block_tasks} value={Math.floor(place / of.block_tasks) * of.block_tasks}
            onChange={(event) => {
              const first = Number(event.currentTarget.value);
              go({ view: 'tasks', id: String(id), after: first === 0 ? '' : String(first - 1) }, { focus: false });
            }}
          />
        </label>
      ) : null}
      <p class="faint">
        {count(of.total_tasks)} tasks from left to right{of.block_tasks > 1 ? `, ${plural(of.block_tasks, 'task')} a column` : ''}; a click leads to the tasks there.
      </p>
      <Table id={id} of={of} lanes={lanes} />
    </section>
  );
}
