// States, stages, forecasts and causes in the words of the commands.
import type { CampaignCluster, ClusterLine, ForecastOfEnd, TaskCounts, TaskState } from '../types';
import { duration, minuteTime, parseTime, roughly } from './format';

/** In the order of a bar: what is settled, what is under way, what is to come, what needs somebody. */
export const STATES: readonly TaskState[] = ['done', 'running', 'submitted', 'launching', 'waiting', 'failed', 'cancelled'];
export const LETTER: Record<TaskState, string> = {
  done: 'D', running: 'R', submitted: 'S', launching: 'L', waiting: 'W', failed: 'F', cancelled: 'C',
};

/** The planner's stages, in its order (lib/decisions/decision.hpp). */
export const STAGES = ['feasible', 'prioritize', 'throttle', 'match', 'allocate', 'size', 'emit'] as const;
export const STAGE_MEANS: Record<string, string> = {
  feasible: 'may jobs go there at all',
  prioritize: 'the place in the order',
  throttle: 'limits, stress and trials',
  match: 'which tasks fit the cluster',
  allocate: 'free resources',
  size: 'how many jobs, after earlier campaigns',
  emit: 'jobs are planned',
};

export const isLive = (state: string): boolean => state === 'in_treatment' || state === 'paused';

const WHY_NONE: Record<string, string> = {
  paused: 'paused: no forecast until it is resumed',
  awaits: 'another campaign comes first: no forecast until then',
  held: 'some of its tasks are held: no forecast of its end until they are released',
  braked: 'braked: no forecast until its brakes are over',
  closed: 'none of its clusters takes tasks: no forecast until one does',
  no_resources: 'its clusters have no live resources: no forecast until one has',
  epilogue: 'its epilogue is left: no forecast of its end',
  stale: 'planner or predictor fails: no forecast until both work',
  standstill: 'the grid stands still: no forecast until a cycle ends',
};
export const whyNoForecast = (method: string | null): string => WHY_NONE[method ?? ''] ?? 'no forecast yet';

const BASIS: Record<string, string> = {
  throughput: 'the jobs that ended lately',
  average: 'the mean duration of its jobs',
  sharing: 'its turns, and those of the others on its clusters',
  history: 'earlier campaigns of the same user and command',
  walltime: 'its walltime, which is only a bound',
};
export const basisOf = (method: string | null): string => BASIS[method ?? ''] ?? '';

export interface EndWords {
  short: string; // 14:10 – 15:20
  rest: string; // 8 of 10 cases, in 1 h 5 min
  title: string; // 15:20
}

/** The end of a campaign as a band of times; null: there is no forecast. */
export function endWords(of: ForecastOfEnd, now: number): EndWords | null {
  const end = parseTime(of.forecast_end);
  if (end === null) return null;
  const early = parseTime(of.forecast_end_earliest);
  const late = parseTime(of.forecast_end_latest);
  const ahead = (ms: number) => roughly(Math.max(0, (ms - now) / 1000));
  if (of.forecast_method === 'walltime') {
    const bound = Math.max(end, late ?? end);
    return { short: `by ${minuteTime(bound, now)}`, rest: `in at most ${ahead(bound)}`, title: minuteTime(bound, now) };
  }
  const at = minuteTime(end, now);
  if (early === null || late === null) return { short: at, rest: `in ${ahead(end)}`, title: at };
  const from = minuteTime(early, now);
  const to = minuteTime(late, now);
  const short = from === to ? to : `${from} \u2013 ${to}`;
  return { short, rest: `8 of 10 cases; in ${ahead(end)}`, title: to };
}

/** Whether a cluster receives jobs; if not, why. As `gridclusters`. */
export function clusterState(c: ClusterLine, now: number): { word: string; kind: 'ok' | 'warn' | 'bad' | 'off' } {
  const since = (text: string | null) => {
    const at = parseTime(text);
    return at === null ? '' : ` for ${duration((now - at) / 1000)}`;
  };
  if (!c.enabled) return { word: 'disabled', kind: 'off' };
  if (c.reachable === null) return { word: 'not asked yet', kind: 'off' };
  if (!c.reachable) return { word: `unreachable${since(c.unreachable_since)}`, kind: 'bad' };
  if (c.no_resources_since) return { word: `no live resources${since(c.no_resources_since)}`, kind: 'bad' };
  if (c.brake) return { word: 'braked', kind: 'bad' };
  if (c.under_stress) return { word: c.job_limit === null ? 'under stress' : `under stress: ${c.job_limit} of our jobs`, kind: 'warn' };
  return { word: 'ok', kind: 'ok' };
}

export function pairState(c: CampaignCluster): string {
  if (c.retired) return 'retired';
  if (!c.enabled) return 'off';
  if (c.reachable === null) return 'not asked yet';
  if (!c.reachable) return 'unreachable';
  if (c.no_resources_since) return 'no live resources';
  if (c.brake) return 'braked';
  return 'ok';
}

/** Why a task failed, by how its last job ended. */
export function causeOf(ending: string | null, status: number | null): string {
  if (ending === 'task_error' && status !== null) return status > 128 ? `exit status ${status} (signal ${status - 128})` : `exit status ${status}`;
  return ending ? ending.replace(/_/g, ' ') : 'no job';
}

export const stateWord = (state: string): string => state.replace(/_/g, ' ');

export const totalOf = (tasks: TaskCounts): number => STATES.reduce((sum, state) => sum + tasks[state], 0);
