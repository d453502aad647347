// View 1: how far are mine, when do they end, does one need me?
import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { href, params } from '../live/router';
import { coarseNow, failure, summary, wantsAll } from '../live/summary';
import { Counts, Done, TasksBar } from '../parts/bar';
import { Loading, FailureNotice, Notice } from '../parts/broken';
import { count, oneLine, parseTime, plural } from '../parts/format';
import { Command, Commands, Sentence, Since, Time } from '../parts/text';
import { endWords, isLive, stateWord, whyNoForecast } from '../parts/words';
import type { CampaignLine } from '../types';

export const filter = signal('');
const STEP = 900e3; // ms

export const needsSomebody = (c: CampaignLine): boolean => c.tasks.failed > 0 || c.open_events > 0;

/** Those to fix first, then those that are under way, the newest first. */
export function inOrder(campaigns: CampaignLine[]): CampaignLine[] {
  const rank = (c: CampaignLine) => (needsSomebody(c) ? 0 : isLive(c.state) ? 1 : 2);
  return [...campaigns].sort((a, b) => rank(a) - rank(b) || b.id - a.id);
}

/** Rows do not move while a pointer or the keyboard is on them. */
function useStillOrder(campaigns: CampaignLine[], isHeld: () => boolean): CampaignLine[] {
  const kept = useRef<number[]>([]);
  const sorted = inOrder(campaigns);
  if (isHeld()) {
    const place = new Map(kept.current.map((id, index) => [id, index]));
    sorted.sort((a, b) => (place.get(a.id) ?? Infinity) - (place.get(b.id) ?? Infinity) || 0);
  }
  kept.current = sorted.map((c) => c.id);
  return sorted;
}

export function End({ of }: { of: CampaignLine }) {
  if (!isLive(of.state))
    return (
      <>
        {stateWord(of.state)} <Time at={of.end_time} />
      </>
    );
  const words = endWords(of, coarseNow.value);
  if (!words) return <span class="faint">{whyNoForecast(of.forecast_method)}</span>;
  return (
    <>
      ends <b>{words.short}</b> <span class="faint">{words.rest}</span>
    </>
  );
}

/** The band of the end, on the axis of time that all lines share: from now to the last end. */
function Band({ of, until }: { of: CampaignLine; until: number }) {
  const end = parseTime(of.forecast_end);
  if (end === null || !isLive(of.state) || until <= coarseNow.value) return null;
  const at = (ms: number) => Math.min(100, Math.max(0, (100 * (ms - coarseNow.value)) / (until - coarseNow.value)));
  const from = at(of.forecast_method === 'walltime' ? coarseNow.value : (parseTime(of.forecast_end_earliest) ?? end));
  const to = at(parseTime(of.forecast_end_latest) ?? end);
  return (
    <svg class="band" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <line x1="0" x2="100" y1="5.5" y2="5.5" class="axis" />
      <rect x={Math.min(from, 99)} width={Math.max(1, to - from)} y="1" height="4" class="interval" />
      <line x1={at(end)} x2={at(end)} y1="0" y2="6" class="told" />
    </svg>
  );
}

function Line({ of, until, withUser }: { of: CampaignLine; until: number; withUser: boolean }) {
  const toFix = needsSomebody(of);
  return (
    <li class={toFix ? 'campaign fix' : 'campaign'}>
      <div class="head">
        <a data-row href={href({ view: 'campaign', id: String(of.id) })}>
          {of.id} <b>{oneLine(of.name)}</b>
        </a>
        <span class="faint">
          {withUser ? `${oneLine(of.user)} · ` : ''}
          {stateWord(of.state)}
        </span>
        <span class="end">
          <End of={of} />
        </span>
        <Done tasks={of.tasks} total={of.total_tasks} />
      </div>
      <TasksBar tasks={of.tasks} />
      <Band of={of} until={until} />
      <Counts tasks={of.tasks} />
      {toFix ? (
        <p class="reason">
          <a class="tofix" href={href({ view: 'fix', id: String(of.id) })}>
            {of.tasks.failed > 0 ? `${plural(of.tasks.failed, 'failed task')}` : ''}
            {of.tasks.failed > 0 && of.open_events > 0 ? ', ' : ''}
            {of.open_events > 0 ? plural(of.open_events, 'open event') : ''} to fix
          </a>
        </p>
      ) : null}
      {of.reason && isLive(of.state) ? (
        <p class="reason">
          <a href={href({ view: 'why', id: String(of.id) })}>why</a> <Sentence text={of.reason.sentence} />{' '}
          <span class="faint">
            for <Since at={of.reason.since} />
          </span>
        </p>
      ) : null}
    </li>
  );
}

/** The same element for the same campaign: it is not rendered again. */
function useLines(): (of: CampaignLine, until: number, withUser: boolean) => VNode {
  const kept = useRef(new Map<number, { of: CampaignLine; until: number; withUser: boolean; line: VNode }>());
  return (of, until, withUser) => {
    const last = kept.current.get(of.id);
    if (last && last.of === of && last.until === until && last.withUser === withUser) return last.line;
    const line = <Line key={of.id} of={of} until={until} withUser={withUser} />;
    kept.current.set(of.id, { of, until, withUser, line });
    return line;
  };
}

function NoCampaign() {
  return (
    <Notice>
      <p>
        {wantsAll.value ? 'There is no campaign on the grid now.' : 'You have no campaign under way.'} A first one is a file, such as squares.jdl:
      </p>
      <pre>
        {`{ "name": "squares", "nb_jobs": 20,
  "exec_file": "sh -c 'echo $(($1 * $1))' sh",
  "clusters": { ${JSON.stringify(summary.value?.clusters[0]?.name ?? 'alpha')}: {} } }`}
      </pre>
      <p>
        <Command text="gridsub -f squares.jdl" does="submits it" /> <Command text="gridstat --all" does="lists those that are over, too" />
      </p>
    </Notice>
  );
}

export function Mine() {
  const list = useRef<HTMLUListElement>(null);
  const isHeld = () => Boolean(list.current?.matches(':hover') || (list.current?.contains(document.activeElement) ?? false));
  const all = summary.value?.campaigns ?? [];
  const word = filter.value.trim().toLowerCase();
  const found = word ? all.filter((c) => `${c.id} ${c.name} ${c.user}`.toLowerCase().includes(word)) : all;
  const campaigns = useStillOrder(found, isHeld);
  const lineOf = useLines();
  const total = summary.value?.campaigns_total ?? 0;
  // To the quarter of an hour, so that one forecast that moves does not move all bands.
  const until = STEP * Math.ceil(Math.max(0, ...campaigns.filter((c) => isLive(c.state)).map((c) => parseTime(c.forecast_end_latest ?? c.forecast_end) ?? 0)) / STEP);
  const toFix = all.filter(needsSomebody).length;
  const other = params.value['user'];
  const whose = wantsAll.value ? 'All campaigns' : other && other !== 'me' ? `Campaigns of ${oneLine(other)}` : 'My campaigns';
  return (
    <>
      <div class="title">
        <h1 tabIndex={-1}>{whose}</h1>
        <nav class="switch" aria-label="Whose">
          <a href={href({ view: 'mine' })} aria-current={wantsAll.value || other ? undefined : 'page'}>mine</a>
          <a href={href({ view: 'mine', user: 'all' })} aria-current={wantsAll.value ? 'page' : undefined}>all</a>
        </nav>
      </div>
      {summary.value === null ? (
        failure.value ? <FailureNotice failure={failure.value} /> : <Loading what="the campaigns" />
      ) : all.length === 0 ? (
        <NoCampaign />
      ) : (
        <>
          <p class="faint">
            {plural(total, 'campaign')}
            {toFix > 0 ? `, ${count(toFix)} to fix` : ''}
            {word ? `; ${count(found.length)} with “${word}”` : ''}
            {until > 0 ? <>; the bands end at <Time at={until} minute /></> : null}
          </p>
          <ul class="campaigns" ref={list}>
            {campaigns.map((c) => lineOf(c, until, wantsAll.value))}
          </ul>
          {total > all.length ? (
            <p>
              And {count(total - all.length)} more: <Command text="gridstat" />
            </p>
          ) : null}
        </>
      )}
      <Commands
        list={[
          [wantsAll.value ? 'gridstat' : other && other !== 'me' ? `gridstat -u ${other}` : 'gridstat -u', 'says the same'],
          ['gridstat --watch', 'in a terminal, redrawn in place'],
        ]}
      />
    </>
  );
}
