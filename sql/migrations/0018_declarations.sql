-- What administrators declare: clusters retired, jobs and launches lost, rows repaired. When the laws of the database were last checked.

ALTER TABLE clusters ADD COLUMN retired_at timestamptz;  -- null: in use
ALTER TABLE grid ADD COLUMN checked_at timestamptz;      -- by the conductor; null: never

CREATE TABLE declarations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  what text NOT NULL CHECK (what IN ('cluster_retired', 'cluster_returned', 'job_lost', 'launch_lost', 'repair')),
  subject text NOT NULL,                                 -- the cluster's name, the job's or launch's id, the law's name
  declared_by text NOT NULL,
  declared_at timestamptz NOT NULL,
  reason text NOT NULL DEFAULT '',                       -- in the words of who declared it
  message text NOT NULL                                  -- what followed from it
);

-- A job that was declared lost may go on on its cluster: for a day its deletion is asked for, three times at most.
CREATE FUNCTION is_lost_and_killed(job jobs, kill kill_requests) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT job.state = 'error' AND job.ending = 'lost' AND job.remote_id IS NOT NULL AND kill.reason = 'lost' AND kill.sends < 3
    AND kill.requested_at > now() - interval '1 day'
$$;
CREATE INDEX kill_requests_lost ON kill_requests (requested_at) WHERE reason = 'lost';

-- A job that is over, though it may still appear on its cluster: it was given up before OAR's id of it was known.
CREATE FUNCTION is_unfound(job jobs) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT job.state = 'error' AND (job.ending = 'never_submitted' OR (job.ending = 'lost' AND job.remote_id IS NULL))
$$;
