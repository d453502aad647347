-- The grid's present state for simulations. The result contains counts, never one row for each task.

-- name: scenario.campaigns
-- Names of the campaigns in treatment or paused, and the JDL's max_attempts, if stated.
SELECT id, name, max_attempts FROM campaigns WHERE is_live(state) ORDER BY id

-- name: scenario.pairs
-- The pairs of these campaigns that submit best-effort jobs.
SELECT p.campaign_id, p.cluster_id, p.best_effort FROM campaign_clusters p
JOIN campaigns c ON c.id = p.campaign_id AND is_live(c.state)

-- name: scenario.running
-- Running jobs by pair and age, in steps of a tenth of it, with the resources that they hold. The list of states is that of the index
-- jobs_live: PostgreSQL uses the index only if the query names it.
SELECT campaign_id, cluster_id, avg(age)::double precision AS age, count(*) AS jobs, sum(resources)::bigint AS resources
FROM (
  SELECT j.campaign_id, j.cluster_id, greatest(0, extract(epoch FROM instant(@now) - j.started_at))::double precision AS age,
    coalesce(j.resources, requested_width(p), 1) AS resources
  FROM jobs j JOIN campaign_clusters p ON p.campaign_id = j.campaign_id AND p.cluster_id = j.cluster_id
  WHERE is_live(j.state) AND j.state = 'running' AND j.started_at IS NOT NULL) r
GROUP BY campaign_id, cluster_id, duration_bucket(greatest(1, age)::double precision) ORDER BY 1, 2, 3

-- name: scenario.pooled
-- Tasks that jobs of their launches take, and that are not over (docs/architecture/pools.md).
SELECT campaign_id, count(*) AS tasks FROM jobs WHERE is_live(state) AND state = 'pooled' GROUP BY campaign_id

-- name: scenario.durations
-- Durations of the done jobs of campaigns in treatment or paused.
SELECT d.campaign_id, bucket_seconds(d.bucket) AS seconds, sum(d.jobs) AS jobs
FROM durations d JOIN campaigns c ON c.id = d.campaign_id AND is_live(c.state)
GROUP BY 1, 2 ORDER BY 1, 2

-- name: scenario.earlier
-- For campaigns without a done task: durations of the same command in the user's 50 campaigns before each.
SELECT c.id AS campaign_id, bucket_seconds(d.bucket) AS seconds, sum(d.jobs) AS jobs
FROM campaigns c
CROSS JOIN LATERAL (SELECT e.id FROM campaigns e WHERE e.user_name = c.user_name AND e.id < c.id ORDER BY e.id DESC LIMIT 50) o
JOIN campaign_clusters q ON q.campaign_id = o.id AND q.done > 0
  AND q.exec_file IN (SELECT p.exec_file FROM campaign_clusters p WHERE p.campaign_id = c.id)
JOIN durations d ON d.campaign_id = q.campaign_id AND d.cluster_id = q.cluster_id
WHERE is_live(c.state) AND c.done = 0
GROUP BY 1, 2 ORDER BY 1, 2

-- name: scenario.durations_of
-- As scenario.earlier, for a campaign that is not submitted yet.
SELECT 0::bigint AS campaign_id, bucket_seconds(d.bucket) AS seconds, sum(d.jobs) AS jobs
FROM (SELECT e.id FROM campaigns e WHERE e.user_name = @user ORDER BY e.id DESC LIMIT 50) o
JOIN campaign_clusters q ON q.campaign_id = o.id AND q.done > 0 AND q.exec_file = ANY (@commands::text[])
JOIN durations d ON d.campaign_id = q.campaign_id AND d.cluster_id = q.cluster_id
GROUP BY 2 ORDER BY 2
