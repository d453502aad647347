-- The usage of many jobs that end at once. PostgreSQL keeps the plan of a trigger that it made for a few rows, and joined the two tables of
-- an update by comparing each row with each; what a NOT IN names is hashed. Each job counts as before.
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
    JOIN campaigns c ON c.id = a.campaign_id
    JOIN campaign_clusters p ON p.campaign_id = a.campaign_id AND p.cluster_id = a.cluster_id
    WHERE a.ended_at IS NOT NULL AND a.id NOT IN (SELECT id FROM before WHERE ended_at IS NOT NULL)
      AND CASE WHEN a.pooled THEN a.ending = 'done' ELSE a.started_at IS NOT NULL END) e
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
