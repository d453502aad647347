-- Jobs that OAR has, their ends, and the consequences for their tasks.

-- name: jobs.live
-- Our jobs that a cluster has.
SELECT
  j.id,
  j.remote_id,
  j.state,
  j.campaign_id,
  j.task,
  j.attempt,
  j.launch_id,
  coalesce(j.fence, j.launch_id) AS fence,
  l.tag,
  j.resources,
  j.resubmissions,
  micros(j.absent_since) AS absent_since,
  micros(j.over_since) AS over_since,
  micros(j.launching_since) AS launching_since,
  k.sent_at IS NOT NULL AS kill_sent,
  k.reason AS kill_reason,
  coalesce(l.login, u.login) AS login,
  p.failures_in_a_row,
  p.last_unbegun,
  coalesce(l.walltime_s, p.walltime_s) + coalesce(l.pool_s, 0) AS walltime_s,
  l.pool_s IS NOT NULL AS carries,
  CASE WHEN l.pool_s IS NULL THEN 0 ELSE coalesce(l.files, 0) END AS pool_files,
  c.dimensional_grouping AS side_by_side,
  CASE WHEN l.script IS NULL THEN p.max_walltime_s END AS max_walltime_s,
  CASE WHEN l.script IS NULL THEN p.exec_directory ELSE '$HOME' END AS exec_directory,
  CASE WHEN l.script IS NULL THEN p.output_directory ELSE '' END AS output_directory,
  CASE WHEN l.script IS NULL AND coalesce(l.request, p.resources) LIKE '%{%type%' THEN coalesce(l.request, p.resources) END AS request
FROM jobs j
JOIN campaigns c ON c.id = j.campaign_id
JOIN launches l ON l.id = j.launch_id
JOIN campaign_clusters p ON p.campaign_id = j.campaign_id AND p.cluster_id = j.cluster_id
JOIN logins u ON u.campaign_id = j.campaign_id AND u.cluster_id = j.cluster_id
LEFT JOIN kill_requests k ON k.job_id = j.id
WHERE j.cluster_id = @cluster AND is_remote(j.state)
ORDER BY j.id

-- name: jobs.submitted
-- How these jobs of ours, whether they are over or not, were submitted to a cluster.
SELECT j.id, j.remote_id, j.campaign_id, j.task, j.attempt, l.tag, coalesce(l.login, u.login) AS login
FROM jobs j
JOIN launches l ON l.id = j.launch_id
JOIN logins u ON u.campaign_id = j.campaign_id AND u.cluster_id = j.cluster_id
WHERE j.id = ANY (@jobs::bigint[]) AND j.cluster_id = @cluster AND j.remote_id IS NOT NULL AND NOT j.pooled AND l.tag IS NOT NULL

-- name: jobs.observe
-- Writes a poll's observations of jobs that continue; only changed ones are passed. @resources: assigned by OAR; @seen: when the poll began.
-- The guard names g: see jobs.settle.
WITH given AS (
  SELECT g.*, j.resources AS known_resources, l.launching_at - interval '10 min' AS earliest
  FROM unnest(@jobs::bigint[], @states::job_state[], @starts::bigint[], @resources::integer[], @seen::bigint[])
    AS g(id, state, started_at, resources, seen)
  JOIN jobs j ON j.id = g.id
  JOIN launches l ON l.id = j.launch_id),
changed AS (
  UPDATE jobs j SET
    state = g.state,
    started_at = CASE WHEN g.started_at IS NULL THEN j.started_at ELSE greatest(instant(g.started_at), g.earliest) END,
    running_since = CASE WHEN g.state = 'running' THEN coalesce(j.running_since, instant(g.seen)) END,
    resources = coalesce(g.resources, j.resources)
  FROM given g WHERE j.id = g.id AND (is_remote(j.state) OR g.id IS NULL)
  RETURNING j.id, j.campaign_id, j.cluster_id, j.task, j.attempt, j.state, j.started_at, j.resources, g.known_resources),
moved AS (
  UPDATE tasks t SET state = CASE WHEN x.state = 'running' THEN 'running' ELSE 'submitted' END::task_state
  FROM changed x
  WHERE t.campaign_id = x.campaign_id AND t.number = x.task AND is_copy(t, x.attempt)
    AND (t.state IN ('submitted', 'running') OR x.task IS NULL)
    -- If the task has two copies and one runs, the task is running.
    AND (x.state = 'running' OR NOT t.replica_lives)
    AND t.state <> CASE WHEN x.state = 'running' THEN 'running' ELSE 'submitted' END::task_state),
pair AS (
  UPDATE campaign_clusters p SET
    last_start_at = greatest(p.last_start_at, d.started_at),
    resources_sum = p.resources_sum + d.resources,
    resources_jobs = p.resources_jobs + d.jobs
  FROM (
    SELECT
      x.campaign_id,
      x.cluster_id,
      max(x.started_at) AS started_at,
      coalesce(sum(x.resources) FILTER (WHERE x.known_resources IS NULL AND NOT is_script(x.task)), 0) AS resources,
      count(x.resources) FILTER (WHERE x.known_resources IS NULL AND NOT is_script(x.task)) AS jobs
    FROM changed x GROUP BY 1, 2) d
  WHERE p.campaign_id = d.campaign_id AND p.cluster_id = d.cluster_id),
first AS (
  UPDATE campaigns c SET first_start_at = d.started_at
  FROM (SELECT campaign_id, min(started_at) AS started_at FROM changed WHERE NOT is_script(task) GROUP BY 1) d
  WHERE c.id = d.campaign_id AND c.first_start_at IS NULL AND d.started_at IS NOT NULL)
SELECT count(*) AS changed FROM changed

-- name: jobs.note_waits
-- Writes for jobs that continue since when each is absent, over or about to start; null: it is not. The guard names g: see jobs.settle.
UPDATE jobs j SET absent_since = instant(g.absent), over_since = instant(g.over), launching_since = instant(g.launching)
FROM unnest(@jobs::bigint[], @absent::bigint[], @over::bigint[], @launching::bigint[]) AS g(id, absent, over, launching)
WHERE j.id = g.id AND (is_remote(j.state) OR g.id IS NULL)
RETURNING j.id

-- name: jobs.absent
-- Jobs that their cluster does not list.
SELECT count(*) AS jobs, min(id) AS first FROM jobs
WHERE cluster_id = @cluster AND is_remote(state) AND absent_since < instant(@since_before)

-- name: jobs.lock_tasks
-- Locks the tasks of these jobs: until this transaction ends, no other settles one of their jobs.
SELECT FROM tasks t
JOIN (SELECT DISTINCT campaign_id, task FROM jobs WHERE id = ANY (@jobs::bigint[])) j ON t.campaign_id = j.campaign_id AND t.number = j.task
ORDER BY t.campaign_id, t.number FOR UPDATE OF t

-- name: jobs.facts
-- The facts for settling jobs that are over, read after their tasks were locked: this snapshot is younger than the locks. The JDL's limits
-- are those of tasks, and a cancelled campaign still runs its epilogues.
SELECT
  j.id,
  j.state,
  j.launch_id,
  j.fence,
  j.campaign_id,
  j.task,
  j.attempt,
  t.state AS task_state,
  t.attempt AS task_attempt,
  t.replica,
  t.replica_lives,
  t.charged,
  greatest(t.attempt - t.uncounted, 0) AS counted,
  CASE WHEN l.script IS NULL THEN c.max_attempts END AS max_attempts,
  CASE WHEN l.script IS NULL THEN c.retries END AS retries,
  CASE WHEN l.script IS NULL THEN
    (SELECT string_agg(s.status, ',') FROM jsonb_array_elements_text(c.retry_on) AS s(status)) END AS retry_on,
  (c.state = 'cancelled' AND NOT is_epilogue(j.task)) OR t.cancelling AS cancelled,
  coalesce(l.walltime_s, p.walltime_s) AS walltime_s,
  CASE WHEN l.script IS NULL THEN p.max_walltime_s END AS max_walltime_s,
  coalesce(o.contender_lives, false) AS contender_lives,
  coalesce(o.claim_taken, false) AS claim_taken,
  coalesce(o.orphan_may_come, false) AS orphan_may_come,
  coalesce(o.other_copy_runs, false) AS other_copy_runs,
  c.checkpoint_cost_s IS NOT NULL AND l.script IS NULL AS checkpoints,
  j.checkpointed_at IS NOT NULL AS signalled,
  j.checkpointed_at IS NOT NULL OR coalesce(o.has_checkpoint, false) AS has_checkpoint
FROM jobs j
JOIN launches l ON l.id = j.launch_id
JOIN tasks t ON t.campaign_id = j.campaign_id AND t.number = j.task
JOIN campaigns c ON c.id = j.campaign_id
JOIN campaign_clusters p ON p.campaign_id = j.campaign_id AND p.cluster_id = j.cluster_id
CROSS JOIN LATERAL (
  SELECT bool_or(o.attempt = j.attempt AND is_live(o.state)) AS contender_lives,
    bool_or(o.attempt = j.attempt AND o.ending = 'duplicate') AS claim_taken,
    bool_or(o.attempt = j.attempt AND o.ending = 'never_submitted' AND v.state = 'void' AND v.tag IS NOT NULL) AS orphan_may_come,
    bool_or(o.attempt <> j.attempt AND is_copy(t, o.attempt)
      AND (o.state = 'running' OR (o.state = 'pooled' AND o.remote_id IS NOT NULL))) AS other_copy_runs,
    bool_or(have_one_home(o.cluster_id, j.cluster_id) AND o.checkpointed_at IS NOT NULL) AS has_checkpoint
  FROM jobs o JOIN launches v ON v.id = o.launch_id
  WHERE o.campaign_id = j.campaign_id AND o.task = j.task AND o.id <> j.id) o
WHERE j.id = ANY (@jobs::bigint[])
ORDER BY j.id

-- name: jobs.settle
-- Ends jobs and writes the settlements of their tasks. Each change is guarded by the states and the attempt that the rule saw; no two jobs
-- are of one task. The results of scripts are no result of their pair; one that could not start shows that others cannot either.
--
-- The guard of the jobs' states compares them with what was given. A guard of jobs alone would be a filter of them, for which PostgreSQL
-- expects one row where most jobs are over; it might then compare each given job with each that lives. The same holds for their tasks.
--
-- PostgreSQL takes what an update returns for a few rows, and would compare each of them with each of another's. So the update returns all
-- that is needed of what was given, and the jobs meet their tasks in a full join, which it can only hash or merge: each task is of one of
-- them.
--
-- OAR's clock and the nodes' are set by others. A job began no earlier than its launch was sent, less what clocks differ by (10 min), and
-- was over when that was first seen (jobs.over_since, which it keeps). Start and end are moved into this span, so that the time between
-- them, which is charged and compared, is OAR's as long as it fits. Where OAR's clock was set back meanwhile, the end that it says comes
-- before the start: the time is then the one for which polls saw the job run. It is at least what its command took by the node's uptime,
-- which nobody sets.
WITH given AS (
  SELECT g.*, j.resources AS known_resources,
    CASE WHEN said.start IS NOT NULL THEN moved.start END AS start,
    moved.start + held.time AS stop,
    moved.start - coalesce(said.start, said.stop) AS shift
  FROM unnest(@verdicts::verdict[]) AS g
  JOIN jobs j ON j.id = g.id
  JOIN launches l ON l.id = j.launch_id
  CROSS JOIN LATERAL (SELECT coalesce(instant(g.started_at), j.started_at) AS start,
    coalesce(instant(g.ended_at), j.over_since, instant(@now)) AS stop) said
  CROSS JOIN LATERAL (SELECT l.launching_at - interval '10 min' AS earliest,
    greatest(coalesce(j.over_since, instant(@now)), l.launching_at - interval '10 min') AS latest) span
  CROSS JOIN LATERAL (SELECT CASE WHEN said.start IS NULL THEN interval '0'
    ELSE least(greatest(CASE WHEN said.stop < said.start THEN span.latest - j.running_since ELSE said.stop - said.start END,
      g.wall * interval '1 second', interval '0'), span.latest - span.earliest) END AS time) held
  CROSS JOIN LATERAL (
    SELECT least(greatest(coalesce(said.start, said.stop), span.earliest), span.latest - held.time) AS start) moved),
ended AS (
  UPDATE jobs j SET
    state = g.state,
    ending = g.ending,
    run_ending = g.run_ending,
    exit_status = g.exit_status,
    started_at = g.start,
    ended_at = g.stop,
    checkpointed_at = greatest(j.checkpointed_at, instant(g.checkpointed_at) + g.shift),
    resources = coalesce(g.resources, j.resources),
    message = g.message,
    cpu_s = g.cpu,
    peak_memory_mb = g.peak,
    io_mb = g.io,
    absent_since = NULL,
    over_since = coalesce(j.over_since, instant(@now)),
    launching_since = NULL
  FROM given g WHERE j.id = g.id AND j.state = g.leaves AND is_live(g.leaves)
  RETURNING j.id, j.launch_id, j.fence, j.campaign_id, j.cluster_id, j.task, j.started_at, j.ended_at, j.resources, j.ending,
    coalesce(g.duration, extract(epoch FROM j.ended_at - j.started_at)::double precision) AS seconds, g.known_resources, g.failure, g.command,
    g.wall, g.cpu, g.peak, g.io, g.moves, g.task_leaves, g.attempt_leaves, g.task_state, g.attempt, g.charge, g.counted, g.priority, g.bound, g.kept,
    g.walltime_s, j.pooled, g.checkpointed_at IS NOT NULL AS was_warned),
settled AS (
  UPDATE tasks t SET
    state = e.task_state,
    attempt = e.attempt,
    replica_lives = false,
    cancelling = t.cancelling AND is_in_flight(e.task_state),
    charged = t.charged + e.charge,
    uncounted = t.uncounted + CASE WHEN e.counted THEN 0 ELSE 1 END,
    walltime_s = coalesce(e.walltime_s, t.walltime_s)
  FROM ended e
  WHERE e.moves AND t.campaign_id = e.campaign_id AND t.number = e.task AND t.state = e.task_leaves AND t.attempt = e.attempt_leaves
  RETURNING e.id AS job, t.campaign_id, t.number, t.state, t.request, e.priority, CASE WHEN e.bound OR e.kept THEN e.cluster_id END AS cluster_id,
    CASE WHEN e.bound THEN coalesce(e.fence, e.launch_id) END AS fence),
outcomes AS MATERIALIZED (
  SELECT e.id, e.campaign_id, e.cluster_id, e.started_at, e.ended_at, e.resources, e.known_resources, e.ending, e.seconds, e.failure, e.command,
    e.wall, e.cpu, e.peak, e.io, e.pooled, e.was_warned, is_script(e.task) AS script, s.state
  FROM ended e FULL JOIN settled s ON s.job = e.id),
back AS (
  INSERT INTO returned_tasks (campaign_id, number, priority, cluster_id, fence, request, returned_at)
  SELECT campaign_id, number, priority, cluster_id, fence, request, instant(@now)
  FROM settled WHERE state = 'waiting' ON CONFLICT DO NOTHING),
pair AS (
  UPDATE campaign_clusters p SET
    ended = p.ended + d.ended,
    concluded = p.concluded + d.concluded,
    done = p.done + d.done,
    duration_sum = p.duration_sum + d.seconds,
    duration_squares = p.duration_squares + d.squares,
    last_start_at = greatest(p.last_start_at, d.started_at),
    resources_sum = p.resources_sum + d.resources,
    resources_jobs = p.resources_jobs + d.resources_jobs,
    failures_in_a_row = CASE WHEN d.last_done > coalesce(p.last_unbegun, 0) THEN 0 ELSE p.failures_in_a_row END + d.failures,
    last_unbegun = greatest(p.last_unbegun, d.last_unbegun),
    measured = p.measured + d.measured,
    command_s = p.command_s + d.command_s,
    held_s = p.held_s + d.held_s,
    cpu_jobs = p.cpu_jobs + d.cpu_jobs,
    cpu_s = p.cpu_s + d.cpu_s,
    cpu_wall_s = p.cpu_wall_s + d.cpu_wall_s,
    memory_jobs = p.memory_jobs + d.memory_jobs,
    peak_memory_mb = greatest(p.peak_memory_mb, d.peak),
    io_jobs = p.io_jobs + d.io_jobs,
    io_mb = p.io_mb + d.io_mb,
    io_wall_s = p.io_wall_s + d.io_wall_s,
    interruptions = p.interruptions + d.interruptions,
    exposed_s = p.exposed_s + d.exposed_s
  FROM (
    SELECT
      campaign_id,
      cluster_id,
      count(*) FILTER (WHERE is_attempt(ending, pooled, started_at) AND NOT script) AS ended,
      count(*) FILTER (WHERE (state IN ('done', 'failed') OR (state = 'cancelled' AND started_at IS NOT NULL)) AND NOT script) AS concluded,
      count(*) FILTER (WHERE state = 'done' AND NOT script) AS done,
      max(id) FILTER (WHERE ending = 'done') AS last_done,
      max(id) FILTER (WHERE ending = 'never_began') AS last_unbegun,
      coalesce(sum(seconds) FILTER (WHERE state = 'done' AND NOT script), 0) AS seconds,
      coalesce(sum(seconds ^ 2) FILTER (WHERE state = 'done' AND NOT script), 0) AS squares,
      max(started_at) AS started_at,
      coalesce(sum(resources) FILTER (WHERE known_resources IS NULL AND NOT script), 0) AS resources,
      count(resources) FILTER (WHERE known_resources IS NULL AND NOT script) AS resources_jobs,
      coalesce(sum(failure) FILTER (WHERE NOT script OR ending IN ('cannot_start', 'never_began')), 0) AS failures,
      count(*) FILTER (WHERE state = 'done' AND command IS NOT NULL) AS measured,
      coalesce(sum(command) FILTER (WHERE state = 'done'), 0) AS command_s,
      coalesce(sum(extract(epoch FROM ended_at - started_at)) FILTER (WHERE state = 'done' AND command IS NOT NULL), 0)
        ::double precision AS held_s,
      count(cpu) FILTER (WHERE state = 'done' AND NOT script AND wall IS NOT NULL) AS cpu_jobs,
      coalesce(sum(cpu) FILTER (WHERE state = 'done' AND NOT script AND wall IS NOT NULL), 0) AS cpu_s,
      coalesce(sum(wall) FILTER (WHERE state = 'done' AND NOT script AND cpu IS NOT NULL), 0) AS cpu_wall_s,
      count(peak) FILTER (WHERE state = 'done' AND NOT script) AS memory_jobs,
      max(peak) FILTER (WHERE state = 'done' AND NOT script) AS peak,
      count(io) FILTER (WHERE state = 'done' AND NOT script AND wall IS NOT NULL) AS io_jobs,
      coalesce(sum(io) FILTER (WHERE state = 'done' AND NOT script AND wall IS NOT NULL), 0) AS io_mb,
      coalesce(sum(wall) FILTER (WHERE state = 'done' AND NOT script AND io IS NOT NULL), 0) AS io_wall_s,
      count(*) FILTER (WHERE ending IN ('preempted', 'node_failure') AND started_at IS NOT NULL AND NOT pooled AND NOT script
        AND NOT was_warned) AS interruptions,
      coalesce(sum(extract(epoch FROM ended_at - started_at)) FILTER (WHERE NOT pooled AND NOT script), 0)::double precision AS exposed_s
    FROM outcomes GROUP BY 1, 2) d
  WHERE p.campaign_id = d.campaign_id AND p.cluster_id = d.cluster_id),
first AS (
  UPDATE campaigns c SET first_start_at = d.started_at
  FROM (SELECT campaign_id, min(started_at) AS started_at FROM ended WHERE NOT is_script(task) GROUP BY 1) d
  WHERE c.id = d.campaign_id AND c.first_start_at IS NULL AND d.started_at IS NOT NULL),
throughput AS (
  INSERT INTO completions AS w (campaign_id, cluster_id, minute, jobs)
  SELECT campaign_id, cluster_id, date_trunc('minute', ended_at), count(*) FROM outcomes
  WHERE state IN ('done', 'failed') AND NOT script GROUP BY 1, 2, 3
  ON CONFLICT (campaign_id, cluster_id, minute) DO UPDATE SET jobs = w.jobs + EXCLUDED.jobs),
durations AS (
  INSERT INTO durations AS d (campaign_id, cluster_id, bucket, jobs)
  SELECT campaign_id, cluster_id, duration_bucket(seconds), count(*) FROM outcomes
  WHERE state = 'done' AND seconds IS NOT NULL AND NOT script GROUP BY 1, 2, 3
  ON CONFLICT (campaign_id, cluster_id, bucket) DO UPDATE SET jobs = d.jobs + EXCLUDED.jobs)
SELECT count(*) AS ended FROM ended

-- name: jobs.give
-- Stores what these jobs gave, if their tasks are done by them, as what the tasks' attempts gave. A task that its replica did keeps its
-- own attempt.
INSERT INTO task_gives (campaign_id, number, attempt, given)
SELECT t.campaign_id, t.number, t.attempt, g.given
FROM unnest(@jobs::bigint[], @given::text[]) AS g(job, given)
JOIN jobs j ON j.id = g.job
JOIN tasks t ON t.campaign_id = j.campaign_id AND t.number = j.task AND t.state = 'done'
  AND (t.attempt = j.attempt OR (t.replica = j.attempt AND t.replica > t.attempt))
JOIN campaigns c ON c.id = t.campaign_id AND c.gives
ON CONFLICT (campaign_id, number) DO UPDATE SET attempt = EXCLUDED.attempt, given = EXCLUDED.given

-- name: jobs.follow
-- Follows a job that OAR resubmitted under a new id. Its kill request follows too.
WITH followed AS (
  UPDATE jobs SET remote_id = @to, state = 'remote_waiting', resubmissions = resubmissions + 1, over_since = NULL, launching_since = NULL,
    running_since = NULL
  WHERE id = @job AND remote_id = @from AND is_remote(state) RETURNING id, campaign_id, task, attempt),
unkilled AS (UPDATE kill_requests k SET sent_at = NULL FROM followed f WHERE k.job_id = f.id),
moved AS (
  UPDATE tasks t SET state = 'submitted' FROM followed f
  WHERE t.campaign_id = f.campaign_id AND t.number = f.task AND t.attempt = f.attempt AND t.state = 'running' AND NOT t.replica_lives)
SELECT id FROM followed

-- name: jobs.forget
-- Forgets OAR's id of a job, because another job has it now. The job's launch becomes unknown, and is searched for by its tag.
WITH forgotten AS (
  UPDATE jobs SET state = 'unknown', remote_id = NULL, absent_since = NULL, over_since = NULL, launching_since = NULL,
    running_since = NULL
  WHERE id = @job AND remote_id = @remote_id AND is_remote(state) RETURNING id, launch_id)
UPDATE launches l SET state = 'unknown', looks = 0, last_look_at = NULL, error = @reason
FROM forgotten f WHERE l.id = f.launch_id AND l.state IN ('accepted', 'unknown', 'void')
RETURNING l.id

-- name: jobs.waiting_resources
-- Resources of our jobs that wait on a cluster.
SELECT
  coalesce(sum(p.waiting * job_width(p)), 0) AS waiting
FROM campaign_clusters p JOIN campaigns c ON c.id = p.campaign_id AND (is_live(c.state) OR c.ended_at IS NULL)
WHERE p.cluster_id = @cluster AND p.waiting > 0

-- name: jobs.reopen_twin
-- Makes the void launch of a job's twin unknown, to search for it again: the job @duplicate found its attempt claimed, so the twin must be
-- in OAR. A pooled twin is searched for with its launch's jobs, if these were not found yet.
WITH twin AS (
  SELECT j.id, j.launch_id, j.pooled FROM jobs j
  WHERE j.campaign_id = @campaign AND j.task = @task AND j.attempt = @attempt AND j.id <> @duplicate AND j.state = 'error'
    AND (j.ending = 'never_submitted' OR (j.pooled AND j.ending = 'not_reached'))),
launch AS (
  UPDATE launches l SET state = 'unknown', looks = 0, last_look_at = NULL, unknown_at = clock_timestamp()
  FROM twin WHERE l.id = twin.launch_id AND l.state IN ('void', 'unknown') AND l.tag IS NOT NULL
    AND (NOT twin.pooled OR EXISTS (SELECT FROM jobs c WHERE c.launch_id = l.id AND is_unfound(c)))
  RETURNING l.id)
UPDATE jobs j SET state = CASE WHEN twin.pooled THEN 'pooled' ELSE 'unknown' END::job_state, ending = NULL, ended_at = NULL, over_since = NULL,
  message = NULL
FROM twin WHERE j.id = twin.id AND (twin.pooled OR twin.launch_id IN (SELECT id FROM launch)) RETURNING j.id

-- name: jobs.revive
-- Revives a job that ended as never_began and holds its attempt's claim: OAR ran it again, under another id. The campaign, task and attempt
-- must be those of the job that found the claim, because the holder's name comes from a user's home and cannot be trusted.
WITH revived AS (
  UPDATE jobs SET
    state = CASE WHEN pooled THEN 'pooled' ELSE 'remote_waiting' END::job_state,
    remote_id = @remote_id,
    ending = NULL,
    ended_at = NULL,
    message = NULL,
    started_at = NULL,
    over_since = NULL,
    launching_since = NULL,
    running_since = NULL,
    absent_since = NULL
  WHERE id = @job AND campaign_id = @campaign AND task = @task AND attempt = @attempt AND state = 'error' AND ending = 'never_began'
    RETURNING id),
forgiven AS (DELETE FROM kill_requests k USING revived r WHERE k.job_id = r.id)
SELECT id FROM revived
