-- Queries of the predictor.

-- name: prediction.campaigns
-- The progress of each campaign in treatment, for how long its running jobs have run, the ends of its tasks within the throughput's window, and
-- its last kept forecast.
SELECT
  c.id,
  micros(c.first_start_at) AS first_start_at,
  c.total - c.done - c.failed - c.cancelled AS remaining,
  c.running,
  coalesce(r.seconds, 0)::float8 AS running_seconds,
  c.waiting,
  c.held,
  coalesce(w.jobs, 0) AS ended,
  micros(h.made_at) AS kept_at,
  micros(h.end_at) AS kept_end
FROM campaigns c
LEFT JOIN (SELECT campaign_id, sum(jobs) AS jobs FROM completions
  WHERE minute >= date_trunc('minute', instant(@window_begin)) GROUP BY campaign_id) w
  ON w.campaign_id = c.id
LEFT JOIN (SELECT campaign_id, sum(greatest(0, extract(epoch FROM instant(@now) - started_at))) AS seconds FROM jobs
  WHERE state = 'running' GROUP BY campaign_id) r
  ON r.campaign_id = c.id
LEFT JOIN LATERAL (SELECT made_at, end_at FROM forecast_history WHERE campaign_id = c.id ORDER BY made_at DESC LIMIT 1) h ON true
WHERE is_live(c.state)
ORDER BY c.id

-- name: prediction.stops
-- Keeps and limits of administrators that the last plan met: resources of the cluster that are kept for others, and the limit that stopped
-- the pair, or kept its launch from being bigger. `limit_of`: those who have this limit together. `limit_id`: empty where it says nothing
-- of jobs at a time. `is_closed`: no end of a job leaves room for another one: the limit is 0, or one job needs more, or more than what
-- is not kept, or what was used in a window of days has to leave that first.
SELECT d.campaign_id, d.cluster_id,
  (SELECT sum((e->>'kept')::float8) FROM jsonb_array_elements(d.figures->'keeps') e WHERE d.reason = 'kept_for_others') AS kept,
  CASE WHEN l.is_met AND l.kind NOT IN ('waiting_jobs', 'resource_seconds') THEN (d.figures->>'limit')::bigint END AS limit_id,
  CASE d.figures->>'limit_each' WHEN 'user' THEN c.user_name WHEN 'project' THEN c.project WHEN 'campaign' THEN c.id::text ELSE '' END
    AS limit_of,
  l.most AS limit_most,
  (d.figures->>'job_needs')::float8 AS job_needs,
  l.kind = 'resources' AS limit_is_of_resources,
  coalesce((d.figures->>'leaves_too_few')::boolean, false)
    OR (l.is_met AND (l.most = 0 OR NOT (d.figures->>'fits_one_job')::boolean OR (l.kind = 'resource_seconds' AND d.reason = 'limit_reached')))
    AS is_closed
FROM decisions d
JOIN campaigns c ON c.id = d.campaign_id
CROSS JOIN LATERAL (
  SELECT (d.reason = 'limit_reached' OR (d.reason = 'launched' AND d.figures->>'bound' = 'limit')) AS is_met,
    d.figures->>'limit_kind' AS kind,
    (d.figures->>'limit_most')::float8 AS most) l
WHERE l.is_met OR d.reason = 'kept_for_others'

-- name: prediction.earlier
-- For campaigns without a done task: durations of the same command in the user's 50 campaigns before each.
SELECT c.id, sum(q.done) AS done, sum(q.duration_sum) AS duration_sum, sum(q.duration_squares) AS duration_squares
FROM campaigns c
CROSS JOIN LATERAL (SELECT e.id FROM campaigns e WHERE e.user_name = c.user_name AND e.id < c.id ORDER BY e.id DESC LIMIT 50) o
JOIN campaign_clusters q ON q.campaign_id = o.id AND q.done > 0
  AND q.exec_file IN (SELECT p.exec_file FROM campaign_clusters p WHERE p.campaign_id = c.id)
WHERE is_live(c.state) AND c.done = 0
GROUP BY c.id

-- name: prediction.window
-- Ends of jobs within the throughput's window, by pair.
SELECT w.campaign_id, w.cluster_id, sum(w.jobs) AS jobs FROM completions w
JOIN campaigns c ON c.id = w.campaign_id AND is_live(c.state)
WHERE w.minute >= date_trunc('minute', instant(@window_begin)) GROUP BY 1, 2

-- name: prediction.write
-- Stores the forecasts of campaigns, and of pairs, with the cause where a ratio changed. The numbers submitted belong to the metascheduler
-- and are unchanged.
WITH made AS MATERIALIZED (
  SELECT
    g.campaign_id,
    instant(@now) AS made_at,
    g.method,
    instant(g.end_at) AS end_at,
    instant(g.end_earliest) AS end_earliest,
    instant(g.end_latest) AS end_latest,
    instant(g.start_at) AS start_at,
    instant(g.start_earliest) AS start_earliest,
    instant(g.start_latest) AS start_latest,
    g.kept
  FROM unnest(@campaigns::campaign_forecast[]) AS g),
campaigns AS (
  INSERT INTO campaign_forecasts (campaign_id, made_at, method, end_at, end_earliest, end_latest, start_at, start_earliest, start_latest)
  SELECT campaign_id, made_at, method, end_at, end_earliest, end_latest, start_at, start_earliest, start_latest FROM made
  ON CONFLICT (campaign_id) DO UPDATE SET
    made_at = EXCLUDED.made_at,
    method = EXCLUDED.method,
    end_at = EXCLUDED.end_at,
    end_earliest = EXCLUDED.end_earliest,
    end_latest = EXCLUDED.end_latest,
    start_at = EXCLUDED.start_at,
    start_earliest = EXCLUDED.start_earliest,
    start_latest = EXCLUDED.start_latest),
history AS (
  INSERT INTO forecast_history (campaign_id, made_at, end_at, end_earliest, end_latest, method)
  SELECT campaign_id, made_at, end_at, end_earliest, end_latest, method FROM made WHERE kept),
pairs AS (
  INSERT INTO pair_history (campaign_id, made_at, cluster_id, job_ratio, algorithm, throughput, nsub, running)
  SELECT g.campaign_id, m.made_at, g.cluster_id, g.job_ratio, g.algorithm, g.throughput, coalesce(f.nsub, 0), p.running
  FROM made m
  JOIN unnest(@pairs::pair_forecast[]) AS g ON g.campaign_id = m.campaign_id
  JOIN campaign_clusters p ON p.campaign_id = g.campaign_id AND p.cluster_id = g.cluster_id
  LEFT JOIN forecasts f ON f.campaign_id = g.campaign_id AND f.cluster_id = g.cluster_id
  WHERE m.kept)
INSERT INTO forecasts AS f (campaign_id, cluster_id, job_ratio, throughput, algorithm, verdict, seen_waiting, seen_free)
SELECT campaign_id, cluster_id, job_ratio, throughput, algorithm, verdict, waiting, free FROM unnest(@pairs::pair_forecast[])
ON CONFLICT (campaign_id, cluster_id) DO UPDATE SET
  job_ratio = EXCLUDED.job_ratio,
  throughput = EXCLUDED.throughput,
  algorithm = EXCLUDED.algorithm,
  changed_at = CASE WHEN f.job_ratio = EXCLUDED.job_ratio THEN f.changed_at ELSE instant(@now) END,
  ratio_before = CASE WHEN f.job_ratio = EXCLUDED.job_ratio THEN f.ratio_before ELSE f.job_ratio END,
  verdict = CASE WHEN f.job_ratio = EXCLUDED.job_ratio THEN f.verdict ELSE EXCLUDED.verdict END,
  seen_nsub = CASE WHEN f.job_ratio = EXCLUDED.job_ratio THEN f.seen_nsub ELSE f.nsub END,
  seen_offered = CASE WHEN f.job_ratio = EXCLUDED.job_ratio THEN f.seen_offered ELSE f.offered END,
  seen_waiting = CASE WHEN f.job_ratio = EXCLUDED.job_ratio THEN f.seen_waiting ELSE EXCLUDED.seen_waiting END,
  seen_free = CASE WHEN f.job_ratio = EXCLUDED.job_ratio THEN f.seen_free ELSE EXCLUDED.seen_free END
WHERE (f.job_ratio, f.throughput, f.algorithm) IS DISTINCT FROM (EXCLUDED.job_ratio, EXCLUDED.throughput, EXCLUDED.algorithm)

-- name: prediction.history
-- The kept forecasts of a campaign's end, the oldest first.
SELECT
  micros(made_at) AS made_at,
  micros(end_at) AS end_at,
  micros(end_earliest) AS end_earliest,
  micros(end_latest) AS end_latest,
  method
FROM forecast_history WHERE campaign_id = @campaign ORDER BY made_at

-- name: prediction.pair_history
-- The jobs and the progress of each cluster when these were kept: by that time, and cluster.
SELECT micros(h.made_at) AS made_at, k.name AS cluster, h.job_ratio, h.algorithm, h.throughput, h.nsub, h.running
FROM pair_history h JOIN clusters k ON k.id = h.cluster_id
WHERE h.campaign_id = @campaign ORDER BY h.made_at, k.name

-- name: prediction.trials
-- The waste that each algorithm of the ratio would have made, of campaigns that go on.
SELECT t.campaign_id, t.cluster_id, t.algorithm, t.job_ratio, t.waste
FROM algorithm_trials t JOIN campaigns c ON c.id = t.campaign_id AND is_live(c.state)

-- name: prediction.write_trials
-- Stores them, and forgets those of campaigns that are over.
WITH over AS (
  DELETE FROM algorithm_trials t USING campaigns c WHERE c.id = t.campaign_id AND NOT is_live(c.state))
INSERT INTO algorithm_trials AS t (campaign_id, cluster_id, algorithm, job_ratio, waste)
SELECT campaign_id, cluster_id, algorithm, job_ratio, waste FROM unnest(@trials::algorithm_trial[])
ON CONFLICT (campaign_id, cluster_id, algorithm) DO UPDATE SET job_ratio = EXCLUDED.job_ratio, waste = EXCLUDED.waste
WHERE (t.job_ratio, t.waste) IS DISTINCT FROM (EXCLUDED.job_ratio, EXCLUDED.waste)
