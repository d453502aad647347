import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count, duration, minuteTime, nearTime, oneLine, percent, roughly, splitTimes, utcText, visible } from '../src/parts/format';
import { causeOf, clusterState, endWords } from '../src/parts/words';
import type { ClusterLine } from '../src/types';

const now = Date.parse('2026-11-20T12:00:00Z'); // 13:00 in Paris

test('durations are those of gridstat: two units, none of them 0', () => {
  for (const [seconds, text] of [[-3, '0 s'], [0, '0 s'], [59.9, '59 s'], [60, '1 min'], [330, '5 min 30 s'], [3600, '1 h'], [7860, '2 h 11 min'], [86400, '1 d'], [93600, '1 d 2 h']] as const)
    assert.equal(duration(seconds), text);
});

test('a forecast has no more precision than it can have', () => {
  assert.equal(roughly(599), '9 min 59 s');
  assert.equal(roughly(629), '10 min');
  assert.equal(roughly(7890), '2 h 12 min');
  assert.equal(roughly(2 * 86400 + 1700), '2 d');
});

test('times are local, with their date where they are far', () => {
  assert.equal(nearTime(now + 3600e3, now), '14:00:00');
  assert.equal(nearTime(now + 13 * 3600e3, now), '2026-11-21 02:00:00');
  assert.equal(minuteTime(now + 3600e3, now), '14:00');
  assert.equal(minuteTime(now + 26 * 3600e3, now), 'Sat 15:00');
  assert.equal(minuteTime(now + 30 * 86400e3, now), '2026-12-20 13:00');
  assert.equal(utcText(now), '2026-11-20 12:00:00 UTC');
});

test('numbers are grouped, and percents rounded down', () => {
  assert.equal(count(612034).replace(/\s/g, '_'), '612_034');
  assert.equal(percent(999999, 1000000), '99 %');
  assert.equal(percent(0, 0), '0 %');
});

test('the times within a sentence are cut out', () => {
  assert.deepEqual(splitTimes('braked until 2026-11-20 12:00:00 UTC, or less'), ['braked until ', now, ', or less']);
  assert.deepEqual(splitTimes('no time'), ['no time']);
  assert.deepEqual(splitTimes('2026-99-20 12:00:00 UTC'), ['2026-99-20 12:00:00 UTC']);
});

test('control characters are shown, and nothing turns the direction of writing', () => {
  assert.equal(visible('a\u001b[31m\tb\nc\u202ed\u0000\u007f'), 'a^[[31m\tb\nc\ufffdd^@^?');
  assert.equal(oneLine('a\nb\tc'), 'a b c');
});

test('the end of a campaign is a band of times, or a bound', () => {
  const forecast = { forecast_time: null, forecast_end: '2026-11-20T14:00:00Z', forecast_end_earliest: '2026-11-20T13:10:00Z', forecast_end_latest: '2026-11-20T14:20:00Z' };
  assert.deepEqual(endWords({ ...forecast, forecast_method: 'throughput' }, now), { short: '14:10 \u2013 15:20', rest: '8 of 10 cases; in 2 h', title: '15:20' });
  assert.deepEqual(endWords({ ...forecast, forecast_method: 'walltime' }, now), { short: 'by 15:20', rest: 'in at most 2 h 20 min', title: '15:20' });
  assert.equal(endWords({ ...forecast, forecast_end: null, forecast_method: 'paused' }, now), null);
});

test('a cause is that of the report', () => {
  assert.equal(causeOf('task_error', 3), 'exit status 3');
  assert.equal(causeOf('task_error', 137), 'exit status 137 (signal 9)');
  assert.equal(causeOf('node_failure', null), 'node failure');
  assert.equal(causeOf(null, null), 'no job');
});

test('the state of a cluster is that of gridclusters, the worst first', () => {
  const well: ClusterLine = {
    id: 1, name: 'alpha', enabled: true, reachable: true, unreachable_since: null, last_error: null, no_resources_since: null, under_stress: false,
    stress_reason: null, job_limit: null, brake: null, max_resources: 16, kept_resources: 0, status: null,
  };
  assert.equal(clusterState(well, now).word, 'ok');
  assert.equal(clusterState({ ...well, under_stress: true, job_limit: 6 }, now).word, 'under stress: 6 of our jobs');
  assert.equal(clusterState({ ...well, brake: { reason: 'x', expires: null } }, now).word, 'braked');
  assert.equal(clusterState({ ...well, reachable: false, unreachable_since: '2026-11-20T11:54:30Z' }, now).word, 'unreachable for 5 min 30 s');
  assert.equal(clusterState({ ...well, enabled: false, reachable: false }, now).word, 'disabled');
});
