-- Clusters under stress.

-- name: stress.sample
-- Adds jobs that have just started as samples. @running: number of our running jobs there. How long a pool's jobs last says nothing of the
-- cluster.
INSERT INTO duration_samples (job_id, cluster_id, campaign_id, started_at, running)
SELECT j.id, j.cluster_id, j.campaign_id, j.started_at, @running FROM jobs j
WHERE j.id = ANY (@jobs::bigint[]) AND j.cluster_id = @cluster AND j.started_at IS NOT NULL AND NOT is_script(j.task)
  AND NOT EXISTS (SELECT FROM launches l WHERE l.id = j.launch_id AND l.pool_s IS NOT NULL)
ON CONFLICT (job_id) DO NOTHING

-- name: stress.settle
-- Writes the durations of samples whose jobs are over. Samples whose jobs are gone, or wait again, are deleted.
WITH open AS (
  SELECT
    s.job_id,
    j.state,
    j.ending,
    j.started_at,
    j.ended_at
  FROM duration_samples s LEFT JOIN jobs j ON j.id = s.job_id WHERE s.seconds IS NULL),
gone AS (
  DELETE FROM duration_samples s USING open o
  WHERE s.job_id = o.job_id AND (o.state IS NULL OR (o.ended_at IS NULL AND o.state <> 'running')))
UPDATE duration_samples s SET
  started_at = coalesce(o.started_at, s.started_at),
  seconds = greatest(extract(epoch FROM o.ended_at - coalesce(o.started_at, s.started_at)), 0),
  done = o.ending IS NOT DISTINCT FROM 'done'
FROM open o WHERE s.job_id = o.job_id AND o.ended_at IS NOT NULL

-- name: stress.clusters
-- The newest status of each cluster in use, our jobs there, and the stored stress figures.
SELECT
  c.id,
  micros(s.time) AS time,
  s.max_resources,
  s.stress,
  s.response_ms,
  coalesce(j.live, 0) AS live,
  coalesce(j.running, 0) AS running,
  micros(x.judged_at) AS judged_at,
  x.usual_stress,
  x.calm_latency_ms,
  coalesce(x.stressed_polls, 0) AS stressed_polls,
  coalesce(x.slow_polls, 0) AS slow_polls,
  x.job_limit,
  coalesce(x.signal, 'none') AS signal,
  coalesce(x.reason, '') AS reason,
  micros(x.limited_at) AS limited_at,
  micros(x.changed_at) AS changed_at,
  micros(x.trial_at) AS trial_at
FROM clusters c
JOIN LATERAL (SELECT * FROM gridstatus s WHERE s.cluster_id = c.id AND s.reachable ORDER BY s.time DESC LIMIT 1) s ON true
LEFT JOIN cluster_stress x ON x.cluster_id = c.id
LEFT JOIN (SELECT p.cluster_id, sum(live_jobs(p)) AS live, sum(p.running) AS running
           FROM campaign_clusters p JOIN campaigns g ON g.id = p.campaign_id AND is_live(g.state) GROUP BY p.cluster_id) j
  ON j.cluster_id = c.id
WHERE c.reachable AND c.enabled ORDER BY c.id

-- name: stress.samples
-- All samples, of each cluster in the order of their starts.
SELECT job_id, cluster_id, campaign_id, micros(started_at) AS started_at, running, seconds, done FROM duration_samples
ORDER BY cluster_id, started_at, job_id

-- name: stress.forget
-- Deletes samples.
DELETE FROM duration_samples WHERE job_id = ANY (@jobs::bigint[])

-- name: stress.write
-- Stores the stress figures of a cluster.
INSERT INTO cluster_stress (cluster_id, judged_at, usual_stress, calm_latency_ms, stressed_polls, slow_polls, job_limit, signal, reason,
  limited_at, changed_at,
  trial_at)
VALUES (@cluster, instant(@judged_at), @usual_stress, @calm_latency_ms, @stressed_polls, @slow_polls, @job_limit, @signal, @reason,
  instant(@limited_at), instant(@changed_at), instant(@trial_at))
ON CONFLICT (cluster_id) DO UPDATE SET
  judged_at = EXCLUDED.judged_at,
  usual_stress = EXCLUDED.usual_stress,
  calm_latency_ms = EXCLUDED.calm_latency_ms,
  stressed_polls = EXCLUDED.stressed_polls,
  slow_polls = EXCLUDED.slow_polls,
  job_limit = EXCLUDED.job_limit,
  signal = EXCLUDED.signal,
  reason = EXCLUDED.reason,
  limited_at = EXCLUDED.limited_at,
  changed_at = EXCLUDED.changed_at,
  trial_at = EXCLUDED.trial_at
