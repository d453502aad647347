// View 3, its past: which reasons each cluster had, and for how long.
import { useMemo } from 'preact/hooks';
import { serverNow } from '../live/api';
import { useResource } from '../live/resource';
import { href, params } from '../live/router';
import { coarseNow } from '../live/summary';
import { Waiting } from '../parts/broken';
import { ticks } from '../parts/chart';
import { count, duration, minuteTime, oneLine, parseTime, percent } from '../parts/format';
import { Heads, numbers } from '../parts/table';
import { Time } from '../parts/text';
import type { DecisionHistory, ReasonPeriod, ReasonTimes } from '../types';

const H = 3600e3;
const SPANS: Record<string, { length: number; title: string }> = {
  '1h': { length: H, title: '1 hour' },
  '24h': { length: 24 * H, title: '24 hours' },
  '7d': { length: 168 * H, title: '7 days' },
  '30d': { length: 720 * H, title: '30 days' },
};
const USUAL = '24h';
const CHANGES = 10;

/** Kinds of reasons, each with a colour, a texture and a letter; the words of each reason stand beside them. */
const KINDS = {
  sent: ['running', 'S', 'jobs sent'],
  full: ['waiting', 'F', 'no room'],
  limit: ['submitted', 'L', 'a limit'],
  stopped: ['failed', 'X', 'stopped'],
  other: ['cancelled', 'O', 'other'],
} as const;
type Kind = keyof typeof KINDS;

const FULL = new Set(['no_free_resources', 'kept_for_local_jobs', 'kept_for_others', 'reserved_in_oar', 'nodes_asleep', 'busy_without_job', 'not_enough_resources',
  'no_node_free', 'reserved', 'held_for_reservation', 'preempting', 'preempting_for_first_tasks', 'earlier_campaigns', 'few_match']);
const LIMIT = new Set(['limit_reached', 'max_jobs_reached', 'under_stress', 'file_server_full', 'probing', 'unjudged', 'on_trial', 'width_unknown', 'test_already_given']);
const STOPPED = new Set(['paused', 'campaign_braked', 'pair_braked', 'cluster_braked', 'unreachable', 'stale_status', 'cluster_disabled', 'cluster_retired', 'no_resources', 'frozen',
  'not_mapped', 'no_token', 'too_big', 'no_task_fits', 'no_cluster']);

export function kindOf(reason: string): Kind {
  if (reason === 'launched') return 'sent';
  if (FULL.has(reason)) return 'full';
  if (LIMIT.has(reason)) return 'limit';
  return STOPPED.has(reason) ? 'stopped' : 'other';
}

/** `61 % full, 30 % limit 3 (user u01)`: the three longest, and the rest together. */
export function sharesSentence(of: ReasonTimes): string {
  const parts = of.shares.map(({ words, seconds }) => ({ words: oneLine(words), seconds }));
  if (of.undecided_seconds > 0) parts.push({ words: 'nothing decided on it', seconds: of.undecided_seconds });
  parts.sort((a, b) => b.seconds - a.seconds);
  const rest = parts.slice(3).reduce((sum, one) => sum + one.seconds, 0);
  const shown = parts.length > 4 ? [...parts.slice(0, 3), { words: 'other reasons', seconds: rest }] : parts;
  return shown.filter((one) => one.seconds > 0 || shown.length === 1).map(({ words, seconds }) => `${share(seconds, of.seconds)} ${words}`).join(', ');
}

const share = (part: number, whole: number): string => (whole <= 0 || part >= whole ? '100 %' : part * 100 < whole ? 'under 1 %' : percent(part, whole));

export interface Piece {
  kind: Kind;
  from: number; // of the picture, 0 to 1
  to: number;
  low: number; // of its height: a sum has several reasons above each other
  high: number;
}

/** The pieces of a cluster's picture. Periods of one sum stand above each other, each as high as its part of the time. */
export function piecesOf(periods: ReasonPeriod[], from: number, to: number): Piece[] {
  const pieces: Piece[] = [];
  const heights = new Map<number, number>(); // of the sums, by their begin
  const at = (ms: number) => Math.min(1, Math.max(0, (ms - from) / (to - from)));
  for (const one of periods) {
    const [since, until] = [parseTime(one.since) ?? from, parseTime(one.until) ?? to];
    if (until <= from || since >= to || until <= since) continue;
    const low = one.summed ? heights.get(since) ?? 0 : 0;
    const high = one.summed ? Math.min(1, low + (one.seconds * 1000) / (until - since)) : 1;
    if (one.summed) heights.set(since, high);
    pieces.push({ kind: kindOf(one.reason), from: at(since), to: at(until), low, high });
  }
  return pieces;
}

const percents = (value: number): string => `${+(100 * value).toFixed(3)}%`;

function Picture({ of, periods, from, to, marks }: { of: ReasonTimes; periods: ReasonPeriod[]; from: number; to: number; marks: number[] }) {
  return (
    <div class="strip reasons-strip" role="img" aria-label={sharesSentence(of)}>
      {piecesOf(periods, from, to).map((piece, index) => (
        <i
          key={index}
          class={`seg ${KINDS[piece.kind][0]}`}
          style={{ left: percents(piece.from), right: percents(1 - piece.to), bottom: percents(piece.low), top: percents(1 - piece.high) }}
        >
          {piece.to - piece.from > 0.06 && piece.high - piece.low > 0.6 ? <b>{KINDS[piece.kind][1]}</b> : null}
        </i>
      ))}
      {marks.map((t) => <i key={t} class="tick" style={{ left: percents((t - from) / (to - from)) }} />)}
    </div>
  );
}

const nameOf = (of: { cluster_name: string | null }): string => (of.cluster_name === null ? 'the campaign' : oneLine(of.cluster_name));

function Shares({ of }: { of: ReasonTimes[] }) {
  return (
    <details>
      <summary>The times as a table</summary>
      <div class="wide">
        <table>
          <Heads of={['cluster', 'from', 'reason', ...numbers('share', 'time')]} />
          <tbody>
            {of.flatMap((one) =>
              [...one.shares, ...(one.undecided_seconds > 0 ? [{ words: 'nothing decided on it', seconds: one.undecided_seconds }] : [])].map(({ words, seconds }) => (
                <tr key={`${one.cluster_id} ${words}`}>
                  <th scope="row">{nameOf(one)}</th>
                  <td><Time at={one.from} minute /></td>
                  <td>{oneLine(words)}</td>
                  <td class="num">{share(seconds, one.seconds)}</td>
                  <td class="num">{duration(seconds)}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Changes({ of }: { of: ReasonPeriod[] }) {
  const last = of.filter((one) => !one.summed).slice(0, CHANGES);
  return (
    <details>
      <summary>The last changes</summary>
      <div class="wide">
        <table>
          <Heads of={['since', 'cluster', 'reason', ...numbers('for')]} />
          <tbody>
            {last.map((one) => (
              <tr key={`${one.cluster_id} ${one.since}`}>
                <td><Time at={one.since} /></td>
                <th scope="row">{nameOf(one)}</th>
                <td>{oneLine(one.words)}</td>
                <td class="num">{duration(one.seconds)}{one.until === null ? ', still' : ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Timelines({ of, from, to }: { of: DecisionHistory; from: number; to: number }) {
  const marks = ticks({ from, to }, 6);
  const kinds = (Object.keys(KINDS) as Kind[]).filter((kind) => of.items.some((one) => kindOf(one.reason) === kind));
  return (
    <>
      <ul class="legend">
        {kinds.map((kind) => (
          <li key={kind}>
            <span class={`key seg ${KINDS[kind][0]}`} aria-hidden="true"><b>{KINDS[kind][1]}</b></span>
            {KINDS[kind][2]}
          </li>
        ))}
      </ul>
      {of.clusters.map((one) => (
        <div key={`${one.cluster_id}`} class="reasons-cluster">
          <strong>{nameOf(one)}</strong>, since <Time at={one.from} minute />: {sharesSentence(one)}
          <Picture of={one} periods={of.items.filter((item) => item.cluster_id === one.cluster_id)} from={from} to={to} marks={marks} />
        </div>
      ))}
      <p class="faint">
        Hatched: nothing was decided. Parts above each other: changes of long ago, summed up. Upright lines: {marks.map((t) => minuteTime(t, coarseNow.value)).join(', ')}.
        {of.total > of.items.length ? ` Drawn: the newest ${count(of.items.length)} of ${count(of.total)} times; the shares are of all.` : ''}
      </p>
      <Shares of={of.clusters} />
      <Changes of={of.items} />
    </>
  );
}

/** The span that the address names. */
export function reasonsSpan(): string {
  const asked = params.value['span'] ?? USUAL;
  return Object.hasOwn(SPANS, asked) ? asked : USUAL;
}

export function Reasons({ id, until }: { id: number; until: number | null }) {
  const span = reasonsSpan();
  // The begin stays while the page is open: each other address would be another answer, for which the page waits.
  const from = useMemo(() => (until ?? serverNow()) - SPANS[span]!.length, [id, span, until]);
  const to = until ?? Math.max(coarseNow.value, from + SPANS[span]!.length);
  const since = new Date(from).toISOString().slice(0, 19) + 'Z';
  const history = useResource<DecisionHistory>(`v1/campaigns/${id}/decisions/history?since=${since}&limit=1000`, { every: 30000 });
  return (
    <section>
      <h2>Which reasons it had</h2>
      <nav class="switch" aria-label="Span">
        {Object.entries(SPANS).map(([key, { title }]) => (
          <a key={key} href={href({ view: 'why', id: `${id}`, span: key })} aria-current={key === span ? 'page' : undefined}>{title}</a>
        ))}
      </nav>
      {!history.data ? <Waiting of={history} what="the past reasons" /> : history.data.items.length === 0 ? (
        <p>Nothing was decided on it in this time.</p>
      ) : (
        <Timelines of={history.data} from={from} to={to} />
      )}
    </section>
  );
}
