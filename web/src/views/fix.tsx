// View 5: what went wrong, is it one cause, what do I do?
import { useResource } from '../live/resource';
import { href } from '../live/router';
import { root, summary } from '../live/summary';
import { RetryOfGroup } from '../parts/acts';
import { Notice, Waiting } from '../parts/broken';
import { count, oneLine, plural, visible } from '../parts/format';
import { Command, Commands, Sentence, Time } from '../parts/text';
import { causeOf } from '../parts/words';
import type { Campaign, Failures, GridEvent, Page } from '../types';
import { CampaignHead } from './head';
import { needsSomebody } from './mine';

export interface EventGroup {
  first: GridEvent;
  ids: number[];
  occurrences: number;
  last: string;
}

/** Events that say the same, of one campaign and cluster: one group. */
export function eventGroupsOf(events: GridEvent[]): EventGroup[] {
  const groups = new Map<string, EventGroup>();
  for (const event of events) {
    const key = JSON.stringify([event.campaign_id, event.code, event.cluster_name, event.message]);
    const group = groups.get(key);
    if (!group) groups.set(key, { first: event, ids: [event.id], occurrences: event.occurrences, last: event.date_update });
    else {
      group.ids.push(event.id);
      group.occurrences += event.occurrences;
      if (event.date_update > group.last) group.last = event.date_update;
    }
  }
  return [...groups.values()].sort((a, b) => b.occurrences - a.occurrences);
}

function Failed({ campaign: c, of }: { campaign: Campaign; of: Failures }) {
  return (
    <section>
      <h2>Failed tasks, by cause</h2>
      {of.items.map((group) => {
        const [sample] = group.first_tasks;
        return (
          <div class="group" key={group.id}>
            <p>
              <b><a href={href({ view: 'tasks', id: String(c.id), state: 'failed', failure: String(group.id) })}>{plural(group.tasks, 'task')}</a></b>: {oneLine(causeOf(group.ending, group.exit_code))} on {oneLine(group.cluster_name)}
              {sample === undefined ? '' : group.tasks > group.first_tasks.length ? '; among them ' : group.tasks > 1 ? '; tasks ' : '; task '}
              {group.first_tasks.map((number, index) => (
                <span key={number}>
                  {index > 0 ? ', ' : ''}
                  <a href={href({ view: 'tasks', id: String(c.id), state: 'failed', task: String(number) })}>{number}</a>
                </span>
              ))}
              {group.tasks > group.first_tasks.length ? ', …' : ''}
            </p>
            {group.stderr_line ? <pre>{oneLine(group.stderr_line)}</pre> : null}
            {sample !== undefined ? (
              <p>
                <a data-row href={href({ view: 'tasks', id: String(c.id), state: 'failed', task: String(sample), output: 'stderr' })}>
                  stderr of task {sample}
                </a>
              </p>
            ) : null}
            <RetryOfGroup of={c} group={group} />
            <p><Command text={`gridsub --retry ${c.id} --failure ${group.id}`} does={`runs ${group.tasks === 1 ? 'it' : `these ${count(group.tasks)}`} again`} /></p>
          </div>
        );
      })}
      {of.others > 0 ? <p class="faint">{plural(of.others, 'failed task')} {of.others === 1 ? 'is' : 'are'} in no group, as no job of {of.others === 1 ? 'its' : 'theirs'} has failed.</p> : null}
    </section>
  );
}

function Events({ of, total, title, withCampaign }: { of: GridEvent[]; total: number; title: string; withCampaign?: boolean }) {
  if (of.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      {total > of.length ? <p class="faint">The first {count(of.length)} of {count(total)}.</p> : null}
      {eventGroupsOf(of).map(({ first, ids, occurrences, last }) => (
        <div class="group" key={first.id}>
          <p>
            <b>{oneLine(first.code)}</b>
            {withCampaign && first.campaign_id !== null ? (
              <>
                {' '}of campaign <a data-row href={href({ view: 'fix', id: String(first.campaign_id) })}>{first.campaign_id}</a>
              </>
            ) : null}
            {first.cluster_name ? ` on ${oneLine(first.cluster_name)}` : ''}
            {occurrences > 1 ? `, ${count(occurrences)} times` : ''}, last <Time at={last} />
            <span class="faint"> (event{ids.length > 1 ? 's' : ''} {ids.slice(0, 5).join(', ')}{ids.length > 5 ? ', …' : ''})</span>
          </p>
          {first.message ? <pre><Sentence text={first.message} /></pre> : null}
        </div>
      ))}
    </section>
  );
}

function OfCampaign({ id }: { id: number }) {
  const path = `v1/campaigns/${id}`;
  const campaign = useResource<Campaign>(path);
  const hasFailed = (campaign.data?.tasks.failed ?? 0) > 0;
  const failed = useResource<Failures>(hasFailed ? `${path}/failures` : null, { every: 15000 });
  const events = useResource<Page<GridEvent>>(`${path}/events?limit=1000`, { every: 5000 });
  const c = campaign.data;
  const isWell = c !== null && !hasFailed && events.data !== null && events.data.items.length === 0;
  return (
    <>
      <CampaignHead id={id} of={c} what="To fix" />
      {c ? null : <Waiting of={campaign} what="the campaign" />}
      {isWell ? <p>Nothing is to fix: no task failed, and no event is open.</p> : null}
      {c && hasFailed ? (
        failed.data ? <Failed campaign={c} of={failed.data} /> : <Waiting of={failed} what="the failed tasks" />
      ) : null}
      {c ? events.data ? <Events of={events.data.items} total={events.data.total} title="Open events" /> : <Waiting of={events} what="the events" /> : null}
      <Commands
        list={[
          [`gridevents ${id}`, 'says the same of the events'],
          [`gridstat ${id} --failures`, 'says the same of the failed tasks'],
          [`gridstat ${id} --state failed`, 'lists them'],
          ...(hasFailed ? ([[`gridsub --retry ${id}`, `runs all ${count(c?.tasks.failed ?? 0)} failed tasks again`]] as [string, string][]) : []),
          [`gridsub --fix ${id}`, 'closes its events, and lifts its brakes'],
          [`gridevents --fix --resubmit -c ${id}`, 'closes its events, and runs its failed tasks again'],
        ]}
      />
    </>
  );
}

function OfAll() {
  const mine = useResource<Page<GridEvent>>('v1/events?mine=1&limit=1000', { every: 5000 });
  const grid = useResource<Page<GridEvent>>(root.value?.administrator ? 'v1/events?limit=1000' : null, { every: 5000 });
  const campaigns = (summary.value?.campaigns ?? []).filter(needsSomebody);
  const isWell = summary.value !== null && campaigns.length === 0 && mine.data?.items.length === 0 && (grid.data?.items.length ?? 0) === 0;
  return (
    <>
      <h1 tabIndex={-1}>To fix</h1>
      {isWell ? <p>Nothing is to fix: no task of yours failed, and no event is open.</p> : null}
      {campaigns.length > 0 ? (
        <ul>
          {campaigns.map((c) => (
            <li key={c.id}>
              <a data-row href={href({ view: 'fix', id: String(c.id) })}>{c.id} {oneLine(c.name)}</a>:{' '}
              {c.tasks.failed > 0 ? plural(c.tasks.failed, 'failed task') : ''}
              {c.tasks.failed > 0 && c.open_events > 0 ? ', ' : ''}
              {c.open_events > 0 ? plural(c.open_events, 'open event') : ''}
            </li>
          ))}
        </ul>
      ) : null}
      <Waiting of={mine} what="the events" />
      {mine.data ? <Events of={mine.data.items} total={mine.data.total} title="Open events of my campaigns" withCampaign /> : null}
      {grid.data ? <Events of={grid.data.items} total={grid.data.total} title="Open events of the grid" /> : null}
      {grid.failure ? <Notice kind="warn">The events of the grid: {visible(grid.failure.message)}</Notice> : null}
      <Commands
        list={[
          ['gridevents', 'says the same'],
          ...(root.value?.administrator ? ([['gridevents --global', 'those of the grid']] as [string, string][]) : []),
        ]}
      />
    </>
  );
}

export const Fix = ({ id }: { id: number | null }) => (id === null ? <OfAll /> : <OfCampaign id={id} />);
