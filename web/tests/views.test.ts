// The parts of the views that decide, without a browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deedsOf, retryOfGroup } from '../src/parts/acts';
import { ticks } from '../src/parts/chart';
import { allBlocks, laneOutline, lanesOf } from '../src/parts/strip';
import { middleOf, modulesOf } from '../src/views/conductor';
import { basisOfOrder, classWords, figuresText } from '../src/views/order';
import { eventGroupsOf } from '../src/views/fix';
import { usePartsOf } from '../src/views/grid';
import { inOrder } from '../src/views/mine';
import { depthOf, targetOf, verdictOf } from '../src/views/shares';
import { scaleOf, toldOf } from '../src/views/told';
import { meanOf, outline, stripOf } from '../src/views/use';
import { askedOf, bandWords, commandsOf, differenceWords, inOrderOfEffect, paramsOf, questionOf, sentenceOf } from '../src/views/whatif';
import { curveOf, fanAt } from '../src/views/progress';
import { piecesOf, sharesSentence } from '../src/views/reasons';
import { cellsOf, overText, withoutAdvice } from '../src/views/why';
import type { Campaign, CampaignLine, ClusterLine, ClusterUse, Decision, FailureGroup, FigureInTime, GridEvent, Limit, ReasonPeriod, ReasonTimes, WhatIfCampaign, WhatIfOutlook } from '../src/types';

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

test('a campaign that is over says which jobs of it live still', () => {
  const over = (...jobs: [number, number][]) => overText({
    clusters: Object.fromEntries(jobs.map(([active_jobs, queued_jobs], index) => [index, { cluster_name: ['alpha', 'omega'][index], active_jobs, queued_jobs }])),
  } as unknown as Campaign);
  assert.equal(over([0, 0]), 'It is over: nothing of it waits for anything.');
  assert.match(over([0, 0], [1, 0]), /^It is over, but 1 job of it lives still \(1 on omega\)\. .*gridtoken/);
  assert.match(over([1, 0], [0, 2]), /3 jobs of it live still \(1 on alpha, 2 on omega\)/);
});

test('those to fix come first, then those under way', () => {
  const line = (id: number, state: string, failed: number, open_events = 0) => ({ id, state, tasks: { failed }, open_events }) as unknown as CampaignLine;
  const order = inOrder([line(1, 'in_treatment', 0), line(2, 'terminated', 0), line(3, 'in_treatment', 2), line(4, 'paused', 0), line(5, 'terminated', 0, 1)]);
  assert.deepEqual(order.map((c) => c.id), [5, 3, 4, 1, 2]);
});

test('a group of failures is run again as it is shown, and only that', () => {
  const group = { id: 3, tasks: 812 } as FailureGroup;
  const deed = retryOfGroup({ id: 12 } as Campaign, group);
  assert.equal(deed.path, 'v1/campaigns/12/retries?failure=3&expect=812');
  assert.match(deed.words[0]!, /^812 failed tasks run again/);
  assert.equal(retryOfGroup({ id: 12 } as Campaign, { ...group, tasks: 1 }).label, 'Run it again');
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

const figure = (...mean: (number | null)[]): FigureInTime => ({ min: mean, mean, max: mean });
const used = (more: Partial<ClusterUse>): ClusterUse => ({
  cluster_id: 1, cluster_name: 'alpha', known_seconds: [600, null, 100, 30], max_resources: figure(10, null, 10, 8), used_resources: figure(6, null, 4, 2),
  used_besteffort: figure(5, null, 0, 1), used_by_grid: figure(2, null, 0, 1), unavailable_resources: figure(1, null, 0, 0), outages: [], ...more,
});
const SPAN = { from: '2026-11-20T00:00:00Z', to: '2026-11-20T00:30:30Z', step: 600, slices: 4 };

test('the slices of a cluster are all its resources, each once, and one that is hardly known is unknown, not idle', () => {
  const strip = stripOf(used({}), SPAN);
  assert.deepEqual(strip.slices, [[1, 2, 3, 3, 1], null, null, [1, 1, 0, 6, 2]]);
  for (const slice of strip.slices) assert(!slice || slice.reduce((a, b) => a + b, 0) === strip.top);
  assert.deepEqual([strip.top, strip.unknown, strip.leastFree, strip.columns], [10, 600 + 500, 3, 3.05]);
  assert.deepEqual(meanOf(strip.slices), [1, 1.5, 1.5, 4.5, 1.5]);
});

test('a layer has no height where nothing is known', () => {
  const strip = stripOf(used({}), SPAN);
  assert.equal(outline(strip, 1), 'polygon(0% 100%, 0% 70%, 32.79% 70%, 32.79% 100%, 65.57% 100%, 65.57% 100%, 98.36% 100%, 98.36% 80%, 100% 80%, 100% 100%)');
});

test('outages are cut to the span, the oldest first', () => {
  const outages = [{ from: '2026-11-20T00:25:00Z', to: null }, { from: '2026-11-19T00:00:00Z', to: '2026-11-20T00:05:00Z' }];
  const start = Date.parse(SPAN.from);
  assert.deepEqual(stripOf(used({ outages }), SPAN).outages.map(({ from, to }) => [from - start, to - start]), [[0, 300e3], [1500e3, 1830e3]]);
});

test('a cluster of which nothing was ever known has no figures', () => {
  const none = figure(null, null, null, null);
  const strip = stripOf(used({ known_seconds: [null, null, null, null], max_resources: none, used_resources: none, used_by_grid: none, used_besteffort: none, unavailable_resources: none }), SPAN);
  assert.deepEqual([strip.top, strip.leastFree, meanOf(strip.slices)], [0, null, null]);
  assert(!outline(strip, 4).includes('NaN'));
});

test('the strip has every task once, in the lane of its state', () => {
  const strip = { total_tasks: 2500, block_tasks: 1000, others: 'waiting' as const, blocks: [{ first: 1000, tasks: 1000, done: 999, failed: 1 }] };
  const blocks = allBlocks(strip);
  assert.deepEqual(blocks.map((block) => block.tasks), [1000, 1000, 500]);
  const lanes = lanesOf(blocks);
  assert.deepEqual(lanes.map(({ state, tasks, last }) => [state, tasks, last]), [['done', 999, 1999], ['waiting', 1500, 2499], ['failed', 1, 1999]]);
  assert.equal(lanes.reduce((sum, { tasks }) => sum + tasks, 0), 2500);
});

test('one failed task of a thousand is a mark', () => {
  const [lane] = lanesOf([{ first: 3000, tasks: 1000, failed: 1 }]);
  assert.equal(laneOutline(lane!, 1000), 'M3 10V8.0H4V10Z');
});

test('the curve never goes down, and never beyond all tasks', () => {
  const curve = curveOf({ step: 60, items: [{ time: '2026-11-20T00:00:00Z', tasks: 3 }, { time: '2026-11-20T00:05:00Z', tasks: 9 }] }, 10);
  const zero = Date.parse('2026-11-20T00:00:00Z');
  assert.deepEqual(curve.map(([at, tasks]) => [(at - zero) / 60000, tasks]), [[0, 0], [1, 3], [5, 3], [6, 10]]);
});

test('a fan starts at the tasks that had ended when its forecast held', () => {
  const zero = Date.parse('2026-11-20T00:00:00Z');
  const curve: [number, number][] = [[zero, 0], [zero + 3600e3, 60]];
  const kept = (made: string, end: string, method: string) => ({ forecast_time: made, forecast_end: end, forecast_end_earliest: null, forecast_end_latest: null, forecast_method: method });
  const told = [kept('2026-11-20T00:01:00Z', '2026-11-20T09:00:00Z', 'throughput'), kept('2026-11-20T00:40:00Z', '2026-11-20T05:00:00Z', 'throughput')];
  const fan = fanAt(curve, told, zero + 1800e3)!;
  assert.deepEqual([fan.from[1], fan.end], [30, Date.parse('2026-11-20T09:00:00Z')]);
  assert.equal(fanAt(curve, [kept('2026-11-20T00:01:00Z', '2026-11-20T09:00:00Z', 'walltime')], zero + 1800e3), null, 'a bound is no forecast');
  assert.equal(fanAt(curve, told, zero - 1), null);
});

test('the turns of a module go from the oldest cycle to the newest, and one that was left running has no length yet', () => {
  const cycle = (id: number, modules: { module: string; result: string; ms: number }[] | null) => ({ id, term: 1, start_time: '', stop_time: null, modules });
  const uses = modulesOf([
    cycle(3, null), cycle(2, [{ module: 'updator', result: 'left_running', ms: 500 }]), cycle(1, [{ module: 'updator', result: 'failed', ms: 40 }, { module: 'runner', result: 'succeeded', ms: 7 }]),
  ]);
  assert.deepEqual(uses.map((use) => [use.name, use.last, use.turns, use.failed]), [['updator', 'left_running', [40, null, null], 1], ['runner', 'succeeded', [7, null, null], 0]]);
  assert.equal(middleOf([null, 5, 1, 9]), 5);
  assert.equal(middleOf([null]), null);
});

test('bounds by the walltime do not squeeze the forecasts', () => {
  const kept = (end: string, method: string) => ({ forecast_time: '2026-11-20T00:00:00Z', forecast_end: end, forecast_end_earliest: null, forecast_end_latest: null, forecast_method: method });
  const scale = scaleOf(toldOf([kept('2026-12-20T00:00:00Z', 'walltime'), kept('2026-11-20T10:00:00Z', 'throughput')]), null);
  assert(scale.to < Date.parse('2026-11-20T11:00:00Z'));
});

test('a limit that is changed keeps its targets', () => {
  const limit: Limit = {
    id: 4, kind: 'resource_seconds', holds: '', most: 5, used: 0, days: 7, consumable: null, each: 'user', user: null, group: null, project: 'physics', campaign_id: null, cluster_name: 'beta', silent: null, stops: 0, used_by: [],
  };
  assert.deepEqual(targetOf(limit), { kind: 'resource_seconds', project: 'physics', cluster: 'beta', days: '7', user: 'each' });
  assert.deepEqual(targetOf({ ...limit, kind: 'consumable', days: null, consumable: 'matlab', each: null, campaign_id: 12, silent: 1800 }), { kind: 'consumable', consumable: 'matlab', project: 'physics', campaign: '12', cluster: 'beta', silent: '1800s' });
});

test('a node had more or less than its part where a tenth of it is off', () => {
  assert.deepEqual([0.5, 0.56, 0.44, 0.46].map((used_part) => verdictOf({ part: 0.5, used_part })), ['as agreed', 'had more', 'had less', 'as agreed']);
  assert.deepEqual([0, 0.1].map((used_part) => verdictOf({ part: 0, used_part })), ['', 'has no part']);
  assert.deepEqual(['/physics', '/science/physics/ada'].map(depthOf), [0, 2]);
});

test('marks of an axis are round local times, not too many', () => {
  const list = ticks({ from: Date.parse('2026-11-20T00:10:00Z'), to: Date.parse('2026-11-21T00:10:00Z') }, 5);
  assert.deepEqual(list.map((t) => new Date(t).getHours()), [6, 12, 18, 0]);
});

test('only what the state of a campaign allows can be done, and a name is typed for what is large or another user\'s', () => {
  const campaign = (state: string, tasks: object, has_events = false) =>
    ({ id: 3, name: 'x', state, has_events, tasks: { waiting: 0, launching: 0, submitted: 0, running: 0, done: 0, failed: 0, cancelled: 0, ...tasks } }) as unknown as Campaign;
  const labels = (c: Campaign) => deedsOf(c, true).map(({ label }) => label);
  assert.deepEqual(labels(campaign('in_treatment', { waiting: 5 })), ['Pause', 'Cancel']);
  assert.deepEqual(labels(campaign('paused', { failed: 2 }, true)), ['Resume', 'Run 2 failed again', 'Close events', 'Cancel']);
  assert.deepEqual(labels(campaign('terminated', { failed: 2 })), ['Run 2 failed again']);
  assert.deepEqual(labels(campaign('cancelled', { failed: 2 })), []);
  const named = (c: Campaign, isMine: boolean) => deedsOf(c, isMine).find(({ isFinal }) => isFinal)!.named;
  assert.deepEqual([named(campaign('paused', { waiting: 10000 }), true), named(campaign('paused', { waiting: 9999, running: 2 }), true), named(campaign('paused', {}), false)], [false, true, true]);
});

const period = (reason: string, since: number, until: number | null, part = 1): ReasonPeriod => ({
  cluster_id: 1, cluster_name: 'alpha', reason, subject: null, words: reason, since: new Date(since * 1000).toISOString(), until: until === null ? null : new Date(until * 1000).toISOString(),
  seconds: ((until ?? 100) - since) * part, summed: part < 1,
});

test('a reason of the past is drawn for its time, cut to the picture, and those of a sum above each other', () => {
  const pieces = piecesOf([period('launched', 60, null), period('no_free_resources', -50, 60), period('paused', 20, 60, 0.25), period('limit_reached', 20, 60, 0.75)], 0, 100_000);
  assert.deepEqual(pieces.map(({ kind, from, to, low, high }) => [kind, from, to, low, high]), [
    ['sent', 0.6, 1, 0, 1], ['full', 0, 0.6, 0, 1], ['stopped', 0.2, 0.6, 0, 0.25], ['limit', 0.2, 0.6, 0.25, 1],
  ]);
  assert.deepEqual(piecesOf([period('launched', 200, 300), period('launched', -20, 0)], 0, 100_000), []);
});

test('the sentence of the past has the longest reasons, no share of 0 % and no 100 % beside another', () => {
  const times = (shares: [string, number][], undecided = 0): ReasonTimes => ({
    cluster_id: 1, cluster_name: 'alpha', from: '', until: '', undecided_seconds: undecided, seconds: shares.reduce((sum, [, s]) => sum + s, undecided),
    shares: shares.map(([words, seconds]) => ({ reason: words, subject: null, words, seconds })),
  });
  assert.equal(sharesSentence(times([['full', 61], ['limit 7 (user u01)', 30]], 9)), '61 % full, 30 % limit 7 (user u01), 9 % nothing decided on it');
  assert.equal(sharesSentence(times([['full', 999.9], ['paused', 0.1]])), '99 % full, under 1 % paused');
  assert.equal(sharesSentence(times([['full', 10]])), '100 % full');
  assert.equal(sharesSentence(times([['a', 50], ['b', 20], ['c', 10], ['d', 10], ['e', 10]])), '50 % a, 20 % b, 10 % c, 20 % other reasons');
});

test('a what-if is the same in its link, its question and its command', () => {
  const asked = askedOf({ view: 'whatif', off: 'beta,gamma', from: '3', order: 'priority,fifo', hours: '1.5', fates: '12:2,17:p,19:r,x:1,18:9' });
  assert.deepEqual(asked.fates, [[12, '2'], [17, 'p'], [19, 'r']]);
  assert.deepEqual(askedOf(paramsOf(asked)), asked);
  const changes = { clusters_off: ['beta', 'gamma'], off_after: 10800, order: 'priority,fifo', campaigns: [{ id: 12, priority: 2 }, { id: 17, paused: true }, { id: 19, paused: false }] };
  assert.deepEqual(questionOf(asked, ''), { changes });
  assert.deepEqual(questionOf(asked, '{}'), { jdl: '{}', changes: { ...changes, after: 5400 } });
  assert.deepEqual(questionOf(askedOf({ from: '3' }), ''), {}, 'no cluster is off');
  assert.deepEqual(questionOf(askedOf({}), ''), {});
  assert.deepEqual(commandsOf({}).map(([text]) => text), ['gridsub --what-if']);
  assert.deepEqual(commandsOf({ jdl: '{}' }).map(([text]) => text), ['gridsub --what-if -f FILE']);
  assert.equal(commandsOf({ changes: { order: "fi'fo" } })[0]![0], "gridsub --what-if 'order=fi'\\''fo'");
  assert.equal(
    commandsOf({ jdl: '{}', changes: { clusters_off: ['a', 'b'], off_after: 10800, after: 7200, campaigns: [{ id: 12, paused: true }, { id: 17, priority: 2 }] } })[0]![0],
    'gridsub --what-if -f FILE clusters_off=a,b off_after=10800s after=7200s campaigns.12.paused=true campaigns.17.priority=2',
  );
});

const outlook = (expected: number | null, more: Partial<WhatIfOutlook> = {}): WhatIfOutlook => ({
  started: true, starts_in: null, ends_in: expected === null ? null : { expected, earliest: expected - 600, latest: expected + 600 },
  if_others_run_to_their_walltimes: false, blocked: null, evidence: 'own', ...more,
});
const compared = (id: number | null, effect: WhatIfCampaign['effect'], difference: number | null): WhatIfCampaign => ({
  id, name: 'x', user: 'u01', before: outlook(3600), after: outlook(3600), difference, effect,
});

test('the new campaign comes first, then those that pay and that gain, the most first', () => {
  const all = [compared(1, 'same', 3), compared(2, 'gains', -60), compared(3, 'pays', 60), compared(4, 'pays', 7200), compared(5, 'gains', -900), compared(6, 'pays', null), compared(null, 'new', null), compared(7, 'unknown', null)];
  assert.deepEqual(inOrderOfEffect(all).map((c) => c.id), [null, 6, 4, 3, 5, 2, 7, 1]);
  assert.equal(sentenceOf(all), 'Of 7 campaigns, 3 would end later and 2 sooner.');
  assert.match(sentenceOf([compared(1, 'same', 0)]), /the one campaign ends as before/);
  assert.match(sentenceOf([compared(null, 'new', null)]), /No other campaign/);
  assert.equal(sentenceOf([]), 'No campaign is in treatment or paused.');
});

test('a band is two times, a bound, or why there is none', () => {
  const at = new Date(2026, 10, 20, 12).getTime();
  assert.equal(bandWords(outlook(3600), 'ends_in', at, at), '12:50 \u2013 13:10');
  assert.equal(bandWords(outlook(3600, { evidence: 'walltime' }), 'ends_in', at, at), 'by 13:10');
  assert.equal(bandWords(outlook(null, { blocked: 'awaits' }), 'ends_in', at, at), 'another first');
  assert.equal(bandWords(outlook(null), 'ends_in', at, at), 'not foreseen');
  assert.equal(bandWords(outlook(3600), 'starts_in', at, at), 'started');
  assert.equal(bandWords(null, 'ends_in', at, at), '-');
  assert.deepEqual([differenceWords(9000), differenceWords(-4500), differenceWords(0), differenceWords(null)], ['+2 h 30 min', '\u22121 h 15 min', '0', '-']);
});

test('a class of the order is named by what makes it, without the priorities that nobody gave', () => {
  const one = { number: 1, type: 'default', project_priority: 4, group_priority: 4, priority: 2, clusters: 'all' } as const;
  assert.equal(classWords(one), 'priority 2');
  assert.equal(classWords({ ...one, project_priority: 1, clusters: 'affinity' }), 'project priority 1, priority 2, its affinities');
  assert.equal(classWords({ ...one, type: 'test', project_priority: null, group_priority: null, priority: null, clusters: 'others' }), 'test, other clusters');
  assert.equal(classWords({ ...one, project_priority: null, group_priority: null, priority: null }), 'all');
});

test('a place in the order says its figures once, and an order of classes alone is first come, first served', () => {
  assert.equal(figuresText('its place in the order: fair share of u01: 0.1'), 'fair share of u01: 0.1');
  assert.equal(figuresText(null), '');
  assert.match(basisOfOrder('affinity, priority,tickets'), /drawn/);
  assert.match(basisOfOrder('priority'), /submitted first/);
});
