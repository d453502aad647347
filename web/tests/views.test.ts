// The parts of the views that decide, without a browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ticks } from '../src/parts/chart';
import { eventGroupsOf, groupsOf } from '../src/views/fix';
import { usePartsOf } from '../src/views/grid';
import { inOrder } from '../src/views/mine';
import { scaleOf, toldOf } from '../src/views/told';
import { slicesOf } from '../src/views/use';
import { cellsOf, withoutAdvice } from '../src/views/why';
import type { CampaignLine, ClusterLine, Decision, GridEvent, GridUse, Task } from '../src/types';

const decision = (more: Partial<Decision>): Decision => ({
  cluster_id: 1, cluster_name: 'alpha', stage: 'throttle', reason: 'max_jobs_reached', sentence: 'held back; more start later', advice: 'more start later',
  jobs: 0, since: '2026-11-20T12:00:00Z', ...more,
});

test('a cluster passed the stages before the one that stops it', () => {
  assert.deepEqual(cellsOf(decision({})), ['passed', 'passed', 'stop', 'not reached', 'not reached', 'not reached', 'not reached']);
  assert.equal(cellsOf(decision({ stage: 'emit', reason: 'launched', jobs: 4 }))[6], 'sent');
  assert.equal(cellsOf(decision({ stage: 'a later one' }))[0], 'not reached');
});

test('the advice is shown once', () => {
  assert.equal(withoutAdvice(decision({})), 'held back');
  assert.equal(withoutAdvice(decision({ advice: null })), 'held back; more start later');
});

test('those to fix come first, then those under way', () => {
  const line = (id: number, state: string, failed: number, open_events = 0) => ({ id, state, tasks: { failed }, open_events }) as unknown as CampaignLine;
  const order = inOrder([line(1, 'in_treatment', 0), line(2, 'terminated', 0), line(3, 'in_treatment', 2), line(4, 'paused', 0), line(5, 'terminated', 0, 1)]);
  assert.deepEqual(order.map((c) => c.id), [5, 3, 4, 1, 2]);
});

test('failed tasks of one cause and cluster are one group, the largest first', () => {
  const task = (id: number, exit_code: number, cluster_name: string) => ({ id, exit_code, cluster_name, ending: 'task_error' }) as Task;
  assert.deepEqual(groupsOf([task(1, 3, 'beta'), task(2, 1, 'beta'), task(5, 1, 'beta'), task(7, 1, 'alpha')]).map(({ cause, cluster, tasks }) => [cause, cluster, tasks]), [
    ['exit status 1', 'beta', [2, 5]], ['exit status 3', 'beta', [1]], ['exit status 1', 'alpha', [7]],
  ]);
});

test('events that say the same are one group', () => {
  const event = (id: number, message: string, occurrences: number) =>
    ({ id, message, occurrences, code: 'TASK_ERROR', campaign_id: 12, cluster_name: 'alpha', date_update: `2026-11-20T12:00:0${id}Z` }) as GridEvent;
  const groups = eventGroupsOf([event(1, 'a', 1), event(2, 'b', 2), event(3, 'a', 4)]);
  assert.deepEqual(groups.map((g) => [g.ids, g.occurrences, g.last]), [[[1, 3], 5, '2026-11-20T12:00:03Z'], [[2], 2, '2026-11-20T12:00:02Z']]);
});

test('the bar of a cluster has all its resources, each once', () => {
  const status = { time: '', max_resources: 16, free: 4, used: 10, used_besteffort: 7, our_running: 5, our_waiting: 0, api_latency_ms: 1 };
  const parts = usePartsOf({ status } as ClusterLine, 3)!;
  assert.deepEqual(parts.map((part) => [part.key, part.value]), [['local', 3], ['ours', 5], ['others', 2], ['free', 4], ['gone', 5]]);
  assert.equal(usePartsOf({ status: null } as ClusterLine, 0), null);
});

test('a slice without figures is unknown, not idle', () => {
  const from = Date.parse('2026-11-20T00:00:00Z');
  const use = { items: [
    { date: '2026-11-20T00:01:00Z', clusters: [{ cluster_name: 'alpha', max_resources: 10, used_resources: 4, used_by_grid: 1 }] },
    { date: '2026-11-20T00:09:00Z', clusters: [{ cluster_name: 'alpha', max_resources: 10, used_resources: 8, used_by_grid: 3 }] },
    { date: '2026-11-20T00:21:00Z', clusters: [{ cluster_name: 'alpha', max_resources: 10, used_resources: 0, used_by_grid: 0 }] },
  ] } as unknown as GridUse;
  const [alpha] = slicesOf(use, from, 3);
  assert.deepEqual(alpha, { name: 'alpha', slices: [
    { known: true, max: 10, used: 6, ours: 2 }, { known: false, max: 0, used: 0, ours: 0 }, { known: true, max: 10, used: 0, ours: 0 },
  ] });
});

test('bounds by the walltime do not squeeze the forecasts', () => {
  const kept = (end: string, method: string) => ({ forecast_time: '2026-11-20T00:00:00Z', forecast_end: end, forecast_end_earliest: null, forecast_end_latest: null, forecast_method: method });
  const scale = scaleOf(toldOf([kept('2026-12-20T00:00:00Z', 'walltime'), kept('2026-11-20T10:00:00Z', 'throughput')]), null);
  assert(scale.to < Date.parse('2026-11-20T11:00:00Z'));
});

test('marks of an axis are round local times, not too many', () => {
  const list = ticks({ from: Date.parse('2026-11-20T00:10:00Z'), to: Date.parse('2026-11-21T00:10:00Z') }, 5);
  assert.deepEqual(list.map((t) => new Date(t).getHours()), [6, 12, 18, 0]);
});
