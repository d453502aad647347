// View 9: who gets what of the grid, is it what was agreed, and what is held back? The tree of shares with its use, limits, brakes.
import { href } from '../live/router';
import { useResource } from '../live/resource';
import { root } from '../live/summary';
import { AdminActs, type Deed } from '../parts/acts';
import { Waiting } from '../parts/broken';
import { count, oneLine, plural } from '../parts/format';
import { Commands, Sentence, Since } from '../parts/text';
import type { BrakeInForce, ClusterInUse, Limit, Share, Shares } from '../types';

const MOST = 1000; // rows of each list
const EVERY = 10000;

const inPercent = (part: number): string => `${(100 * part).toFixed(1)} %`;
const figure = (value: number): string => (Number.isInteger(value) ? count(value) : value.toFixed(Math.abs(value) < 10 ? 2 : 0));

/** How deep a node is in the tree: 0 below the root. */
export const depthOf = (path: string): number => path.split('/').length - 2;

/** What it had against what it should have: more than a tenth of its part off counts. */
export function verdictOf({ part, used_part }: Pick<Share, 'part' | 'used_part'>): string {
  if (part === 0) return used_part > 0 ? 'has no part' : '';
  if (used_part > part * 1.1) return 'had more';
  return used_part < part * 0.9 ? 'had less' : 'as agreed';
}

/** What it had as a bar, and a mark where its part ends. */
function Against({ of }: { of: Share }) {
  const at = (part: number) => `${Math.min(100, 100 * part).toFixed(2)}%`;
  return (
    <span class="shares-bar" aria-hidden="true">
      <i class="shares-had" style={{ width: at(of.used_part) }} />
      <i class="shares-part" style={{ left: at(of.part) }} />
    </span>
  );
}

/** In which orders of campaigns shares count (docs/policies.md). */
const COUNTS = ['fairshare', 'fairtree', 'multifactor', 'tickets'];

function Tree({ of }: { of: Shares }) {
  const order = of.campaign_order;
  const counts = COUNTS.some((name) => order.split(',').includes(name));
  return (
    <>
      <p>
        The use of {plural(of.window_days, 'day')} counts, each day {figure(of.decay)} of the one after it, in days of the whole grid ({plural(of.resources, 'resource')}).
        {counts ? null : <> The order in force, <b>{oneLine(order)}</b>, does not compare shares.</>}
        {of.outside !== null && of.usage ? <> {inPercent(of.outside / of.usage)} was used by those who are not in the tree.</> : null}
      </p>
      {of.items.length === 0 ? <p class="faint">{root.value?.administrator ? 'There are no shares: every user counts alike.' : 'No part of the tree of shares is yours.'}</p> : (
        <div class="wide">
          <table>
            <thead>
              <tr>
                <th scope="col">node</th>
                <th scope="col">kind</th>
                <th scope="col" class="num">shares</th>
                <th scope="col" class="num">should have</th>
                <th scope="col" class="num">had</th>
                <th scope="col">had, to its part</th>
                <th scope="col" class="num">days used</th>
                <th scope="col" class="num">priority</th>
                <th scope="col">so it</th>
              </tr>
            </thead>
            <tbody>
              {of.items.map((one) => (
                <tr key={`${one.path} ${one.kind}`}>
                  <th scope="row" style={{ paddingInlineStart: `${0.5 + depthOf(one.path)}rem` }}>{oneLine(one.name)}</th>
                  <td>{one.kind}</td>
                  <td class="num">{figure(one.shares)}</td>
                  <td class="num">{inPercent(one.part)}</td>
                  <td class="num">{inPercent(one.used_part)}</td>
                  <td><Against of={one} /></td>
                  <td class="num">{one.usage.toFixed(3)}</td>
                  <td class="num">{one.priority.toFixed(3)}</td>
                  <td>{verdictOf(one)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

const lift = (limit: Limit): Deed[] => [
  { label: 'Lift', method: 'DELETE', path: `v1/limits/${limit.id}`, words: [`Limit ${limit.id}, ${limit.kind.replace(/_/g, ' ')} of ${oneLine(limit.holds)}, holds nobody any more from the next cycle on.`] },
];

function Limits({ of }: { of: Limit[] }) {
  if (of.length === 0) return <p class="faint">There are no limits.</p>;
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">limit</th>
            <th scope="col">holds</th>
            <th scope="col">counts</th>
            <th scope="col" class="num">now</th>
            <th scope="col" class="num">at most</th>
            <th scope="col">stops now</th>
            {root.value?.administrator ? <th scope="col">act</th> : null}
          </tr>
        </thead>
        <tbody>
          {of.map((one) => (
            <tr key={one.id}>
              <th scope="row">{one.id}</th>
              <td>{oneLine(one.holds)}</td>
              <td>{one.kind.replace(/_/g, ' ')}{one.days === null ? '' : `, ${plural(one.days, 'day')}`}</td>
              <td class={`num${one.used >= one.most ? ' bad' : ''}`}>{figure(one.used)}{one.used_by[0] ? ` (${oneLine(one.used_by[0].name)})` : ''}</td>
              <td class="num">{figure(one.most)}</td>
              <td>{one.stops === 0 ? '-' : plural(one.stops, 'campaign')}</td>
              {root.value?.administrator ? <td><AdminActs name={`limit ${one.id}`} deeds={lift(one)} /></td> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const release = (brake: BrakeInForce): Deed[] => {
  const query = [brake.campaign_id === null ? '' : `campaign=${brake.campaign_id}`, brake.cluster_id === null ? '' : `cluster=${brake.cluster_id}`].filter(Boolean).join('&');
  return [{ label: 'Lift', method: 'DELETE', path: `v1/brakes?${query}`, words: ['Jobs are sent there again from the next cycle on. If what braked it is still there, it is braked again.'] }];
};

const whereOf = (brake: BrakeInForce): string =>
  `${brake.campaign_id === null ? 'all campaigns' : `campaign ${brake.campaign_id}`}${brake.cluster_name === null ? '' : ` on ${brake.cluster_name}`}`;

function Brakes({ of }: { of: BrakeInForce[] }) {
  if (of.length === 0) return <p class="faint">No brake is in force.</p>;
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">braked</th>
            <th scope="col">why</th>
            <th scope="col">since</th>
            <th scope="col">ends</th>
            {root.value?.administrator ? <th scope="col">act</th> : null}
          </tr>
        </thead>
        <tbody>
          {of.map((one) => (
            <tr key={one.id}>
              <th scope="row">{one.campaign_id === null ? oneLine(whereOf(one)) : <a href={href({ view: 'campaign', id: String(one.campaign_id) })}>{oneLine(whereOf(one))}</a>}</th>
              <td>{oneLine(one.reason)}{one.set_by === null ? '' : ` (by ${oneLine(one.set_by)})`}</td>
              <td><Since at={one.since} /> ago</td>
              <td><Sentence text={one.ends} /></td>
              {root.value?.administrator ? <td><AdminActs name={whereOf(one)} deeds={release(one)} /></td> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const useOf = (cluster: ClusterInUse): Deed[] => [
  cluster.enabled
    ? { label: 'Disable', method: 'POST', path: `v1/clusters/${cluster.id}/disable`, words: ['Nothing more is submitted to it. Its jobs continue.'] }
    : { label: 'Enable', method: 'POST', path: `v1/clusters/${cluster.id}/enable`, words: ['Jobs go there from the next cycle on.'] },
];

function Clusters() {
  const read = useResource<{ items: ClusterInUse[] }>(`v1/clusters?limit=${MOST}`, { every: EVERY });
  if (!read.data) return <Waiting of={read} what="the clusters" />;
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">cluster</th>
            <th scope="col">is</th>
            <th scope="col">act</th>
          </tr>
        </thead>
        <tbody>
          {read.data.items.filter(({ retired_at }) => retired_at === null).map((one) => (
            <tr key={one.id}>
              <th scope="row">{oneLine(one.name)}</th>
              <td>{one.enabled ? 'enabled' : 'disabled'}</td>
              <td><AdminActs name={one.name} deeds={useOf(one)} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function SharesView() {
  const shares = useResource<Shares>(`v1/shares?limit=${MOST}`, { every: EVERY });
  const limits = useResource<{ items: Limit[] }>(`v1/limits?limit=${MOST}`, { every: EVERY });
  const brakes = useResource<{ items: BrakeInForce[] }>(`v1/brakes?limit=${MOST}`, { every: EVERY });
  return (
    <>
      <h1 tabIndex={-1}>Shares</h1>
      <section>
        <h2>Who gets what</h2>
        {shares.data ? <Tree of={shares.data} /> : <Waiting of={shares} what="the shares" />}
      </section>
      <section>
        <h2>Limits</h2>
        {limits.data ? <Limits of={limits.data.items} /> : <Waiting of={limits} what="the limits" />}
      </section>
      <section>
        <h2>Brakes</h2>
        {brakes.data ? <Brakes of={brakes.data.items} /> : <Waiting of={brakes} what="the brakes" />}
      </section>
      {root.value?.administrator ? (
        <section>
          <h2>Clusters</h2>
          <Clusters />
        </section>
      ) : null}
      <Commands
        list={[
          ['gridctl share list', 'the tree of shares'],
          ['gridctl limit list', 'the limits, and what each counts now'],
          ['gridctl brake list', 'the brakes in force'],
          ['gridctl usage list', 'what users have used'],
          ['gridstat --order', 'who goes first, and by which figures'],
        ]}
      />
    </>
  );
}
