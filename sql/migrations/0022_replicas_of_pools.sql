-- Replicas of tasks that share jobs: since when each is seen to run, and which jobs are over with their own task.

ALTER TABLE jobs ADD COLUMN claimed_at timestamptz, ADD COLUMN command_over boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN jobs.claimed_at IS
  'of a pooled job whose campaign allows replicas: when a carrier was first seen to carry it out; null: none was';
COMMENT ON COLUMN jobs.command_over IS
  'of a carrier whose campaign allows replicas: its own task is over by its files, and it goes on with pooled ones';
ALTER TABLE launches ADD COLUMN read_at timestamptz;
COMMENT ON COLUMN launches.read_at IS
  'of a pool whose campaign allows replicas: when all of its files were last read; null: it has none, or they were not';

CREATE INDEX jobs_claimed ON jobs (campaign_id) WHERE state = 'pooled' AND claimed_at IS NOT NULL;

-- Jobs in which a task is carried out now. `oar_job`: the job of OAR, its own or its carrier. `seen_at`: until when it is known to run;
-- null: now. A task of a pool may be over since its files were read, so it is not listed before it was seen to run for 10 s: a replica
-- of a shorter one would begin after its end.
CREATE VIEW carried_out AS
  SELECT j.id, j.campaign_id, j.cluster_id, j.task, j.attempt, j.id AS oar_job, j.started_at AS began_at,
    CASE WHEN l.pool_s IS NOT NULL THEN l.read_at END AS seen_at
  FROM jobs j JOIN launches l ON l.id = j.launch_id
  WHERE j.state = 'running' AND NOT j.command_over AND (l.pool_s IS NULL OR l.read_at >= j.started_at + interval '10 s')
  UNION ALL
  SELECT j.id, j.campaign_id, j.cluster_id, j.task, j.attempt, c.id, j.claimed_at, l.read_at
  FROM jobs j
  JOIN launches l ON l.id = j.launch_id AND l.read_at >= j.claimed_at + interval '10 s'
  JOIN jobs c ON c.launch_id = j.launch_id AND c.remote_id = j.remote_id AND NOT c.pooled AND c.state = 'running'
  WHERE j.state = 'pooled' AND j.claimed_at IS NOT NULL;

-- Whether a task waits for a job.
CREATE FUNCTION is_awaited(task tasks, job_attempt integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT is_in_flight(task.state) AND is_copy(task, job_attempt)
$$;

-- Whether a job of OAR carries out a pooled task, as far as that is known, that waits for it.
CREATE FUNCTION carries_awaited(job jobs) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM jobs p JOIN tasks t ON t.campaign_id = p.campaign_id AND t.number = p.task AND is_awaited(t, p.attempt)
    WHERE p.launch_id = job.launch_id AND p.remote_id = job.remote_id AND p.state = 'pooled')
$$;
