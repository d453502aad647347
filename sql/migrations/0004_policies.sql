-- Scheduling policies: what clusters cost, who shares the grid and has used it, limits, couples.

ALTER TABLE clusters
  ADD COLUMN cost double precision NOT NULL DEFAULT 0 CHECK (cost >= 0),                 -- of one resource for an hour
  ADD COLUMN transfer_mb_s double precision NOT NULL DEFAULT 0 CHECK (transfer_mb_s >= 0), -- 0: not known
  -- Its stress, as the predictor sees it, and what it allows.
  ADD COLUMN stress double precision,
  ADD COLUMN job_limit integer CHECK (job_limit >= 1),                                   -- of our live jobs; null: none
  ADD COLUMN calm_latency_ms double precision;                                           -- of its API while it is not under stress

ALTER TABLE campaigns
  ADD COLUMN priority integer GENERATED ALWAYS AS (coalesce((jdl ->> 'campaign_priority')::integer, 4)) STORED,
  ADD COLUMN project text GENERATED ALWAYS AS (coalesce(jdl ->> 'project', '')) STORED,
  ADD COLUMN scheduler text GENERATED ALWAYS AS (jdl ->> 'scheduler') STORED,
  ADD COLUMN min_duration_s double precision GENERATED ALWAYS AS ((jdl ->> 'min_duration')::double precision) STORED;

ALTER TABLE campaign_clusters
  ADD COLUMN last_failure_at timestamptz,
  -- Of `done` and `duration_sum`, what was judged when the pair was last found to be a sink.
  ADD COLUMN judged_done bigint NOT NULL DEFAULT 0,
  ADD COLUMN judged_sum double precision NOT NULL DEFAULT 0;

-- The administrators' priorities of users, 1 the highest, 7 the lowest.
CREATE TABLE user_priorities (
  user_name text PRIMARY KEY,
  priority integer NOT NULL CHECK (priority BETWEEN 1 AND 7)
);

-- The tree of projects and users; shares count against the siblings'.
CREATE TABLE shares (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL CHECK (name <> ''),
  kind text NOT NULL CHECK (kind IN ('project', 'user')),
  parent_id bigint REFERENCES shares ON DELETE CASCADE,  -- null: below the root
  shares double precision NOT NULL CHECK (shares >= 0)
);
CREATE UNIQUE INDEX shares_sibling ON shares (coalesce(parent_id, 0), kind, name);

-- Resource-seconds of ended jobs, by the day (UTC) on which they ended.
CREATE TABLE usage (
  day date NOT NULL,
  user_name text NOT NULL,
  project text NOT NULL,
  cluster_id bigint NOT NULL,
  resource_seconds double precision NOT NULL,
  PRIMARY KEY (day, user_name, project, cluster_id)
);

CREATE TABLE limits (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('running_jobs', 'waiting_jobs', 'resources', 'resource_seconds')),
  most double precision NOT NULL CHECK (most >= 0),
  -- Whom it holds; all that is null is open, all null is the grid's cap.
  user_name text,
  project text,
  campaign_id bigint REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint REFERENCES clusters ON DELETE CASCADE,
  days integer NOT NULL DEFAULT 1 CHECK (days >= 1)      -- window of resource_seconds, today included
);
CREATE UNIQUE INDEX limits_target ON limits
  (kind, coalesce(user_name, ''), coalesce(project, ''), coalesce(campaign_id, 0), coalesce(cluster_id, 0));

-- Users and clusters that belong together.
CREATE TABLE affinities (
  user_name text NOT NULL,
  cluster_id bigint NOT NULL REFERENCES clusters ON DELETE CASCADE,
  PRIMARY KEY (user_name, cluster_id)
);

-- Usage follows the ends of jobs, whatever statement ends them.
CREATE FUNCTION account_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage AS u (day, user_name, project, cluster_id, resource_seconds)
  SELECT (a.ended_at AT TIME ZONE 'UTC')::date, c.user_name, c.project, a.cluster_id,
    sum(greatest(0, extract(epoch FROM a.ended_at - a.started_at)) * coalesce(a.resources, p.resources_per_job, 1))
  FROM after a
  JOIN before b ON b.id = a.id AND b.ended_at IS NULL
  JOIN campaigns c ON c.id = a.campaign_id
  JOIN campaign_clusters p ON p.campaign_id = a.campaign_id AND p.cluster_id = a.cluster_id
  WHERE a.ended_at IS NOT NULL AND a.started_at IS NOT NULL
  GROUP BY 1, 2, 3, 4
  ON CONFLICT (day, user_name, project, cluster_id) DO UPDATE SET resource_seconds = u.resource_seconds + EXCLUDED.resource_seconds;
  RETURN NULL;
END $$;
CREATE TRIGGER account_usage AFTER UPDATE ON jobs
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION account_usage();

-- A failure lowers a cluster's standing with a campaign for a while.
CREATE FUNCTION note_failure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.last_failure_at := clock_timestamp();
  RETURN NEW;
END $$;
CREATE TRIGGER note_failure BEFORE UPDATE ON campaign_clusters FOR EACH ROW
  WHEN (NEW.failures_in_a_row > OLD.failures_in_a_row) EXECUTE FUNCTION note_failure();

-- Jobs of the lowest priority give way.
ALTER TABLE kill_requests DROP CONSTRAINT kill_requests_reason_check;
ALTER TABLE kill_requests ADD CONSTRAINT kill_requests_reason_check
  CHECK (reason IN ('cancelled', 'excess', 'waited_too_long', 'replica', 'preempted'));
