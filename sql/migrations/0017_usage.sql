-- What the resources were used for. A row of usage is by the day, user, project, cluster and campaign, as before.

ALTER TABLE usage
  ADD COLUMN useful_seconds double precision NOT NULL DEFAULT 0,  -- part of resource_seconds: of jobs that ended with exit status 0
  ADD COLUMN failed_seconds double precision NOT NULL DEFAULT 0,  -- part of it: of jobs that failed by their own fault
  ADD COLUMN lost_seconds double precision NOT NULL DEFAULT 0,    -- part of it: of jobs that were killed or preempted, or could not run
  ADD COLUMN jobs bigint NOT NULL DEFAULT 0,                      -- that started
  ADD COLUMN failed_jobs bigint NOT NULL DEFAULT 0,               -- part of jobs
  ADD COLUMN lost_jobs bigint NOT NULL DEFAULT 0,                 -- part of jobs
  ADD COLUMN tasks bigint NOT NULL DEFAULT 0;                     -- that were done, those of pools too

-- `useful`, `failed` or `lost`, by the end of a job.
CREATE FUNCTION use_of(ending text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT CASE WHEN ending = 'done' THEN 'useful'
              WHEN ending IN ('task_error', 'rerun_first', 'rerun_last', 'walltime', 'bad_request') THEN 'failed'
              ELSE 'lost' END
$$;

-- The usage follows the ends of jobs, in their own transaction: each run of a job counts once. The carriers of a pool held the resources,
-- and count by the ends of their own tasks.
CREATE OR REPLACE FUNCTION account_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage AS u (day, user_name, project, cluster_id, campaign_id, resource_seconds, useful_seconds, failed_seconds, lost_seconds,
    jobs, failed_jobs, lost_jobs, tasks)
  SELECT (e.ended_at AT TIME ZONE 'UTC')::date, e.user_name, e.project, e.cluster_id, e.campaign_id,
    coalesce(sum(e.seconds) FILTER (WHERE NOT e.pooled), 0),
    coalesce(sum(e.seconds) FILTER (WHERE NOT e.pooled AND e.use = 'useful'), 0),
    coalesce(sum(e.seconds) FILTER (WHERE NOT e.pooled AND e.use = 'failed'), 0),
    coalesce(sum(e.seconds) FILTER (WHERE NOT e.pooled AND e.use = 'lost'), 0),
    count(*) FILTER (WHERE NOT e.pooled),
    count(*) FILTER (WHERE NOT e.pooled AND e.use = 'failed'),
    count(*) FILTER (WHERE NOT e.pooled AND e.use = 'lost'),
    count(*) FILTER (WHERE e.use = 'useful' AND NOT is_script(e.task))
  FROM (
    SELECT a.ended_at, c.user_name, c.project, a.cluster_id, a.campaign_id, a.task, a.pooled, use_of(a.ending) AS use,
      greatest(0, extract(epoch FROM a.ended_at - a.started_at)) * coalesce(a.resources, known_width(p), 1) AS seconds
    FROM after a
    JOIN before b ON b.id = a.id AND b.ended_at IS NULL
    JOIN campaigns c ON c.id = a.campaign_id
    JOIN campaign_clusters p ON p.campaign_id = a.campaign_id AND p.cluster_id = a.cluster_id
    WHERE a.ended_at IS NOT NULL AND CASE WHEN a.pooled THEN a.ending = 'done' ELSE a.started_at IS NOT NULL END) e
  GROUP BY 1, 2, 3, 4, 5
  ON CONFLICT (day, user_name, project, cluster_id, campaign_id) DO UPDATE SET
    resource_seconds = u.resource_seconds + EXCLUDED.resource_seconds,
    useful_seconds = u.useful_seconds + EXCLUDED.useful_seconds,
    failed_seconds = u.failed_seconds + EXCLUDED.failed_seconds,
    lost_seconds = u.lost_seconds + EXCLUDED.lost_seconds,
    jobs = u.jobs + EXCLUDED.jobs,
    failed_jobs = u.failed_jobs + EXCLUDED.failed_jobs,
    lost_jobs = u.lost_jobs + EXCLUDED.lost_jobs,
    tasks = u.tasks + EXCLUDED.tasks;
  RETURN NULL;
END $$;

-- Days on which tasks of pools were done, and no job of OAR ended.
INSERT INTO usage (day, user_name, project, cluster_id, campaign_id, resource_seconds)
SELECT DISTINCT (j.ended_at AT TIME ZONE 'UTC')::date, c.user_name, c.project, j.cluster_id, j.campaign_id, 0
FROM jobs j JOIN campaigns c ON c.id = j.campaign_id
WHERE j.pooled AND j.ending = 'done' AND j.ended_at IS NOT NULL AND NOT EXISTS (SELECT FROM usage u
  WHERE u.day = (j.ended_at AT TIME ZONE 'UTC')::date AND u.cluster_id = j.cluster_id AND u.campaign_id = j.campaign_id);

-- What was booked before: by the jobs of campaigns that are still there. What was booked stays; where a campaign's project changed within
-- a day, its rows share the parts, and the first of them has the counts.
WITH ended AS (
  SELECT (j.ended_at AT TIME ZONE 'UTC')::date AS day, j.cluster_id, j.campaign_id, j.task, j.pooled, use_of(j.ending) AS use,
    greatest(0, extract(epoch FROM j.ended_at - j.started_at)) * coalesce(j.resources, known_width(p), 1) AS seconds
  FROM jobs j JOIN campaign_clusters p ON p.campaign_id = j.campaign_id AND p.cluster_id = j.cluster_id
  WHERE j.ended_at IS NOT NULL AND CASE WHEN j.pooled THEN j.ending = 'done' ELSE j.started_at IS NOT NULL END),
sums AS (
  SELECT day, cluster_id, campaign_id,
    sum(seconds) FILTER (WHERE NOT pooled) AS seconds,
    coalesce(sum(seconds) FILTER (WHERE NOT pooled AND use = 'useful'), 0) AS useful,
    coalesce(sum(seconds) FILTER (WHERE NOT pooled AND use = 'failed'), 0) AS failed,
    coalesce(sum(seconds) FILTER (WHERE NOT pooled AND use = 'lost'), 0) AS lost,
    count(*) FILTER (WHERE NOT pooled) AS jobs,
    count(*) FILTER (WHERE NOT pooled AND use = 'failed') AS failed_jobs,
    count(*) FILTER (WHERE NOT pooled AND use = 'lost') AS lost_jobs,
    count(*) FILTER (WHERE use = 'useful' AND NOT is_script(task)) AS tasks
  FROM ended GROUP BY 1, 2, 3),
first AS (
  SELECT DISTINCT ON (day, cluster_id, campaign_id) day, user_name, project, cluster_id, campaign_id
  FROM usage ORDER BY day, cluster_id, campaign_id, user_name, project)
UPDATE usage u SET
  useful_seconds = coalesce(u.resource_seconds * s.useful / nullif(s.seconds, 0), 0),
  failed_seconds = coalesce(u.resource_seconds * s.failed / nullif(s.seconds, 0), 0),
  lost_seconds = coalesce(u.resource_seconds * s.lost / nullif(s.seconds, 0), 0),
  jobs = CASE WHEN f.day IS NULL THEN 0 ELSE s.jobs END,
  failed_jobs = CASE WHEN f.day IS NULL THEN 0 ELSE s.failed_jobs END,
  lost_jobs = CASE WHEN f.day IS NULL THEN 0 ELSE s.lost_jobs END,
  tasks = CASE WHEN f.day IS NULL THEN 0 ELSE s.tasks END
FROM usage o
JOIN sums s ON s.day = o.day AND s.cluster_id = o.cluster_id AND s.campaign_id = o.campaign_id
LEFT JOIN first f ON (f.day, f.user_name, f.project, f.cluster_id, f.campaign_id) = (o.day, o.user_name, o.project, o.cluster_id, o.campaign_id)
WHERE (u.day, u.user_name, u.project, u.cluster_id, u.campaign_id) = (o.day, o.user_name, o.project, o.cluster_id, o.campaign_id);
