-- Clusters under stress: what tells it, and how many of our jobs they take meanwhile.

-- What a poll told belongs to the poll.
ALTER TABLE gridstatus
  ADD COLUMN stress double precision,                    -- OAR's factor; null: not told
  ADD COLUMN response_ms integer;                        -- of that one small question, the same whatever the number of jobs; null: not asked
ALTER TABLE clusters DROP COLUMN stress, DROP COLUMN job_limit, DROP COLUMN calm_latency_ms;

-- What is remembered from one poll of a cluster to the next, and the limit.
CREATE TABLE cluster_stress (
  cluster_id bigint PRIMARY KEY REFERENCES clusters ON DELETE CASCADE,
  judged_at timestamptz,                                 -- the poll that was judged last
  usual_stress double precision,
  calm_latency_ms double precision,
  stressed_polls integer NOT NULL DEFAULT 0,             -- in a row
  slow_polls integer NOT NULL DEFAULT 0,
  job_limit integer CHECK (job_limit >= 1),              -- of our live jobs; null: none
  signal text NOT NULL DEFAULT 'none' CHECK (signal IN ('none', 'stress_factor', 'latency', 'durations')),
  reason text NOT NULL DEFAULT '',                       -- the signal with its figures
  limited_at timestamptz,
  changed_at timestamptz,
  trial_at timestamptz                                   -- when durations were last put to a trial that showed nothing
);

-- Some jobs of each cluster, a few hundred at most: how many ran beside them when they started, and how long they took. The rows hold
-- all that is compared, so that a finished campaign may be pruned.
CREATE TABLE duration_samples (
  job_id bigint PRIMARY KEY,
  cluster_id bigint NOT NULL REFERENCES clusters ON DELETE CASCADE,
  campaign_id bigint NOT NULL,
  started_at timestamptz NOT NULL,
  running integer NOT NULL CHECK (running >= 1),         -- our jobs there when it started, itself included
  seconds double precision,                              -- null: it runs
  done boolean NOT NULL DEFAULT false                    -- false when over: killed or failed, so it would have taken longer
);
