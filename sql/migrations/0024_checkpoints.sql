-- Checkpoints: tasks that continue from what an earlier job of theirs wrote.

ALTER TABLE campaigns
  ADD COLUMN checkpoint_signal text GENERATED ALWAYS AS (jdl -> 'checkpoint' ->> 'signal') STORED,
  ADD COLUMN checkpoint_period_s integer
    GENERATED ALWAYS AS (CASE WHEN jdl -> 'checkpoint' ->> 'period' <> 'auto' THEN (jdl -> 'checkpoint' ->> 'period')::integer END) STORED,
  ADD COLUMN checkpoint_cost_s integer GENERATED ALWAYS AS ((jdl -> 'checkpoint' ->> 'cost')::integer) STORED;
COMMENT ON COLUMN campaigns.checkpoint_signal IS 'the signal that its tasks get, without SIG; null: they write no checkpoints';
COMMENT ON COLUMN campaigns.checkpoint_period_s IS 'seconds from one checkpoint to the next; null: as the rate of interruptions requires';
COMMENT ON COLUMN campaigns.checkpoint_cost_s IS 'seconds that a task takes to write one; null: they write none';
CREATE INDEX campaigns_with_checkpoints ON campaigns (id) WHERE checkpoint_cost_s IS NOT NULL AND is_live(state);

ALTER TABLE jobs
  ADD COLUMN signalled_at timestamptz,    -- when the last signal for a checkpoint was sent, whatever became of it; null: none was
  ADD COLUMN checkpointed_at timestamptz; -- when the last one was sent that OAR passed on to the job; null: none was

ALTER TABLE campaign_clusters
  ADD COLUMN interruptions bigint NOT NULL DEFAULT 0,       -- jobs that ran, and were preempted or lost with their node
  ADD COLUMN exposed_s double precision NOT NULL DEFAULT 0; -- seconds for which its ended jobs ran, in all

-- Seconds of a job's time that later jobs of its task need not spend again: until its last checkpoint, or all of it if it ended after
-- writing one. A task that failed left no use.
CREATE FUNCTION saved_seconds(ending text, started_at timestamptz, checkpointed_at timestamptz, ended_at timestamptz)
  RETURNS double precision IMMUTABLE LANGUAGE sql AS $$
  SELECT coalesce(greatest(0, extract(epoch FROM CASE
    WHEN ending IN ('done', 'task_error', 'bad_request') THEN NULL
    WHEN ending = 'rerun_first' THEN ended_at
    WHEN checkpointed_at IS NOT NULL THEN least(checkpointed_at, ended_at) END - started_at)), 0)::double precision
$$;

-- As before, with the time until a checkpoint as useful.
CREATE OR REPLACE FUNCTION account_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage AS u (day, user_name, project, cluster_id, campaign_id, resource_seconds, useful_seconds, failed_seconds, lost_seconds,
    jobs, failed_jobs, lost_jobs, tasks)
  SELECT (e.ended_at AT TIME ZONE 'UTC')::date, e.user_name, e.project, e.cluster_id, e.campaign_id,
    coalesce(sum(e.seconds) FILTER (WHERE NOT e.pooled), 0),
    coalesce(sum(CASE WHEN e.use = 'useful' THEN e.seconds ELSE e.saved END) FILTER (WHERE NOT e.pooled), 0),
    coalesce(sum(e.seconds - e.saved) FILTER (WHERE NOT e.pooled AND e.use = 'failed'), 0),
    coalesce(sum(e.seconds - e.saved) FILTER (WHERE NOT e.pooled AND e.use = 'lost'), 0),
    count(*) FILTER (WHERE NOT e.pooled),
    count(*) FILTER (WHERE NOT e.pooled AND e.use = 'failed'),
    count(*) FILTER (WHERE NOT e.pooled AND e.use = 'lost'),
    count(*) FILTER (WHERE e.use = 'useful' AND NOT is_script(e.task))
  FROM (
    SELECT a.ended_at, c.user_name, c.project, a.cluster_id, a.campaign_id, a.task, a.pooled, use_of(a.ending) AS use,
      greatest(0, extract(epoch FROM a.ended_at - a.started_at)) * coalesce(a.resources, known_width(p), 1) AS seconds,
      CASE WHEN c.checkpoint_cost_s IS NULL OR is_script(a.task) THEN 0
        ELSE saved_seconds(a.ending, a.started_at, a.checkpointed_at, a.ended_at) * coalesce(a.resources, known_width(p), 1) END AS saved
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
