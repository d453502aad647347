// View 8: who would gain and who would pay, if a campaign were submitted, a cluster were off, the order another?
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, asFailure, question, type Failure } from '../live/api';
import { go, href, params, type Params } from '../live/router';
import { coarseNow, root, summary } from '../live/summary';
import { FailureNotice, Notice } from '../parts/broken';
import { duration, minuteTime, oneLine, parseTime, plural, roughly, visible } from '../parts/format';
import { Heads, numbers } from '../parts/table';
import { Commands, Sentence } from '../parts/text';
import { isLive } from '../parts/words';
import type { WhatIfAnswer, WhatIfCampaign, WhatIfOutlook, WhatIfQuestion } from '../types';

/** The names of metascheduler/planner/orders; a class may come before one. The server knows what is right. */
const ORDERS = ['fifo', 'fairshare', 'priority,fifo', 'priority,fairshare', 'affinity,fairshare', 'multifactor'];
const MOST_HOURS = 168;

/** What becomes of a campaign: `1` to `7`, its priority; `p`, it is paused; `r`, it goes on. */
export type Fate = '1' | '2' | '3' | '4' | '5' | '6' | '7' | 'p' | 'r';
const FATES: [Fate, string][] = [
  ['1', 'had priority 1, the highest'], ['2', 'had priority 2'], ['3', 'had priority 3'], ['4', 'had priority 4, as usual'], ['5', 'had priority 5'],
  ['6', 'had priority 6'], ['7', 'had priority 7, the lowest'], ['p', 'were paused'], ['r', 'went on'],
];
const isFate = (text: string | undefined): text is Fate => FATES.some(([fate]) => fate === text);

/** All that is asked but the campaign file, which is too long for an address. */
export interface Asked {
  off: string[];
  from: string; // hours from now on, as typed, from which on they are off
  order: string;
  hours: string; // as typed
  fates: [number, Fate][];
}

/** As the address has it, so that a question is a link. */
export function askedOf(p: Params): Asked {
  const fates = (p['fates'] ?? '').split(',').map((one) => /^(\d{1,18}):([1-7pr])$/.exec(one));
  return {
    off: (p['off'] ?? '').split(',').filter(Boolean),
    from: p['from'] ?? '',
    order: p['order'] ?? '',
    hours: p['hours'] ?? '',
    fates: fates.flatMap((one): [number, Fate][] => (one && isFate(one[2]) ? [[Number(one[1]), one[2]]] : [])),
  };
}

export const paramsOf = (asked: Asked): Params => ({
  view: 'whatif', off: asked.off.join(','), from: asked.from, order: asked.order, hours: asked.hours, fates: asked.fates.map(([id, fate]) => `${id}:${fate}`).join(','),
});

const secondsOf = (hours: string): number => Math.round(Number(hours) * 3600);

export function questionOf({ off, from, order, hours, fates }: Asked, jdl: string): WhatIfQuestion {
  const changes: NonNullable<WhatIfQuestion['changes']> = {};
  if (off.length > 0) changes.clusters_off = off;
  if (off.length > 0 && secondsOf(from) > 0) changes.off_after = secondsOf(from);
  if (order.trim()) changes.order = order.trim();
  const after = secondsOf(hours);
  if (jdl.trim() && after > 0) changes.after = after;
  if (fates.length > 0)
    changes.campaigns = fates.map(([id, fate]) => (fate === 'p' || fate === 'r' ? { id, paused: fate === 'p' } : { id, priority: Number(fate) }));
  const asked: WhatIfQuestion = {};
  if (jdl.trim()) asked.jdl = jdl;
  if (Object.keys(changes).length > 0) asked.changes = changes;
  return asked;
}

const quoted = (text: string): string => `'${text.replace(/'/g, `'\\''`)}'`;

/** A change as a word of gridsub. */
function wordsOf({ clusters_off, off_after, order, after, campaigns }: NonNullable<WhatIfQuestion['changes']>): string[] {
  const words: string[] = [];
  if (clusters_off) words.push(`clusters_off=${clusters_off.join(',')}`);
  if (off_after) words.push(`off_after=${off_after}s`);
  if (order) words.push(`order=${order}`);
  if (after) words.push(`after=${after}s`);
  for (const { id, priority, paused } of campaigns ?? []) {
    if (priority != null) words.push(`campaigns.${id}.priority=${priority}`);
    if (paused != null) words.push(`campaigns.${id}.paused=${paused}`);
  }
  return words.map((word) => (/^[\w.,=:-]+$/.test(word) ? word : quoted(word)));
}

/** The commands that say the same. */
export function commandsOf(asked: WhatIfQuestion): [string, string][] {
  const own: [string, string] = asked.jdl
    ? ['gridsub --what-if -f FILE', 'with the campaign alone, played on your own machine, for as long as you like']
    : ['gridsub --what-if', 'the grid as it is, played on your own machine, for as long as you like'];
  if (!asked.changes) return [own];
  return [[['gridsub --what-if', ...(asked.jdl ? ['-f FILE'] : []), ...wordsOf(asked.changes)].join(' '), 'the same question'], own];
}

const RANK = { new: 0, pays: 1, gains: 2, unknown: 3, same: 4 };

/** The new one, then those that pay and those that gain, the most first; one that gets no end at all pays most. */
export const inOrderOfEffect = (campaigns: WhatIfCampaign[]): WhatIfCampaign[] =>
  [...campaigns].sort((a, b) => RANK[a.effect] - RANK[b.effect] || Math.abs(b.difference ?? Infinity) - Math.abs(a.difference ?? Infinity) || (a.id ?? 0) - (b.id ?? 0));

export function sentenceOf(campaigns: WhatIfCampaign[]): string {
  const number = (effect: WhatIfCampaign['effect']) => campaigns.filter((c) => c.effect === effect).length;
  const others = campaigns.length - number('new');
  if (others === 0) return number('new') > 0 ? 'No other campaign is in treatment or paused: nobody gains or pays.' : 'No campaign is in treatment or paused.';
  const [pay, gain] = [number('pays'), number('gains')];
  if (pay + gain === 0) return `Nobody gains or pays: ${others === 1 ? 'the one campaign ends' : `all ${others} campaigns end`} as before, as far as is known.`;
  return `Of ${plural(others, 'campaign')}, ${pay} would end later and ${gain} sooner.`;
}

const BLOCKED: Record<string, string> = { paused: 'paused', awaits: 'another first', held: 'some tasks held', braked: 'braked', closed: 'no cluster takes it' };

/** A band of times: `14:10 – 15:20`, `by 15:20` where it is a bound. */
export function bandWords(outlook: WhatIfOutlook | null, of: 'starts_in' | 'ends_in', at: number, now: number): string {
  if (!outlook) return '-';
  if (of === 'starts_in' && outlook.started) return 'started';
  if (outlook.blocked) return BLOCKED[outlook.blocked] ?? outlook.blocked;
  const band = outlook[of];
  if (!band) return 'not foreseen';
  const time = (seconds: number) => minuteTime(at + seconds * 1000, now);
  const isBound = outlook.if_others_run_to_their_walltimes || (of === 'ends_in' && outlook.evidence === 'walltime');
  if (isBound) return `by ${time(band.latest)}`;
  const [from, to] = [time(band.earliest), time(band.latest)];
  return from === to ? to : `${from} \u2013 ${to}`;
}

/** `+2 h 30 min`: ends so much later. */
export const differenceWords = (seconds: number | null): string =>
  seconds === null ? '-' : Math.abs(seconds) < 1 ? '0' : `${seconds > 0 ? '+' : '\u2212'}${roughly(Math.abs(seconds))}`;

const EFFECT = { new: 'new', pays: 'pays', gains: 'gains', same: 'the same', unknown: 'not known' };

/** The band before above that after; a line at the median. */
function Bands({ of, until }: { of: WhatIfCampaign; until: number }) {
  if (until <= 0) return null;
  const x = (seconds: number) => (100 * seconds) / until;
  const band = (outlook: WhatIfOutlook | null, y: number, name: string) => {
    const ends = outlook?.ends_in;
    if (!ends) return null;
    const from = Math.min(98.5, x(outlook.evidence === 'walltime' ? 0 : ends.earliest));
    return (
      <>
        <rect class={name} x={from} y={y} width={Math.max(1.5, x(ends.latest) - from)} height="7" />
        <path d={`M${Math.min(99.5, x(ends.expected))} ${y}v7`} />
      </>
    );
  };
  return (
    <svg class="whatif-bands" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true">
      {band(of.before, 2, 'before')}
      {band(of.after, 11, 'after')}
    </svg>
  );
}

function Row({ of: c, at, until }: { of: WhatIfCampaign; at: number; until: number }) {
  const now = coarseNow.value;
  const isMine = root.value?.user === c.user;
  return (
    <tr>
      <th scope="row">
        {c.id === null ? <b>{oneLine(c.name ?? '')} (new)</b> : c.name === null ? c.id : (
          <a href={href({ view: 'campaign', id: String(c.id) })} data-row>{c.id} {oneLine(c.name)}</a>
        )}
      </th>
      <td><span class={`whatif-effect ${c.effect}`}>{EFFECT[c.effect]}</span></td>
      <td class="num">{differenceWords(c.difference)}</td>
      <td>{bandWords(c.before, 'ends_in', at, now)}</td>
      <td>
        {bandWords(c.after, 'ends_in', at, now)}
        {c.id === null ? <div class="faint">starts {bandWords(c.after, 'starts_in', at, now)}</div> : null}
      </td>
      <td><Bands of={c} until={until} /></td>
      <td>{isMine ? <b>{oneLine(c.user)}</b> : oneLine(c.user)}</td>
    </tr>
  );
}

function Answer({ of }: { of: WhatIfAnswer }) {
  const at = parseTime(of.time) ?? coarseNow.value;
  const until = Math.max(0, ...of.campaigns.flatMap((c) => [c.before?.ends_in?.latest ?? 0, c.after.ends_in?.latest ?? 0]));
  const runs = of.before.runs === of.after.runs ? plural(of.after.runs, 'time') : `${plural(of.before.runs, 'time')} as it is, and ${of.after.runs} with the change`;
  return (
    <>
      <p><b>{sentenceOf(of.campaigns)}</b></p>
      {of.warnings.map((one) => (
        <Notice key={one} kind="warn"><Sentence text={one} /></Notice>
      ))}
      {of.campaigns.length > 0 ? (
        <div class="wide">
          <table class="whatif-table" aria-label="Ends before and after">
            <Heads of={['campaign', 'effect', ...numbers('difference'), 'ends, as it is', 'ends, what if', 'both', 'user']} />
            <tbody>
              {inOrderOfEffect(of.campaigns).map((c) => <Row key={c.id ?? 'new'} of={c} at={at} until={until} />)}
            </tbody>
          </table>
        </div>
      ) : (
        <p class="faint">There is nothing to compare. Paste a campaign file above to see when it would start and end.</p>
      )}
      <p class="faint">
        The grid of {duration(of.age)} ago was played {runs}. The end is between the two times in 8 of 10 cases.
      </p>
      <details open>
        <summary>What this rests on</summary>
        <ul>{of.assumptions.map((one) => <li key={one}>{visible(one)}</li>)}</ul>
      </details>
    </>
  );
}

function Refused({ failure }: { failure: Failure }) {
  const { status, code, message, problems } = failure;
  if (status === 401 || code === 'unavailable') return <FailureNotice failure={failure} />;
  const next =
    status === 503 || status === 0 ? 'Ask again in a moment.'
    : code === 'wrong_state' ? 'There is nothing to forecast until then.'
    : code === 'no_such_campaign' ? 'Take it out of the question, and ask again.'
    : status < 500 ? 'Mend it, and ask again.' : 'Ask again; administrators find the cause in the log of gridapi.';
  return (
    <Notice kind={status === 503 ? 'warn' : 'bad'}>
      <Sentence text={message} />. {next}
      {problems && problems.length > 1 ? <ul>{problems.map((one) => <li key={one}>{visible(one)}</li>)}</ul> : null}
    </Notice>
  );
}

function Fates({ of, set }: { of: [number, Fate][]; set: (fates: [number, Fate][]) => void }) {
  const live = (summary.value?.campaigns ?? []).filter((c) => isLive(c.state));
  const [id, setId] = useState('');
  const [fate, setFate] = useState<Fate>('2');
  const nameOf = (one: number) => oneLine(live.find((c) => c.id === one)?.name ?? '');
  const add = () => {
    const chosen = Number(id || live[0]?.id);
    if (chosen > 0) set([...of.filter(([one]) => one !== chosen), [chosen, fate]]);
  };
  return (
    <fieldset>
      <legend>campaigns</legend>
      <div class="whatif-row">
        <label>
          if campaign{' '}
          <select value={id || String(live[0]?.id ?? '')} onChange={(event) => setId(event.currentTarget.value)}>
            {live.map((c) => <option key={c.id} value={String(c.id)}>{c.id} {oneLine(c.name).slice(0, 40)} ({oneLine(c.user)})</option>)}
          </select>
        </label>
        <label>
          <span class="sr">what would be</span>
          <select value={fate} onChange={(event) => isFate(event.currentTarget.value) && setFate(event.currentTarget.value)}>
            {FATES.map(([key, words]) => <option key={key} value={key}>{words}</option>)}
          </select>
        </label>
        <button type="button" onClick={add} disabled={live.length === 0}>add</button>
      </div>
      {of.length > 0 ? (
        <ul class="whatif-list">
          {of.map(([one, its]) => (
            <li key={one}>
              {one} {nameOf(one)} {FATES.find(([key]) => key === its)?.[1]}{' '}
              <button type="button" aria-label={`remove campaign ${one}`} onClick={() => set(of.filter(([other]) => other !== one))}>remove</button>
            </li>
          ))}
        </ul>
      ) : null}
    </fieldset>
  );
}

export function WhatIf() {
  const [asked, setAsked] = useState(() => askedOf(params.value));
  const [jdl, setJdl] = useState('');
  const [answer, setAnswer] = useState<{ of: WhatIfAnswer; question: WhatIfQuestion } | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setBusy] = useState(false);
  const abort = useRef<AbortController | null>(null);
  const change = (more: Partial<Asked>) => setAsked({ ...asked, ...more });
  const clusters = (summary.value?.clusters ?? []).filter((c) => c.enabled);

  const play = async (what: Asked, text: string) => {
    if (abort.current) return;
    const mine = (abort.current = new AbortController());
    setBusy(true);
    setFailure(null);
    const body = questionOf(what, text);
    try {
      const of = await question<WhatIfAnswer>('v1/what-if', body, mine.signal);
      setAnswer({ of, question: body });
    } catch (error) {
      if (mine.signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      setFailure(asFailure(error));
    }
    abort.current = null;
    setBusy(false);
  };
  useEffect(() => {
    // A link to a question shows its answer.
    if (questionOf(asked, '').changes) void play(asked, '');
    return () => abort.current?.abort();
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    go(paramsOf(asked), { focus: false });
    void play(asked, jdl);
  };
  const shown = questionOf(asked, jdl);
  return (
    <>
      <h1 tabIndex={-1}>What if</h1>
      <p>The grid as it is now is played forward, as it is and with your changes: who would gain, and who would pay? Nothing is submitted or changed.</p>
      <form class="whatif-form" aria-busy={summary.value ? undefined : 'true'} onSubmit={submit}>
        <fieldset>
          <legend>a new campaign</legend>
          <label>
            the text of its campaign file (JDL)
            <textarea rows={4} spellcheck={false} placeholder={'{"name": "sweep", "nb_jobs": 100, "clusters": {"alpha": {"exec_file": "~/sweep.sh"}}}'} value={jdl} onInput={(event) => setJdl(event.currentTarget.value)} />
          </label>
          <div class="whatif-row">
            <label>
              submitted later by{' '}
              <input type="number" min="0" max={MOST_HOURS} step="any" value={asked.hours} disabled={!jdl.trim()} onInput={(event) => change({ hours: event.currentTarget.value })} /> hours
            </label>
          </div>
        </fieldset>
        <fieldset>
          <legend>clusters that get no further job</legend>
          <div class="whatif-row">
            {clusters.map((c) => (
              <label key={c.id}>
                <input
                  type="checkbox"
                  checked={asked.off.includes(c.name)}
                  onChange={(event) => change({ off: event.currentTarget.checked ? [...asked.off, c.name] : asked.off.filter((name) => name !== c.name) })}
                />{' '}
                {oneLine(c.name)} off
              </label>
            ))}
            {summary.value && clusters.length === 0 ? <span class="faint">The grid has no cluster that is enabled: <code>gridctl cluster add</code></span> : null}
          </div>
          {clusters.length > 0 ? (
            <div class="whatif-row">
              <label>
                from now on, or after{' '}
                <input type="number" min="0" max={MOST_HOURS} step="any" value={asked.from} disabled={asked.off.length === 0} onInput={(event) => change({ from: event.currentTarget.value })} /> hours
              </label>
              {Number(asked.from) > 0 ? <span class="faint">at {minuteTime(coarseNow.value + 1000 * secondsOf(asked.from), coarseNow.value)}</span> : null}
            </div>
          ) : null}
        </fieldset>
        <fieldset>
          <legend>the order of campaigns</legend>
          <div class="whatif-row">
            <label>
              campaign_order{' '}
              <input list="whatif-orders" autocomplete="off" spellcheck={false} placeholder="as it is" value={asked.order} onInput={(event) => change({ order: event.currentTarget.value })} />
            </label>
            <datalist id="whatif-orders">{ORDERS.map((one) => <option key={one} value={one} />)}</datalist>
          </div>
        </fieldset>
        <Fates of={asked.fates} set={(fates) => change({ fates })} />
        <div><button type="submit" class="whatif-go" disabled={isBusy}>{isBusy ? 'is played …' : 'Play it'}</button></div>
      </form>
      <section aria-live="polite" aria-busy={isBusy ? 'true' : undefined}>
        <h2>Who gains, who pays</h2>
        {failure ? <Refused failure={failure} /> : null}
        {isBusy ? <p class="faint">The grid is played some 20 times, with and without the change. That takes some seconds …</p>
        : answer ? <Answer of={answer.of} />
        : failure ? null : <p class="faint">Choose a change, or none for the forecast of all campaigns, and play it.</p>}
        {answer && !isBusy && JSON.stringify(answer.question) !== JSON.stringify(shown) ? <p class="faint">The form has changed since: play it again.</p> : null}
      </section>
      <Commands list={commandsOf(shown)} />
    </>
  );
}
