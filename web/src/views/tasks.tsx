// View 4: which of them failed, run long, or are not begun? One page of the list, and one task.
import { useResource } from '../live/resource';
import { go, href, params } from '../live/router';
import { now } from '../live/summary';
import { StateMark } from '../parts/bar';
import { Waiting } from '../parts/broken';
import { TaskStrip } from '../parts/strip';
import { count, duration, oneLine, parseTime, plural } from '../parts/format';
import { Commands, Time } from '../parts/text';
import { causeOf, isLive, STATES } from '../parts/words';
import type { Campaign, Page, Task } from '../types';
import { CampaignHead } from './head';
import { OneTask } from './task';

const LIMIT = 100;

/** Whence each page was reached: the API has only the way on. */
const cameFrom = new Map<string, string>();

export function lengthOf(task: { start_time: string | null; stop_time: string | null }, at: number): string {
  const start = parseTime(task.start_time);
  return start === null ? '' : duration(((parseTime(task.stop_time) ?? at) - start) / 1000);
}

function Filters({ id, chosen, of }: { id: number; chosen: string[]; of: Campaign | null }) {
  const to = (states: string[]) => href({ view: 'tasks', id: String(id), state: states.join(',') });
  return (
    <nav class="filters" aria-label="States">
      <a href={to([])} aria-current={chosen.length === 0 ? 'true' : undefined}>all {of ? count(of.total_tasks) : ''}</a>
      {STATES.map((state) => {
        const isOn = chosen.includes(state);
        const others = chosen.filter((one) => one !== state && one !== 'held');
        return (
          <a key={state} href={to(isOn ? others : [...others, state])} aria-current={isOn ? 'true' : undefined}>
            <StateMark state={state} /> {of ? count(of.tasks[state]) : ''}
          </a>
        );
      })}
      {of && of.held_tasks > 0 ? (
        <a href={to(chosen.includes('held') ? [] : ['held'])} aria-current={chosen.includes('held') ? 'true' : undefined}>
          held {count(of.held_tasks)}
        </a>
      ) : null}
    </nav>
  );
}

function Rows({ id, of }: { id: number; of: Task[] }) {
  return (
    <div class="wide">
      <table class="tasks">
        <thead>
          <tr>
            <th scope="col" class="num">task</th>
            <th scope="col">state</th>
            <th scope="col">cluster</th>
            <th scope="col" class="num">try</th>
            <th scope="col">last job</th>
            <th scope="col">began</th>
            <th scope="col" class="num">took</th>
            <th scope="col">parameters</th>
          </tr>
        </thead>
        <tbody>
          {of.map((task) => (
            <tr key={task.id}>
              <th scope="row" class="num">
                <a data-row href={href({ ...params.value, view: 'tasks', id: String(id), task: String(task.id) })}>{task.id}</a>
              </th>
              <td>
                <StateMark state={task.state} />
                {task.held_by ? ' held' : ''}
                {task.cancelling ? ' cancelling' : ''}
              </td>
              <td>{oneLine(task.cluster_name ?? '')}</td>
              <td class="num">{task.attempt}</td>
              <td>{task.job_id === null ? '' : task.ending ? causeOf(task.ending, task.exit_code) : oneLine(task.job_state ?? '')}</td>
              <td>{task.start_time ? <Time at={task.start_time} /> : ''}</td>
              <td class="num">{lengthOf(task, now.value)}</td>
              <td>{oneLine(task.parameters)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function JumpTo({ id }: { id: number }) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const number = new FormData(event.currentTarget).get('task');
        if (typeof number === 'string' && /^\d+$/.test(number)) go({ ...params.value, task: number });
      }}
    >
      <label>
        task number <input name="task" inputMode="numeric" pattern="[0-9]+" size={8} />
      </label>{' '}
      <button type="submit">open</button>
      <span class="sr">of campaign {id}</span>
    </form>
  );
}

function List({ id, campaign }: { id: number; campaign: Campaign | null }) {
  const { state = '', failure = '', after = '', offset = '' } = params.value;
  const asked = new URLSearchParams({ limit: String(LIMIT) });
  for (const [key, value] of Object.entries({ state, failure, after, offset })) if (value) asked.set(key, value);
  const page = useResource<Page<Task>>(`v1/campaigns/${id}/tasks?${asked}`, { every: 10000 });
  const chosen = state.split(',').filter(Boolean);
  const here = href({ view: 'tasks', id: String(id), state, failure, after, offset });
  const nextLink = page.data?.links.find((link) => link.rel === 'next');
  let next: string | null = null;
  if (nextLink) {
    // Its place alone is taken, so that the page stays below its own prefix.
    const place = new URL(nextLink.href, 'http://api').searchParams;
    next = href({ view: 'tasks', id: String(id), state, failure, after: place.get('after') ?? '', offset: place.get('offset') ?? '' });
    cameFrom.set(next, here);
  }
  const first = href({ view: 'tasks', id: String(id), state, failure });
  const prev = after || offset ? (cameFrom.get(here) ?? first) : null;
  const items = page.data?.items ?? [];
  const failed = items.filter((task) => task.state === 'failed');
  return (
    <>
      <TaskStrip id={id} place={Math.max(0, Number(after || -1) + 1 + Number(offset || 0))} />
      <Filters id={id} chosen={chosen} of={campaign} />
      {failure ? (
        <p>
          {page.data ? `${plural(page.data.total, 'failed task')} of` : 'Of'} group {oneLine(failure)}, which failed alike:{' '}
          <a href={href({ view: 'fix', id: String(id) })}>the cause</a>, <a href={href({ view: 'tasks', id: String(id), state: 'failed' })}>all that failed</a>.
        </p>
      ) : null}
      <JumpTo id={id} />
      <Waiting of={page} what="the tasks" />
      {page.data ? (
        <>
          <p class="faint">
            {items.length === 0
              ? 'No task of this campaign is in such a state.'
              : `${plural(items.length, 'task')} of this page, from ${items[0]!.id} to ${items[items.length - 1]!.id}`}
          </p>
          {items.length > 0 ? <Rows id={id} of={items} /> : null}
          <nav class="pages" aria-label="Pages">
            {prev ? <a data-page="prev" href={prev}>page before</a> : null}
            {next ? <a data-page="next" href={next}>next page</a> : null}
          </nav>
        </>
      ) : null}
      <Commands
        list={[
          [failure ? `gridstat ${id} --failure ${oneLine(failure)}` : chosen.length > 0 ? `gridstat ${id} --state ${chosen.join(',')}` : `gridstat ${id} --full`, 'says the same'],
          [`gridstat ${id} --strip`, 'all tasks, a character a block'],
          ...(failure ? ([[`gridsub --retry ${id} --failure ${oneLine(failure)}`, 'runs those of the group again']] as [string, string][]) : []),
          ...(failed.length > 0 ? ([[`gridsub --retry ${id}`, 'runs all failed tasks again']] as [string, string][]) : []),
          ...(campaign && isLive(campaign.state) ? ([[`gridstat ${id} --csv`, 'all tasks, for a program']] as [string, string][]) : []),
        ]}
      />
    </>
  );
}

export function Tasks({ id }: { id: number }) {
  const campaign = useResource<Campaign>(`v1/campaigns/${id}`);
  const task = params.value['task'] ?? '';
  return (
    <>
      <CampaignHead id={id} of={campaign.data} what="Tasks" />
      {campaign.failure ? (
        <Waiting of={campaign} what="the campaign" />
      ) : /^\d+$/.test(task) ? (
        <OneTask key={task} id={id} task={Number(task)} />
      ) : (
        <List id={id} campaign={campaign.data} />
      )}
    </>
  );
}
