-- The grid's tables. Words and names: ARCHITECTURE.md, "Tables".

-- Instants cross the programs' border as microseconds since 1970, UTC.
CREATE FUNCTION micros(t timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT (extract(epoch FROM t) * 1000000)::bigint $$;
CREATE FUNCTION instant(micros bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$ SELECT 'epoch'::timestamptz + micros * interval '1 microsecond' $$;

CREATE TYPE campaign_state AS ENUM ('in_treatment', 'paused', 'terminated', 'cancelled');
CREATE TYPE task_state AS ENUM ('waiting', 'launching', 'submitted', 'running', 'done', 'failed', 'cancelled');
CREATE TYPE job_state AS ENUM ('planned', 'launching', 'remote_waiting', 'running', 'terminated', 'error', 'killed', 'unknown');
CREATE TYPE launch_state AS ENUM ('planned', 'launching', 'accepted', 'refused', 'unknown', 'void');

-- One row: what tells this grid from others that submit to the same clusters.
CREATE TABLE grid (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  token text NOT NULL DEFAULT substr(md5(random()::text || clock_timestamp()::text), 1, 8)
);
INSERT INTO grid DEFAULT VALUES;

-- One row: who conducts. Every write of a module is made under the term that it was given.
CREATE TABLE lease (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  term bigint NOT NULL DEFAULT 0,
  holder text,
  expires_at timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO lease DEFAULT VALUES;

CREATE TABLE clusters (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  url text NOT NULL,
  authentication text NOT NULL DEFAULT 'none' CHECK (authentication IN ('none', 'basic', 'certificate')),
  login text NOT NULL DEFAULT '',
  secret_file text NOT NULL DEFAULT '',
  identity_header text NOT NULL DEFAULT 'X_REMOTE_IDENT',
  ca_file text NOT NULL DEFAULT '',
  certificate_file text NOT NULL DEFAULT '',
  key_file text NOT NULL DEFAULT '',
  verify_tls boolean NOT NULL DEFAULT true,
  power double precision NOT NULL DEFAULT 1 CHECK (power > 0),
  flood double precision CHECK (flood >= 0),             -- null: the configuration's
  array_size integer CHECK (array_size > 0),             -- null: the configuration's
  enabled boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- What the updator knows of its API.
  reachable boolean,                                     -- null: never asked
  unreachable_since timestamptz,
  healthy_since timestamptz,
  failed_polls integer NOT NULL DEFAULT 0,
  next_probe_at timestamptz,
  last_error text,
  -- Resources are asked for seldom; they change seldom.
  max_resources integer NOT NULL DEFAULT 0,
  resources_at timestamptz
);

CREATE TABLE user_mappings (
  user_name text NOT NULL,
  cluster_id bigint NOT NULL REFERENCES clusters ON DELETE CASCADE,
  login text NOT NULL,
  PRIMARY KEY (user_name, cluster_id)
);

-- Snapshots of the clusters, in resources; the newest of a cluster is its status.
CREATE TABLE gridstatus (
  cluster_id bigint NOT NULL REFERENCES clusters ON DELETE CASCADE,
  time timestamptz NOT NULL,
  max_resources integer NOT NULL,
  free integer NOT NULL,
  used integer NOT NULL,
  used_besteffort integer NOT NULL,
  our_running integer NOT NULL,
  our_waiting integer NOT NULL,
  reachable boolean NOT NULL,
  api_latency_ms integer NOT NULL,
  PRIMARY KEY (cluster_id, time)
);

CREATE TABLE campaigns (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_name text NOT NULL,
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('default', 'test')),
  state campaign_state NOT NULL DEFAULT 'in_treatment',
  jdl jsonb NOT NULL,                                    -- as understood, without the parameters
  submitted_at timestamptz NOT NULL,
  first_start_at timestamptz,                            -- of its first job
  ended_at timestamptz,
  total bigint NOT NULL DEFAULT 0 CHECK (total >= 0),
  next_task bigint NOT NULL DEFAULT 0,                   -- the tasks from here on were never taken
  -- Tasks by state, kept by the trigger on tasks.
  waiting bigint NOT NULL DEFAULT 0,
  launching bigint NOT NULL DEFAULT 0,
  submitted bigint NOT NULL DEFAULT 0,
  running bigint NOT NULL DEFAULT 0,
  done bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  cancelled bigint NOT NULL DEFAULT 0,
  idempotency_key text                                   -- its user's own, so that a submission can be repeated
);
CREATE UNIQUE INDEX campaigns_key ON campaigns (user_name, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX campaigns_live ON campaigns (id) WHERE state IN ('in_treatment', 'paused');
CREATE INDEX campaigns_user ON campaigns (user_name, id);

-- What the JDL asks of each cluster, and the running counters of the pair.
CREATE TABLE campaign_clusters (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL REFERENCES clusters,
  priority integer NOT NULL DEFAULT 1,
  exec_file text NOT NULL,
  exec_directory text NOT NULL,
  resources text NOT NULL,
  resources_per_job integer,                             -- null: only the cluster knows
  walltime_s integer NOT NULL,
  properties text NOT NULL DEFAULT '',
  project text NOT NULL DEFAULT '',
  job_types text NOT NULL DEFAULT '',
  best_effort boolean NOT NULL DEFAULT true,
  max_jobs integer,
  -- Jobs by state, kept by the trigger on jobs.
  launching integer NOT NULL DEFAULT 0,                  -- planned or launching
  waiting integer NOT NULL DEFAULT 0,
  running integer NOT NULL DEFAULT 0,
  unknown integer NOT NULL DEFAULT 0,
  concluded bigint NOT NULL DEFAULT 0,                   -- jobs that settled their task: done or failed
  -- Durations of the jobs done, in seconds; resources of those that ran.
  done bigint NOT NULL DEFAULT 0,
  duration_sum double precision NOT NULL DEFAULT 0,
  duration_squares double precision NOT NULL DEFAULT 0,
  resources_sum bigint NOT NULL DEFAULT 0,
  resources_jobs bigint NOT NULL DEFAULT 0,
  last_start_at timestamptz,
  last_accept_at timestamptz,
  failures_in_a_row integer NOT NULL DEFAULT 0,
  cleaned_at timestamptz,                                -- claims and journals removed from the cluster
  PRIMARY KEY (campaign_id, cluster_id)
);
CREATE INDEX campaign_clusters_cluster ON campaign_clusters (cluster_id);
CREATE INDEX campaign_clusters_uncleaned ON campaign_clusters (campaign_id) WHERE cleaned_at IS NULL;

-- The parameters. A row behind the cursor is touched only by its own task's transitions.
CREATE TABLE tasks (
  campaign_id bigint NOT NULL,
  number bigint NOT NULL,                                -- from 0, the order of the parameters
  form "char" NOT NULL DEFAULT 'l',                      -- l: a line to split; a: a JSON array of arguments
  parameter text NOT NULL,
  state task_state NOT NULL DEFAULT 'waiting',
  attempt integer NOT NULL DEFAULT 0,                    -- the attempt that counts; the fence's number
  charged integer NOT NULL DEFAULT 0,                    -- attempts that the task itself failed
  PRIMARY KEY (campaign_id, number)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX tasks_failed ON tasks (campaign_id, number) WHERE state = 'failed';

-- Tasks given back to the bag. Those of a void launch are bound to its cluster, where the fence holds.
CREATE TABLE returned_tasks (
  campaign_id bigint NOT NULL,
  number bigint NOT NULL,
  priority integer NOT NULL DEFAULT 10,                  -- 20 first, 10 before new tasks, 0 after them
  cluster_id bigint,
  returned_at timestamptz NOT NULL,
  PRIMARY KEY (campaign_id, number)
);

CREATE TABLE launches (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL REFERENCES clusters,
  tag text UNIQUE,                                       -- the name of its jobs in OAR, from the moment it is launching
  state launch_state NOT NULL DEFAULT 'planned',
  jobs integer NOT NULL,
  resources double precision NOT NULL,                   -- that the planner counted for it
  term bigint NOT NULL,
  planned_at timestamptz NOT NULL,
  launching_at timestamptz,
  settled_at timestamptz,                                -- accepted, refused or void
  array_id bigint,
  looks integer NOT NULL DEFAULT 0,                      -- searches of the tag that found nothing, while unknown
  last_look_at timestamptz,
  error text
);
CREATE INDEX launches_open ON launches (cluster_id, id) WHERE state IN ('planned', 'launching', 'unknown');
CREATE INDEX launches_void ON launches (cluster_id, settled_at) WHERE state = 'void' AND tag IS NOT NULL;
CREATE INDEX launches_recent ON launches (cluster_id, settled_at) WHERE state = 'accepted';
CREATE INDEX launches_campaign ON launches (campaign_id);

CREATE TABLE jobs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  launch_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  cluster_id bigint NOT NULL,
  task bigint NOT NULL,
  attempt integer NOT NULL,
  state job_state NOT NULL DEFAULT 'planned',
  remote_id bigint,
  resources integer,                                     -- that OAR assigned to it
  submitted_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  exit_status integer,                                   -- a wait status, as OAR gives it
  ending text,                                           -- why it is over
  resubmissions integer NOT NULL DEFAULT 0,              -- by OAR itself, followed
  message text
) WITH (fillfactor = 80);
CREATE INDEX jobs_live ON jobs (cluster_id, id) WHERE state IN ('planned', 'launching', 'remote_waiting', 'running', 'unknown');
CREATE INDEX jobs_launch ON jobs (launch_id);
CREATE INDEX jobs_task ON jobs (campaign_id, task);

-- An intent to kill; the job's own state confirms it.
CREATE TABLE kill_requests (
  job_id bigint PRIMARY KEY REFERENCES jobs ON DELETE CASCADE,
  reason text NOT NULL CHECK (reason IN ('cancelled', 'excess', 'waited_too_long')),
  requested_at timestamptz NOT NULL,
  sent_at timestamptz,
  sends integer NOT NULL DEFAULT 0
);

-- Ends by minute: the throughput of a window costs its minutes, not its jobs.
CREATE TABLE completions (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL,
  minute timestamptz NOT NULL,
  jobs bigint NOT NULL,
  PRIMARY KEY (campaign_id, cluster_id, minute)
);

CREATE TABLE forecasts (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL,
  time timestamptz NOT NULL,
  job_ratio double precision NOT NULL,                   -- jobs per resource
  offered double precision NOT NULL DEFAULT 0,           -- resources, in the cycle of nsub
  nsub integer NOT NULL DEFAULT 0,                       -- jobs submitted in the last iteration
  throughput double precision NOT NULL DEFAULT 0,        -- jobs a second
  mean double precision,                                 -- seconds
  stddev double precision,
  end_at timestamptz,                                    -- of the campaign
  method text NOT NULL DEFAULT '',
  PRIMARY KEY (campaign_id, cluster_id)
);

CREATE TABLE events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  code text NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'closed')),
  campaign_id bigint REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint REFERENCES clusters ON DELETE CASCADE,
  job_id bigint,
  occurrences bigint NOT NULL DEFAULT 1,
  opened_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  closed_at timestamptz,
  message text NOT NULL
);
-- One open event a cause: what repeats is counted.
CREATE UNIQUE INDEX events_open ON events (code, coalesce(campaign_id, 0), coalesce(cluster_id, 0)) WHERE state = 'open';
CREATE INDEX events_campaign ON events (campaign_id, id);

-- Decisions to send nothing, with a reason and an expiry.
CREATE TABLE brakes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign_id bigint REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint REFERENCES clusters ON DELETE CASCADE,
  reason text NOT NULL,
  level integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CHECK (campaign_id IS NOT NULL OR cluster_id IS NOT NULL)
);
CREATE UNIQUE INDEX brakes_target ON brakes (coalesce(campaign_id, 0), coalesce(cluster_id, 0));

-- The last decision on each pair (cluster 0: on the whole campaign), and since when it stands.
CREATE TABLE decisions (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL,
  stage text NOT NULL,
  reason text NOT NULL,
  sentence text NOT NULL,
  jobs integer NOT NULL,
  since timestamptz NOT NULL,
  PRIMARY KEY (campaign_id, cluster_id)
);

CREATE TABLE cycles (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  term bigint NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz,
  modules jsonb
);
CREATE INDEX cycles_time ON cycles (started_at);

-- The counters of a campaign follow its tasks, whatever statement moves them.
CREATE FUNCTION count_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE campaigns c SET
    waiting = c.waiting + d.waiting, launching = c.launching + d.launching, submitted = c.submitted + d.submitted,
    running = c.running + d.running, done = c.done + d.done, failed = c.failed + d.failed, cancelled = c.cancelled + d.cancelled
  FROM (
    SELECT campaign_id,
      sum(n) FILTER (WHERE state = 'waiting') AS waiting, sum(n) FILTER (WHERE state = 'launching') AS launching,
      sum(n) FILTER (WHERE state = 'submitted') AS submitted, sum(n) FILTER (WHERE state = 'running') AS running,
      sum(n) FILTER (WHERE state = 'done') AS done, sum(n) FILTER (WHERE state = 'failed') AS failed,
      sum(n) FILTER (WHERE state = 'cancelled') AS cancelled
    FROM (
      SELECT campaign_id, state, sum(n) AS n FROM (
        SELECT campaign_id, state, 1 AS n FROM after UNION ALL SELECT campaign_id, state, -1 FROM before) moves
      GROUP BY campaign_id, state
      -- Every state is present, so that no sum is null.
      UNION ALL SELECT DISTINCT after.campaign_id, s.state, 0 FROM after, unnest(enum_range(NULL::task_state)) AS s(state)) all_states
    GROUP BY campaign_id) d
  WHERE c.id = d.campaign_id;
  RETURN NULL;
END $$;
CREATE TRIGGER count_tasks AFTER UPDATE ON tasks
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_tasks();

-- The counters of a pair follow its jobs.
CREATE FUNCTION count_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE campaign_clusters p SET launching = p.launching + d.n
    FROM (SELECT campaign_id, cluster_id, count(*) AS n FROM after GROUP BY 1, 2) d
    WHERE p.campaign_id = d.campaign_id AND p.cluster_id = d.cluster_id;
    RETURN NULL;
  END IF;
  UPDATE campaign_clusters p SET
    launching = p.launching + d.launching, waiting = p.waiting + d.waiting, running = p.running + d.running, unknown = p.unknown + d.unknown
  FROM (
    SELECT campaign_id, cluster_id,
      coalesce(sum(n) FILTER (WHERE state IN ('planned', 'launching')), 0) AS launching,
      coalesce(sum(n) FILTER (WHERE state = 'remote_waiting'), 0) AS waiting,
      coalesce(sum(n) FILTER (WHERE state = 'running'), 0) AS running,
      coalesce(sum(n) FILTER (WHERE state = 'unknown'), 0) AS unknown
    FROM (SELECT campaign_id, cluster_id, state, 1 AS n FROM after
          UNION ALL SELECT campaign_id, cluster_id, state, -1 FROM before) moves
    GROUP BY 1, 2) d
  WHERE p.campaign_id = d.campaign_id AND p.cluster_id = d.cluster_id
    AND (d.launching, d.waiting, d.running, d.unknown) <> (0, 0, 0, 0);
  RETURN NULL;
END $$;
CREATE TRIGGER count_new_jobs AFTER INSERT ON jobs
  REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_jobs();
CREATE TRIGGER count_jobs AFTER UPDATE ON jobs
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_jobs();
