// View 6: are all clusters well, and who holds them?
import { useResource } from '../live/resource';
import { href } from '../live/router';
import { failure, now, summary } from '../live/summary';
import { Bar, Legend, type Part } from '../parts/bar';
import { FailureNotice, Loading, Notice } from '../parts/broken';
import { count, percent, oneLine, parseTime, plural, visible } from '../parts/format';
import { Heads, numbers } from '../parts/table';
import { Commands, Since, Time } from '../parts/text';
import { clusterState } from '../parts/words';
import type { Cluster, ClusterLine, Page } from '../types';

const OLD_STATUS = 60000; // ms behind the last cycle

/** The resources of a cluster by who holds them; null: nobody knows. */
export function usePartsOf(c: ClusterLine, outOfUse: number): Part[] | null {
  const s = c.status;
  if (!s) return null;
  const ours = Math.min(s.our_running, s.used);
  const others = Math.max(0, Math.min(s.used_besteffort, s.used) - ours);
  const local = Math.max(0, s.used - ours - others);
  return [
    { key: 'local', letter: 'L', name: 'local', value: local },
    { key: 'ours', letter: 'O', name: 'ours', value: ours },
    { key: 'others', letter: 'B', name: 'other best-effort', value: others },
    { key: 'free', letter: '', name: 'free', value: s.free },
    { key: 'gone', letter: 'X', name: 'out of use', value: outOfUse + Math.max(0, s.max_resources - s.used - s.free) },
  ];
}

const add = (a: Part[], b: Part[]): Part[] => a.map((part, index) => ({ ...part, value: part.value + (b[index]?.value ?? 0) }));

function Details({ of: c }: { of: ClusterLine }) {
  const last = parseTime(summary.value?.last_cycle);
  const asked = parseTime(c.status?.time);
  const isOld = c.reachable === false || (last !== null && asked !== null && last - asked > OLD_STATUS);
  return (
    <p class="reason">
      {c.status && isOld ? <span class="faint">figures from <Time at={c.status.time} />. </span> : null}
      {c.status && !isOld && c.status.our_waiting > 0 ? <>{plural(c.status.our_waiting, 'job')} of ours wait. </> : null}
      {c.kept_resources > 0 ? <>{count(c.kept_resources)} kept free for local jobs. </> : null}
      {c.under_stress && c.stress_reason ? <>{visible(c.stress_reason)}. </> : null}
      {c.brake ? (
        <>
          Nothing is sent: {visible(c.brake.reason)}
          {c.brake.expires ? <>, until <Time at={c.brake.expires} /></> : null}.{' '}
        </>
      ) : null}
      {c.reachable === false && c.last_error ? <>Not sent: {visible(c.last_error)}. </> : null}
    </p>
  );
}

function Line({ of: c, outOfUse }: { of: ClusterLine; outOfUse: number }) {
  const state = clusterState(c, now.value);
  const parts = usePartsOf(c, outOfUse);
  const isLost = c.reachable === false;
  return (
    <li class={`cluster ${state.kind}${isLost ? ' lost' : ''}`}>
      <div class="head">
        <b>{oneLine(c.name)}</b>
        <span class={`state ${state.kind}`}>{state.word}</span>
        <span class="faint end">
          {!c.status ? 'no figures yet' : isLost ? plural(c.status.max_resources, 'resource') : `${count(c.status.free)} of ${count(c.status.max_resources)} free`}
          {c.status?.api_latency_ms != null && !isLost ? ` · ${count(c.status.api_latency_ms)} ms` : ''}
        </span>
      </div>
      {parts && !isLost ? <Bar parts={parts} /> : <div class="bar unknown" role="img" aria-label="unknown: not drawn as idle"><span>unknown</span></div>}
      <Details of={c} />
    </li>
  );
}

function Figures({ of, out }: { of: ClusterLine[]; out: (id: number) => number }) {
  return (
    <details>
      <summary>As a table</summary>
      <div class="wide">
        <table>
          <Heads of={['cluster', 'state', ...numbers('max', 'local', 'ours', 'other best-effort', 'free', 'out of use', 'kept', 'waiting', 'ms')]} />
          <tbody>
            {of.map((c) => {
              const parts = c.reachable === false ? null : usePartsOf(c, out(c.id));
              return (
                <tr key={c.id}>
                  <th scope="row">{oneLine(c.name)}</th>
                  <td>{clusterState(c, now.value).word}</td>
                  <td class="num">{count(c.status?.max_resources ?? c.max_resources)}</td>
                  {['local', 'ours', 'others', 'free', 'gone'].map((key) => (
                    <td key={key} class="num">{parts ? count(parts.find((part) => part.key === key)?.value ?? 0) : '-'}</td>
                  ))}
                  <td class="num">{count(c.kept_resources)}</td>
                  <td class="num">{c.status && c.reachable ? count(c.status.our_waiting) : '-'}</td>
                  <td class="num">{c.status?.api_latency_ms ?? '-'}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
}

export function Grid() {
  const more = useResource<Page<Cluster>>('v1/clusters?limit=1000', { every: 10000 });
  const s = summary.value;
  if (s === null)
    return (
      <>
        <h1 tabIndex={-1}>Grid now</h1>
        {failure.value ? <FailureNotice failure={failure.value} /> : <Loading what="the clusters" />}
      </>
    );
  const byId = new Map((more.data?.items ?? []).map((c) => [c.id, c]));
  const out = (id: number): number => {
    const c = byId.get(id);
    return c ? c.suspected_resources + c.absent_resources + c.dead_resources : 0;
  };
  const known = s.clusters.filter((c) => c.reachable && c.status);
  const sum = known.reduce<Part[] | null>((all, c) => {
    const parts = usePartsOf(c, out(c.id));
    return parts && all ? add(all, parts) : (parts ?? all);
  }, null);
  const value = (key: string) => sum?.find((part) => part.key === key)?.value ?? 0;
  const used = value('local') + value('ours') + value('others');
  const sick = s.clusters.filter((c) => clusterState(c, now.value).kind !== 'ok').length;
  return (
    <>
      <h1 tabIndex={-1}>Grid now</h1>
      {s.clusters.length === 0 ? (
        <Notice>
          The grid has no cluster yet. Administrators add one with <code>gridctl cluster add</code>.
        </Notice>
      ) : (
        <>
          <p>
            {count(used)} of {count(used + value('free'))} used ({percent(used, used + value('free'))}), {count(value('ours'))} by the grid,{' '}
            {count(value('free'))} free; {sick === 0 ? 'all clusters are well' : `${plural(sick, 'cluster')} of ${s.clusters.length} not ok`}.
            {s.last_cycle ? <> The last cycle began <Since at={s.last_cycle} /> ago.</> : null}
          </p>
          {sum ? <Legend parts={sum} /> : null}
          <ul class="clusters">
            {s.clusters.map((c) => (
              <Line key={c.id} of={c} outOfUse={out(c.id)} />
            ))}
          </ul>
          <Figures of={s.clusters} out={out} />
          <p>
            <a href={href({ view: 'use' })}>The last 24 hours, or a week</a>
          </p>
        </>
      )}
      <Commands
        list={[
          ['gridclusters', 'says the same'],
          ['gridclusters --usage', 'as bars in a terminal'],
          ['gridevents --global', 'the open events of the grid'],
        ]}
      />
    </>
  );
}
