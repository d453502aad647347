// A server with invented answers, to look at the page without a grid:
//   node tests/stub.mjs [PORT] [normal|empty|many|standstill|database|signedout|usedlink|forbidden|pruned|still|named|loginover|framed|replay|reordered]
// It builds the page first, and serves it under a prefix: http://localhost:8099/grid/ui/
import { createServer } from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { buildInto } from '../build.mjs';

export const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml' };
const H = 3600e3;
const at = (ms) => new Date(Date.now() + ms).toISOString().slice(0, 19) + 'Z';
const tasks = (counts) => ({ waiting: 0, launching: 0, submitted: 0, running: 0, done: 0, failed: 0, cancelled: 0, ...counts });
const total = (counts) => Object.values(counts).reduce((a, b) => a + b, 0);
const start = Date.now();

function campaign(id, name, user, state, counts, more = {}) {
  const all = tasks(counts);
  return {
    id, name, user, state, submission_time: at(-26 * H), end_time: null, total_tasks: total(all), tasks: all, held_tasks: 0,
    forecast_time: at(-60e3), forecast_start: null, forecast_end: at(5 * H), forecast_end_earliest: at(4.2 * H), forecast_end_latest: at(6 * H),
    forecast_method: 'throughput', open_events: 0, reason: null, ...more,
  };
}
const reason = (cluster_name, stage, name, sentence, advice, since) => ({ cluster_name, stage, reason: name, sentence, advice, since: at(since) });

let replayed = 0; // summaries of the scenario replay: each is of a cycle later
function campaigns() {
  const moved = (Math.floor((Date.now() - start) / 1000) + replayed) * 3;
  return [
    campaign(12, 'sweep', 'u01', 'in_treatment',
      { done: 612034 + moved, running: 812, submitted: 320, launching: 64, waiting: 386753 - moved, failed: 17 },
      { open_events: 2, reason: reason('alpha', 'allocate', 'no_free_resources', 'waits for resources on alpha: 0 of 640 resources are free, 320 wait in its queue, which is what the flood allows', null, -125e3) }),
    campaign(15, 'a name that is rather long <b>& has markup</b> \u202egnp', 'u01', 'in_treatment', { waiting: 1200 },
      { forecast_end: null, forecast_end_earliest: null, forecast_end_latest: null, forecast_method: 'awaits',
        reason: reason(null, 'feasible', 'awaits_campaign', "waits for campaign 12, of which 387949 tasks are left; it starts when that is done, or after 'gridsub --edit 15 after=null'", "after 'gridsub --edit 15 after=null'", -26 * H) }),
    campaign(17, 'pi', 'u01', 'in_treatment', { done: 80, running: 4, waiting: 116 },
      { forecast_end: at(0.3 * H), forecast_end_earliest: at(0.25 * H), forecast_end_latest: at(0.41 * H),
        reason: reason('beta', 'throttle', 'limit_reached', 'held back by a limit on beta: limit 3 (each user: u01): at most 200 jobs running, 200 now; more start when jobs end, or with a larger limit (\'gridctl limit set\')', "more start when jobs end, or with a larger limit ('gridctl limit set')", -3 * H) }),
    campaign(18, 'bound', 'u01', 'in_treatment', { running: 2, submitted: 3, launching: 1, waiting: 4 },
      { forecast_end: at(8 * H), forecast_end_earliest: null, forecast_end_latest: null, forecast_method: 'walltime',
        reason: reason('gamma', 'feasible', 'cluster_braked', 'nothing is sent to gamma: it is braked (3 failures in a row) until 2030-01-01 12:00:00 UTC, or until the brake is cleared', null, -600e3) }),
    campaign(9, 'checks', 'u01', 'terminated', { done: 8, failed: 2 }, { end_time: at(-1.2 * H), forecast_end: null, forecast_method: null, open_events: 1 }),
    campaign(19, 'paused-one', 'u01', 'paused', { done: 3, waiting: 5, cancelled: 2 }, { forecast_end: null, forecast_method: 'paused' }),
    campaign(20, 'other', 'u02', 'in_treatment', { done: 5, waiting: 50 }),
  ];
}

const NAMES = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta', 'iota', 'kappa'];
function cluster(index) {
  const max = [640, 256, 96, 128, 64, 512, 48, 320, 16, 200][index];
  const used = Math.floor(max * [1, 0.9, 0.5, 0.7, 0.2, 1, 0, 0.8, 0.6, 0.97][index]);
  const ours = Math.floor(used * 0.4);
  return {
    id: index + 1, name: NAMES[index], enabled: index !== 8, reachable: index === 2 ? false : true, unreachable_since: index === 2 ? at(-330e3) : null,
    last_error: index === 2 ? 'Failed to connect to gamma.example.org port 443: Connection refused' : null,
    no_resources_since: index === 6 ? at(-2 * H) : null, under_stress: index === 1,
    stress_reason: index === 1 ? 'its stress factor is 0.9, and 0.8 is too much' : null, job_limit: index === 1 ? 6 : null,
    brake: index === 4 ? { reason: '3 failures in a row', expires: at(0.5 * H) } : null, max_resources: index === 6 ? 0 : max, kept_resources: index === 3 ? 8 : 0,
    status: {
      time: at(index === 2 ? -330e3 : -4e3), max_resources: index === 6 ? 0 : max, free: index === 6 ? 0 : max - used, used, used_besteffort: Math.floor(ours * 1.2),
      our_running: ours, our_waiting: index === 0 ? 320 : 0, api_latency_ms: index === 1 ? 60 : 12,
    },
  };
}

const fixed = campaigns();
const still = (c) => fixed.find(({ id }) => id === c.id); // it does not change

const summaryOf = (user, scenario) => {
  if (scenario === 'replay') ++replayed;
  const all = scenario === 'empty' ? [] : (['many', 'replay'].includes(scenario) ? Array.from({ length: 30 }, (_, i) => campaigns().map((c) => ({ ...(i % 3 ? still(c) : c), id: c.id + 100 * i }))).flat() : campaigns()).map((c) => (scenario === 'reordered' && c.id === 20 ? { ...c, tasks: tasks({ ...c.tasks, failed: 2 }) } : c)).filter((c) => !user || c.user === (user === 'me' ? 'u01' : user));
  return {
    user: user === 'me' ? 'u01' : user, last_cycle: scenario === 'standstill' ? at(-900e3) : at(-3e3), standstill: scenario === 'standstill' ? at(-900e3) : null,
    campaigns: all, campaigns_total: all.length, clusters: NAMES.map((_, index) => cluster(index)),
  };
};

const decision = (index, stage, name, sentence, advice, since, jobs = 0) => ({
  cluster_id: index < 0 ? null : index + 1, cluster_name: index < 0 ? null : NAMES[index], stage, reason: name, figures: {}, sentence, advice, jobs, since: at(since),
});
const decisions = () => ({
  items: [
    decision(0, 'allocate', 'no_free_resources', 'waits for resources on alpha: 0 of 640 resources are free, 320 wait in its queue, which is what the flood allows', null, -125e3),
    decision(1, 'throttle', 'limit_reached', "held back by a limit on beta: limit 3 (each user: u01): at most 200 jobs running, 200 now; more start when jobs end, or with a larger limit ('gridctl limit set')", "more start when jobs end, or with a larger limit ('gridctl limit set')", -3 * H),
    decision(2, 'feasible', 'unreachable', 'gamma does not answer: nothing is sent', null, -330e3),
    decision(3, 'emit', 'launched', '42 jobs sent to delta, as many as were offered', null, -5e3, 42),
    decision(4, 'feasible', 'cluster_braked', `epsilon is braked (3 failures in a row) until ${at(0.5 * H).replace('T', ' ').replace('Z', ' UTC')}, or until the brake is cleared`, null, -600e3),
    decision(5, 'size', 'earlier_campaigns', 'earlier campaigns of this cycle took the 12 free resources of zeta: campaigns 20, 21', null, -60e3),
    decision(-1, 'prioritize', 'standing', 'it is the 3rd of 9 campaigns; 2 campaigns of u02 come first (fair share 0.31, yours 0.22)', null, -26 * H),
  ],
  total: 7, offset: 0, limit: 1000, links: [], cannot_end: null, cannot_end_may_pass: null, old_since: null, standstill: null,
});

const period = (index, reason, subject, words, from, to, part = 1) => ({
  cluster_id: index < 0 ? null : index + 1, cluster_name: index < 0 ? null : NAMES[index], reason, subject, words, since: at(from), until: to === null ? null : at(to), seconds: ((to ?? 0) - from) / 1000 * part, summed: part < 1,
});
function decisionHistory() {
  const items = [
    period(0, 'no_free_resources', null, 'full', -125e3, null), period(0, 'launched', 'offer', 'jobs sent, all that was free', -2 * H, -125e3), period(0, 'no_free_resources', null, 'full', -9 * H, -2 * H),
    period(0, 'no_free_resources', null, 'full', -24 * H, -9 * H, 0.7), period(0, 'launched', 'offer', 'jobs sent, all that was free', -24 * H, -9 * H, 0.3),
    period(1, 'limit_reached', 'limit 3 (each user: u01)', 'limit 3 (each user: u01)', -3 * H, null), period(1, 'launched', 'bag', 'jobs sent, all tasks that wait', -20 * H, -3 * H),
    period(2, 'unreachable', null, 'unreachable', -330e3, null), period(2, 'earlier_campaigns', null, 'taken by earlier campaigns', -23 * H, -330e3),
  ];
  const clusters = [0, 1, 2].map((index) => {
    const of = items.filter((one) => one.cluster_id === index + 1);
    const first = of.reduce((a, b) => (a.since < b.since ? a : b)).since;
    const sums = new Map();
    for (const one of of) sums.set(one.words, { ...one, seconds: (sums.get(one.words)?.seconds ?? 0) + one.seconds });
    const seconds = of.reduce((sum, one) => sum + one.seconds, 0);
    return { cluster_id: index + 1, cluster_name: NAMES[index], from: first, until: at(0), seconds, undecided_seconds: 0, shares: [...sums.values()].sort((a, b) => b.seconds - a.seconds) };
  });
  return { clusters, items, total: items.length, offset: 0, limit: 10000, links: [] };
}

function forecasts(ended) {
  const items = [{ forecast_time: at(-25 * H), forecast_end: at(40 * H), forecast_end_earliest: null, forecast_end_latest: at(40 * H), forecast_method: 'walltime', clusters: [] }];
  for (let i = 0; i < 40; ++i) {
    const made = -24 * H + i * (ended ? 0.56 : 0.58) * H;
    const end = (ended ? -1 : 5) * H + Math.sin(i / 4) * H * (40 - i) / 25 - (i < 14 ? 1.6 * H : 0);
    const half = (H * (46 - i)) / 22;
    items.push({ forecast_time: at(made), forecast_end: at(end), forecast_end_earliest: at(end - half * 0.7), forecast_end_latest: at(end + half), forecast_method: i < 3 ? 'average' : 'throughput', clusters: [] });
  }
  return { items, total: items.length, offset: 0, limit: 1000, links: [] };
}

function detail(c) {
  const clusters = {};
  for (let i = 0; i < 6; ++i)
    clusters[i + 1] = {
      cluster_name: NAMES[i], enabled: true, retired: false, reachable: i !== 2, no_resources_since: null, active_jobs: 200 - i * 20, queued_jobs: i * 5, done_jobs: 120000 - i * 9000,
      walltime: 3600, resources: '/core=1', average_jobs_duration: 40.5, job_ratio: 0.5 + i / 4, jobs_throughput: i === 2 ? 0 : 0.25, brake: i === 4 ? { reason: '3 failures in a row', expires: at(H) } : null,
    };
  return { ...c, type: 'default', has_events: c.open_events > 0, first_start_time: at(-25.9 * H), clusters, brake: null, changes: [], standstill: null, dependencies: [], links: [] };
}
const stats = (c) => ({
  average_jobs_duration: 40.5, stddev_jobs_duration: 3.2, jobs_throughput: 0.81, remaining_time: 5 * 3600, failures_rate: 0.0003, resubmit_rate: 0.024, ended_jobs: 600000, remaining_tasks: 1,
  grouping_gain: null, efficiency: c.end_time ? { walltime_asked: 36000, walltime_used: 4680, resource_seconds_held: 45000, resource_seconds_used: 43200 } : null,
  needs: c.id === 12 ? [{ consumable: 'matlab', each: 1, used: 48, most: 50 }] : [], elapsed_time: 26 * 3600,
});

const STATE_OF = (n) => (n % 36001 === 7 ? 'failed' : n < 612000 ? 'done' : n < 612812 ? 'running' : n < 613132 ? 'submitted' : n < 613196 ? 'launching' : 'waiting');
function task(n) {
  const state = STATE_OF(n);
  const has = !['waiting'].includes(state);
  return {
    id: n, name: `${n}`, parameters: `${n} mesh-${n % 97}.dat --mode "a b"`, state, cancelling: false, held_by: null, held_time: null, attempt: state === 'failed' ? 2 : 0, charged: 0,
    cluster_name: has ? NAMES[n % 3] : null, job_id: has ? n + 5000 : null, remote_id: has ? n + 90000 : null, job_state: has ? 'terminated' : null,
    ending: state === 'done' ? 'done' : state === 'failed' ? (n % 2 ? 'task_error' : 'walltime') : null, exit_code: state === 'done' ? 0 : state === 'failed' && n % 2 ? 3 : null, launch_id: 1, resources_used: 1,
    submission_time: has ? at(-2 * H) : null, start_time: ['done', 'failed', 'running'].includes(state) ? at(-1.9 * H) : null, stop_time: ['done', 'failed'].includes(state) ? at(-1.8 * H) : null, href: `/v1/campaigns/12/tasks/${n}`,
  };
}
/** The first campaign's tasks are as STATE_OF says; those of others in the order of their states. */
function strip(c, most) {
  const width = Math.max(1, Math.ceil(c.total_tasks / most));
  const ends = [];
  let end = 0;
  for (const state of ['done', 'failed', 'running', 'submitted', 'launching', 'cancelled', 'waiting']) ends.push([state, (end += c.tasks[state])]);
  const of = (n) => (c.id % 100 === 12 ? STATE_OF(n) : ends.find(([, last]) => n < last)[0]);
  const blocks = [];
  for (let first = 0; first < c.total_tasks; first += width) {
    const block = { first, tasks: Math.min(width, c.total_tasks - first) };
    for (let n = first; n < first + block.tasks; ++n) block[of(n)] = (block[of(n)] ?? 0) + 1;
    if (block.waiting !== block.tasks) blocks.push(block);
  }
  return { total_tasks: c.total_tasks, block_tasks: width, others: 'waiting', blocks };
}
function progress(c) {
  const over = c.tasks.done + c.tasks.failed;
  const items = [];
  for (let i = 0; i < 100 && over > 0; ++i) items.push({ time: at(-25.9 * H + i * 0.259 * H), tasks: i > 40 && i < 52 ? 0 : Math.floor(((i + 1) * over) / 100) - Math.floor((i * over) / 100) });
  return { step: 900, items };
}
function taskPage(query, size) {
  const states = (query.get('state') ?? '').split(',').filter(Boolean);
  const limit = Number(query.get('limit') ?? 100);
  const items = [];
  let n = Number(query.get('after') ?? -1) + 1;
  for (; n < size && items.length < limit; ++n) if (states.length === 0 || states.includes(STATE_OF(n))) items.push(task(n));
  const next = new URLSearchParams(query);
  next.set('after', String(n - 1));
  const all = query.has('failure') ? 15 : states.length === 0 ? size : states.reduce((sum, state) => sum + (campaigns()[0].tasks[state] ?? 0), 0);
  return { items, total: all, offset: 0, limit, links: n < size && items.length === limit ? [{ rel: 'next', href: `/v1/campaigns/12/tasks?${next}` }] : [] };
}
const job = (n, attempt, cluster_name, ending, from, to) => ({
  id: n + 5000 + attempt, campaign_id: 12, user: 'u01', task: n, attempt, cluster_id: 1, cluster_name, state: ending === 'done' ? 'terminated' : 'error', remote_id: 90000 + attempt, exit_code: ending === 'task_error' ? 3 : ending === 'done' ? 0 : null, ending,
  submission_time: at(from - 300e3), start_time: at(from), stop_time: at(to), cpu_seconds: 37.5, peak_memory_mb: 812, message: ending === 'task_error' ? 'exit status 3' : null, hosts: [`${cluster_name}-3`], links: [],
});
const taskDetail = (n) => ({
  ...task(n), campaign_id: 12, waits_for_checkpoint_on: null, waits_for_files_on: null, withheld: null, links: [],
  jobs: STATE_OF(n) === 'waiting' ? [] : STATE_OF(n) === 'failed'
    ? [job(n, 0, 'alpha', 'preempted', -3 * H, -2.8 * H), job(n, 1, 'beta', 'node_failure', -2.6 * H, -2.55 * H), job(n, 2, 'beta', 'task_error', -1.9 * H, -1.8 * H)]
    : [job(n, 0, 'alpha', 'done', -1.9 * H, -1.8 * H)],
});
const output = (n, stream) => ({
  output: stream === 'stderr' ? `<script>alert(1)</script>\n\u001b[31mNo such file: mesh_88\u001b[0m\n  at read_mesh (mesh.c:41)\n` : Array.from({ length: 20 }, (_, i) => `step ${i + 80} of ${n}`).join('\n') + '\n',
  stream, campaign_id: 12, task: n, task_state: 'failed', job_id: 1, job_state: 'error', attempt: 2, cluster_id: 2, cluster_name: 'beta', remote_id: 90002, path: `/home/u01/OAR.90002.${stream}`, hosts: ['beta-3'], lines: 20, is_whole: stream === 'stderr', is_cut: false, links: [],
});
const event = (id, code, cluster_name, occurrences, message, campaign_id = 12) => ({
  id, class: 'job', code, state: 'open', campaign_id, cluster_id: 1, cluster_name, job_id: 31, occurrences, date_open: at(-3 * H), date_update: at(-600e3), date_closed: null, message, links: [],
});
const events = () => ({ items: [
  event(31, 'TASK_ERROR', 'gamma', 15, 'exit status 3\nNo such file: mesh_88'), event(33, 'TASK_ERROR', 'gamma', 1, 'exit status 3\nNo such file: mesh_88'),
  event(32, 'WALLTIME', 'beta', 2, 'killed at its walltime: 0:10:00'), event(40, 'TASK_ERROR', 'alpha', 2, 'exit status 1', 9),
], total: 4, offset: 0, limit: 1000, links: [] });

function use(query, scenario) {
  const step = Number(query.get('step'));
  const [begin, to] = [Date.parse(query.get('from')), Date.parse(query.get('to'))];
  const from = Math.floor(begin / 1000 / step) * step * 1000;
  const slices = Math.ceil((to - from) / 1000 / step);
  const iso = (ms) => new Date(ms).toISOString().slice(0, 19) + 'Z';
  const items = (scenario === 'empty' ? [] : NAMES).map((cluster_name, i) => {
    const lost = (t) => (i === 2 && t > Date.now() - 4 * H) || (i === 5 && Math.floor(t / H) % 9 === 0);
    const series = (value) => Array.from({ length: slices }, (_, k) => (lost(from + k * step * 1000) ? null : value(from + k * step * 1000)));
    const figure = (value) => ({ min: series((t) => Math.floor(0.95 * value(t))), mean: series((t) => Math.round(10 * value(t)) / 10), max: series((t) => Math.ceil(Math.min(1.05 * value(t), cluster(i).status.max_resources || 48))) });
    const max = (t) => (cluster(i).status.max_resources || 48) - (i === 7 && t > Date.now() - 2 * H ? 64 : 0);
    const used = (t) => max(t) * Math.min(1, 0.6 + 0.4 * Math.sin(t / 2e7 + i));
    const ours = (t) => used(t) * (0.3 + 0.2 * Math.cos(t / 1e7 + i));
    return {
      cluster_id: i + 1, cluster_name, known_seconds: series((t) => Math.min(step, (to - t) / 1000)),
      max_resources: { min: series(max), mean: series(max), max: series(max) }, used_resources: figure(used), used_besteffort: figure((t) => ours(t) * 1.3), used_by_grid: figure(ours),
      unavailable_resources: figure(() => (i === 3 ? 6 : 0)),
      outages: i === 2 ? [{ from: at(-4 * H), to: null }, { from: iso(from - H), to: iso(from + H / 6) }] : [],
    };
  });
  return { items, from: iso(from), to: iso(to), step, slices, total: items.length, offset: 0, limit: 100, links: [] };
}

function failures(c) {
  const { failed } = c.tasks;
  const group = (id, tasks, ending, exit_code, cluster_id, stderr_line, first_tasks) => ({
    id, tasks, ending, exit_code, cluster_id, cluster_name: NAMES[cluster_id - 1], stderr_line, stderr_pattern: stderr_line && stderr_line.replace(/\d+/g, '#'), first_tasks,
  });
  const items = failed < 3 ? [] : [
    group(3, failed - 2, 'task_error', 3, 3, 'No such file: mesh_88', [7, 36008, 72009, 108010, 144011]),
    group(4, 1, 'walltime', null, 1, '', [180012]),
  ];
  return { failed, others: failed - items.reduce((sum, { tasks }) => sum + tasks, 0), items };
}

/** By priority, then by fair share: campaigns that are not paused; u03's may not be read. */
function order(query, scenario) {
  const waiting = scenario === 'empty' ? [] : campaigns().filter(({ state, tasks }) => state === 'in_treatment' && tasks.waiting > 0);
  const all = waiting.sort((a, b) => Number(b.id % 5 === 0) - Number(a.id % 5 === 0)).map((c, i) => {
    const priority = c.id % 5 === 0 ? 2 : 4;
    const share = 0.31 - i / 300;
    const of = { place: i + 1, class: { number: priority / 2, type: 'default', project_priority: 4, group_priority: 4, priority, clusters: 'all' } };
    if (c.user === 'u03') return { ...of, campaign_id: null, name: null, user: null, project: null, submission_time: null, figures: null, sentence: null };
    return { ...of, campaign_id: c.id, name: c.name, user: c.user, project: null, submission_time: c.submission_time, figures: {},
      sentence: `its place in the order: fair share of ${c.user}: ${share.toFixed(3)} = share 0.400 - usage ${(0.4 - share).toFixed(3)}` };
  });
  const campaign = Number(query.get('campaign') ?? 0);
  const some = all.filter((one) => (!campaign || one.campaign_id === campaign) && (query.get('user') !== 'me' || one.user === 'u01'));
  const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 100)];
  return { campaign_order: 'priority,fairshare', places: all.length, since: at(-125e3), items: some.slice(offset, offset + limit), old_since: null, standstill: null, total: some.length, offset, limit, links: [] };
}

function sharesOf(scenario) {
  const node = (path, kind, shares, of_level, part, used_part) => ({ id: 1, path, name: path.split('/').at(-1), kind, parent: path.split('/').slice(0, -1).join('/') || null, shares, of_level, part, used_part, usage: used_part * 1.4, priority: part - used_part * 1.4 });
  return {
    items: scenario === 'empty' ? [] : [
      node('/science', 'project', 70, 0.7, 0.7, 0.81), node('/science/physics', 'project', 2, 0.667, 0.467, 0.6), node('/science/physics/u01', 'user', 1, 0.5, 0.233, 0.22),
      node('/science/physics/u02', 'user', 1, 0.5, 0.233, 0.38), node('/science/chem', 'group', 1, 0.333, 0.233, 0.21), node('/industry', 'project', 30, 0.3, 0.3, 0.12),
    ],
    window_days: 7, decay: 0.7, usage_rule: 'absolute', campaign_order: 'priority,fairshare', usage: 1.4, outside: 0.098, resources: 2000, total: 6, links: [],
  };
}

class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

function answerTo(path, query, scenario) {
  if (scenario === 'database') throw new Refusal(503, 'unavailable', 'the database cannot be used: connection refused');
  if (scenario === 'signedout') throw new Refusal(401, 'unknown_caller', 'nobody: no session');
  if (path === '') return { name: 'Gleaner', version: '1.0', user: 'u01', administrator: scenario !== 'reader', session: scenario !== 'named', links: [] };
  if (path === 'v1/summary') return summaryOf(query.get('user'), scenario);
  if (path === 'v1/clusters') return { items: NAMES.map((name, i) => ({ id: i + 1, name, enabled: i !== 4, suspected_resources: i === 6 ? 48 : i === 7 ? 16 : 0, absent_resources: 0, dead_resources: i === 9 ? 8 : 0, retired_at: null })), total: 10, links: [] };
  if (path === 'health') return {
    status: scenario === 'standstill' ? 'standstill' : 'degraded', conductor: { holder: 'grid-1 (almighty 4711)', term: 3 },
    troubles: [{ kind: 'cluster', subject: 'gamma', since: at(-330e3), message: 'gamma does not answer: Connection refused', remedy: 'gridctl check --cluster gamma' }],
  };
  if (path === 'v1/cycles') return { items: Array.from({ length: 100 }, (_, i) => ({
    id: 1000 - i, term: 3, start_time: at(-4e3 - i * 5e3), stop_time: i === 0 ? null : at(-3e3 - i * 5e3),
    modules: i === 0 ? null : ['updator', 'predictor', 'nikita', 'metascheduler', 'runner'].map((module, m) => ({ module, result: m === 4 && i === 7 ? 'failed' : 'succeeded', ms: Math.round((m + 1) * 40 * (1.4 + Math.sin(i / 9 + m))) })),
  })) };
  if (path === 'v1/shares') return sharesOf(scenario);
  if (path === 'v1/limits') return { items: scenario === 'empty' ? [] : [
    { id: 3, kind: 'running_jobs', holds: 'user u01, cluster beta', most: 200, used: 200, days: null, stops: 2, used_by: [], consumable: null, each: null, user: 'u01', group: null, project: null, campaign_id: null, cluster_name: 'beta', silent: null },
    { id: 4, kind: 'resource_seconds', holds: 'each user', most: 3.6e6, used: 912345, days: 7, stops: 0, used_by: [{ name: 'u02', used: 912345 }], consumable: null, each: 'user', user: null, group: null, project: null, campaign_id: null, cluster_name: null, silent: null },
  ], total: 2, links: [] };
  if (path === 'v1/brakes') return { items: scenario === 'empty' ? [] : [
    { id: 1, campaign_id: null, cluster_id: 2, cluster_name: 'beta', reason: 'disk full', set_by: 'boss', since: at(-2 * H), ends: `at ${at(20 * H).replace('T', ' ').replace('Z', ' UTC')}, or when event 77 is closed` },
    { id: 2, campaign_id: 12, cluster_id: 3, cluster_name: 'gamma', reason: '3 failures in a row', set_by: null, since: at(-600e3), ends: `at ${at(900e3).replace('T', ' ').replace('Z', ' UTC')}, or when a job of the campaign succeeds there` },
  ], total: 2, links: [] };
  if (path === 'v1/launches') return { items: scenario === 'empty' ? [] : [
    { id: 41, campaign_id: 12, cluster_name: 'gamma', state: 'unknown', jobs: 8, tasks: 0, looks: 2, since: at(-330e3), error: 'no answer within 30 s' },
  ], total: 1, links: [] };
  if (path === 'v1/audit') return { items: [
    { id: 9, time: at(-3 * H), actor: 'root', origin: 'grid-1', act: 'limit changed', subject: 'limit 3', campaign: null, before: { most: 100 }, after: { most: 200 } },
    { id: 8, time: at(-5 * H), actor: 'u01', origin: 'unix', act: 'campaign paused', subject: 'campaign 19', campaign: 19, before: { state: 'in_treatment' }, after: { state: 'paused' } },
  ] };
  if (path === 'v1/order') return order(query, scenario);
  if (path === 'v1/gridusage') return use(query, scenario);
  if (path === 'v1/events') return scenario === 'empty' ? { items: [], total: 0, links: [] } : events();
  const match = /^v1\/campaigns\/(\d+)(?:\/(.*))?$/.exec(path);
  const c = match && campaigns().find(({ id }) => id === Number(match[1]));
  if (!match) throw new Refusal(404, 'no_such_path', `there is no path '/${path}'`);
  if (scenario === 'pruned' || !c) throw new Refusal(404, 'no_such_campaign', `there is no campaign '${match[1]}'`);
  const rest = match[2] ?? '';
  if (rest === '') return detail(c);
  if (rest === 'stats') return stats(c);
  if (rest === 'decisions') return decisions();
  if (rest === 'failures') return failures(c);
  if (rest === 'decisions/history') return decisionHistory();
  if (rest === 'progress') return progress(c);
  if (rest === 'strip') return strip(c, Number(query.get('blocks') ?? 1000));
  if (rest === 'forecasts') return forecasts(Boolean(c.end_time));
  if (rest === 'events') {
    const items = events().items.filter((e) => e.campaign_id === c.id);
    return { ...events(), items, total: items.length };
  }
  if (rest === 'tasks') return taskPage(query, c.total_tasks);
  const one = /^tasks\/(\d+)(?:\/(stdout|stderr))?$/.exec(rest);
  if (!one || Number(one[1]) >= c.total_tasks) throw new Refusal(404, 'no_such_task', `campaign ${c.id} has no task '${one?.[1] ?? rest}'`);
  if (one[2] && scenario === 'forbidden') throw new Refusal(403, 'not_yours', `campaign ${c.id} is of u02`);
  return one[2] ? output(Number(one[1]), one[2]) : taskDetail(Number(one[1]));
}

/** Of the changes, each cluster that is off costs the others 90 min, and a campaign that is paused has no end. */
function whatIf({ jdl = '', changes = {} }, scenario) {
  if (scenario === 'database') throw new Refusal(503, 'unavailable', 'the database cannot be used now: try again in a few seconds');
  if (scenario === 'standstill') throw new Refusal(409, 'wrong_state', 'the grid stands still: no cycle has ended since 2030-01-01 12:00:00 UTC, and there is no forecast until one does');
  if (scenario === 'busy') throw new Refusal(503, 'busy', 'the grid is being played forward for others: ask again in a moment, or run gridsub --what-if, which simulates on your own machine');
  if (jdl && !jdl.trim().startsWith('{')) throw new Refusal(400, 'bad_input', '1 problem in the campaign file; the first one: it is no JSON object');
  const outlook = (ends, more = {}) => ({
    started: true, starts_in: null, ends_in: ends === null ? null : { expected: ends, earliest: Math.round(ends * 0.85), latest: Math.round(ends * 1.2) },
    if_others_run_to_their_walltimes: false, blocked: null, evidence: 'own', seen_jobs: 1200, tasks_played_as_one: 1, ...more,
  });
  const live = scenario === 'empty' ? [] : campaigns().filter((c) => c.state === 'in_treatment' || c.state === 'paused');
  const off = (changes.clusters_off ?? []).length;
  const items = live.map((c, i) => {
    const fate = (changes.campaigns ?? []).find(({ id }) => id === c.id);
    const ends = c.state === 'paused' ? null : 9000 + 5400 * i;
    const before = outlook(ends, c.state === 'paused' ? { blocked: 'paused' } : c.id === 18 ? { evidence: 'walltime' } : {});
    const difference = (i % 3 === 2 ? -0.4 : i % 3) * 5400 * off - (fate?.priority ? 600 * (4 - fate.priority) : 0) + (jdl && i === 1 ? 1800 : 0);
    const after = fate?.paused ? outlook(null, { blocked: 'paused' }) : ends === null ? before : { ...before, ends_in: outlook(ends + difference).ends_in };
    const effect = ends === null ? 'unknown' : fate?.paused ? 'pays' : Math.abs(difference) < 60 ? 'same' : difference > 0 ? 'pays' : 'gains';
    return { id: c.id, name: scenario === 'forbidden' && c.user !== 'u01' ? null : c.name, user: scenario === 'forbidden' && c.user !== 'u01' ? 'user-1' : c.user, before, after, difference: before.ends_in && after.ends_in ? difference : null, effect };
  });
  const after = changes.after ?? 0;
  if (jdl) items.push({ id: null, name: 'new', user: 'u01', before: null, after: outlook(after + 7200, { started: false, starts_in: { expected: after + 600, earliest: after + 300, latest: after + 900 }, evidence: 'walltime' }), difference: null, effect: 'new' });
  const played = { runs: 20, out_of_time: false, known_until: null };
  return {
    time: at(-4e3), age: 4, before: played, after: played, campaigns: items, clusters: [{ cluster: 'alpha', held_by_others: 12, resources: 640 }], left_out: [{ cluster_name: 'gamma', why: 'not reachable' }],
    assumptions: [
      'Future jobs of local users, and campaigns that are submitted later, are not known. Local users keep the resources that they use now.',
      ...(off > 0 ? [`${changes.clusters_off.join(', ')} would get no further job; the jobs that run there would go on.`] : []),
      'Cluster gamma is not simulated: it is not reachable.',
    ],
    warnings: (changes.campaigns ?? []).some(({ priority }) => priority) ? ["campaign 12: campaign_priority 2 changes nothing: the grid's campaign_order is 'fifo', without the class 'priority'"] : [],
  };
}

export async function serve(port, first = 'normal') {
  let scenario = first;
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-web-'));
  await buildInto(folder);
  const requests = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost');
    const path = url.pathname.replace(/^\/grid\//, '');
    requests.push(`${request.method} ${path}${url.search}`);
    const send = (status, type, body, more = {}) => {
      response.writeHead(status, { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff', ...more });
      response.end(body);
    };
    const json = (status, value) => send(status, 'application/json', JSON.stringify(value), { 'Cache-Control': 'no-store' });
    if (path.startsWith('ui/')) {
      const name = path.slice(3) || 'index.html';
      if (!/^[\w.-]+$/.test(name) || !(extname(name) in TYPES)) return send(404, 'text/plain', 'no such file');
      return send(200, TYPES[extname(name)], gzipSync(readFileSync(join(folder, name)), { level: 9 }), { 'Content-Encoding': 'gzip', 'Content-Security-Policy': scenario === 'framed' ? CSP.replace("frame-ancestors 'none'", "frame-ancestors 'self'") : CSP, 'Referrer-Policy': 'no-referrer' });
    }
    if (path === 'blank') return send(200, 'text/html', '<!doctype html><title>Nothing</title><p>There is nothing here.</p>');
    if (path === 'portal') return send(200, 'text/html', '<!doctype html><main><h1>A portal</h1></main><iframe src="ui/?embed=1"></iframe>');
    if (path === 'session') {
      if (request.method === 'DELETE') return send(204, 'text/plain', '');
      return scenario === 'usedlink' ? json(410, { status: 410, code: 'gone', title: 'Gone', message: 'the code is used' }) : json(201, {});
    }
    if (path === 'v1/events' && (request.headers.accept ?? '').includes('text/event-stream')) {
      if (scenario === 'signedout' || scenario === 'database') return json(scenario === 'database' ? 503 : 401, {});
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
      response.write(': 1-1\n\n');
      if (scenario === 'still') return undefined;
      const timer = setInterval(() => response.write('id: 1-2\nevent: progress\ndata: {}\n\n'), 700);
      response.on('close', () => clearInterval(timer));
      return undefined;
    }
    const acted = /^v1\/campaigns\/(\d+)(?:\/(hold|resume|retries|events))?$/.exec(path);
    if (acted && ['POST', 'DELETE'].includes(request.method)) {
      if (request.headers['sec-fetch-site'] !== 'same-origin') return json(403, { status: 403, code: 'only_reads', message: 'not from the page' });
      if (url.searchParams.has('dry_run') && acted[2]) return json(200, { dry_run: true, message: acted[2] === 'retries' ? `If done now: ${url.searchParams.get('expect')} failed tasks of campaign ${acted[1]} will run again` : `If done now: Campaign ${acted[1]}: ${acted[2]}` });
      if (url.searchParams.has('dry_run')) return json(200, { dry_run: true, message: `Campaign ${acted[1]}: 1196 jobs would be killed (640 on alpha, 556 on beta), and 386771 waiting tasks cancelled at once; 612034 stay done, and 17 failed`, jobs: 1196, clusters: [], tasks: {} });
      const rest = acted[2] === 'retries' && url.searchParams.has('expect') && !url.searchParams.has('failure') ? [{ rel: 'next', href: `/${path}?tasks=8-*` }] : [];
      return json(202, { status: 202, title: 'Accepted', message: `Campaign ${acted[1]}: ${acted[2] ?? 'cancelled'}`, links: rest });
    }
    const declared = /^v1\/(?:(limits)(?:\/(\d+))?|(brakes)|(shares)|clusters\/(\d+)\/(disable|enable))$/.exec(path);
    if (declared && ['POST', 'PUT', 'DELETE'].includes(request.method)) {
      if (request.headers['sec-fetch-site'] !== 'same-origin') return json(403, { status: 403, code: 'only_reads', message: 'not from the page' });
      let body = '';
      request.on('data', (piece) => (body += piece));
      request.on('end', () => {
        if (body) requests.push(`declared ${body}`);
        const asked = body ? JSON.parse(body) : {};
        if (path === 'v1/limits/4') return json(404, { status: 404, code: 'no_such_limit', title: 'Not found', message: 'there is no limit 4' });
        if (asked.most !== undefined && Number.isNaN(Number(asked.most)))
          return json(400, { status: 400, code: 'bad_value', title: 'Bad request', message: `'${asked.most}' is not a limit: a number, 0 or more, is needed` });
        const message = request.method === 'PUT'
          ? (declared[1] ? `limit 3 (user u01, cluster beta): at most ${asked.most} ${asked.kind} instead of 200, 200 now; in force from the next cycle` : `${asked.kind} ${asked.name} has ${asked.shares} shares instead of 1: 35.0 % of the grid instead of 23.3 %`)
          : declared[1] ? `limit ${declared[2]} is removed` : declared[3] ? 'the brake is lifted' : declared[4] ? `${url.searchParams.get('kind')} ${url.searchParams.get('name')} has no shares any more` : `cluster ${declared[5]}: ${declared[6]}d`;
        return url.searchParams.has('dry_run') ? json(200, { dry_run: true, message: `If done now: ${message}` }) : json(202, { status: 202, title: 'Accepted', message });
      });
      return undefined;
    }
    if (scenario === 'loginover') return send(302, 'text/plain', '', { Location: 'https://login.example/' });
    if (path === 'v1/what-if' && request.method === 'POST') {
      if (request.headers['sec-fetch-site'] !== 'same-origin') return json(403, { status: 403, code: 'only_reads', message: 'not from the page' });
      let body = '';
      request.on('data', (piece) => (body += piece));
      request.on('end', () => {
        requests.push(`what if ${body}`);
        try {
          json(200, whatIf(JSON.parse(body), scenario));
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          json(error.status, { status: error.status, code: error.code, title: 'Error', message: error.message });
        }
      });
      return undefined;
    }
    try {
      return json(200, answerTo(path, url.searchParams, scenario));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return json(error.status, { status: error.status, code: error.code, title: 'Error', message: error.message });
    }
  });
  server.on('close', () => rmSync(folder, { recursive: true, force: true }));
  await new Promise((listening) => server.listen(port, '127.0.0.1', listening));
  /** Goes on with another scenario; streams end. */
  const turn = (next) => {
    scenario = next;
    server.closeAllConnections();
  };
  return { server, requests, turn, url: `http://127.0.0.1:${server.address().port}/grid/ui/` };
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { url } = await serve(Number(process.argv[2] ?? 8099), process.argv[3]);
  console.log(url);
}
