// The API's answers, as far as the page uses them; api/openapi.json describes them all.
export type UtcText = string; // 2026-11-20T18:14:56Z

export type TaskState = 'waiting' | 'launching' | 'submitted' | 'running' | 'done' | 'failed' | 'cancelled';
export type TaskCounts = Record<TaskState, number>;

export type StripBlock = Partial<TaskCounts> & { first: number; tasks: number };
export interface Strip {
  total_tasks: number;
  block_tasks: number;
  others: TaskState; // of all tasks that no block counts
  blocks: StripBlock[];
}

export interface Progress {
  step: number; // s
  items: { time: UtcText; tasks: number }[];
}

export interface List<T> {
  items: T[];
}

export interface Share {
  id: number | null;
  path: string;
  name: string;
  kind: 'project' | 'group' | 'user';
  parent: string | null;
  shares: number;
  of_level: number;
  part: number;
  used_part: number;
  usage: number;
  priority: number;
}

export interface Shares {
  items: Share[];
  window_days: number;
  decay: number;
  usage_rule: string;
  campaign_order: string;
  usage: number | null;
  outside: number | null;
  resources: number;
}

export interface Limit {
  id: number;
  kind: string;
  holds: string;
  most: number;
  used: number;
  days: number | null;
  consumable: string | null;
  each: 'user' | 'project' | 'campaign' | null;
  user: string | null;
  group: string | null;
  project: string | null;
  campaign_id: number | null;
  cluster_name: string | null;
  silent: number | null; // seconds
  stops: number;
  used_by: { name: string; used: number }[];
}

export interface BrakeInForce {
  id: number;
  campaign_id: number | null;
  cluster_id: number | null;
  cluster_name: string | null;
  reason: string;
  set_by: string | null;
  since: UtcText;
  ends: string;
}

export interface ClusterInUse {
  id: number;
  name: string;
  enabled: boolean;
  retired_at: UtcText | null;
}

export interface DoubtfulLaunch {
  id: number;
  campaign_id: number;
  cluster_name: string;
  state: string;
  jobs: number;
  tasks: number;
  looks: number;
  since: UtcText | null;
  error: string | null;
}

export interface Cycle {
  id: number;
  term: number;
  start_time: UtcText;
  stop_time: UtcText | null;
  modules: { module: string; result: string; ms: number }[] | null;
}

export interface Act {
  id: number;
  time: UtcText;
  actor: string;
  origin: string;
  act: string;
  subject: string;
  campaign: number | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

export interface Health {
  status: string;
  conductor: { holder: string; term: number } | null;
  troubles: { kind: string; subject: string; since: UtcText | null; message: string | null; remedy: string | null }[];
}

export interface Root {
  user: string;
  administrator: boolean;
  session: boolean; // which signing out ends; a web server's login is its own
  version: string;
}

export interface Link {
  rel: string;
  href: string;
}

export interface Page<T> {
  items: T[];
  total: number;
  links: Link[];
}

export interface ForecastOfEnd {
  forecast_time: UtcText | null;
  forecast_end: UtcText | null;
  forecast_end_earliest: UtcText | null;
  forecast_end_latest: UtcText | null;
  forecast_method: string | null;
}

export interface MainReason {
  cluster_name: string | null;
  stage: string;
  reason: string;
  sentence: string;
  advice: string | null;
  since: UtcText;
}

interface CampaignHead extends ForecastOfEnd {
  id: number;
  name: string;
  user: string;
  state: string;
  submission_time: UtcText;
  end_time: UtcText | null;
  total_tasks: number;
  tasks: TaskCounts;
  held_tasks: number;
  forecast_start: UtcText | null;
}

export interface CampaignLine extends CampaignHead {
  open_events: number;
  reason: MainReason | null;
}

export interface Brake {
  reason: string;
  expires: UtcText | null;
}

export interface ClusterStatus {
  time: UtcText;
  max_resources: number;
  free: number;
  used: number;
  used_besteffort: number;
  our_running: number;
  our_waiting: number;
  api_latency_ms: number | null;
}

export interface ClusterLine {
  id: number;
  name: string;
  enabled: boolean;
  reachable: boolean | null;
  unreachable_since: UtcText | null;
  last_error: string | null;
  no_resources_since: UtcText | null;
  under_stress: boolean;
  stress_reason: string | null;
  job_limit: number | null;
  brake: Brake | null;
  max_resources: number;
  kept_resources: number;
  status: ClusterStatus | null;
}

export interface Summary {
  user: string | null;
  last_cycle: UtcText | null;
  standstill: UtcText | null;
  campaigns: CampaignLine[];
  campaigns_total: number;
  clusters: ClusterLine[];
}

/** An item of /v1/clusters: only the members that the summary lacks. */
export interface Cluster {
  id: number;
  name: string;
  suspected_resources: number;
  absent_resources: number;
  dead_resources: number;
  retired_at: UtcText | null;
}

export interface CampaignCluster {
  cluster_name: string;
  enabled: boolean;
  retired: boolean;
  reachable: boolean | null;
  no_resources_since: UtcText | null;
  active_jobs: number;
  queued_jobs: number;
  done_jobs: number;
  walltime: number;
  resources: string;
  average_jobs_duration: number | null;
  job_ratio: number | null;
  jobs_throughput: number | null;
  brake: Brake | null;
}

export interface Campaign extends CampaignHead {
  type: string;
  has_events: boolean;
  first_start_time: UtcText | null;
  clusters: Record<string, CampaignCluster>;
  brake: Brake | null;
  standstill: UtcText | null;
}

export interface Efficiency {
  walltime_asked: number | null;
  walltime_used: number;
  resource_seconds_held: number | null;
  resource_seconds_used: number | null;
}

export interface Stats {
  average_jobs_duration: number | null;
  stddev_jobs_duration: number | null;
  jobs_throughput: number;
  failures_rate: number;
  resubmit_rate: number;
  elapsed_time: number;
  efficiency: Efficiency | null;
  needs: { consumable: string; each: number; used: number; most: number | null }[];
}

export interface Decision {
  cluster_id: number | null;
  cluster_name: string | null;
  stage: string;
  reason: string;
  sentence: string;
  advice: string | null;
  jobs: number;
  since: UtcText;
}

export interface Decisions extends Page<Decision> {
  cannot_end: string | null;
  cannot_end_may_pass: boolean | null;
  old_since: UtcText | null;
  standstill: UtcText | null;
}

export interface OrderClass {
  number: number;
  type: 'test' | 'default' | 'lowest_priority';
  project_priority: number | null;
  group_priority: number | null;
  priority: number | null;
  clusters: 'all' | 'affinity' | 'others';
}

export interface OrderPlace {
  place: number;
  class: OrderClass;
  campaign_id: number | null;
  name: string | null;
  user: string | null;
  submission_time: UtcText | null;
  sentence: string | null;
}

export interface Order extends Page<OrderPlace> {
  campaign_order: string | null;
  places: number;
  since: UtcText | null;
  old_since: UtcText | null;
}

interface ReasonOf {
  cluster_id: number | null;
  cluster_name: string | null;
}

export interface ReasonTimes extends ReasonOf {
  from: UtcText;
  until: UtcText;
  seconds: number;
  undecided_seconds: number;
  shares: { reason: string; subject: string | null; words: string; seconds: number }[];
}

export interface ReasonPeriod extends ReasonOf {
  reason: string;
  subject: string | null;
  words: string;
  since: UtcText;
  until: UtcText | null;
  seconds: number;
  summed: boolean;
}

export interface DecisionHistory extends Page<ReasonPeriod> {
  clusters: ReasonTimes[];
}

export interface KeptForecast {
  forecast_time: UtcText;
  forecast_end: UtcText;
  forecast_end_earliest: UtcText | null;
  forecast_end_latest: UtcText | null;
  forecast_method: string;
}

/** Failed tasks that failed alike. The line and the pattern are null of another user's campaign. */
export interface FailureGroup {
  id: number;
  tasks: number;
  ending: string;
  exit_code: number | null;
  cluster_id: number;
  cluster_name: string;
  stderr_line: string | null;
  stderr_pattern: string | null;
  first_tasks: number[];
}

export interface Failures {
  failed: number;
  others: number;
  items: FailureGroup[];
}

export interface Task {
  id: number;
  name: string;
  parameters: string;
  state: TaskState;
  cancelling: boolean;
  held_by: string | null;
  attempt: number;
  charged: number;
  cluster_name: string | null;
  job_id: number | null;
  remote_id: number | null;
  job_state: string | null;
  ending: string | null;
  exit_code: number | null;
  submission_time: UtcText | null;
  start_time: UtcText | null;
  stop_time: UtcText | null;
}

export interface Job {
  id: number;
  attempt: number;
  cluster_name: string;
  state: string;
  remote_id: number | null;
  exit_code: number | null;
  ending: string | null;
  submission_time: UtcText | null;
  start_time: UtcText | null;
  stop_time: UtcText | null;
  cpu_seconds: number | null;
  peak_memory_mb: number | null;
  message: string | null;
  hosts?: string[];
}

export interface TaskDetail extends Task {
  campaign_id: number;
  waits_for_checkpoint_on: string | null;
  waits_for_files_on: string | null;
  withheld: string | null;
  jobs: Job[];
}

export interface OutputTail {
  output: string;
  stream: string;
  attempt: number;
  cluster_name: string;
  path: string;
  lines: number;
  is_whole: boolean;
  is_cut: boolean;
}

export interface GridEvent {
  id: number;
  class: string;
  code: string;
  state: string;
  campaign_id: number | null;
  cluster_name: string | null;
  job_id: number | null;
  occurrences: number;
  date_open: UtcText;
  date_update: UtcText;
  message: string;
}

/** null: nothing is known of the slice. */
export interface FigureInTime {
  min: (number | null)[];
  mean: (number | null)[];
  max: (number | null)[];
}

export interface ClusterUse {
  cluster_id: number;
  cluster_name: string;
  known_seconds: (number | null)[];
  max_resources: FigureInTime;
  used_resources: FigureInTime;
  used_besteffort: FigureInTime;
  used_by_grid: FigureInTime;
  unavailable_resources: FigureInTime;
  outages: { from: UtcText; to: UtcText | null }[];
}

/** /v1/gridusage with step. */
export interface UseInTime extends Page<ClusterUse> {
  from: UtcText;
  to: UtcText;
  step: number;
  slices: number;
}

/** Seconds from the time of the answer. */
export interface WhatIfBand {
  expected: number;
  earliest: number;
  latest: number;
}

export interface WhatIfOutlook {
  started: boolean;
  starts_in: WhatIfBand | null;
  ends_in: WhatIfBand | null;
  if_others_run_to_their_walltimes: boolean;
  blocked: string | null;
  evidence: string;
}

export interface WhatIfPlay {
  runs: number;
  out_of_time: boolean;
  known_until: number | null; // s
}

export interface WhatIfCampaign {
  id: number | null; // null: it is not submitted
  name: string | null;
  user: string;
  before: WhatIfOutlook | null;
  after: WhatIfOutlook;
  difference: number | null; // s
  effect: 'new' | 'gains' | 'pays' | 'same' | 'unknown';
}

export interface WhatIfAnswer {
  time: UtcText;
  age: number; // s
  before: WhatIfPlay;
  after: WhatIfPlay;
  campaigns: WhatIfCampaign[];
  assumptions: string[];
  warnings: string[];
}

export interface WhatIfQuestion {
  jdl?: string;
  changes?: {
    clusters_off?: string[];
    off_after?: number; // s
    order?: string;
    after?: number; // s
    campaigns?: { id: number; priority?: number; paused?: boolean }[];
  };
}
