-- Jobs that OAR has, what becomes of them, and what this does to their tasks.

-- name: jobs.live
-- The jobs of ours that a cluster has. $1 cluster.
SELECT j.id, j.remote_id, j.state, j.campaign_id, j.task, j.attempt, j.resources, j.resubmissions, t.charged, greatest(j.attempt - t.uncounted, 0) AS earlier, k.sent_at IS NOT NULL AS kill_sent,
  k.reason AS kill_reason, coalesce(m.login, c.user_name) AS login, p.failures_in_a_row,
  coalesce(l.walltime_s, p.walltime_s) AS walltime_s, p.max_walltime_s
FROM jobs j
JOIN launches l ON l.id = j.launch_id
JOIN tasks t ON t.campaign_id = j.campaign_id AND t.number = j.task
JOIN campaigns c ON c.id = j.campaign_id
JOIN campaign_clusters p ON p.campaign_id = j.campaign_id AND p.cluster_id = j.cluster_id
LEFT JOIN user_mappings m ON m.user_name = c.user_name AND m.cluster_id = j.cluster_id
LEFT JOIN kill_requests k ON k.job_id = j.id
WHERE j.cluster_id = $1 AND j.state IN ('remote_waiting', 'running')
ORDER BY j.id

-- name: jobs.observe
-- What a poll saw of jobs that go on: $1 jobs, $2 states, $3 starts, $4 resources assigned. Only what changed is given.
WITH given AS (
  SELECT * FROM unnest($1::bigint[], $2::job_state[], $3::bigint[], $4::integer[]) AS g(id, state, started_at, resources)),
before AS (SELECT j.id, j.resources FROM jobs j JOIN given g ON g.id = j.id),
changed AS (
  UPDATE jobs j SET state = g.state, started_at = coalesce(instant(g.started_at), j.started_at), resources = coalesce(g.resources, j.resources)
  FROM given g WHERE j.id = g.id AND j.state IN ('remote_waiting', 'running')
  RETURNING j.id, j.campaign_id, j.cluster_id, j.task, j.attempt, j.state, j.started_at, j.resources),
moved AS (
  UPDATE tasks t SET state = CASE WHEN x.state = 'running' THEN 'running' ELSE 'submitted' END::task_state
  FROM changed x
  WHERE t.campaign_id = x.campaign_id AND t.number = x.task AND is_copy(t, x.attempt) AND t.state IN ('submitted', 'running')
    -- Of two copies one runs, or the task would have no second one.
    AND (x.state = 'running' OR NOT t.replica_lives)
    AND t.state <> CASE WHEN x.state = 'running' THEN 'running' ELSE 'submitted' END::task_state),
pair AS (
  UPDATE campaign_clusters p SET last_start_at = greatest(p.last_start_at, d.started_at),
    resources_sum = p.resources_sum + d.resources, resources_jobs = p.resources_jobs + d.jobs
  FROM (SELECT x.campaign_id, x.cluster_id, max(x.started_at) AS started_at,
          coalesce(sum(x.resources) FILTER (WHERE b.resources IS NULL), 0) AS resources,
          count(x.resources) FILTER (WHERE b.resources IS NULL) AS jobs
        FROM changed x JOIN before b ON b.id = x.id GROUP BY 1, 2) d
  WHERE p.campaign_id = d.campaign_id AND p.cluster_id = d.cluster_id),
first AS (
  UPDATE campaigns c SET first_start_at = d.started_at
  FROM (SELECT campaign_id, min(started_at) AS started_at FROM changed GROUP BY 1) d
  WHERE c.id = d.campaign_id AND c.first_start_at IS NULL AND d.started_at IS NOT NULL)
SELECT count(*) FROM changed

-- name: jobs.end
-- Jobs that are over, each classified: $1 jobs, $2 states, $3 endings, $4 exit statuses, $5 starts, $6 ends, $7 resources,
-- $8 outcomes for their tasks (done, failed, return; keep: another job of the same attempt decides), $9 charges, $10 priorities of
-- those that return, $11 messages, $12 now, $13 the walltimes that their tasks get from now on.
WITH given AS (
  SELECT * FROM unnest($1::bigint[], $2::job_state[], $3::text[], $4::integer[], $5::bigint[], $6::bigint[], $7::integer[], $8::text[],
    $9::integer[], $10::integer[], $11::text[], $13::integer[])
    AS g(id, state, ending, exit_status, started_at, ended_at, resources, outcome, charge, priority, message, walltime_s)),
before AS (SELECT j.id, j.resources FROM jobs j JOIN given g ON g.id = j.id),
ended AS (
  UPDATE jobs j SET state = g.state, ending = g.ending, exit_status = g.exit_status, started_at = coalesce(instant(g.started_at), j.started_at),
    ended_at = coalesce(instant(g.ended_at), instant($12)), resources = coalesce(g.resources, j.resources), message = g.message
  FROM given g WHERE j.id = g.id AND j.state IN ('remote_waiting', 'running')
  RETURNING j.id, j.campaign_id, j.cluster_id, j.task, j.attempt, j.ending, j.started_at, j.ended_at, j.resources, g.outcome, g.charge, g.priority,
    g.walltime_s),
-- The first success settles the task, and the last copy. One of two that ends otherwise costs the task nothing; they are on different
-- clusters, so never both among the given.
settled AS (
  UPDATE tasks t SET
    state = CASE WHEN e.outcome = 'done' THEN 'done'
                 WHEN t.replica_lives THEN
                   CASE WHEN EXISTS (SELECT FROM jobs o WHERE o.campaign_id = e.campaign_id AND o.task = e.task AND o.id <> e.id AND is_copy(t, o.attempt)
                                       AND o.state = 'running') THEN 'running' ELSE 'submitted' END
                 WHEN c.state = 'cancelled' THEN 'cancelled' WHEN e.outcome = 'failed' THEN 'failed'
                 ELSE 'waiting' END::task_state,
    attempt = CASE WHEN e.outcome = 'done' THEN t.attempt
                   WHEN t.replica_lives THEN CASE WHEN e.attempt = t.attempt THEN t.replica ELSE t.attempt END
                   WHEN e.outcome = 'return' THEN greatest(t.attempt, t.replica) + 1
                   ELSE t.attempt END,
    replica_lives = false,
    charged = t.charged + CASE WHEN t.replica_lives THEN 0 ELSE e.charge END,
    uncounted = t.uncounted + CASE WHEN e.ending = 'killed_by_us' AND e.started_at IS NULL AND e.outcome = 'return' AND NOT t.replica_lives THEN 1 ELSE 0 END,
    walltime_s = coalesce(e.walltime_s, t.walltime_s)
  FROM ended e JOIN campaigns c ON c.id = e.campaign_id
  WHERE t.campaign_id = e.campaign_id AND t.number = e.task AND is_copy(t, e.attempt) AND e.outcome <> 'keep'
    AND t.state IN ('launching', 'submitted', 'running')
  RETURNING e.id AS job, t.campaign_id, t.number, t.state, t.request, e.priority),
back AS (
  INSERT INTO returned_tasks (campaign_id, number, priority, request, returned_at)
  SELECT campaign_id, number, priority, request, instant($12) FROM settled WHERE state = 'waiting' ON CONFLICT DO NOTHING),
pair AS (
  UPDATE campaign_clusters p SET
    concluded = p.concluded + d.concluded, done = p.done + d.done, duration_sum = p.duration_sum + d.seconds,
    duration_squares = p.duration_squares + d.squares, last_start_at = greatest(p.last_start_at, d.started_at),
    resources_sum = p.resources_sum + d.resources, resources_jobs = p.resources_jobs + d.resources_jobs,
    failures_in_a_row = CASE WHEN d.succeeded > 0 THEN 0 ELSE p.failures_in_a_row END + d.charged
  FROM (
    SELECT e.campaign_id, e.cluster_id,
      count(*) FILTER (WHERE s.state IN ('done', 'failed')) AS concluded,
      count(*) FILTER (WHERE s.state = 'done') AS done,
      count(*) FILTER (WHERE e.outcome = 'done') AS succeeded,
      coalesce(sum(extract(epoch FROM e.ended_at - e.started_at)) FILTER (WHERE s.state = 'done'), 0) AS seconds,
      coalesce(sum(extract(epoch FROM e.ended_at - e.started_at) ^ 2) FILTER (WHERE s.state = 'done'), 0) AS squares,
      max(e.started_at) AS started_at,
      coalesce(sum(e.resources) FILTER (WHERE b.resources IS NULL), 0) AS resources,
      count(e.resources) FILTER (WHERE b.resources IS NULL) AS resources_jobs,
      coalesce(sum(e.charge), 0) AS charged
    FROM ended e JOIN before b ON b.id = e.id LEFT JOIN settled s ON s.job = e.id GROUP BY 1, 2) d
  WHERE p.campaign_id = d.campaign_id AND p.cluster_id = d.cluster_id),
first AS (
  UPDATE campaigns c SET first_start_at = d.started_at
  FROM (SELECT campaign_id, min(started_at) AS started_at FROM ended GROUP BY 1) d
  WHERE c.id = d.campaign_id AND c.first_start_at IS NULL AND d.started_at IS NOT NULL),
throughput AS (
  INSERT INTO completions AS w (campaign_id, cluster_id, minute, jobs)
  SELECT e.campaign_id, e.cluster_id, date_trunc('minute', e.ended_at), count(*) FROM ended e JOIN settled s ON s.job = e.id
  WHERE s.state IN ('done', 'failed') GROUP BY 1, 2, 3
  ON CONFLICT (campaign_id, cluster_id, minute) DO UPDATE SET jobs = w.jobs + EXCLUDED.jobs),
durations AS (
  INSERT INTO durations AS d (campaign_id, cluster_id, bucket, jobs)
  SELECT e.campaign_id, e.cluster_id, duration_bucket(extract(epoch FROM e.ended_at - e.started_at)::double precision), count(*)
  FROM ended e JOIN settled s ON s.job = e.id WHERE s.state = 'done' AND e.started_at IS NOT NULL GROUP BY 1, 2, 3
  ON CONFLICT (campaign_id, cluster_id, bucket) DO UPDATE SET jobs = d.jobs + EXCLUDED.jobs)
SELECT count(*) FROM ended

-- name: jobs.follow
-- OAR resubmitted a job by itself: it goes on under its new id. $1 job, $2 the old id, $3 the new one.
UPDATE jobs SET remote_id = $3, state = 'remote_waiting', resubmissions = resubmissions + 1
WHERE id = $1 AND remote_id = $2 AND state IN ('remote_waiting', 'running') RETURNING id

-- name: jobs.twins
-- Other jobs of the same attempt of a task: who may hold its claim. $1 campaign, $2 task, $3 attempt, $4 the job that asks.
SELECT id, state, ending, launch_id FROM jobs WHERE campaign_id = $1 AND task = $2 AND attempt = $3 AND id <> $4

-- name: jobs.of_remote
-- Which of these ids of OAR are known jobs of a cluster. $1 cluster, $2 remote ids.
SELECT remote_id FROM jobs WHERE cluster_id = $1 AND remote_id = ANY ($2::bigint[])

-- name: jobs.waiting_resources
-- Our jobs that wait and run on a cluster, in resources as far as they are known, else one each. $1 cluster.
SELECT
  coalesce(sum(p.waiting * coalesce(p.resources_per_job::double precision, p.resources_sum::double precision / nullif(p.resources_jobs, 0), 1)), 0) AS waiting
FROM campaign_clusters p JOIN campaigns c ON c.id = p.campaign_id AND (c.state IN ('in_treatment', 'paused') OR c.ended_at IS NULL)
WHERE p.cluster_id = $1 AND p.waiting > 0

-- name: campaigns.finish
-- Campaigns of which no task is left to do are over. $1 now.
UPDATE campaigns SET state = 'terminated', ended_at = instant($1)
WHERE state IN ('in_treatment', 'paused') AND done + failed + cancelled >= total
RETURNING id

-- name: campaigns.sweep
-- Tasks that came back to the bag of a campaign just when it was cancelled are cancelled too.
WITH stray AS (
  DELETE FROM returned_tasks r USING campaigns c WHERE c.id = r.campaign_id AND c.state = 'cancelled' RETURNING r.campaign_id, r.number)
UPDATE tasks t SET state = 'cancelled' FROM stray WHERE t.campaign_id = stray.campaign_id AND t.number = stray.number AND t.state = 'waiting'
