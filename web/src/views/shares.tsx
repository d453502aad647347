// View 9: who gets what of the grid, is it what was agreed, and what is held back? The tree of shares with its use, limits, brakes.
import type { Body } from '../live/api';
import { href } from '../live/router';
import { useResource } from '../live/resource';
import { root } from '../live/summary';
import { AdminActs, type Deed, type Said } from '../parts/acts';
import { Waiting } from '../parts/broken';
import { Declared } from '../parts/declared';
import { FormAct, type Field } from '../parts/form';
import { count, oneLine, plural } from '../parts/format';
import { numbers } from '../parts/table';
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
        <Declared
          heads={['node', 'kind', ...numbers('shares', 'should have', 'had'), 'had, to its part', ...numbers('days used', 'priority'), 'so it']}
          rows={of.items.map((one) => ({
            key: `${one.path} ${one.kind}`, name: `${one.kind} ${one.name}`, depth: depthOf(one.path),
            cells: [
              oneLine(one.name), one.kind, { num: figure(one.shares) }, { num: inPercent(one.part) }, { num: inPercent(one.used_part) }, <Against of={one} />,
              { num: one.usage.toFixed(3) }, { num: one.priority.toFixed(3) }, verdictOf(one),
            ],
            ...(one.id === null ? {} : { // else a member of a unix group, whom nobody declared
              deeds: [removed(one)],
              more: (said: Said) => (
                <FormAct label="Change" title={`Shares of ${one.kind} ${one.name}`} fields={[{ name: 'shares', label: 'shares', value: String(one.shares), isNeeded: true }]} said={said}
                  deed={(values) => given({ ...values, kind: one.kind, name: one.name, ...aboveOf(one) })} />
              ),
            }),
          }))}
        />
      )}
      <AdminActs name="shares" deeds={[]} more={(said) => (
        <FormAct label="Give shares" title="Give shares" said={said} deed={given} fields={[
          { name: 'kind', label: 'of a', options: ['user', 'group', 'project'] }, { name: 'name', label: 'named', isNeeded: true },
          { name: 'shares', label: 'shares', value: '1', isNeeded: true }, { name: 'project', label: 'below the project (empty: the root)' },
        ]} />
      )} />
    </>
  );
}

/** The project above a node, as the acts name it: its way from the root. */
const aboveOf = ({ parent }: Share): { project?: string } => (parent === null ? {} : { project: parent.slice(1) });

/** Each act with its dry run. */
const asked = (deed: Omit<Deed, 'asks'>): Deed => ({ ...deed, asks: `${deed.path}${deed.path.includes('?') ? '&' : '?'}dry_run=1` });

export const given = (body: Body): Deed =>
  asked({ label: 'Give them', method: 'PUT', path: 'v1/shares', body, words: [`${body['kind']} ${oneLine(body['name'] ?? '')} gets ${body['shares']} shares.`, 'The next plan compares by them.'] });

export const removed = (one: Share): Deed =>
  asked({
    label: 'Remove', method: 'DELETE', isFinal: true, path: `v1/shares?${new URLSearchParams({ kind: one.kind, name: one.name, ...aboveOf(one) })}`,
    words: [`${one.kind} ${oneLine(one.name)} has no shares any more, nor has what is below it.`, 'What it has used stays in the usage of the grid.'],
  });

/** The targets of a limit, as the act that sets it names them; so that it takes the place of this one. */
export function targetOf(one: Limit): Body {
  const body: Body = { kind: one.kind };
  const put = (name: string, value: string | number | null) => {
    if (value !== null) body[name] = String(value);
  };
  put('consumable', one.consumable);
  put('user', one.user);
  put('group', one.group);
  put('project', one.project);
  put('campaign', one.campaign_id);
  put('cluster', one.cluster_name);
  put('days', one.days);
  if (one.silent !== null) body['silent'] = `${one.silent}s`;
  if (one.each !== null) body[one.each] = 'each';
  return body;
}

export const limited = (body: Body): Deed =>
  asked({ label: 'Set it', method: 'PUT', path: 'v1/limits', body, words: [`A limit of ${body['most']}.`, 'Jobs that live go on; what is above the limit is not sent.'] });

const KINDS = ['running_jobs', 'waiting_jobs', 'nodes', 'resources', 'resource_seconds', 'consumable'];
const TARGETS: Field[] = [
  { name: 'kind', label: 'counts', options: KINDS }, { name: 'most', label: 'at most', isNeeded: true },
  { name: 'user', label: 'of user (or each)' }, { name: 'group', label: 'of unix group' }, { name: 'project', label: 'of project (or each)' },
  { name: 'campaign', label: 'of campaign (or each)' }, { name: 'cluster', label: 'on cluster' },
  { name: 'days', label: 'in days (resource seconds)' }, { name: 'consumable', label: 'name of the consumable' },
];

function Limits({ of }: { of: Limit[] }) {
  return (
    <>
      {of.length === 0 ? <p class="faint">There are no limits.</p> : (
        <Declared
          heads={['limit', 'holds', 'counts', ...numbers('now', 'at most'), 'stops now']}
          rows={of.map((one) => ({
            key: one.id, name: `limit ${one.id}`,
            cells: [
              one.id, oneLine(one.holds), `${one.kind.replace(/_/g, ' ')}${one.days === null ? '' : `, ${plural(one.days, 'day')}`}`,
              { num: `${figure(one.used)}${one.used_by[0] ? ` (${oneLine(one.used_by[0].name)})` : ''}`, isBad: one.used >= one.most },
              { num: figure(one.most) }, one.stops === 0 ? '-' : plural(one.stops, 'campaign'),
            ],
            deeds: [asked({
              label: 'Lift', method: 'DELETE', path: `v1/limits/${one.id}`,
              words: [`Limit ${one.id}, ${one.kind.replace(/_/g, ' ')} of ${oneLine(one.holds)}, is lifted.`, 'It holds nobody any more from the next cycle on.'],
            })],
            more: (said: Said) => (
              <FormAct label="Change" title={`Limit ${one.id}: ${one.holds}`} fields={[{ name: 'most', label: `${one.kind.replace(/_/g, ' ')} at most`, value: String(one.most), isNeeded: true }]} said={said}
                deed={(values) => limited({ ...targetOf(one), ...values })} />
            ),
          }))}
        />
      )}
      <AdminActs name="limits" deeds={[]} more={(said) => <FormAct label="Set a limit" title="Set a limit" fields={TARGETS} deed={limited} said={said} />} />
    </>
  );
}

const release = (brake: BrakeInForce): Deed => {
  const query = [brake.campaign_id === null ? '' : `campaign=${brake.campaign_id}`, brake.cluster_id === null ? '' : `cluster=${brake.cluster_id}`].filter(Boolean).join('&');
  return asked({
    label: 'Lift', method: 'DELETE', path: `v1/brakes?${query}`,
    words: ['Jobs are sent there again from the next cycle on.', 'If what braked it is still there, it is braked again.'],
  });
};

const whereOf = (brake: BrakeInForce): string =>
  `${brake.campaign_id === null ? 'all campaigns' : `campaign ${brake.campaign_id}`}${brake.cluster_name === null ? '' : ` on ${brake.cluster_name}`}`;

function Brakes({ of }: { of: BrakeInForce[] }) {
  if (of.length === 0) return <p class="faint">No brake is in force.</p>;
  return (
    <Declared
      heads={['braked', 'why', 'since', 'ends']}
      rows={of.map((one) => ({
        key: one.id, name: whereOf(one), deeds: [release(one)],
        cells: [
          one.campaign_id === null ? oneLine(whereOf(one)) : <a href={href({ view: 'campaign', id: String(one.campaign_id) })}>{oneLine(whereOf(one))}</a>,
          `${oneLine(one.reason)}${one.set_by === null ? '' : ` (by ${oneLine(one.set_by)})`}`, <><Since at={one.since} /> ago</>, <Sentence text={one.ends} />,
        ],
      }))}
    />
  );
}

const useOf = (cluster: ClusterInUse): Deed =>
  asked(cluster.enabled
    ? { label: 'Disable', method: 'POST', path: `v1/clusters/${cluster.id}/disable`, words: ['Nothing more is submitted to it.', 'Its jobs continue.'] }
    : { label: 'Enable', method: 'POST', path: `v1/clusters/${cluster.id}/enable`, words: ['Jobs go there from the next cycle on.'] });

function Clusters() {
  const read = useResource<{ items: ClusterInUse[] }>(`v1/clusters?limit=${MOST}`, { every: EVERY });
  if (!read.data) return <Waiting of={read} what="the clusters" />;
  const used = read.data.items.filter(({ retired_at }) => retired_at === null);
  return <Declared heads={['cluster', 'is']} rows={used.map((one) => ({ key: one.id, name: one.name, cells: [oneLine(one.name), one.enabled ? 'enabled' : 'disabled'], deeds: [useOf(one)] }))} />;
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
