-- The schema of the grid's database: types, tables by subject, functions, views, triggers.
--
-- Instants are timestamptz; programs read and write them as microseconds since 1970, UTC (micros, instant). Durations are in seconds
-- (_s), milliseconds (_ms) or days, memory and data in MB. A pair is one campaign on one cluster. The terms are explained in
-- docs/glossary.md, the tables in docs/architecture/database.md.

-- Types ---------------------------------------------------------------------------------------------------------------------------------

-- The states and their transitions are drawn in ARCHITECTURE.md, "State machines".
CREATE TYPE campaign_state AS ENUM ('in_treatment', 'paused', 'terminated', 'cancelled');
CREATE TYPE task_state AS ENUM ('waiting', 'launching', 'submitted', 'running', 'done', 'failed', 'cancelled');
CREATE TYPE job_state AS ENUM ('planned', 'launching', 'remote_waiting', 'running', 'terminated', 'error', 'killed', 'unknown');
CREATE TYPE launch_state AS ENUM ('planned', 'launching', 'accepted', 'refused', 'unknown', 'void');

-- The grid, its lease and its cycles ----------------------------------------------------------------------------------------------------

-- The only row: this grid.
CREATE TABLE grid (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  -- Distinguishes this grid from others that submit to the same clusters.
  token text NOT NULL DEFAULT substr(md5(random()::text || clock_timestamp()::text), 1, 8),
  checked_at timestamptz                                 -- when the conductor last checked the laws of the database; null: never
);
INSERT INTO grid DEFAULT VALUES;

-- The only row: the lease of the conductor. A module writes only under the term that it was given.
CREATE TABLE lease (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  term bigint NOT NULL DEFAULT 0,                        -- rises with each new holder, and with each migration
  holder text,                                           -- who took it last; null: nobody did yet
  expires_at timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO lease DEFAULT VALUES;
-- A renewal does not wait for transactions that hold the term (lease.guard): they block only changes of a column with a unique index.
CREATE UNIQUE INDEX lease_term ON lease (term);

-- A row is one cycle: one turn of each module.
CREATE TABLE cycles (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  term bigint NOT NULL,                                  -- of the lease under which it ran
  started_at timestamptz NOT NULL,
  ended_at timestamptz,                                  -- null: it runs, or its conductor died
  modules jsonb                                          -- what each module did; null until the cycle ends
);
CREATE INDEX cycles_time ON cycles (started_at);

-- Clusters and their status -------------------------------------------------------------------------------------------------------------

-- A row is one cluster: how its API is reached, what it has, and what the updator last learnt of it.
CREATE TABLE clusters (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  enabled boolean NOT NULL DEFAULT true,                 -- false: it gets no new jobs
  retired_at timestamptz,                                -- when it was declared gone for good; null: in use

  -- How its API is reached. An empty text: not used.
  url text NOT NULL,
  authentication text NOT NULL DEFAULT 'none' CHECK (authentication IN ('none', 'basic', 'certificate')),
  login text NOT NULL DEFAULT '',                        -- the grid's account, for basic
  secret_file text NOT NULL DEFAULT '',                  -- the file of its password, for basic
  identity_header text NOT NULL DEFAULT 'X_REMOTE_IDENT', -- the HTTP header that names the user
  ca_file text NOT NULL DEFAULT '',                      -- certificates of authorities that the server's is checked with
  certificate_file text NOT NULL DEFAULT '',             -- the grid's, for certificate
  key_file text NOT NULL DEFAULT '',                     -- the grid's, for certificate
  verify_tls boolean NOT NULL DEFAULT true,

  -- How it is used, as administrators set it.
  power double precision NOT NULL DEFAULT 1 CHECK (power > 0), -- relative speed of its resources
  cost double precision NOT NULL DEFAULT 0 CHECK (cost >= 0), -- of one resource for an hour
  transfer_mb_s double precision NOT NULL DEFAULT 0 CHECK (transfer_mb_s >= 0), -- bandwidth for inputs, in MB/s; 0: not known
  flood double precision CHECK (flood >= 0),             -- what may wait, as a fraction of its resources; null: the configuration's
  array_size integer CHECK (array_size > 0),             -- most jobs in one launch; null: the configuration's

  -- Memory of its nodes. Sites name and count it in their own way.
  memory_property text NOT NULL DEFAULT '',              -- the property of OAR's resources that states it; empty: there is none
  memory_unit_mb integer NOT NULL DEFAULT 1 CHECK (memory_unit_mb > 0), -- unit of that property, in MB
  memory_max_mb bigint CHECK (memory_max_mb > 0),        -- of the biggest node, in MB; null: not known

  -- Its resources. They change seldom, so they are read seldom.
  max_resources integer NOT NULL DEFAULT 0,              -- all that may ever be used
  node_sizes text NOT NULL DEFAULT '',                   -- nodes of each size, whatever their state, the biggest first: "16x2 8x40" is
                                                         -- 2 nodes of 16 resources and 40 of 8; empty: not known
  max_node_resources integer GENERATED ALWAYS AS (nullif(split_part(node_sizes, 'x', 1), '')::integer) STORED, -- of the biggest node
  resources_at timestamptz,                              -- when they were last read; null: they are to be read at the next poll

  -- The state of its API.
  reachable boolean,                                     -- null: never polled
  unreachable_since timestamptz,                         -- null: it is not unreachable
  healthy_since timestamptz,                             -- null: it is unreachable, or was never polled
  failed_polls integer NOT NULL DEFAULT 0,               -- in a row
  next_probe_at timestamptz,                             -- an unreachable cluster is not polled before this; null: at once
  last_error text                                        -- of the last failed poll; null: the last poll succeeded
);

-- A row is a snapshot of one cluster, in resources. The newest of a cluster is its status.
CREATE TABLE gridstatus (
  cluster_id bigint NOT NULL REFERENCES clusters ON DELETE CASCADE,
  time timestamptz NOT NULL,
  max_resources integer NOT NULL,                        -- all that may ever be used
  free integer NOT NULL,                                 -- usable, and not used by any job
  used integer NOT NULL,                                 -- by any job
  used_besteffort integer NOT NULL,                      -- of the used ones: by best-effort jobs
  our_running integer NOT NULL,                          -- of the used ones: by this grid's jobs, those just ending included
  our_waiting integer NOT NULL,                          -- requested by this grid's jobs that wait in the cluster's queue
  reachable boolean NOT NULL,
  api_latency_ms integer NOT NULL,                       -- of the slowest request of the poll
  stress double precision,                               -- OAR's stress factor; null: not reported
  response_ms integer,                                   -- of one small request that is the same for any number of jobs; null: not sent
  PRIMARY KEY (cluster_id, time)
);

-- A row is the judgement of one cluster's stress: what is remembered from one poll to the next, and the limit of jobs.
CREATE TABLE cluster_stress (
  cluster_id bigint PRIMARY KEY REFERENCES clusters ON DELETE CASCADE,
  judged_at timestamptz,                                 -- time of the last poll that was judged; null: none yet
  usual_stress double precision,                         -- the usual stress factor; null: not known yet
  calm_latency_ms double precision,                      -- usual response time while the cluster is not under stress; null: not known yet
  stressed_polls integer NOT NULL DEFAULT 0,             -- in a row, with a factor that is too big
  slow_polls integer NOT NULL DEFAULT 0,                 -- in a row, with a slow response
  job_limit integer CHECK (job_limit >= 1),              -- most of our live jobs; null: no limit
  signal text NOT NULL DEFAULT 'none' CHECK (signal IN ('none', 'stress_factor', 'latency', 'durations')), -- that lowered it last
  reason text NOT NULL DEFAULT '',                       -- the signal with its figures
  limited_at timestamptz,                                -- since when there is a limit; null: there is none
  changed_at timestamptz,                                -- when the limit was last lowered, raised or lifted; null: never
  trial_at timestamptz                                   -- when durations were last put to a trial that showed nothing; null: never
);

-- A row is a sampled job: how many of our jobs ran beside it when it started, and how long it took. At most a few hundred rows a cluster.
-- The rows hold all that is compared, so a finished campaign may be pruned.
CREATE TABLE duration_samples (
  job_id bigint PRIMARY KEY,
  cluster_id bigint NOT NULL REFERENCES clusters ON DELETE CASCADE,
  campaign_id bigint NOT NULL,
  started_at timestamptz NOT NULL,
  running integer NOT NULL CHECK (running >= 1),         -- our jobs there when it started, itself included
  seconds double precision,                              -- that it took; null: it runs
  done boolean NOT NULL DEFAULT false                    -- false when over: killed or failed, so it would have taken longer
);

-- Users and admission -------------------------------------------------------------------------------------------------------------------

-- A row is the login of one user on one cluster, where it differs from the user's name in the grid.
CREATE TABLE user_mappings (
  user_name text NOT NULL,
  cluster_id bigint NOT NULL REFERENCES clusters ON DELETE CASCADE,
  login text NOT NULL,
  PRIMARY KEY (user_name, cluster_id)
);

-- A row is the permission of one user to submit jobs that are not best-effort.
CREATE TABLE normal_users (
  user_name text NOT NULL CHECK (user_name <> ''),
  cluster_id bigint REFERENCES clusters ON DELETE CASCADE, -- null: on all clusters
  listed_by text NOT NULL,
  listed_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX normal_users_pair ON normal_users (user_name, coalesce(cluster_id, 0));

-- A row is the submission limits of one user for whom the configuration's are not meant. Null: the configuration's.
CREATE TABLE user_limits (
  user_name text PRIMARY KEY CHECK (user_name <> ''),
  max_campaigns integer CHECK (max_campaigns >= 0),      -- in treatment or paused
  max_tasks bigint CHECK (max_tasks >= 0),               -- of one campaign
  max_submission bigint CHECK (max_submission >= 0),     -- of one submission, in bytes
  changed_by text NOT NULL,
  changed_at timestamptz NOT NULL,
  CHECK (num_nonnulls(max_campaigns, max_tasks, max_submission) > 0)
);

-- A row is one admission rule: ruby that each campaign passes when it is submitted (docs/admission-rules.md).
CREATE TABLE admission_rules (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE CHECK (name <> ''),
  position integer NOT NULL,                             -- 1 runs first
  text text NOT NULL,                                    -- the ruby
  enabled boolean NOT NULL DEFAULT true,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_by text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (position) DEFERRABLE INITIALLY IMMEDIATE       -- so that one transaction can renumber the rules
);
INSERT INTO admission_rules (name, position, created_by, changed_by, text)
VALUES ('normal-jobs', 1, 'gleaner', 'gleaner', $rule$# Jobs that are not best-effort take resources from a cluster's own users: only those whom an
# administrator listed may submit them (gridctl user allow-normal USER [CLUSTER]).
# Test campaigns, one normal job on each cluster, are for everybody.
if jdl["test_mode"] == "false"
  jdl["clusters"].each do |name, cluster|
    next if cluster["type"] == "best-effort" || clusters[name]["normal_users"].include?(user)
    refuse "#{user} may not submit normal jobs on #{name}: write \"type\": \"best-effort\", or ask an administrator"
  end
end
$rule$);

-- Campaigns, pairs, tasks and requests --------------------------------------------------------------------------------------------------

-- A row is one campaign, with the numbers of its tasks by state.
CREATE TABLE campaigns (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_name text NOT NULL,
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('default', 'test')),
  state campaign_state NOT NULL DEFAULT 'in_treatment',
  sealed boolean NOT NULL DEFAULT false,                 -- its jobs and tasks are being removed: no task is given back any more
  submitted_at timestamptz NOT NULL,
  first_start_at timestamptz,                            -- of its first job; null: none has started
  ended_at timestamptz,                                  -- null: it is not over
  idempotency_key text,                                  -- the user's own, so that a submission can be repeated; null: none was given

  jdl jsonb NOT NULL,                                    -- as understood, without the parameters
  submitted_jdl jsonb,                                   -- as submitted, to recognize a repeated submission; null: no rule changed it
  -- What each cluster is asked for, as campaign_clusters has it (asked_of): "cluster:priority:resources:walltime:most jobs", separated by
  -- spaces, or only the cluster where the rest is the same as for the cluster before it.
  asked text NOT NULL DEFAULT '',

  -- Keys of the JDL that SQL reads.
  priority integer GENERATED ALWAYS AS (coalesce((jdl ->> 'campaign_priority')::integer, 4)) STORED, -- 1 the highest, 7 the lowest
  project text GENERATED ALWAYS AS (coalesce(jdl ->> 'project', '')) STORED, -- empty: none
  scheduler text GENERATED ALWAYS AS (jdl ->> 'scheduler') STORED, -- null: the configuration's
  min_duration_s double precision GENERATED ALWAYS AS ((jdl ->> 'min_duration')::double precision) STORED, -- a task that ends sooner did
                                                         -- nothing; null: the JDL does not say
  replicas boolean GENERATED ALWAYS AS (coalesce(jdl ->> 'replicas', '') = 'allowed') STORED, -- whether replicas are allowed
  max_attempts integer GENERATED ALWAYS AS ((jdl ->> 'max_attempts')::integer) STORED, -- most jobs for one task, within the
                                                         -- administrator's bound; null: the configuration's

  -- The bag.
  total bigint NOT NULL DEFAULT 0 CHECK (total >= 0),    -- tasks
  next_task bigint NOT NULL DEFAULT 0,                   -- the cursor: tasks from here on were never taken
  requests smallint NOT NULL DEFAULT 0,                  -- different requests of its tasks; 0: all tasks have the same
  input_mb double precision,                             -- mean input of its tasks, in MB; null: the JDL does not say

  -- Tasks by state, kept by the trigger count_tasks.
  waiting bigint NOT NULL DEFAULT 0,
  launching bigint NOT NULL DEFAULT 0,
  submitted bigint NOT NULL DEFAULT 0,
  running bigint NOT NULL DEFAULT 0,
  done bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  cancelled bigint NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX campaigns_key ON campaigns (user_name, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX campaigns_live ON campaigns (id) WHERE state IN ('in_treatment', 'paused');
CREATE INDEX campaigns_user ON campaigns (user_name, id);

-- A row is one pair: what a campaign's JDL asks of one cluster, and the counters of its jobs there.
CREATE TABLE campaign_clusters (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL REFERENCES clusters,

  -- What the JDL asks. An empty text: the JDL does not say.
  priority integer NOT NULL DEFAULT 1,                   -- the JDL's order of its clusters, the greatest first
  exec_file text NOT NULL,                               -- the program
  exec_directory text NOT NULL,                          -- where it runs
  resources text NOT NULL,                               -- OAR's request for one job
  resources_per_job integer,                             -- the same as a number of resources; null: only the cluster knows
  walltime_s integer NOT NULL,
  max_walltime_s integer,                                -- up to where a walltime grows; null: it does not grow
  properties text NOT NULL DEFAULT '',                   -- that resources must have, as OAR's SQL condition
  project text NOT NULL DEFAULT '',                      -- OAR's project
  job_types text NOT NULL DEFAULT '',                    -- OAR's types
  best_effort boolean NOT NULL DEFAULT true,
  max_jobs integer,                                      -- most live jobs; null: no limit

  -- Resources of the cluster that have the properties, as the cluster reported them.
  matching_resources integer,                            -- busy or not; null: not reported yet, or the cluster cannot
  matching_at timestamptz,                               -- when they were last asked for; null: never

  -- It had a job, or has a forecast of its own, and the campaign is not over or has files left on the cluster. Otherwise there is no more
  -- to know of the pair than what its JDL asks.
  active boolean NOT NULL DEFAULT false,

  -- Jobs by state, kept by the trigger count_jobs.
  launching integer NOT NULL DEFAULT 0,                  -- planned or launching
  waiting integer NOT NULL DEFAULT 0,
  running integer NOT NULL DEFAULT 0,
  unknown integer NOT NULL DEFAULT 0,

  -- Jobs that are over, counted by jobs.settle.
  concluded bigint NOT NULL DEFAULT 0,                   -- jobs that settled their task as done or failed
  done bigint NOT NULL DEFAULT 0,                        -- jobs that settled their task as done
  duration_sum double precision NOT NULL DEFAULT 0,      -- of the done ones, in seconds
  duration_squares double precision NOT NULL DEFAULT 0,  -- sum of their squares, in square seconds
  resources_sum bigint NOT NULL DEFAULT 0,               -- that OAR assigned to jobs
  resources_jobs bigint NOT NULL DEFAULT 0,              -- to how many jobs
  last_start_at timestamptz,                             -- the latest start of a job; null: none yet
  last_accept_at timestamptz,                            -- when the cluster last accepted a launch; null: never
  failures_in_a_row integer NOT NULL DEFAULT 0,
  last_failure_at timestamptz,                           -- kept by the trigger note_failure; null: none yet
  suspected boolean NOT NULL DEFAULT false,              -- the cluster was found to be a sink, and has shown no work since

  cleaned_at timestamptz,                                -- when the campaign's files were removed from the cluster; null: not yet
  PRIMARY KEY (campaign_id, cluster_id)
);
CREATE INDEX campaign_clusters_active ON campaign_clusters (campaign_id, cluster_id) WHERE active;
CREATE INDEX campaign_clusters_cluster ON campaign_clusters (cluster_id);
CREATE INDEX campaign_clusters_properties ON campaign_clusters (campaign_id, cluster_id) WHERE properties <> '';
CREATE INDEX campaign_clusters_uncleaned ON campaign_clusters (campaign_id) WHERE cleaned_at IS NULL;

-- A row is one task: one parameter line of a campaign. A row ahead of the cursor is not touched; one behind it only by its own task's
-- transitions.
--
-- A task has one copy, whose attempt is `attempt`; while replica_lives, it has a second one, the replica, whose attempt is `replica`. It
-- gets a replica once in its life, so `replica` stays. When one of the two ends without doing the task, the other becomes its only copy,
-- and `attempt` the attempt of that one.
CREATE TABLE tasks (
  campaign_id bigint NOT NULL,
  number bigint NOT NULL,                                -- from 0, in the order of the parameters
  form "char" NOT NULL DEFAULT 'l',                      -- of the parameter: l, a line to split; a, a JSON array of arguments
  parameter text NOT NULL,
  request smallint,                                      -- number of its request; null: what the campaign asks for all its tasks
  walltime_s integer,                                    -- at least this, after a job was killed by its walltime; null: its request's
  state task_state NOT NULL DEFAULT 'waiting',
  attempt integer NOT NULL DEFAULT 0,                    -- the attempt that counts, from 0
  replica integer,                                       -- the attempt of its replica; null: it had none
  replica_lives boolean NOT NULL DEFAULT false,
  charged integer NOT NULL DEFAULT 0,                    -- attempts that the task itself failed
  -- Attempts that max_attempts does not count: the job was taken back before it began, or somebody had the failed task tried again.
  uncounted integer NOT NULL DEFAULT 0 CHECK (uncounted >= 0),
  PRIMARY KEY (campaign_id, number)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX tasks_failed ON tasks (campaign_id, number) WHERE state = 'failed';

-- A row is one task that was given back to the bag.
CREATE TABLE returned_tasks (
  campaign_id bigint NOT NULL,
  number bigint NOT NULL,                                -- of the task
  request smallint,                                      -- its task's
  priority integer NOT NULL DEFAULT 10,                  -- 20: first; 10: before new tasks; 0: after new tasks
  -- The cluster of its void launch, where the fence holds; null: any cluster may get the task.
  cluster_id bigint,
  fence bigint,                                          -- the fence of its attempt, where that goes on; null: its next job has its own
  returned_at timestamptz NOT NULL,
  PRIMARY KEY (campaign_id, number)
);
-- Bound tasks: a job of a void launch may still run them on their cluster.
CREATE INDEX returned_tasks_fenced ON returned_tasks (fence) WHERE fence IS NOT NULL;

-- A row is one request of a campaign's tasks, as one cluster understands it. A request that the cluster cannot hold has no row.
CREATE TABLE campaign_requests (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL,
  request smallint NOT NULL,                             -- its number, from 1
  shape smallint NOT NULL,                               -- requests of one shape differ only in walltime, and can share an array
  resources text NOT NULL,                               -- OAR's request for one job
  resources_per_job integer,                             -- the same as a number of resources; null: only the cluster knows
  memory_mb bigint,                                      -- in MB; null: none is requested
  walltime_s integer NOT NULL,
  PRIMARY KEY (campaign_id, cluster_id, request)
);

-- A row is the cursor of one request's tasks.
CREATE TABLE request_bags (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  request smallint NOT NULL,
  next_task bigint NOT NULL,                             -- its tasks from this number on were never taken
  untaken bigint NOT NULL,                               -- how many these are
  PRIMARY KEY (campaign_id, request)
);

-- A row is one task of a campaign with different requests. This is a table and not an index on tasks, because it can be read in one way
-- only, whatever the statistics of a bag just submitted say.
CREATE TABLE request_tasks (
  campaign_id bigint NOT NULL,
  request smallint NOT NULL,
  number bigint NOT NULL,                                -- of the task
  PRIMARY KEY (campaign_id, request, number)
);

-- Launches and jobs ---------------------------------------------------------------------------------------------------------------------

-- A row is one launch: one POST of one array of jobs, of one campaign, to one cluster.
CREATE TABLE launches (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL REFERENCES clusters,
  state launch_state NOT NULL DEFAULT 'planned',
  term bigint NOT NULL,                                  -- of the lease under which it was planned

  -- What is submitted.
  jobs integer NOT NULL,
  resources double precision NOT NULL,                   -- that the planner counted for it
  -- The request of its array, which has only one. Null: what the campaign asks of the cluster.
  request text,
  memory_mb bigint,
  walltime_s integer,

  -- The submission.
  tag text UNIQUE,                                       -- the name of its jobs in OAR; null until it is launching
  login text,                                            -- of the user on the cluster; null until it is launching
  planned_at timestamptz NOT NULL,
  launching_at timestamptz,                              -- null: not sent
  settled_at timestamptz,                                -- when it was accepted, refused or void; null: not yet
  array_id bigint,                                       -- OAR's; null: none, or not known
  error text,                                            -- null: none

  -- The search for its jobs, when the answer was lost.
  unknown_at timestamptz,                                -- since when its fate is unknown; null: it was never unknown
  looks integer NOT NULL DEFAULT 0,                      -- searches of the tag that found nothing, while unknown
  last_look_at timestamptz,                              -- null: none yet
  released_at timestamptz,                               -- since when its tasks may go to other clusters; null: they may not

  -- Its folder on the cluster.
  files integer,                                         -- that it holds at most; null: two for each job
  cleaned_at timestamptz                                 -- when it was removed; null: not yet
);
CREATE INDEX launches_campaign ON launches (campaign_id);
CREATE INDEX launches_open ON launches (cluster_id, id) WHERE state IN ('planned', 'launching', 'unknown');
CREATE INDEX launches_recent ON launches (cluster_id, settled_at) WHERE state = 'accepted';
CREATE INDEX launches_void ON launches (cluster_id, settled_at) WHERE state = 'void' AND tag IS NOT NULL;
-- Launches whose folders are still on a cluster.
CREATE INDEX launches_uncleaned ON launches (cluster_id, campaign_id, id) WHERE cleaned_at IS NULL AND tag IS NOT NULL;

-- A row is one job: one attempt of one task on one cluster.
CREATE TABLE jobs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  launch_id bigint NOT NULL,
  campaign_id bigint NOT NULL,
  cluster_id bigint NOT NULL,
  task bigint NOT NULL,                                  -- its number
  attempt integer NOT NULL,
  -- The launch in whose folder the attempt is claimed: a void one, if its orphan may contend for the attempt; null: the job's own launch.
  fence bigint,
  state job_state NOT NULL DEFAULT 'planned',
  remote_id bigint,                                      -- OAR's; null: not known
  resources integer,                                     -- that OAR assigned to it; null: not known
  resubmissions integer NOT NULL DEFAULT 0,              -- by OAR itself; the job follows them
  submitted_at timestamptz,                              -- null: not yet
  launching_since timestamptz,                           -- since when OAR is about to start it; null: it is not
  started_at timestamptz,                                -- null: it has not started
  absent_since timestamptz,                              -- since when its cluster does not list it; null: it is listed
  over_since timestamptz,                                -- since when OAR calls it over and its evidence is awaited; null: it is not
  ended_at timestamptz,                                  -- null: it is not over
  ending text,                                           -- why it is over, by the names of grid::JobEnd; null: it is not over
  exit_status integer,                                   -- a wait status, as OAR gives it; null: not known
  message text,                                          -- for people; null: none
  sink bigint                                            -- the event SINK that names it: it most likely did nothing; null: none
) WITH (fillfactor = 80);
CREATE INDEX jobs_launch ON jobs (launch_id);
CREATE INDEX jobs_live ON jobs (cluster_id, id) WHERE state IN ('planned', 'launching', 'remote_waiting', 'running', 'unknown');
CREATE INDEX jobs_task ON jobs (campaign_id, task);
-- Running jobs by their age, of the campaigns that allow replicas.
CREATE INDEX jobs_running ON jobs (campaign_id, started_at) WHERE state = 'running';
-- The last jobs done of a campaign on a cluster.
CREATE INDEX jobs_done ON jobs (campaign_id, cluster_id, ended_at, id) WHERE ending = 'done';
CREATE INDEX jobs_sink ON jobs (sink) WHERE sink IS NOT NULL;
-- The jobs of may_start_late.
CREATE INDEX jobs_start_late ON jobs (campaign_id, ended_at)
  WHERE ending = 'never_began' OR (ending IN ('killed_by_us', 'killed_elsewhere') AND started_at IS NOT NULL) OR resubmissions > 0;

-- A row is an intent to kill one job. The job's own state confirms it.
CREATE TABLE kill_requests (
  job_id bigint PRIMARY KEY REFERENCES jobs ON DELETE CASCADE,
  reason text NOT NULL
    CHECK (reason IN ('cancelled', 'excess', 'waited_too_long', 'replica', 'preempted', 'impatient', 'overdue', 'late', 'lost')),
  requested_at timestamptz NOT NULL,
  sent_at timestamptz,                                   -- when its DELETE was last sent; null: never
  sends integer NOT NULL DEFAULT 0                       -- how often it was sent
);
CREATE INDEX kill_requests_lost ON kill_requests (requested_at) WHERE reason = 'lost';

-- Events, brakes, decisions and declarations --------------------------------------------------------------------------------------------

-- A row is something that went wrong or needs a decision.
CREATE TABLE events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  code text NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'closed')),
  campaign_id bigint REFERENCES campaigns ON DELETE CASCADE, -- null: it is about no campaign
  cluster_id bigint REFERENCES clusters ON DELETE CASCADE, -- null: it is about no cluster
  job_id bigint,                                         -- null: it is about no job
  occurrences bigint NOT NULL DEFAULT 1,
  opened_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,                          -- of its last occurrence
  closed_at timestamptz,                                 -- null: it is open
  message text NOT NULL
);
CREATE INDEX events_campaign ON events (campaign_id, id);
-- One open event a cause: repeated ones are counted.
CREATE UNIQUE INDEX events_open ON events (code, coalesce(campaign_id, 0), coalesce(cluster_id, 0)) WHERE state = 'open';

-- A row is a decision to send nothing to a pair, of a campaign or to a cluster, with its reason and expiry.
CREATE TABLE brakes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign_id bigint REFERENCES campaigns ON DELETE CASCADE, -- null: all campaigns
  cluster_id bigint REFERENCES clusters ON DELETE CASCADE, -- null: all clusters
  reason text NOT NULL,
  level integer NOT NULL DEFAULT 0,                      -- each level doubles the brake's length
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CHECK (campaign_id IS NOT NULL OR cluster_id IS NOT NULL)
);
CREATE UNIQUE INDEX brakes_target ON brakes (coalesce(campaign_id, 0), coalesce(cluster_id, 0));

-- A row is the last decision on one pair, or on a whole campaign.
CREATE TABLE decisions (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL,                            -- 0: the whole campaign
  stage text NOT NULL,                                   -- of the plan
  reason text NOT NULL,                                  -- a name, for programs
  sentence text NOT NULL,                                -- the reason with its figures, for people
  jobs integer NOT NULL,                                 -- that it got
  since timestamptz NOT NULL,                            -- when this decision was first made
  digest bigint NOT NULL DEFAULT 0,                      -- of all other columns but since, to compare rows without reading the sentences
  PRIMARY KEY (campaign_id, cluster_id)
);

-- A row is one campaign that has decisions.
CREATE TABLE decided (
  campaign_id bigint PRIMARY KEY REFERENCES campaigns ON DELETE CASCADE,
  digest bigint NOT NULL                                 -- of the figures of all its decisions: the same digest, the same decisions
);

-- A row is something that an administrator declared or repaired.
CREATE TABLE declarations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  what text NOT NULL CHECK (what IN ('cluster_retired', 'cluster_returned', 'job_lost', 'launch_lost', 'repair')),
  subject text NOT NULL,                                 -- name of the cluster, id of the job or launch, or name of the law
  declared_by text NOT NULL,
  declared_at timestamptz NOT NULL,
  reason text NOT NULL DEFAULT '',                       -- in the words of who declared it
  message text NOT NULL                                  -- what followed from it
);

-- Prediction ----------------------------------------------------------------------------------------------------------------------------

-- A row is the forecast of one pair.
CREATE TABLE forecasts (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL,
  job_ratio double precision NOT NULL,                   -- jobs per resource
  offered double precision NOT NULL DEFAULT 0,           -- free resources of its offer, in the cycle of nsub
  nsub integer NOT NULL DEFAULT 0,                       -- jobs submitted in the last cycle
  throughput double precision NOT NULL DEFAULT 0,        -- jobs a second
  PRIMARY KEY (campaign_id, cluster_id)
);

-- A row is the forecast of one campaign. All instants are null while nothing is known.
CREATE TABLE campaign_forecasts (
  campaign_id bigint PRIMARY KEY REFERENCES campaigns ON DELETE CASCADE,
  made_at timestamptz NOT NULL,                          -- in the last cycle that forecast it
  method text NOT NULL,                                  -- what it rests on: throughput, average, history, walltime; none: no forecast
  end_at timestamptz,
  end_earliest timestamptz,                              -- the end is between these two in 8 of 10 cases
  end_latest timestamptz,
  start_at timestamptz,                                  -- of the first job, while none has started; else null
  start_earliest timestamptz,                            -- the start is between these two in 8 of 10 cases
  start_latest timestamptz
);

-- A row is a kept forecast of a campaign's end, to be compared with its end (predictor/algorithms/history.hpp).
CREATE TABLE forecast_history (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  made_at timestamptz NOT NULL,
  end_at timestamptz NOT NULL,
  end_earliest timestamptz,                              -- the end is between these two in 8 of 10 cases; null: as in campaign_forecasts
  end_latest timestamptz,
  method text NOT NULL,                                  -- as in campaign_forecasts
  PRIMARY KEY (campaign_id, made_at)
);

-- A row is the jobs of one pair that were done, by duration: bucket_seconds(bucket) at most, and more than the bucket before.
CREATE TABLE durations (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL,
  bucket smallint NOT NULL,                              -- duration_bucket(seconds)
  jobs bigint NOT NULL,
  PRIMARY KEY (campaign_id, cluster_id, bucket)
);

-- A row is the jobs of one pair that settled their tasks as done or failed within one minute, so that the throughput of a window costs
-- its minutes and not its jobs.
CREATE TABLE completions (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL,
  minute timestamptz NOT NULL,                           -- its start
  jobs bigint NOT NULL,
  PRIMARY KEY (campaign_id, cluster_id, minute)
);

-- Policies ------------------------------------------------------------------------------------------------------------------------------

-- A row is the priority that administrators gave to one user.
CREATE TABLE user_priorities (
  user_name text PRIMARY KEY,
  priority integer NOT NULL CHECK (priority BETWEEN 1 AND 7) -- 1 the highest, 7 the lowest
);

-- A row is one node of the tree of projects and users.
CREATE TABLE shares (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL CHECK (name <> ''),
  kind text NOT NULL CHECK (kind IN ('project', 'user')),
  parent_id bigint REFERENCES shares ON DELETE CASCADE,  -- null: below the root
  shares double precision NOT NULL CHECK (shares >= 0)   -- relative to those of its siblings
);
CREATE UNIQUE INDEX shares_sibling ON shares (coalesce(parent_id, 0), kind, name);

-- A row is what the jobs of one campaign on one cluster used, by the day on which they ended. Kept by the trigger account_usage; it stays
-- when the campaign is pruned.
CREATE TABLE usage (
  day date NOT NULL,                                     -- UTC
  user_name text NOT NULL,
  project text NOT NULL,
  cluster_id bigint NOT NULL,
  campaign_id bigint NOT NULL DEFAULT 0,                 -- 0: not recorded
  resource_seconds double precision NOT NULL,
  PRIMARY KEY (day, user_name, project, cluster_id, campaign_id)
);

-- A row is one limit, on all that its user, project, campaign and cluster name together. Null: any; all null: the cap of the grid.
CREATE TABLE limits (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('running_jobs', 'waiting_jobs', 'resources', 'resource_seconds')),
  most double precision NOT NULL CHECK (most >= 0),      -- jobs, resources or resource-seconds, by its kind
  user_name text,
  project text,
  campaign_id bigint REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint REFERENCES clusters ON DELETE CASCADE,
  days integer NOT NULL DEFAULT 1 CHECK (days >= 1)      -- window of resource_seconds, in days, today included
);
CREATE UNIQUE INDEX limits_target ON limits
  (kind, coalesce(user_name, ''), coalesce(project, ''), coalesce(campaign_id, 0), coalesce(cluster_id, 0));

-- A row is one affinity: the user's campaigns are served first on the cluster.
CREATE TABLE affinities (
  user_name text NOT NULL,
  cluster_id bigint NOT NULL REFERENCES clusters ON DELETE CASCADE,
  PRIMARY KEY (user_name, cluster_id)
);

-- Conversions ---------------------------------------------------------------------------------------------------------------------------

-- Instants as microseconds since 1970, UTC, and back. Both call stable functions, so they are stable themselves: declared so, PostgreSQL
-- writes their bodies into the query instead of calling them. In floating point the instants of this century are exact to the microsecond,
-- and several times as fast as with decimals.
CREATE FUNCTION micros(t timestamptz) RETURNS bigint LANGUAGE sql STABLE
  AS $$ SELECT (date_part('epoch', t) * 1000000)::bigint $$;
CREATE FUNCTION instant(micros bigint) RETURNS timestamptz LANGUAGE sql STABLE
  AS $$ SELECT 'epoch'::timestamptz + micros * interval '1 microsecond' $$;

-- The bucket of a duration, and its upper bound in seconds: a bucket holds durations up to 1.1 ^ bucket, so a quantile is at most 10 % too
-- long.
CREATE FUNCTION duration_bucket(seconds double precision) RETURNS smallint LANGUAGE sql IMMUTABLE
  AS $$ SELECT ceil(ln(greatest(seconds, 1)) / ln(1.1::double precision))::smallint $$;
CREATE FUNCTION bucket_seconds(bucket smallint) RETURNS double precision LANGUAGE sql IMMUTABLE
  AS $$ SELECT 1.1::double precision ^ bucket $$;

-- Names of conditions and figures -------------------------------------------------------------------------------------------------------

-- PostgreSQL writes the bodies of these functions into the queries that call them, so the indexes on the same states are used. That holds
-- only while a body is one expression without a subquery.

-- A job, a campaign that is not over, as the indexes jobs_live and campaigns_live have them.
CREATE FUNCTION is_live(state job_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('planned', 'launching', 'remote_waiting', 'running', 'unknown') $$;
CREATE FUNCTION is_live(state campaign_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('in_treatment', 'paused') $$;
-- A launch that is not settled, as the index launches_open has them.
CREATE FUNCTION is_open(state launch_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('planned', 'launching', 'unknown') $$;
-- A live job that has no id of OAR.
CREATE FUNCTION is_open(state job_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('planned', 'launching', 'unknown') $$;
-- A job that OAR has.
CREATE FUNCTION is_remote(state job_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('remote_waiting', 'running') $$;
-- A campaign that is over.
CREATE FUNCTION is_over(state campaign_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('terminated', 'cancelled') $$;
-- A task that has a live job.
CREATE FUNCTION is_in_flight(state task_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('launching', 'submitted', 'running') $$;

-- The attempt of a task's next job.
CREATE FUNCTION next_attempt(task tasks) RETURNS integer LANGUAGE sql IMMUTABLE
  AS $$ SELECT greatest(task.attempt, task.replica) + 1 $$;

-- Whether a job of this attempt is a copy that the task waits for. Any other one is late, and changes nothing.
CREATE FUNCTION is_copy(task tasks, job_attempt integer) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT job_attempt = task.attempt OR (task.replica_lives AND job_attempt = task.replica) $$;

-- Whether a returned task goes before the new ones of its bag. Otherwise it goes after them.
CREATE FUNCTION goes_before_new(returned returned_tasks) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT returned.priority >= 10 $$;

-- Jobs of a pair that are not over.
CREATE FUNCTION live_jobs(pair campaign_clusters) RETURNS integer LANGUAGE sql IMMUTABLE
  AS $$ SELECT pair.launching + pair.waiting + pair.running + pair.unknown $$;

-- Resources of one job, as the JDL says it or as OAR assigned them on average; null: neither is known.
CREATE FUNCTION known_width(pair campaign_clusters) RETURNS double precision LANGUAGE sql STABLE AS $$
  SELECT coalesce(pair.resources_per_job::double precision, pair.resources_sum::double precision / nullif(pair.resources_jobs, 0))
$$;

-- The same, with a guess where nothing is known that is rather too big: what the expressions of the tasks ask for on average, or the
-- biggest node.
CREATE FUNCTION job_width(pair campaign_clusters) RETURNS double precision LANGUAGE sql STABLE AS $$
  SELECT coalesce(known_width(pair),
    (SELECT 1 / nullif(f.job_ratio, 0) FROM forecasts f JOIN campaigns c ON c.id = f.campaign_id AND c.requests > 0
     WHERE f.campaign_id = pair.campaign_id AND f.cluster_id = pair.cluster_id),
    (SELECT k.max_node_resources FROM clusters k WHERE k.id = pair.cluster_id), 1)
$$;

-- Whether a job is over, and OAR may start it late: it never began; or it was deleted while it had resources, and its node may receive that
-- late; or OAR ran it again, and the first run may begin.
CREATE FUNCTION may_start_late(job jobs) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT job.ending = 'never_began' OR (job.ending IN ('killed_by_us', 'killed_elsewhere') AND job.started_at IS NOT NULL) OR job.resubmissions > 0
$$;

-- Whether the attempt of such a job went on after it. Most deleted jobs had begun and used up theirs: no other job contends for these
-- claims.
CREATE FUNCTION is_attempt_open(job jobs) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT job.ending = 'never_began' OR EXISTS (
    SELECT FROM jobs o WHERE o.campaign_id = job.campaign_id AND o.task = job.task AND o.attempt = job.attempt AND o.id <> job.id)
$$;

-- Whether a job is over, and may still appear on its cluster: it was given up before its id in OAR was known.
CREATE FUNCTION is_unfound(job jobs) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT job.state = 'error' AND (job.ending = 'never_submitted' OR (job.ending = 'lost' AND job.remote_id IS NULL))
$$;

-- Whether a job that was declared lost is still to be deleted, as it may go on on its cluster: for a day, three times at most.
CREATE FUNCTION is_lost_and_killed(job jobs, kill kill_requests) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT job.state = 'error' AND job.ending = 'lost' AND job.remote_id IS NOT NULL AND kill.reason = 'lost' AND kill.sends < 3
    AND kill.requested_at > now() - interval '1 day'
$$;

-- Files that a campaign with so many live jobs on a cluster may have there before those of settled tasks are removed: half of what it never
-- exceeds, which is 10 for each live job, and 1000.
CREATE FUNCTION files_target(live_jobs integer) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 5 * live_jobs::bigint + 500 $$;

-- What campaigns.asked has to be.
CREATE FUNCTION asked_of(campaign bigint) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(string_agg(CASE WHEN wishes = before THEN cluster_id::text ELSE cluster_id || ':' || wishes END, ' ' ORDER BY cluster_id), '')
  FROM (SELECT cluster_id, wishes, lag(wishes) OVER (ORDER BY cluster_id) AS before
        FROM (SELECT cluster_id, format('%s:%s:%s:%s', priority, resources_per_job, walltime_s, max_jobs) AS wishes
              FROM campaign_clusters WHERE campaign_id = campaign) w) b
$$;

-- Views ---------------------------------------------------------------------------------------------------------------------------------

-- The login of each campaign's user on each cluster.
CREATE VIEW logins AS
SELECT c.id AS campaign_id, k.id AS cluster_id, coalesce(m.login, c.user_name) AS login
FROM campaigns c
CROSS JOIN clusters k
LEFT JOIN user_mappings m ON m.user_name = c.user_name AND m.cluster_id = k.id;

-- Clusters as lib/store/clusters.cpp reads them.
CREATE VIEW cluster_rows AS
SELECT
  id,
  name,
  url,
  authentication,
  login,
  secret_file,
  identity_header,
  ca_file,
  certificate_file,
  key_file,
  verify_tls,
  power,
  flood,
  array_size,
  enabled,
  reachable,
  micros(unreachable_since) AS unreachable_since,
  micros(healthy_since) AS healthy_since,
  failed_polls,
  micros(next_probe_at) AS next_probe_at,
  last_error,
  max_resources,
  micros(resources_at) AS resources_at,
  memory_property,
  memory_unit_mb,
  memory_max_mb,
  cost,
  transfer_mb_s,
  micros(retired_at) AS retired_at
FROM clusters;

-- Events as lib/store/views_grid.cpp reads them.
CREATE VIEW event_rows AS
SELECT
  e.id,
  e.code,
  e.state,
  e.campaign_id,
  e.cluster_id,
  k.name AS cluster,
  e.job_id,
  e.occurrences,
  micros(e.opened_at) AS opened_at,
  micros(e.last_at) AS last_at,
  micros(e.closed_at) AS closed_at,
  e.message
FROM events e
LEFT JOIN clusters k ON k.id = e.cluster_id;

-- Triggers ------------------------------------------------------------------------------------------------------------------------------

-- The counters of a campaign follow its tasks, whatever statement changes them.
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

-- The counters of a pair follow its jobs, whatever statement changes them. A pair with a new job becomes active.
CREATE FUNCTION count_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE campaign_clusters p SET launching = p.launching + d.n, active = true
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

-- campaigns.asked follows the campaign's pairs.
CREATE FUNCTION note_asked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE campaigns SET asked = asked_of(id) WHERE id = NEW.campaign_id;
  RETURN NULL;
END $$;
CREATE TRIGGER note_asked AFTER INSERT OR UPDATE OF priority, resources_per_job, walltime_s, max_jobs ON campaign_clusters
  FOR EACH ROW EXECUTE FUNCTION note_asked();

-- The time of a pair's last failure, which lowers the cluster's standing with the campaign for a while.
CREATE FUNCTION note_failure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.last_failure_at := clock_timestamp();
  RETURN NEW;
END $$;
CREATE TRIGGER note_failure BEFORE UPDATE ON campaign_clusters FOR EACH ROW
  WHEN (NEW.failures_in_a_row > OLD.failures_in_a_row) EXECUTE FUNCTION note_failure();

-- The usage follows the ends of jobs, whatever statement ends them.
CREATE FUNCTION account_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage AS u (day, user_name, project, cluster_id, campaign_id, resource_seconds)
  SELECT (a.ended_at AT TIME ZONE 'UTC')::date, c.user_name, c.project, a.cluster_id, a.campaign_id,
    sum(greatest(0, extract(epoch FROM a.ended_at - a.started_at)) * coalesce(a.resources, known_width(p), 1))
  FROM after a
  JOIN before b ON b.id = a.id AND b.ended_at IS NULL
  JOIN campaigns c ON c.id = a.campaign_id
  JOIN campaign_clusters p ON p.campaign_id = a.campaign_id AND p.cluster_id = a.cluster_id
  WHERE a.ended_at IS NOT NULL AND a.started_at IS NOT NULL
  GROUP BY 1, 2, 3, 4, 5
  ON CONFLICT (day, user_name, project, cluster_id, campaign_id) DO UPDATE SET resource_seconds = u.resource_seconds + EXCLUDED.resource_seconds;
  RETURN NULL;
END $$;
CREATE TRIGGER account_usage AFTER UPDATE ON jobs
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION account_usage();
