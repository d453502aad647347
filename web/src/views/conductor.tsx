// View 10: does the grid itself work? Its cycles by module, what keeps it from its work, and who changed what.
import { useResource } from '../live/resource';
import { root } from '../live/summary';
import { Notice, Waiting } from '../parts/broken';
import { count, duration, oneLine, parseTime, plural, visible } from '../parts/format';
import { Commands, Sentence, Since, Time } from '../parts/text';
import type { Act, Cycle, DoubtfulLaunch, Health, List } from '../types';

const CYCLES = 100;
const ACTS = 50;
const HEIGHT = 18;

export interface ModuleUse {
  name: string;
  last: string; // what came of its last turn
  turns: (number | null)[]; // ms by cycle, the oldest first; null: none, or it was left running
  failed: number;
}

/** The turns of each module, in the order of the modules of the newest cycle. */
export function modulesOf(cycles: Cycle[]): ModuleUse[] {
  const uses = new Map<string, ModuleUse>();
  cycles.forEach((cycle, newness) => {
    for (const { module, result, ms } of cycle.modules ?? []) {
      let use = uses.get(module);
      if (!use) uses.set(module, (use = { name: module, last: result, turns: Array.from({ length: cycles.length }, () => null), failed: 0 }));
      const column = cycles.length - 1 - newness;
      // One that was left running and is over counts in the cycle after it, which may have a turn of its own.
      if (result !== 'left_running' && result !== 'skipped') use.turns[column] = Math.max(ms, use.turns[column] ?? 0);
      if (result === 'failed' || result === 'timed_out') use.failed += 1;
    }
  });
  return [...uses.values()];
}

const inWords = (ms: number): string => (ms < 1000 ? `${count(ms)} ms` : ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms / 1000));

export function middleOf(turns: (number | null)[]): number | null {
  const known = turns.filter((ms): ms is number => ms !== null).sort((a, b) => a - b);
  return known.length === 0 ? null : known[Math.floor((known.length - 1) / 2)]!;
}

function Spark({ of }: { of: ModuleUse }) {
  const most = Math.max(1, ...of.turns.map((ms) => ms ?? 0));
  const path = of.turns.map((ms, column) => (ms === null ? '' : `M${column} ${HEIGHT}V${(HEIGHT * (1 - Math.max(0.06, ms / most))).toFixed(1)}H${column + 1}V${HEIGHT}Z`)).join('');
  return (
    <svg class="turns" viewBox={`0 0 ${of.turns.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="running" d={path} />
    </svg>
  );
}

function Modules({ of }: { of: Cycle[] }) {
  const shown = (ms: number | null) => (ms === null ? '-' : inWords(ms));
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">module</th>
            <th scope="col">last turn</th>
            <th scope="col" class="num">usually</th>
            <th scope="col" class="num">at most</th>
            <th scope="col" class="num">failed</th>
            <th scope="col">from the oldest cycle to the newest</th>
          </tr>
        </thead>
        <tbody>
          {modulesOf(of).map((use) => (
            <tr key={use.name}>
              <th scope="row">{oneLine(use.name)}</th>
              <td class={use.last === 'failed' || use.last === 'timed_out' ? 'bad' : ''}>{use.last.replace(/_/g, ' ')}</td>
              <td class="num">{shown(middleOf(use.turns))}</td>
              <td class="num">{shown(use.turns.reduce((most, ms) => (ms === null ? most : Math.max(ms, most ?? 0)), null))}</td>
              <td class="num">{count(use.failed)}</td>
              <td><Spark of={use} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cycles({ of }: { of: Cycle[] }) {
  if (of.length === 0) return <p class="faint">No cycle has begun yet.</p>;
  const lengths = of.map(({ start_time, stop_time }) => {
    const [from, to] = [parseTime(start_time), parseTime(stop_time)];
    return from === null || to === null ? null : to - from;
  });
  const most = lengths.reduce<number>((max, ms) => Math.max(max, ms ?? 0), 0);
  return (
    <>
      <p>
        {plural(of.length, 'cycle')} since <Time at={of[of.length - 1]!.start_time} />; the longest took {inWords(most)}.
        {of[0]!.stop_time === null ? <> One began <Since at={of[0]!.start_time} /> ago, and has not ended.</> : null}
      </p>
      <Modules of={of} />
    </>
  );
}

function Troubles({ of }: { of: Health }) {
  return (
    <>
      <p>
        {of.status === 'ok' ? 'The grid is well' : <>The grid is <b>{oneLine(of.status)}</b></>}
        {of.conductor ? <>; {oneLine(of.conductor.holder)} conducts it, in term {count(of.conductor.term)}</> : <>; nobody conducts it</>}.
      </p>
      {of.troubles.map((trouble) => (
        <Notice key={`${trouble.kind} ${trouble.subject}`} kind="bad">
          <b>{oneLine(trouble.kind)} {oneLine(trouble.subject)}</b>
          {trouble.since ? <>, for <Since at={trouble.since} /></> : null}
          {trouble.message ? <>: <Sentence text={trouble.message} /></> : null}
          {trouble.remedy ? <>. Remedy: {visible(trouble.remedy)}</> : null}
        </Notice>
      ))}
    </>
  );
}

function textOf(value: Record<string, unknown> | null): string {
  return value === null ? '' : Object.entries(value).map(([key, one]) => `${key}: ${typeof one === 'string' ? one : JSON.stringify(one)}`).join(', ');
}

function Acts() {
  const read = useResource<List<Act>>(`v1/audit?limit=${ACTS}`, { every: 10000 });
  if (!read.data) return <Waiting of={read} what="the audit" />;
  if (read.data.items.length === 0) return <p class="faint">Nobody has changed anything.</p>;
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">when</th>
            <th scope="col">who</th>
            <th scope="col">from</th>
            <th scope="col">act</th>
            <th scope="col">subject</th>
            <th scope="col">before</th>
            <th scope="col">after</th>
          </tr>
        </thead>
        <tbody>
          {read.data.items.map((act) => (
            <tr key={act.id}>
              <td><Time at={act.time} /></td>
              <th scope="row">{oneLine(act.actor)}</th>
              <td>{oneLine(act.origin)}</td>
              <td>{oneLine(act.act)}</td>
              <td>{oneLine(act.subject)}</td>
              <td>{oneLine(textOf(act.before))}</td>
              <td>{oneLine(textOf(act.after))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Launches() {
  const read = useResource<List<DoubtfulLaunch>>(`v1/launches?limit=${ACTS}`, { every: 10000 });
  if (!read.data) return <Waiting of={read} what="the launches" />;
  if (read.data.items.length === 0) return <p class="faint">The fate of every launch is known.</p>;
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">launch</th>
            <th scope="col">campaign</th>
            <th scope="col">cluster</th>
            <th scope="col">is</th>
            <th scope="col" class="num">jobs</th>
            <th scope="col" class="num">tasks bound</th>
            <th scope="col" class="num">looks</th>
            <th scope="col">for</th>
            <th scope="col">why</th>
          </tr>
        </thead>
        <tbody>
          {read.data.items.map((one) => (
            <tr key={one.id}>
              <th scope="row">{one.id}</th>
              <td>{one.campaign_id}</td>
              <td>{oneLine(one.cluster_name)}</td>
              <td>{oneLine(one.state)}</td>
              <td class="num">{count(one.jobs)}</td>
              <td class="num">{count(one.tasks)}</td>
              <td class="num">{count(one.looks)}</td>
              <td><Since at={one.since} /></td>
              <td>{oneLine(one.error ?? '')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Conductor() {
  const health = useResource<Health>('health', { every: 5000 });
  const cycles = useResource<List<Cycle>>(`v1/cycles?limit=${CYCLES}`, { every: 5000 });
  return (
    <>
      <h1 tabIndex={-1}>Conductor</h1>
      {health.data ? <Troubles of={health.data} /> : <Waiting of={health} what="the health of the grid" />}
      <section>
        <h2>Cycles</h2>
        {cycles.data ? <Cycles of={cycles.data.items} /> : <Waiting of={cycles} what="the cycles" />}
      </section>
      <section>
        <h2>Launches of unknown fate</h2>
        <Launches />
      </section>
      {root.value?.administrator ? (
        <section>
          <h2>Who changed what</h2>
          <Acts />
        </section>
      ) : null}
      <Commands
        list={[
          ['gridctl check', 'tries the database and every cluster'],
          ['gridevents --global', 'the open events of the grid'],
          ['gridctl launch list', 'launches of unknown fate'],
          ['gridctl audit', 'who changed what'],
          ['gridctl quality', 'how good the plans were'],
        ]}
      />
    </>
  );
}
