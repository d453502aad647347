-- The schema of the grid's database: types, tables by subject, functions, views, triggers.
--
-- Instants are timestamptz; programs read and write them as microseconds since 1970, UTC (micros, instant). Durations are in seconds
-- (_s), milliseconds (_ms) or days, memory and data in MB. A pair is one campaign on one cluster. The terms are explained in
-- docs/glossary.md, the tables in docs/architecture/database.md.

-- Types ---------------------------------------------------------------------------------------------------------------------------------

-- The states and their transitions are drawn in ARCHITECTURE.md, "State machines".
CREATE TYPE campaign_state AS ENUM ('in_treatment', 'paused', 'terminated', 'cancelled');
CREATE TYPE task_state AS ENUM ('waiting', 'launching', 'submitted', 'running', 'done', 'failed', 'cancelled');
CREATE TYPE job_state AS ENUM ('planned', 'launching', 'remote_waiting', 'running', 'terminated', 'error', 'killed', 'unknown',
  'pooled');
CREATE TYPE launch_state AS ENUM ('planned', 'launching', 'accepted', 'refused', 'unknown', 'void');

-- Names of states -----------------------------------------------------------------------------------------------------------------------

-- PostgreSQL writes the bodies of these functions into the queries that call them, so the indexes on the same states are used. That holds
-- only while a body is one expression without a subquery.

-- A job, a campaign that is not over, as the indexes jobs_live and campaigns_live have them.
CREATE FUNCTION is_live(state job_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('planned', 'launching', 'remote_waiting', 'running', 'unknown', 'pooled') $$;
CREATE FUNCTION is_live(state campaign_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('in_treatment', 'paused') $$;
-- A launch that is not settled, as the index launches_open has them.
CREATE FUNCTION is_open(state launch_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('planned', 'launching', 'unknown') $$;
-- A live job that has no id of OAR, and is to get one.
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

-- The grid, its lease and its cycles ----------------------------------------------------------------------------------------------------

-- The only row: this grid.
CREATE TABLE grid (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  -- Distinguishes this grid from others that submit to the same clusters.
  token text NOT NULL DEFAULT substr(md5(random()::text || clock_timestamp()::text), 1, 8),
  checked_at timestamptz,                                -- when the conductor last checked the laws of the database; null: never
  feed_from bigint NOT NULL DEFAULT 0,
  database text
);
COMMENT ON COLUMN grid.feed_from IS
  'transactions below this id may have rows of the feed that were pruned: readers that are not beyond them begin anew';
COMMENT ON COLUMN grid.database IS 'database_identity() when the current epoch began; null: not noted yet';
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

-- A row is one epoch. A restored database gives ids again: each restore begins an epoch, whose token is in the folders and names of what is
-- new.
CREATE TABLE epochs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  token text NOT NULL DEFAULT substr(md5(random()::text || clock_timestamp()::text), 1, 8),
  first_campaign bigint NOT NULL,
  first_launch bigint NOT NULL,
  began_at timestamptz NOT NULL,
  cause text NOT NULL
);
COMMENT ON TABLE epochs IS 'the epochs after the first one, whose token is that of the grid';
COMMENT ON COLUMN epochs.first_campaign IS 'the least id of a campaign that it gives; older campaigns keep the token of theirs';
COMMENT ON COLUMN epochs.first_launch IS 'the least id of a launch that it gives';
COMMENT ON COLUMN epochs.cause IS 'how the restore was noticed';

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
  insecure boolean NOT NULL DEFAULT false,

  -- How it is used, as administrators set it.
  power double precision NOT NULL DEFAULT 1 CHECK (power > 0), -- relative speed of its resources
  cost double precision NOT NULL DEFAULT 0 CHECK (cost >= 0), -- of one resource for an hour
  transfer_mb_s double precision NOT NULL DEFAULT 0 CHECK (transfer_mb_s >= 0), -- bandwidth for inputs, in MB/s; 0: not known
  flood double precision CHECK (flood >= 0),             -- what may wait, as a fraction of its resources; null: the configuration's
  array_size integer CHECK (array_size > 0),             -- most jobs in one launch; null: the configuration's
  headroom text CHECK (headroom ~ '^(auto|[0-9]{1,7}|[0-9.]{1,20}%)$'),
  availability text CHECK (availability IN ('dedicated', 'utilized', 'combined')),
  load_property text CHECK (load_property ~ '^[A-Za-z0-9_]*$'),
  shared_home text CHECK (shared_home ~ '^[A-Za-z0-9_]{1,64}$'), -- clusters of one name here have their users' homes in common; null: the
                                                         -- cluster shares its homes with none

  -- Memory of its nodes. Sites name and count it in their own way.
  memory_property text NOT NULL DEFAULT '',              -- the property of OAR's resources that states it; empty: there is none
  memory_unit_mb integer NOT NULL DEFAULT 1 CHECK (memory_unit_mb > 0), -- unit of that property, in MB
  memory_max_mb bigint CHECK (memory_max_mb > 0),        -- of the biggest node, in MB; null: not known
  node_memory text NOT NULL DEFAULT '',

  -- Its resources. They change seldom, so they are read seldom.
  max_resources integer NOT NULL DEFAULT 0,              -- all that may ever be used
  node_sizes text NOT NULL DEFAULT '',                   -- nodes of each size, whatever their state, the biggest first: "16x2 8x40" is
                                                         -- 2 nodes of 16 resources and 40 of 8; empty: not known
  max_node_resources integer GENERATED ALWAYS AS (nullif(split_part(node_sizes, 'x', 1), '')::integer) STORED, -- of the biggest node
  min_node_resources integer GENERATED ALWAYS AS ((substring(node_sizes FROM '([0-9]+)x[0-9]+$'))::integer) STORED,
  free_nodes text NOT NULL DEFAULT '',
  reserved_resources integer NOT NULL DEFAULT 0 CHECK (reserved_resources >= 0),
  reserved_free integer NOT NULL DEFAULT 0 CHECK (reserved_free >= 0),
  reserved_sizes text NOT NULL DEFAULT '',
  reserved_free_nodes text NOT NULL DEFAULT '',
  other_resources integer NOT NULL DEFAULT 0 CHECK (other_resources >= 0),
  resources_at timestamptz,                              -- when they were last read; null: they are to be read at the next poll

  -- Its resources that are busy by load, as load_property states it.
  utilized_resources integer CHECK (utilized_resources >= 0),
  loaded_resources integer CHECK (loaded_resources >= 0),
  load_at timestamptz,

  -- Its resources on which OAR starts no job, by their state, when the resources were read last.
  suspected_resources integer NOT NULL DEFAULT 0 CHECK (suspected_resources >= 0),
  absent_resources integer NOT NULL DEFAULT 0 CHECK (absent_resources >= 0),
  dead_resources integer NOT NULL DEFAULT 0 CHECK (dead_resources >= 0),
  no_resources_since timestamptz,

  -- The state of its API.
  reachable boolean,                                     -- null: never polled
  unreachable_since timestamptz,                         -- null: it is not unreachable
  healthy_since timestamptz,                             -- null: it is unreachable, or was never polled
  failed_polls integer NOT NULL DEFAULT 0,               -- in a row
  next_probe_at timestamptz,                             -- an unreachable cluster is not polled before this; null: at once
  last_error text,                                       -- of the last failed poll; null: the last poll succeeded
  measured_mb_s double precision CHECK (measured_mb_s > 0), -- MB/s at which input files reached it lately; null: none did
  recover_from timestamptz
);
COMMENT ON COLUMN clusters.insecure IS
  'its password may be sent in clear over http to another machine; false: it is not sent there, and the cluster is unreachable';
COMMENT ON COLUMN clusters.headroom IS
  'resources that the grid leaves free for local jobs: a number, a part such as 5%, or auto; null: the configuration''s';
COMMENT ON COLUMN clusters.availability IS 'the availability policy; null: the configuration''s';
COMMENT ON COLUMN clusters.load_property IS
  'property of OAR''s resources that states how many resources of their node are busy; empty: there is none; null: the configuration''s';
COMMENT ON COLUMN clusters.node_memory IS
  'memory of the nodes, by their resources, as memory_property states it: "16:192 8:64"; an empty text: not known';
COMMENT ON COLUMN clusters.min_node_resources IS 'of the smallest node';
COMMENT ON COLUMN clusters.free_nodes IS
  'nodes by their free resources, as node_sizes, of those that best-effort jobs get; "none": no node has any; an empty text: not known';
COMMENT ON COLUMN clusters.reserved_resources IS 'usable ones that OAR gives to no best-effort job; not in max_resources';
COMMENT ON COLUMN clusters.reserved_free IS 'of these, held by no job when the status was read';
COMMENT ON COLUMN clusters.reserved_sizes IS 'as node_sizes, of what OAR gives to no best-effort job, in any state';
COMMENT ON COLUMN clusters.reserved_free_nodes IS 'as free_nodes, of what OAR gives to no best-effort job';
COMMENT ON COLUMN clusters.other_resources IS 'those that are no cores (licences, disks, networks), in any state';
COMMENT ON COLUMN clusters.utilized_resources IS 'busy by that load, when the resources were read last; null: not read';
COMMENT ON COLUMN clusters.loaded_resources IS 'of these, those for which no job accounts; null: not read';
COMMENT ON COLUMN clusters.load_at IS 'when that load was read; null: not read';
COMMENT ON COLUMN clusters.suspected_resources IS 'of nodes of which OAR found a fault';
COMMENT ON COLUMN clusters.absent_resources IS 'of nodes that are down, and that OAR does not wake for a job';
COMMENT ON COLUMN clusters.dead_resources IS 'of nodes that the site''s administrators took out';
COMMENT ON COLUMN clusters.no_resources_since IS 'since when no resource can be used; null: some can, or the resources were never read';
COMMENT ON COLUMN clusters.recover_from IS
  'jobs that were submitted there from this time on may be unknown, as the database was restored, and nothing is planned before they are read; null: all are known';

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

-- A row is what the headroom `auto` has learnt on one cluster.
CREATE TABLE learnt_headroom (
  cluster_id bigint PRIMARY KEY REFERENCES clusters ON DELETE CASCADE,
  polled_at timestamptz,                                 -- the last poll that was watched; null: none was
  last_start timestamptz,                                -- latest start of a local job that ran then, by the cluster's clock; null: none ran
  resources integer NOT NULL DEFAULT 0 CHECK (resources >= 0) -- to keep free
);

-- A row is the local jobs that came to one cluster in one hour of the day: 24 rows a cluster at most.
CREATE TABLE local_demand (
  cluster_id bigint NOT NULL REFERENCES clusters ON DELETE CASCADE,
  hour smallint NOT NULL CHECK (hour BETWEEN 0 AND 23),  -- UTC
  seconds double precision NOT NULL CHECK (seconds >= 0), -- for which the cluster was watched in that hour, 14 hours at most
  arrivals text NOT NULL,                                -- "1:2.5 4:1": arrivals of 1 and of 4 resources in that time (grid::LocalDemand)
  PRIMARY KEY (cluster_id, hour)
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

-- The consumables of each task of a campaign, as `gpu=2 matlab=1`; null: nothing.
CREATE FUNCTION needs_text(needs jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(key || '=' || value, ' ' ORDER BY key COLLATE "C") FROM jsonb_each_text(needs)
$$;

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
  request_digest bigint,
  groups text[] NOT NULL DEFAULT '{}',

  jdl jsonb NOT NULL,                                    -- as understood, without the parameters
  submitted_jdl jsonb,                                   -- as submitted, to recognize a repeated submission; null: no rule changed it
  -- The requests to each cluster, as campaign_clusters has them (asked_of), separated by spaces: "cluster:priority:resources:walltime:most
  -- jobs:nodes:best-effort (1 or 0)", or only the cluster where the rest is the same as for the cluster before it.
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
  retries integer GENERATED ALWAYS AS ((jdl ->> 'retries')::integer) STORED,
  retry_on jsonb GENERATED ALWAYS AS (jdl -> 'retry_on') STORED,
  max_fails double precision GENERATED ALWAYS AS ((jdl ->> 'max_fails')::double precision) STORED, -- most tasks that may fail before the
                                                         -- campaign is paused: a number, or, below 1, a part of its tasks; null: any number
  temporal_grouping text GENERATED ALWAYS AS (coalesce(jdl ->> 'temporal_grouping', 'false')) STORED, -- whether many tasks may share one
                                                         -- job: true, false, or auto
  dimensional_grouping boolean GENERATED ALWAYS AS (coalesce((jdl ->> 'dimensional_grouping')::boolean, false)) STORED,
  placeholders boolean GENERATED ALWAYS AS (coalesce((jdl ->> 'placeholders')::boolean, false)) STORED,
  params_shell boolean GENERATED ALWAYS AS (coalesce((jdl ->> 'params_shell')::boolean, false)) STORED,
  needs text GENERATED ALWAYS AS (needs_text(jdl -> 'needs')) STORED,
  checkpoint_signal text GENERATED ALWAYS AS (jdl -> 'checkpoint' ->> 'signal') STORED,
  checkpoint_period_s integer
    GENERATED ALWAYS AS (CASE WHEN jdl -> 'checkpoint' ->> 'period' <> 'auto' THEN (jdl -> 'checkpoint' ->> 'period')::integer END) STORED,
  checkpoint_cost_s integer GENERATED ALWAYS AS ((jdl -> 'checkpoint' ->> 'cost')::integer) STORED,
  -- Whether its tasks follow their predecessors: it has after_each, and its JDL does not let them run on any cluster.
  follows boolean GENERATED ALWAYS AS (jdl ? 'after_each' AND coalesce(jdl ->> 'after_each_cluster', 'same') <> 'any') STORED,

  -- The bag.
  total bigint NOT NULL DEFAULT 0 CHECK (total >= 0),    -- tasks
  next_task bigint NOT NULL DEFAULT 0,                   -- the cursor: tasks from here on were never taken
  -- Cancelled tasks ahead of the cursor. It stays 0 in a campaign whose tasks have different requests: there they leave request_tasks, and
  -- next_task counts them.
  skipped bigint NOT NULL DEFAULT 0 CHECK (skipped >= 0),
  requests smallint NOT NULL DEFAULT 0,                  -- different requests of its tasks; 0: all tasks have the same
  input_mb double precision,                             -- mean input of its tasks, in MB; null: the JDL does not say
  input_files text NOT NULL DEFAULT '',                  -- patterns, one a line; empty: it has no input files
  input_bytes bigint NOT NULL DEFAULT 0,                 -- of all its input files

  -- Tasks of its bag by state, kept by the trigger count_tasks.
  waiting bigint NOT NULL DEFAULT 0,
  launching bigint NOT NULL DEFAULT 0,
  submitted bigint NOT NULL DEFAULT 0,
  running bigint NOT NULL DEFAULT 0,
  done bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  cancelled bigint NOT NULL DEFAULT 0,
  -- Failed tasks that max_fails does not count: they had failed when the campaign was last resumed.
  forgiven bigint NOT NULL DEFAULT 0 CHECK (forgiven >= 0)
);
COMMENT ON COLUMN campaigns.request_digest IS
  'of the request that submitted the campaign under its key, parameters included; null: it had no key, or is of an earlier version';
COMMENT ON COLUMN campaigns.groups IS 'unix groups of its user at the submission, on the machine of gridapi';
COMMENT ON COLUMN campaigns.retries IS 'how often a task that failed by its own fault runs again; null: as configured';
COMMENT ON COLUMN campaigns.retry_on IS 'an array of the exit statuses after which it does; null: any';
COMMENT ON COLUMN campaigns.dimensional_grouping IS
  'the jobs of its pools carry out as many tasks side by side as they have cores on one node';
COMMENT ON COLUMN campaigns.placeholders IS
  'braces of exec_file stand for words of the parameter, {1} for the first; false: the words follow the command';
COMMENT ON COLUMN campaigns.params_shell IS 'parameters are shell text, which the shell of the task expands';
COMMENT ON COLUMN campaigns.needs IS 'consumables that each task needs, as `gpu=2 matlab=1`; null: none';
COMMENT ON COLUMN campaigns.checkpoint_signal IS 'the signal that its tasks get, without SIG; null: they write no checkpoints';
COMMENT ON COLUMN campaigns.checkpoint_period_s IS 'seconds from one checkpoint to the next; null: as the rate of interruptions requires';
COMMENT ON COLUMN campaigns.checkpoint_cost_s IS 'seconds that a task takes to write one; null: they write none';
CREATE UNIQUE INDEX campaigns_key ON campaigns (user_name, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX campaigns_live ON campaigns (id) WHERE state IN ('in_treatment', 'paused');
CREATE INDEX campaigns_user ON campaigns (user_name, id);
-- Ended campaigns with failed tasks, some of which are shown until their failures are fixed.
CREATE INDEX campaigns_failed ON campaigns (id) WHERE state = 'terminated' AND failed > 0;
CREATE INDEX campaigns_with_checkpoints ON campaigns (id) WHERE checkpoint_cost_s IS NOT NULL AND is_live(state);

-- A row is one change of a submitted campaign: tasks that were appended, keys of its JDL that were edited, or both when an admission rule
-- edited it as tasks were appended.
CREATE TABLE campaign_changes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  changed_by text NOT NULL,
  changed_at timestamptz NOT NULL,
  edits jsonb NOT NULL DEFAULT '[]',                     -- of the JDL: {"path", "before", "after"} each; a side that is null: no such key
  first_task bigint,                                     -- number of the first appended task; null: none was appended
  tasks bigint NOT NULL DEFAULT 0 CHECK (tasks >= 0),    -- that were appended
  idempotency_key text,                                  -- the user's own, so that an append can be repeated; null: none was given
  digest bigint,                                         -- of what was sent under the key; null: there is no key
  CHECK ((first_task IS NULL) = (tasks = 0)),
  CHECK ((idempotency_key IS NULL) = (digest IS NULL))
);
CREATE INDEX campaign_changes_campaign ON campaign_changes (campaign_id, id);
CREATE UNIQUE INDEX campaign_changes_key ON campaign_changes (campaign_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

-- A row is one campaign that was brought out of another system. It is known for good, also when it was purged or pruned here, so that a
-- repeated import brings none a second time.
CREATE TABLE imported_campaigns (
  source text NOT NULL,                                  -- `cigri`
  source_id bigint NOT NULL,                             -- its number there
  submitted_at timestamptz NOT NULL,                     -- there: a system that was made anew counts from 1 again
  campaign_id bigint NOT NULL,                           -- here; without a reference, as it outlives the campaign
  tasks bigint NOT NULL,
  left_out bigint NOT NULL,                              -- tasks that were neither done there nor brought
  PRIMARY KEY (source, source_id, submitted_at)
);

-- A row is one pair: what a campaign's JDL asks of one cluster, and the counters of its jobs there.
CREATE TABLE campaign_clusters (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL REFERENCES clusters,

  -- The JDL's requests. An empty text: the JDL has none.
  priority integer NOT NULL DEFAULT 1,                   -- the JDL's order of its clusters, the greatest first
  exec_file text NOT NULL,                               -- the program
  exec_directory text NOT NULL,                          -- where it runs
  resources text NOT NULL,                               -- OAR's request for one job
  resources_per_job integer,                             -- the same as a number of resources; null: only the cluster knows
  nodes_per_job integer CHECK (nodes_per_job > 0),
  walltime_s integer NOT NULL,
  max_walltime_s integer,                                -- up to where a walltime grows; null: it does not grow
  properties text NOT NULL DEFAULT '',                   -- that resources must have, as OAR's SQL condition
  project text NOT NULL DEFAULT '',                      -- OAR's project
  job_types text NOT NULL DEFAULT '',
  best_effort boolean NOT NULL DEFAULT true,
  max_jobs integer,                                      -- most live jobs; null: no limit
  output_directory text NOT NULL DEFAULT '',             -- of stdout, stderr and output files, macros expanded; empty: OAR's own files
  output_files text NOT NULL DEFAULT '',                 -- patterns of the files that a task leaves, one a line; empty: none
  prologue text NOT NULL DEFAULT '',                     -- bash; macros expanded; empty: none
  prologue_walltime_s integer,                           -- null: as a task's
  epilogue text NOT NULL DEFAULT '',                     -- bash; macros expanded; empty: none
  epilogue_walltime_s integer,                           -- null: as a task's

  -- Resources of the cluster that have the properties, as the cluster reported them.
  matching_resources integer,                            -- busy or not; null: not reported yet, or the cluster cannot
  matching_at timestamptz,                               -- when they were last asked for; null: never

  array_most integer CHECK (array_most > 0),

  -- Its input files there.
  inputs_wanted boolean NOT NULL DEFAULT false,          -- a plan had tasks for this cluster that need its input files there
  inputs_login text,                                     -- in whose home the input files are brought; null: nothing was sent
  inputs_sent bigint NOT NULL DEFAULT 0 CHECK (inputs_sent >= 0), -- pieces that are there
  inputs_served_at timestamptz,                          -- when pieces were sent there last; null: never
  inputs_at timestamptz,                                 -- since when all is there; null: something is missing

  -- Its scripts, kept by the trigger count_new_jobs.
  prepared boolean NOT NULL DEFAULT false,               -- a job of the prologue was planned, and none of the epilogue since
  epilogue_due boolean NOT NULL DEFAULT false,           -- a job was planned, and none of the epilogue since

  -- It had a job, or has a forecast of its own, and the campaign is not over or has files left on the cluster. Otherwise there is no more
  -- to know of the pair than what its JDL asks.
  active boolean NOT NULL DEFAULT false,

  -- Jobs by state that OAR has, or will have, kept by the trigger count_jobs: they say what is held, and what waits.
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
  interruptions bigint NOT NULL DEFAULT 0,               -- jobs that ran, and were preempted or lost with their node
  exposed_s double precision NOT NULL DEFAULT 0,         -- seconds for which its ended jobs ran, in all
  failures_in_a_row integer NOT NULL DEFAULT 0,
  last_failure_at timestamptz,                           -- kept by the trigger note_failure; null: none yet
  -- Jobs of the campaign that failed there, for whatever reason, since a job of any campaign was done on the cluster.
  failed_since_done integer NOT NULL DEFAULT 0,
  suspected boolean NOT NULL DEFAULT false,              -- the cluster was found to be a sink, and has shown no work since

  -- The cost of a start: for some jobs of OAR, how long their commands took, as the wrapper noted it, and for how long the jobs held their
  -- resources.
  measured integer NOT NULL DEFAULT 0,                   -- jobs
  command_s double precision NOT NULL DEFAULT 0,         -- of all tasks that they carried out, pooled ones included
  held_s double precision NOT NULL DEFAULT 0,

  -- The use of processors and memory by tasks, where their node reports it (document 003).
  cpu_jobs bigint NOT NULL DEFAULT 0,                    -- jobs done for which cpu_s and their duration are known
  cpu_s double precision NOT NULL DEFAULT 0,             -- of these, in all
  cpu_wall_s double precision NOT NULL DEFAULT 0,        -- seconds that the commands of these took, in all
  memory_jobs bigint NOT NULL DEFAULT 0,                 -- jobs done whose memory is known
  peak_memory_mb integer,                                -- the most memory that one of these took, in MB; null: unknown

  clean_tried_at timestamptz,
  cleaned_at timestamptz,                                -- when the campaign's files were removed from the cluster; null: not yet
  PRIMARY KEY (campaign_id, cluster_id)
);
COMMENT ON COLUMN campaign_clusters.nodes_per_job IS
  'nodes of one job; with resources_per_job it takes so many of their cores in all, else they are whole; null: the request names no nodes';
COMMENT ON COLUMN campaign_clusters.job_types IS 'OAR''s types, one a line';
COMMENT ON COLUMN campaign_clusters.array_most IS
  'most jobs of an array: half of those of an array whose request was too large; null: as the cluster''s array_size';
COMMENT ON COLUMN campaign_clusters.clean_tried_at IS
  'when the removal of its files there was tried last, and some stayed; null: it was not tried, or none stayed';
CREATE INDEX campaign_clusters_active ON campaign_clusters (campaign_id, cluster_id) WHERE active;
CREATE INDEX campaign_clusters_cluster ON campaign_clusters (cluster_id);
CREATE INDEX campaign_clusters_properties ON campaign_clusters (campaign_id, cluster_id) WHERE properties <> '';
CREATE INDEX campaign_clusters_uncleaned ON campaign_clusters (campaign_id) WHERE cleaned_at IS NULL;
CREATE INDEX campaign_clusters_scripts ON campaign_clusters (campaign_id, cluster_id) WHERE prologue <> '' OR epilogue <> '';
CREATE INDEX campaign_clusters_epilogue_due ON campaign_clusters (campaign_id, cluster_id) WHERE epilogue_due;
-- The last campaigns that measured what a start costs on a cluster.
CREATE INDEX campaign_clusters_measured ON campaign_clusters (cluster_id, campaign_id) WHERE measured > 0;
CREATE INDEX campaign_clusters_inputs_served ON campaign_clusters (cluster_id, campaign_id) WHERE inputs_served_at IS NOT NULL;
CREATE INDEX campaign_clusters_failed_since_done ON campaign_clusters (cluster_id) WHERE failed_since_done > 0;

-- A row is one task: one parameter line of a campaign. A row ahead of the cursor is not touched; one behind it only by its own task's
-- transitions.
--
-- A task has one copy, whose attempt is `attempt`; while replica_lives, it has a second one, the replica, whose attempt is `replica`. It
-- gets a replica once in its life, so `replica` stays. When one of the two ends without doing the task, the other becomes its only copy,
-- and `attempt` the attempt of that one.
--
-- A script, the prologue or the epilogue of a campaign on a cluster (docs/architecture/scripts.md), is a task with a reserved, negative
-- number. No row of it exists before it is needed.
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
  -- Its user cancelled it while it had a live job: the job is killed, and the task goes back to no bag.
  cancelling boolean NOT NULL DEFAULT false,
  PRIMARY KEY (campaign_id, number)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX tasks_failed ON tasks (campaign_id, number) WHERE state = 'failed';
CREATE INDEX tasks_cancelling ON tasks (campaign_id, number) WHERE cancelling;

-- A row is one task that was given back to the bag.
CREATE TABLE returned_tasks (
  campaign_id bigint NOT NULL,
  number bigint NOT NULL,                                -- of the task
  request smallint,                                      -- its task's
  priority integer NOT NULL DEFAULT 10,                  -- 20: first; 10: before new tasks; 0: after new tasks
  -- The cluster of its void launch, where the fence holds, or, with `follows`, that of its predecessor; null: any cluster may get the task.
  cluster_id bigint,
  follows boolean NOT NULL DEFAULT false,                -- it waits for cluster_id because a task that it comes after ran there
  fence bigint,                                          -- the fence of its attempt, where that goes on; null: its next job has its own
  returned_at timestamptz NOT NULL,
  PRIMARY KEY (campaign_id, number)
);
-- Bound tasks: a job of a void launch may still run them on their cluster.
CREATE INDEX returned_tasks_fenced ON returned_tasks (fence) WHERE fence IS NOT NULL;
-- Scripts that are to be run.
CREATE INDEX returned_tasks_scripts ON returned_tasks (campaign_id, number) WHERE number < 0;
CREATE INDEX returned_tasks_followers ON returned_tasks (cluster_id) WHERE follows;
-- The tasks of a bag in the order in which they are taken from it.
CREATE INDEX returned_tasks_order ON returned_tasks (campaign_id, request, cluster_id, priority DESC, number);

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

-- Dependencies between campaigns --------------------------------------------------------------------------------------------------------

-- A row is one campaign that waits for another.
CREATE TABLE dependencies (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  on_campaign bigint NOT NULL,                           -- the one that it waits for; without a reference, as it may be deleted
  kind text NOT NULL CHECK (kind IN ('after', 'after_any_end', 'after_each')),
  met_at timestamptz,                                    -- null: it still keeps the campaign, or tasks of it, waiting; once met, it
                                                         -- stays met

  -- after_each: what the end of a task sets free is put into the bag in a turn of its own, a part at a time.
  released_to bigint NOT NULL DEFAULT 0,                 -- place in freed_tasks: what is beyond was not looked at
  scan_at bigint NOT NULL DEFAULT 0,                     -- tasks from this number on, below scan_to, are looked at first: they may be done
                                                         -- already
  scan_to bigint NOT NULL DEFAULT 0,
  looked_at timestamptz,                                 -- when it was looked at last: others come first; null: never
  released_at timestamptz,                               -- null: there may be tasks to release, now or later
  PRIMARY KEY (campaign_id, on_campaign)
);
CREATE INDEX dependencies_open ON dependencies (on_campaign, campaign_id) WHERE met_at IS NULL;
CREATE INDEX dependencies_to_release ON dependencies (on_campaign, released_to) WHERE kind = 'after_each' AND released_at IS NULL;

-- A row is one task that is done, of a campaign for which others wait task by task. The transaction that ends the task only notes its
-- number, however many campaigns wait for it. A campaign's rows are written under the lock of its own row, so that they become visible in
-- the order of their places.
CREATE TABLE freed_tasks (
  on_campaign bigint NOT NULL,
  place bigint GENERATED ALWAYS AS IDENTITY,
  number bigint NOT NULL,                                -- of the task
  PRIMARY KEY (on_campaign, place)
);

-- Input files of campaigns --------------------------------------------------------------------------------------------------------------

-- Their contents are in a folder of gridapi's (input_spool), named by their SHA-256 (docs/architecture/inputs.md).

-- A row is one content that one user uploaded. A user names only contents of their own.
CREATE TABLE inputs (
  user_name text NOT NULL,
  sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  bytes bigint NOT NULL CHECK (bytes >= 0),
  used_at timestamptz NOT NULL,                          -- when it was uploaded, or last asked for
  PRIMARY KEY (user_name, sha256)
);
CREATE INDEX inputs_contents ON inputs (sha256, bytes);
CREATE INDEX inputs_used ON inputs (used_at);

-- A row is how much of the spool is one user's, without adding up its contents for each upload.
CREATE TABLE input_totals (
  user_name text PRIMARY KEY,                            -- '': all users together, a content of several once
  bytes bigint NOT NULL,
  contents bigint NOT NULL
);
INSERT INTO input_totals (user_name, bytes, contents) VALUES ('', 0, 0);

-- A row is one file of a campaign, in the order in which the files stand on the clusters.
CREATE TABLE campaign_inputs (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  place integer NOT NULL,                                -- from 0, by path
  path text NOT NULL,
  sha256 text NOT NULL,
  bytes bigint NOT NULL CHECK (bytes >= 0),
  begin bigint NOT NULL CHECK (begin >= 0),              -- of its first byte, among those of all files
  -- Its permissions on the clusters, as a number: 292 is octal 444. Nobody may write it.
  mode integer NOT NULL DEFAULT 292 CHECK (mode BETWEEN 0 AND 365 AND mode & 146 = 0),
  PRIMARY KEY (campaign_id, place)
);
CREATE INDEX campaign_inputs_contents ON campaign_inputs (sha256);

-- Launches and jobs ---------------------------------------------------------------------------------------------------------------------

-- A row is one launch: one POST of one array of jobs, of one campaign, to one cluster. A pool is a launch whose jobs carry out more tasks
-- than there are jobs (docs/architecture/pools.md).
CREATE TABLE launches (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL REFERENCES clusters,
  state launch_state NOT NULL DEFAULT 'planned',
  term bigint NOT NULL,                                  -- of the lease under which it was planned

  -- The submission.
  jobs integer NOT NULL,
  resources double precision NOT NULL,                   -- that the planner counted for it
  -- The script that its only job carries out; null: its jobs carry out tasks of the bag.
  script text CHECK (script IN ('prologue', 'epilogue')),
  -- How long its jobs take tasks, in seconds; their walltime in OAR is this plus walltime_s, which is that of one task. Null: no pool.
  pool_s integer CHECK (pool_s > 0),
  beside bigint,
  needs jsonb,
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
COMMENT ON COLUMN launches.beside IS
  'the job of the task of which this launch is a replica on the same cluster: it goes to another node; null: of none';
COMMENT ON COLUMN launches.needs IS
  'consumables that each of its tasks holds, as the campaign''s needs were before an edit; null: as they are';
CREATE INDEX launches_campaign ON launches (campaign_id);
CREATE INDEX launches_open ON launches (cluster_id, id) WHERE state IN ('planned', 'launching', 'unknown');
CREATE INDEX launches_recent ON launches (cluster_id, settled_at) WHERE state = 'accepted';
CREATE INDEX launches_void ON launches (cluster_id, settled_at) WHERE state = 'void' AND tag IS NOT NULL;
-- Launches whose folders are still on a cluster.
CREATE INDEX launches_uncleaned ON launches (cluster_id, campaign_id, id) WHERE cleaned_at IS NULL AND tag IS NOT NULL;
CREATE INDEX launches_of_former_needs ON launches (campaign_id, cluster_id) WHERE needs IS NOT NULL;

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
  -- It has no job of OAR of its own: the jobs of its launch, its carriers, take it when they are through with their own tasks. While it is
  -- live, its state is 'pooled'; remote_id is the id of the carrier that claimed it, once it is known.
  pooled boolean NOT NULL DEFAULT false,
  remote_id bigint,                                      -- OAR's; null: not known
  resources integer,                                     -- that OAR assigned to it; null: not known
  resubmissions integer NOT NULL DEFAULT 0,              -- by OAR itself; the job follows them
  submitted_at timestamptz,                              -- null: not yet
  launching_since timestamptz,                           -- since when OAR is about to start it; null: it is not
  started_at timestamptz,                                -- null: it has not started
  signalled_at timestamptz,                              -- when the last signal for a checkpoint was sent, whatever became of it; null:
                                                         -- none was
  checkpointed_at timestamptz,                           -- when the last one was sent that OAR passed on to the job; null: none was
  absent_since timestamptz,                              -- since when its cluster does not list it; null: it is listed
  over_since timestamptz,                                -- since when OAR calls it over and its evidence is awaited; null: it is not
  ended_at timestamptz,                                  -- null: it is not over
  ending text,                                           -- why it is over, by the names of grid::JobEnd; null: it is not over
  -- How the job itself ended, if its own task had ended before: a carrier goes on with other tasks. Null: as `ending`.
  run_ending text,
  exit_status integer,                                   -- a wait status, as OAR gives it; null: not known
  message text,                                          -- for people; null: none
  cpu_s double precision CHECK (cpu_s >= 0),             -- seconds of the processors that its task had; null: unknown
  peak_memory_mb integer CHECK (peak_memory_mb >= 0),    -- the most memory that its task took, in MB; null: unknown
  sink bigint,                                           -- the event SINK that names it: it most likely did nothing; null: none
  CHECK (pooled OR state <> 'pooled')
) WITH (fillfactor = 80);
CREATE INDEX jobs_launch ON jobs (launch_id);
CREATE INDEX jobs_live ON jobs (cluster_id, id) WHERE state IN ('planned', 'launching', 'remote_waiting', 'running', 'unknown', 'pooled');
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
  -- cancelled: all jobs of a cancelled campaign, whose arrays are deleted whole; task_cancelled: the job of one cancelled task.
  reason text NOT NULL CHECK (reason IN
    ('cancelled', 'task_cancelled', 'excess', 'waited_too_long', 'replica', 'preempted', 'impatient', 'overdue', 'late', 'lost')),
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
  message text NOT NULL,
  output text NOT NULL DEFAULT ''
);
COMMENT ON COLUMN events.output IS
  'the last lines of stderr that the event is about, for the campaign''s user and administrators alone; empty: none';
CREATE INDEX events_campaign ON events (campaign_id, id);
-- One open event a cause: repeated ones are counted.
CREATE UNIQUE INDEX events_open ON events (code, coalesce(campaign_id, 0), coalesce(cluster_id, 0)) WHERE state = 'open';

-- A row is one SINK event of a cluster that swallowed more than one turn can mark.
CREATE TABLE unmarked_ends (
  event bigint PRIMARY KEY REFERENCES events ON DELETE CASCADE,
  bound_s double precision NOT NULL,
  before timestamptz NOT NULL,
  before_job bigint NOT NULL,
  tried_at timestamptz NOT NULL
);
COMMENT ON TABLE unmarked_ends IS
  'SINK events whose older ends are still to be marked as swallowed: those in a row, from (before, before_job) back, that took less than bound_s.';

-- A row is a decision to send nothing to a pair, of a campaign or to a cluster, with its reason and expiry.
CREATE TABLE brakes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign_id bigint REFERENCES campaigns ON DELETE CASCADE, -- null: all campaigns
  cluster_id bigint REFERENCES clusters ON DELETE CASCADE, -- null: all clusters
  reason text NOT NULL,
  level integer NOT NULL DEFAULT 0,                      -- each level doubles the brake's length
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  set_by text,
  CHECK (campaign_id IS NOT NULL OR cluster_id IS NOT NULL)
);
COMMENT ON COLUMN brakes.set_by IS
  'the user who set it by hand (gridevents --blacklist-cluster); null: the grid itself, which lifts it when jobs succeed again';
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

-- The audit and the feed ----------------------------------------------------------------------------------------------------------------

-- A row is one act of a user or an administrator that changed something: who, from where, when, before and after.
CREATE TABLE audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  acted_at timestamptz NOT NULL,
  actor text NOT NULL,                                   -- the user, or the PostgreSQL role of one who acts by SQL
  origin text NOT NULL,                                  -- `gridctl on HOST`, `unix`, an address; `sql`
  act text NOT NULL,                                     -- `limit set`, `campaign paused`; INSERT, UPDATE or DELETE by SQL
  subject text NOT NULL,                                 -- `cluster alpha`
  campaign_id bigint,                                    -- without a reference: the audit outlives campaigns
  before jsonb,                                          -- what differs; null: it was not there
  after jsonb                                            -- what differs; null: it is not there any more
);
CREATE INDEX audit_acted_at ON audit (acted_at);
CREATE INDEX audit_of_campaign ON audit (campaign_id, id) WHERE campaign_id IS NOT NULL;

-- A row is one change, in an order that a reader can go on from. Streams of the API read it (GET /v1/events?after=ID).
CREATE TABLE feed (
  xact bigint NOT NULL,                                  -- id of the transaction that wrote the row; readers take rows below the oldest one
                                                         -- still in progress
  id bigint GENERATED ALWAYS AS IDENTITY,
  noted_at timestamptz NOT NULL,
  kind text NOT NULL CHECK (kind IN ('campaign', 'progress', 'event', 'cluster')),
  change text NOT NULL,                                  -- the state that a campaign entered; `counts`; `opened`, `again` or `closed`;
                                                         -- `cluster`
  subject bigint NOT NULL,                               -- id of the campaign, event or cluster, without a reference: it may be deleted
                                                         -- before its changes
  campaign_id bigint,                                    -- null: of no campaign
  PRIMARY KEY (xact, id)
);
CREATE INDEX feed_noted_at ON feed (noted_at);
-- Counts and repetitions are frequent, and only the newest matters: each subject has one such row, which moves to the end of the feed.
CREATE UNIQUE INDEX feed_newest ON feed (kind, subject) WHERE change IN ('counts', 'again');

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
  useful_seconds double precision NOT NULL DEFAULT 0,    -- part of resource_seconds: of jobs that ended with exit status 0, and of others
                                                         -- until their checkpoints
  failed_seconds double precision NOT NULL DEFAULT 0,    -- part of it: of jobs that failed by their own fault
  lost_seconds double precision NOT NULL DEFAULT 0,      -- part of it: of jobs that were killed or preempted, or could not run
  jobs bigint NOT NULL DEFAULT 0,                        -- that started
  failed_jobs bigint NOT NULL DEFAULT 0,                 -- part of jobs
  lost_jobs bigint NOT NULL DEFAULT 0,                   -- part of jobs
  tasks bigint NOT NULL DEFAULT 0,                       -- that were done, those of pools too
  PRIMARY KEY (day, user_name, project, cluster_id, campaign_id)
);

-- A row is one limit, on all that its user, group, project, campaign and cluster name together. Null: any; all null: the cap of the grid.
-- A consumable is a licence or the like, which all clusters share.
CREATE TABLE limits (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('running_jobs', 'waiting_jobs', 'resources', 'resource_seconds', 'consumable')),
  most double precision NOT NULL CHECK (most >= 0),      -- jobs, resources, resource-seconds or pieces, by its kind
  consumable text CHECK (consumable <> ''),
  user_name text,
  group_name text CHECK (group_name <> ''),
  project text,
  campaign_id bigint REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint REFERENCES clusters ON DELETE CASCADE,
  days integer NOT NULL DEFAULT 1 CHECK (days >= 1),     -- window of resource_seconds, in days, today included
  CONSTRAINT limits_names_consumable CHECK ((kind = 'consumable') = (consumable IS NOT NULL))
);
COMMENT ON COLUMN limits.consumable IS 'the one that is counted, of the kind `consumable`; campaigns may need those that a limit names';
COMMENT ON COLUMN limits.group_name IS 'a unix group: the limit is on the campaigns whose user was in it at the submission; null: any';
CREATE UNIQUE INDEX limits_target ON limits
  (kind, coalesce(consumable, ''), coalesce(user_name, ''), coalesce(group_name, ''), coalesce(project, ''), coalesce(campaign_id, 0),
   coalesce(cluster_id, 0));

-- A row is the resources of one cluster that are held back for a wide job, from one plan to the next.
CREATE TABLE reservations (
  cluster_id bigint PRIMARY KEY REFERENCES clusters ON DELETE CASCADE,
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  begins_at timestamptz NOT NULL,                        -- when the job starts at the latest, by the forecasts of when it was made
  made_at timestamptz NOT NULL
);
CREATE INDEX reservations_of_campaigns ON reservations (campaign_id);

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

-- As with the names of states, PostgreSQL writes these bodies into the queries, while they are one expression without a subquery.

-- The numbers of scripts, as lib/grid/script.hpp has them: the prologue of cluster 3 is -5, its epilogue -6.
CREATE FUNCTION prologue_on(cluster bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 1 - 2 * cluster $$;
CREATE FUNCTION epilogue_on(cluster bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT -2 * cluster $$;
CREATE FUNCTION is_script(task bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT task < 0 $$;
CREATE FUNCTION is_epilogue(task bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT task < 0 AND task % 2 = 0 $$;
CREATE FUNCTION cluster_of_script(task bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT (1 - task) / 2 $$;

-- The attempt of a task's next job.
CREATE FUNCTION next_attempt(task tasks) RETURNS integer LANGUAGE sql IMMUTABLE
  AS $$ SELECT greatest(task.attempt, task.replica) + 1 $$;

-- Whether a job of this attempt is a copy that the task waits for. Any other one is late, and changes nothing.
CREATE FUNCTION is_copy(task tasks, job_attempt integer) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT job_attempt = task.attempt OR (task.replica_lives AND job_attempt = task.replica) $$;

-- Whether a returned task goes before the new ones of its bag. Otherwise it goes after them.
CREATE FUNCTION goes_before_new(returned returned_tasks) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT returned.priority >= 10 $$;

-- The next waiting tasks from a number on, where cancelled ones are among them. The index is the only plan, as the statistics of a new bag
-- are missing. Volatile: it sees what was committed before it is called, as the caller has just waited for the campaign's lock.
CREATE FUNCTION next_untaken(campaign bigint, first bigint, most bigint) RETURNS SETOF bigint LANGUAGE sql VOLATILE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
  AS $$ SELECT number FROM tasks WHERE campaign_id = campaign AND number >= first AND state = 'waiting' ORDER BY number LIMIT most $$;

-- Most tasks of a campaign that may fail before it is paused; null: any number.
CREATE FUNCTION fails_allowed(campaign campaigns) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN campaign.max_fails < 1 THEN floor(campaign.max_fails * campaign.total + 1e-9) ELSE campaign.max_fails END
$$;

-- Jobs of a pair that are not over.
CREATE FUNCTION live_jobs(pair campaign_clusters) RETURNS integer LANGUAGE sql IMMUTABLE
  AS $$ SELECT pair.launching + pair.waiting + pair.running + pair.unknown $$;

-- Resources of one job of a pair: as its JDL states them, else those of its whole nodes if all nodes have one size.
CREATE FUNCTION requested_width(pair campaign_clusters) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT coalesce(pair.resources_per_job,
    (SELECT least(10000000, pair.nodes_per_job::bigint * k.max_node_resources)::integer FROM clusters k
     WHERE k.id = pair.cluster_id AND k.max_node_resources = k.min_node_resources AND pair.nodes_per_job IS NOT NULL))
$$;

-- The same, or as OAR assigned them on average; null: neither is known.
CREATE FUNCTION known_width(pair campaign_clusters) RETURNS double precision LANGUAGE sql STABLE AS $$
  SELECT coalesce(requested_width(pair)::double precision, pair.resources_sum::double precision / nullif(pair.resources_jobs, 0))
$$;

-- The same, with a guess where nothing is known that is rather too big: what the expressions of the tasks ask for on average, or the
-- biggest node.
CREATE FUNCTION job_width(pair campaign_clusters) RETURNS double precision LANGUAGE sql STABLE AS $$
  SELECT coalesce(known_width(pair),
    (SELECT 1 / nullif(f.job_ratio, 0) FROM forecasts f JOIN campaigns c ON c.id = f.campaign_id AND c.requests > 0
     WHERE f.campaign_id = pair.campaign_id AND f.cluster_id = pair.cluster_id),
    (SELECT k.max_node_resources * coalesce(pair.nodes_per_job, 1)::double precision FROM clusters k WHERE k.id = pair.cluster_id), 1)
$$;

-- How much of a consumable each live job of a pair holds: one that carries out tasks side by side holds it for each of them.
CREATE FUNCTION held_of(campaign campaigns, pair campaign_clusters, consumable text) RETURNS double precision LANGUAGE sql STABLE AS $$
  SELECT coalesce((campaign.jdl -> 'needs' ->> consumable)::double precision, 0)
    * CASE WHEN campaign.dimensional_grouping THEN greatest(1, floor(job_width(pair))) ELSE 1 END
$$;

-- How much of a consumable the live jobs of a pair hold.
CREATE FUNCTION held_by(campaign campaigns, pair campaign_clusters, consumable text) RETURNS double precision LANGUAGE sql STABLE AS $$
  SELECT live_jobs(pair) * held_of(campaign, pair, consumable)
    + CASE WHEN campaign.dimensional_grouping THEN greatest(1, floor(job_width(pair))) ELSE 1 END * coalesce((
      SELECT sum(f.jobs * (coalesce((l.needs ->> consumable)::double precision, 0)
        - coalesce((campaign.jdl -> 'needs' ->> consumable)::double precision, 0)))
      FROM launches l
      CROSS JOIN LATERAL (
        SELECT count(*) AS jobs FROM jobs j WHERE j.launch_id = l.id AND is_live(j.state) AND NOT j.pooled) f
      WHERE l.campaign_id = campaign.id AND l.cluster_id = pair.cluster_id AND l.needs IS NOT NULL), 0)
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

-- Whether a job is over, and may still appear on its cluster: it was given up before its id in OAR was known. A pooled one has none.
CREATE FUNCTION is_unfound(job jobs) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT job.state = 'error' AND NOT job.pooled AND (job.ending = 'never_submitted' OR (job.ending = 'lost' AND job.remote_id IS NULL))
$$;

-- Whether a job that was declared lost is still to be deleted, as it may go on on its cluster: for a day, three times at most.
CREATE FUNCTION is_lost_and_killed(job jobs, kill kill_requests) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT job.state = 'error' AND job.ending = 'lost' AND job.remote_id IS NOT NULL AND kill.reason = 'lost' AND kill.sends < 3
    AND kill.requested_at > now() - interval '1 day'
$$;

-- Files that a campaign with so many live jobs on a cluster may have there before those of settled tasks are removed: half of what it never
-- exceeds, which is 10 for each live job, and 1000.
CREATE FUNCTION files_target(live_jobs integer) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 5 * live_jobs::bigint + 500 $$;

-- `useful`, `failed` or `lost`, by the end of a job.
CREATE FUNCTION use_of(ending text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
  SELECT CASE WHEN ending = 'done' THEN 'useful'
              WHEN ending IN ('task_error', 'rerun_first', 'rerun_last', 'walltime', 'bad_request') THEN 'failed'
              ELSE 'lost' END
$$;

-- Seconds of a job's time that later jobs of its task need not spend again: until its last checkpoint, or all of it if it ended after
-- writing one. A task that failed left no use.
CREATE FUNCTION saved_seconds(ending text, started_at timestamptz, checkpointed_at timestamptz, ended_at timestamptz)
  RETURNS double precision IMMUTABLE LANGUAGE sql AS $$
  SELECT coalesce(greatest(0, extract(epoch FROM CASE
    WHEN ending IN ('done', 'task_error', 'bad_request') THEN NULL
    WHEN ending = 'rerun_first' THEN ended_at
    WHEN checkpointed_at IS NOT NULL THEN least(checkpointed_at, ended_at) END - started_at)), 0)::double precision
$$;

-- The value that campaigns.asked must have.
CREATE FUNCTION asked_of(campaign bigint) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    string_agg(CASE WHEN wishes = before THEN cluster_id::text ELSE cluster_id || ':' || wishes END, ' ' ORDER BY cluster_id), '')
  FROM (SELECT cluster_id, wishes, lag(wishes) OVER (ORDER BY cluster_id) AS before
        FROM (SELECT cluster_id,
                format('%s:%s:%s:%s:%s:%s', priority, resources_per_job, walltime_s, max_jobs, nodes_per_job, best_effort::integer) AS wishes
              FROM campaign_clusters WHERE campaign_id = campaign) w) b
$$;

-- Conditions over several tables --------------------------------------------------------------------------------------------------------

-- Whether prologues or epilogues are still to run or under way: on clusters in use, where something of the campaign started. None begins
-- when the campaign is over, also where a cluster comes back that was retired before.
CREATE FUNCTION has_scripts_left(campaign bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT FROM campaigns c WHERE c.id = campaign AND c.state = 'terminated') AND (EXISTS (
    SELECT FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id AND k.retired_at IS NULL
    WHERE p.campaign_id = campaign AND p.epilogue_due AND p.last_start_at IS NOT NULL)
  OR EXISTS (
    SELECT FROM tasks t JOIN clusters k ON k.id = cluster_of_script(t.number) AND k.retired_at IS NULL
    WHERE t.campaign_id = campaign AND t.number < 0 AND (is_in_flight(t.state) OR (t.state = 'waiting' AND is_epilogue(t.number)))))
$$;

-- Whether a campaign in this state meets a dependency of this kind.
CREATE FUNCTION meets(campaign campaigns, kind text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE kind WHEN 'after_any_end' THEN is_over(campaign.state)
    ELSE campaign.state = 'terminated' AND campaign.done = campaign.total END
$$;

-- Whether a task of a campaign waits for one of another that is not done.
CREATE FUNCTION awaits_task(campaign bigint, task bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM dependencies d
    WHERE d.campaign_id = campaign AND d.kind = 'after_each' AND d.met_at IS NULL
      AND NOT EXISTS (SELECT FROM tasks o WHERE o.campaign_id = d.on_campaign AND o.number = task AND o.state = 'done'))
$$;

-- Whether a dependency task by task keeps a task out of the bag: it waits for one, or was not released yet.
CREATE FUNCTION is_held(campaign bigint, task bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT awaits_task(campaign, task) OR EXISTS (
    SELECT FROM dependencies d
    WHERE d.campaign_id = campaign AND d.kind = 'after_each' AND d.released_at IS NULL
      AND ((task >= d.scan_at AND task < d.scan_to) OR EXISTS (
        SELECT FROM freed_tasks f WHERE f.on_campaign = d.on_campaign AND f.place > d.released_to AND f.number = task)))
$$;

-- Whether other campaigns keep all tasks of a campaign waiting.
CREATE FUNCTION is_kept_waiting(campaign bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM dependencies d WHERE d.campaign_id = campaign AND d.met_at IS NULL AND d.kind <> 'after_each')
    OR (EXISTS (SELECT FROM dependencies d WHERE d.campaign_id = campaign AND d.met_at IS NULL AND d.kind = 'after_each')
      AND NOT EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = campaign AND NOT is_script(r.number)))
$$;

-- The first campaign in treatment or paused, of the same user, for which this one has to stay: it waits for this one, or has tasks that
-- find their files by its jobs. Null: there is none. Those of others do not keep a user from deleting what is over.
CREATE FUNCTION awaited_by(campaign bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT min(d.campaign_id) FROM dependencies d
  JOIN campaigns c ON c.id = d.on_campaign
  JOIN campaigns w ON w.id = d.campaign_id AND is_live(w.state) AND w.user_name = c.user_name
  WHERE d.on_campaign = campaign AND (d.met_at IS NULL OR (d.kind = 'after_each' AND w.follows AND w.waiting > 0))
$$;

-- Whether tasks of a campaign are put into its bag one by one: they wait for others, or for the cluster of those.
CREATE FUNCTION is_fed(campaign bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM dependencies d JOIN campaigns c ON c.id = d.campaign_id
    WHERE d.campaign_id = campaign AND d.kind = 'after_each' AND (d.met_at IS NULL OR c.follows))
$$;

-- Differs after a restore: the server's identifier and its timeline, the database's oid, and that of a table, which is made anew where a
-- dump is restored into the same database.
CREATE FUNCTION database_identity() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT format('%s.%s.%s.%s',
    (SELECT system_identifier FROM pg_control_system()),
    substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
    (SELECT oid FROM pg_database WHERE datname = current_database()),
    to_regclass('epochs')::oid)
$$;

-- The actor of this connection (store::act_as). Empty: a module, or somebody by SQL.
CREATE FUNCTION acting() RETURNS text STABLE LANGUAGE sql AS
$$ SELECT nullif(current_setting('gleaner.actor', true), '') $$;

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
  micros(retired_at) AS retired_at,
  headroom,
  availability,
  load_property,
  utilized_resources,
  loaded_resources,
  micros(load_at) AS load_at,
  suspected_resources,
  absent_resources,
  dead_resources,
  micros(no_resources_since) AS no_resources_since,
  insecure,
  shared_home
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
  e.message,
  e.output,
  c.user_name
FROM events e
LEFT JOIN clusters k ON k.id = e.cluster_id
LEFT JOIN campaigns c ON c.id = e.campaign_id;

-- The pairs with input files that are not all there, with the login whose home is to have them.
CREATE VIEW missing_inputs AS
  SELECT p.campaign_id, p.cluster_id, u.login, c.input_bytes, c.priority,
    CASE WHEN p.inputs_login = u.login THEN p.inputs_sent ELSE 0 END AS sent
  FROM campaigns c
  JOIN campaign_clusters p ON p.campaign_id = c.id
  JOIN logins u ON u.campaign_id = p.campaign_id AND u.cluster_id = p.cluster_id
  WHERE is_live(c.state) AND NOT c.sealed AND c.input_files <> '' AND (p.inputs_at IS NULL OR p.inputs_login <> u.login);

-- Those that the runner brings: tasks wait for them, a plan had some for the cluster, and it may get jobs.
CREATE VIEW inputs_to_send AS
  SELECT m.*, c.user_name, p.inputs_served_at FROM missing_inputs m
  JOIN campaigns c ON c.id = m.campaign_id AND c.state = 'in_treatment' AND c.waiting > 0
  JOIN campaign_clusters p ON p.campaign_id = m.campaign_id AND p.cluster_id = m.cluster_id AND p.max_jobs IS DISTINCT FROM 0
    AND p.inputs_wanted
  JOIN clusters k ON k.id = m.cluster_id AND k.enabled AND k.retired_at IS NULL AND k.reachable IS TRUE
  WHERE m.login ~ '^[A-Za-z0-9_]+$' AND NOT is_kept_waiting(m.campaign_id);

-- Whether the campaign's jobs may have been submitted to the cluster under this login: its user's there, or that of an earlier launch.
-- After a restore, jobs on a cluster say of which campaign they are, and anybody can name a job so.
CREATE FUNCTION launches_as(campaign bigint, cluster bigint, login text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM logins u WHERE u.campaign_id = campaign AND u.cluster_id = cluster AND u.login = launches_as.login)
    OR EXISTS (SELECT FROM launches l WHERE l.campaign_id = campaign AND l.cluster_id = cluster AND l.login = launches_as.login)
$$;

-- Triggers ------------------------------------------------------------------------------------------------------------------------------

-- The counters of a campaign follow the tasks of its bag, whatever statement changes them.
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
        SELECT campaign_id, state, 1 AS n FROM after WHERE number >= 0
        UNION ALL SELECT campaign_id, state, -1 FROM before WHERE number >= 0) moves
      GROUP BY campaign_id, state
      -- Every state is present, so that no sum is null.
      UNION ALL SELECT DISTINCT after.campaign_id, s.state, 0 FROM after, unnest(enum_range(NULL::task_state)) AS s(state)) all_states
    GROUP BY campaign_id) d
  WHERE c.id = d.campaign_id;
  RETURN NULL;
END $$;
CREATE TRIGGER count_tasks AFTER UPDATE ON tasks
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_tasks();

-- The counters of a pair follow its jobs that OAR has, or will have, whatever statement changes them. A pair with a new job becomes active,
-- and a new job changes which scripts its pair needs.
CREATE FUNCTION count_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE campaign_clusters p SET
      launching = p.launching + d.n,
      active = true,
      prepared = CASE WHEN d.epilogue THEN false WHEN d.prologue THEN true ELSE p.prepared END,
      epilogue_due = NOT d.epilogue AND p.epilogue <> ''
    FROM (
      SELECT campaign_id, cluster_id, count(*) AS n, bool_or(is_epilogue(task)) AS epilogue, bool_or(is_script(task)) AS prologue
      FROM after WHERE NOT pooled GROUP BY 1, 2) d
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
CREATE TRIGGER note_asked AFTER INSERT OR UPDATE OF priority, resources_per_job, walltime_s, max_jobs, nodes_per_job, best_effort
  ON campaign_clusters FOR EACH ROW EXECUTE FUNCTION note_asked();

-- The time of a pair's last failure, which lowers the cluster's standing with the campaign for a while.
CREATE FUNCTION note_failure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.last_failure_at := clock_timestamp();
  RETURN NEW;
END $$;
CREATE TRIGGER note_failure BEFORE UPDATE ON campaign_clusters FOR EACH ROW
  WHEN (NEW.failures_in_a_row > OLD.failures_in_a_row) EXECUTE FUNCTION note_failure();

-- The usage follows the ends of jobs, whatever statement ends them, in their own transaction: each run of a job counts once. The carriers
-- of a pool held the resources, and count by the ends of their own tasks. The time until a checkpoint is useful. PostgreSQL keeps the plan
-- of a trigger that it made for a few rows: it would join the two tables of an update by comparing each row with each, and hashes what a
-- NOT IN names.
CREATE FUNCTION account_usage() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER account_usage AFTER UPDATE ON jobs
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION account_usage();

-- Whoever ends a campaign meets the dependencies on it, in the same transaction.
CREATE FUNCTION meet_dependencies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE dependencies SET met_at = clock_timestamp()
  WHERE on_campaign = NEW.id AND met_at IS NULL AND meets(NEW, kind);
  RETURN NULL;
END $$;
CREATE TRIGGER meet_dependencies AFTER UPDATE OF state ON campaigns FOR EACH ROW
  WHEN (OLD.state <> NEW.state AND is_over(NEW.state)) EXECUTE FUNCTION meet_dependencies();

-- Notes the tasks that are done and for which others may wait. Without such dependencies it costs one look into an index. It runs after
-- count_tasks, which has locked the campaigns whose tasks changed: a campaign that is submitted meanwhile has locked them before, or looks
-- for what is done now.
CREATE FUNCTION release_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM dependencies WHERE met_at IS NULL AND kind = 'after_each') THEN RETURN NULL; END IF;
  INSERT INTO freed_tasks (on_campaign, number)
  SELECT a.campaign_id, a.number FROM after a
  WHERE a.state = 'done' AND NOT is_script(a.number)
    AND EXISTS (SELECT FROM dependencies d WHERE d.on_campaign = a.campaign_id AND d.met_at IS NULL AND d.kind = 'after_each');
  RETURN NULL;
END $$;
CREATE TRIGGER release_tasks AFTER UPDATE ON tasks REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION release_tasks();

-- Binds tasks in the bag, which are free, to the cluster where the job ran that counts for the task they come after: its files are in the
-- home there. If their campaign does not have that cluster, they are bound to another one with the same homes, one that the campaign uses
-- before others (max_jobs of 0 is `off`). They stay free if they come after none, or if all clusters of the campaign have these homes, or
-- none of them has. If predecessors ran on different clusters, that of the oldest campaign counts.
CREATE FUNCTION bind_followers(of_campaigns bigint[], numbers bigint[]) RETURNS void LANGUAGE sql AS $$
  WITH homes AS MATERIALIZED (
    SELECT c.id AS campaign_id, k.id AS ran_on, home.id
    FROM campaigns c
    CROSS JOIN clusters k
    CROSS JOIN LATERAL (
      SELECT h.id FROM campaign_clusters p JOIN clusters h ON h.id = p.cluster_id AND h.retired_at IS NULL
      WHERE p.campaign_id = c.id AND (h.id = k.id OR h.shared_home = k.shared_home)
      ORDER BY p.max_jobs IS NOT DISTINCT FROM 0, h.enabled DESC, h.id = k.id DESC, h.id LIMIT 1) home
    WHERE c.id = ANY (of_campaigns) AND c.follows
      AND EXISTS (
        SELECT FROM campaign_clusters p JOIN clusters h ON h.id = p.cluster_id
        WHERE p.campaign_id = c.id AND (h.shared_home = k.shared_home) IS NOT TRUE AND h.id <> k.id))
  UPDATE returned_tasks r SET cluster_id = b.home, follows = b.home IS NOT NULL
  FROM (
    SELECT f.campaign_id, f.number, (
      SELECT h.id
      FROM dependencies d
      CROSS JOIN LATERAL (
        SELECT j.cluster_id FROM jobs j LEFT JOIN tasks o ON o.campaign_id = j.campaign_id AND o.number = j.task
        WHERE j.campaign_id = d.on_campaign AND j.task = f.number AND j.ending = 'done'
        ORDER BY (j.attempt = o.attempt) DESC NULLS LAST, j.id DESC LIMIT 1) ran
      JOIN homes h ON h.campaign_id = d.campaign_id AND h.ran_on = ran.cluster_id
      WHERE d.campaign_id = f.campaign_id AND d.kind = 'after_each'
      ORDER BY d.on_campaign LIMIT 1) AS home
    FROM unnest(of_campaigns, numbers) AS f(campaign_id, number)) b
  WHERE r.campaign_id = b.campaign_id AND r.number = b.number AND (b.home IS NOT NULL OR r.follows)
$$;

-- Whoever puts tasks into the bag: they follow by statement, and not row by row, which is several times as fast.
CREATE FUNCTION follow_returned() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  of_campaigns bigint[];
  numbers bigint[];
BEGIN
  SELECT array_agg(a.campaign_id), array_agg(a.number) INTO of_campaigns, numbers
  FROM after a JOIN campaigns c ON c.id = a.campaign_id AND c.follows WHERE a.cluster_id IS NULL AND NOT is_script(a.number);
  IF of_campaigns IS NOT NULL THEN PERFORM bind_followers(of_campaigns, numbers); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER follow_when_returned AFTER INSERT ON returned_tasks REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION follow_returned();

-- Whoever frees tasks from their cluster; not this binding itself, which says of some that they follow none any more.
CREATE FUNCTION follow_freed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  of_campaigns bigint[];
  numbers bigint[];
BEGIN
  SELECT array_agg(a.campaign_id), array_agg(a.number) INTO of_campaigns, numbers
  FROM after a
  JOIN before b ON b.campaign_id = a.campaign_id AND b.number = a.number
  JOIN campaigns c ON c.id = a.campaign_id
  WHERE a.cluster_id IS NULL AND NOT is_script(a.number) AND (c.follows OR a.follows) AND (a.follows OR NOT b.follows);
  IF of_campaigns IS NOT NULL THEN PERFORM bind_followers(of_campaigns, numbers); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER follow_when_freed AFTER UPDATE ON returned_tasks REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION follow_freed();

-- How much is in the spool follows the inputs.
CREATE FUNCTION add_to_input_totals(of_user text, more_bytes bigint, more_contents bigint) RETURNS void LANGUAGE sql AS $$
  INSERT INTO input_totals AS t VALUES (of_user, more_bytes, more_contents)
  ON CONFLICT (user_name) DO UPDATE SET bytes = t.bytes + EXCLUDED.bytes, contents = t.contents + EXCLUDED.contents
$$;

-- Whoever adds contents holds the lock of the spool (inputs.lock), so that two users' first ones of the same content follow each other.
CREATE FUNCTION count_new_inputs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_to_input_totals(a.user_name, sum(a.bytes)::bigint, count(*)) FROM added a GROUP BY a.user_name ORDER BY a.user_name;
  PERFORM add_to_input_totals('', sum(n.bytes)::bigint, count(*)) FROM (SELECT DISTINCT sha256, bytes FROM added) n
  WHERE NOT EXISTS (
    SELECT FROM inputs i WHERE i.sha256 = n.sha256 AND NOT EXISTS (
      SELECT FROM added a WHERE a.user_name = i.user_name AND a.sha256 = i.sha256))
  HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE FUNCTION count_gone_inputs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_to_input_totals(g.user_name, -sum(g.bytes)::bigint, -count(*)) FROM gone g GROUP BY g.user_name ORDER BY g.user_name;
  PERFORM add_to_input_totals('', -sum(n.bytes)::bigint, -count(*)) FROM (SELECT DISTINCT sha256, bytes FROM gone) n
  WHERE NOT EXISTS (SELECT FROM inputs i WHERE i.sha256 = n.sha256)
  HAVING count(*) > 0;
  DELETE FROM input_totals WHERE contents = 0 AND user_name <> '';
  RETURN NULL;
END $$;
CREATE TRIGGER count_new_inputs AFTER INSERT ON inputs REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_inputs();
CREATE TRIGGER count_gone_inputs AFTER DELETE ON inputs REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_gone_inputs();

-- Adds a change to the feed, and wakes its readers up when the transaction commits. A transaction adds counts and repetitions once.
CREATE FUNCTION note_change(of_kind text, how text, of_subject bigint, campaign bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  writer bigint := pg_current_xact_id()::text::bigint;
BEGIN
  IF how IN ('counts', 'again') THEN
    INSERT INTO feed AS f (xact, noted_at, kind, change, subject, campaign_id)
    VALUES (writer, clock_timestamp(), of_kind, how, of_subject, campaign)
    ON CONFLICT (kind, subject) WHERE change IN ('counts', 'again')
    DO UPDATE SET xact = EXCLUDED.xact, id = DEFAULT, noted_at = EXCLUDED.noted_at WHERE f.xact <> EXCLUDED.xact;
  ELSE
    INSERT INTO feed (xact, noted_at, kind, change, subject, campaign_id)
    VALUES (writer, clock_timestamp(), of_kind, how, of_subject, campaign);
  END IF;
  PERFORM pg_notify('gleaner_feed', '');
END $$;

CREATE FUNCTION note_campaign() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_change('campaign', NEW.state::text, NEW.id, NEW.id);
  RETURN NULL;
END $$;

CREATE FUNCTION note_progress() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_change('progress', 'counts', NEW.id, NEW.id);
  RETURN NULL;
END $$;

CREATE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_change('event',
    CASE WHEN NEW.state = 'closed' THEN 'closed' WHEN TG_ARGV[0] = 'new' OR OLD.state = 'closed' THEN 'opened' ELSE 'again' END,
    NEW.id, NEW.campaign_id);
  RETURN NULL;
END $$;

CREATE FUNCTION note_cluster() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_change('cluster', 'cluster', NEW.id, NULL);
  RETURN NULL;
END $$;

-- Whoever changes a row is covered, also by SQL. Only rows whose change is shown cost something: statements on tasks change one row of
-- campaigns each, however many tasks they are about.
CREATE TRIGGER note_new_campaign AFTER INSERT ON campaigns FOR EACH ROW EXECUTE FUNCTION note_campaign();
CREATE TRIGGER note_state AFTER UPDATE OF state ON campaigns FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION note_campaign();
CREATE TRIGGER note_progress AFTER UPDATE OF total, waiting, launching, submitted, running, done, failed, cancelled ON campaigns FOR EACH ROW
  WHEN ((OLD.total, OLD.waiting, OLD.launching, OLD.submitted, OLD.running, OLD.done, OLD.failed, OLD.cancelled) <>
        (NEW.total, NEW.waiting, NEW.launching, NEW.submitted, NEW.running, NEW.done, NEW.failed, NEW.cancelled))
  EXECUTE FUNCTION note_progress();
CREATE TRIGGER note_new_event AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION note_event('new');
CREATE TRIGGER note_event AFTER UPDATE OF state, occurrences ON events FOR EACH ROW
  WHEN (OLD.state <> NEW.state OR OLD.occurrences <> NEW.occurrences) EXECUTE FUNCTION note_event('changed');
CREATE TRIGGER note_new_cluster AFTER INSERT ON clusters FOR EACH ROW EXECUTE FUNCTION note_cluster();
CREATE TRIGGER note_cluster AFTER UPDATE OF enabled, reachable, retired_at ON clusters FOR EACH ROW
  WHEN (OLD.enabled <> NEW.enabled OR OLD.reachable IS DISTINCT FROM NEW.reachable OR OLD.retired_at IS DISTINCT FROM NEW.retired_at)
  EXECUTE FUNCTION note_cluster();

-- Writes a changed row into the audit. Arguments: what the row is, and the columns that name it.
CREATE FUNCTION note_act() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was jsonb;
  becomes jsonb;
  row_now jsonb;
  named text := TG_ARGV[0];
BEGIN
  IF TG_OP <> 'INSERT' THEN was := jsonb_strip_nulls(to_jsonb(old)); END IF;
  IF TG_OP <> 'DELETE' THEN becomes := jsonb_strip_nulls(to_jsonb(new)); END IF;
  row_now := coalesce(becomes, was);
  FOR i IN 1 .. TG_NARGS - 1 LOOP named := concat_ws(' ', named, row_now ->> TG_ARGV[i]); END LOOP;
  IF row_now ? 'cluster_id' THEN
    named := named || ' on ' || coalesce((SELECT k.name FROM clusters k WHERE k.id = (row_now ->> 'cluster_id')::bigint), row_now ->> 'cluster_id');
  END IF;
  IF TG_OP = 'UPDATE' THEN
    SELECT coalesce(jsonb_object_agg(b.key, b.value) FILTER (WHERE becomes -> b.key IS DISTINCT FROM b.value), '{}'),
      coalesce((SELECT jsonb_object_agg(a.key, a.value) FILTER (WHERE was -> a.key IS DISTINCT FROM a.value) FROM jsonb_each(becomes) a), '{}')
      INTO was, becomes FROM jsonb_each(was) b;
    IF was = '{}' AND becomes = '{}' THEN RETURN NULL; END IF;
  END IF;
  INSERT INTO audit (acted_at, actor, origin, act, subject, campaign_id, before, after)
  VALUES (now(), coalesce(acting(), session_user), CASE WHEN acting() IS NULL THEN 'sql' ELSE current_setting('gleaner.origin') END,
    CASE WHEN acting() IS NULL THEN TG_OP ELSE current_setting('gleaner.act') END,
    named, (row_now ->> 'campaign_id')::bigint, was, becomes);
  RETURN NULL;
END $$;

-- Declarations of administrators are recorded whoever changes them, also by SQL.
CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON admission_rules FOR EACH ROW EXECUTE FUNCTION note_act('rule', 'name');
CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON affinities FOR EACH ROW EXECUTE FUNCTION note_act('affinity of', 'user_name');
CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE OF name, enabled, retired_at, url, authentication, login, secret_file, identity_header,
  ca_file, certificate_file, key_file, verify_tls, power, cost, transfer_mb_s, flood, array_size, memory_property, memory_unit_mb,
  memory_max_mb, headroom, availability, load_property
  ON clusters FOR EACH ROW EXECUTE FUNCTION note_act('cluster', 'name');
CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON limits FOR EACH ROW WHEN (pg_trigger_depth() = 0)
  EXECUTE FUNCTION note_act('limit', 'id', 'kind');
CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON normal_users FOR EACH ROW EXECUTE FUNCTION note_act('normal jobs of', 'user_name');
CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON shares FOR EACH ROW EXECUTE FUNCTION note_act('share of', 'kind', 'name');
CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON user_limits FOR EACH ROW EXECUTE FUNCTION note_act('limits of', 'user_name');
CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON user_mappings FOR EACH ROW EXECUTE FUNCTION note_act('login of', 'user_name');
CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON user_priorities FOR EACH ROW
  EXECUTE FUNCTION note_act('priority of', 'user_name');
CREATE TRIGGER note_act AFTER INSERT ON declarations FOR EACH ROW EXECUTE FUNCTION note_act('declaration', 'what', 'subject');

-- Modules open and close events and brakes in every cycle; only what a person does to them is noted. Rows that go with their campaign or
-- cluster are noted with it.
CREATE TRIGGER note_act AFTER UPDATE OF state ON events FOR EACH ROW WHEN (acting() IS NOT NULL AND pg_trigger_depth() = 0)
  EXECUTE FUNCTION note_act('event', 'id', 'code');
CREATE TRIGGER note_act AFTER INSERT OR DELETE ON brakes FOR EACH ROW WHEN (acting() IS NOT NULL AND pg_trigger_depth() = 0)
  EXECUTE FUNCTION note_act('brake');
