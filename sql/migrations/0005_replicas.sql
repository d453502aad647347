-- A second copy of a running task, where its campaign allows it.

-- Whether its JDL allows them.
ALTER TABLE campaigns ADD COLUMN replicas boolean GENERATED ALWAYS AS (coalesce(jdl ->> 'replicas', '') = 'allowed') STORED;

-- A task has one copy, whose attempt is `attempt`; while replica_lives, a second one, whose attempt is `replica`. It gets one once in
-- its life, so `replica` stays. When one of two copies ends without doing the task, the other one is its only one, and `attempt` its.
ALTER TABLE tasks
  ADD COLUMN replica integer,
  ADD COLUMN replica_lives boolean NOT NULL DEFAULT false;

-- Whether a job of this attempt is a copy that the task waits for; any other one is late, and moves nothing.
CREATE FUNCTION is_copy(task tasks, job_attempt integer) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT job_attempt = task.attempt OR (task.replica_lives AND job_attempt = task.replica) $$;

-- Running jobs by their age, of the campaigns whose tasks may be replicated.
CREATE INDEX jobs_running ON jobs (campaign_id, started_at) WHERE state = 'running';
