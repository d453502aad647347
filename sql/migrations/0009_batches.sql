-- Composite types of the queries that write many rows at once: each takes one array of rows. sql/types.txt has them too, and a struct of C++
-- is generated of each.

-- An end of a job, and the settlement of its task (jobs.settle).
CREATE TYPE verdict AS (
  id bigint,                       -- of the job
  leaves job_state,                -- that the rule saw
  state job_state,
  ending text,
  exit_status integer,
  started_at bigint,
  ended_at bigint,
  checkpointed_at bigint,          -- when OAR itself sent the last signal for a checkpoint; null: it sent none. Such an end is no interruption
  resources integer,
  message text,
  failure integer,                 -- 1 where the job counts as a failure of its campaign there
  moves boolean,                   -- whether the task changes at all
  task_leaves task_state,          -- that the rule saw, and so the attempt
  attempt_leaves integer,
  task_state task_state,
  attempt integer,
  charge integer,
  counted boolean,                 -- whether the attempt counts
  priority integer,                -- the place in the bag of a task that goes back to it
  bound boolean,                   -- whether that task is bound to this cluster
  kept boolean,                    -- whether it is kept at it, with an attempt of its own
  walltime_s integer,              -- null: unchanged
  duration double precision,       -- of the task, as its job measured it, in seconds; null: from the job's start to its end
  run_ending text,                 -- of a job whose own task had ended before
  command double precision,        -- seconds that the command of a job with one task took; null: unknown
  wall double precision,           -- seconds that the job's own task took; null: unknown
  cpu double precision,            -- those of the processors
  peak integer                     -- MB of memory at most
);

-- A campaign's forecast, and a pair's (prediction.write).
CREATE TYPE campaign_forecast AS (
  campaign_id bigint,
  method text,
  end_at bigint,
  end_earliest bigint,
  end_latest bigint,
  start_at bigint,
  start_earliest bigint,
  start_latest bigint,
  kept boolean                     -- also in the history
);
CREATE TYPE pair_forecast AS (
  campaign_id bigint,
  cluster_id bigint,
  job_ratio double precision,
  throughput double precision
);

-- A decision that changed (decisions.write).
CREATE TYPE changed_decision AS (
  campaign_id bigint,
  cluster_id bigint,               -- 0: of the campaign
  stage text,
  reason text,
  figures jsonb,
  jobs integer,
  digest bigint
);

-- An amount to add to a total (totals.add).
CREATE TYPE addend AS (
  kind text,
  cluster_id bigint,
  name text,
  result text,
  times bigint,
  amount double precision,
  buckets bigint[]                 -- null: none
);

-- One of the different requests of a campaign's tasks, for one cluster (campaigns.add_requests).
CREATE TYPE cluster_request AS (
  cluster text,                    -- its name
  request smallint,
  shape smallint,
  resources text,
  resources_per_job integer,
  memory_mb bigint,
  walltime_s integer
);

-- The request of a campaign to some clusters, as campaign_clusters has it.
CREATE TYPE pair_requests AS (
  clusters bigint[],               -- to which it is the same
  priority integer,
  resources_per_job integer,
  walltime integer,                -- in seconds
  max_jobs integer,                -- null: no limit
  nodes_per_job integer,
  best_effort boolean
);

-- campaigns.asked was a text that one class could read. campaigns.requested is PostgreSQL's own text of a pair_requests[]. As a column of that
-- type, it would be written as a text again in each cycle, for each campaign: a twentieth of the cycle's time.
DROP TRIGGER note_asked ON campaign_clusters;
DROP FUNCTION note_asked();
ALTER TABLE campaigns DROP COLUMN asked;
DROP FUNCTION asked_of(bigint);

CREATE FUNCTION requested_of(campaign bigint) RETURNS pair_requests[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    array_agg((clusters, priority, resources_per_job, walltime_s, max_jobs, nodes_per_job, best_effort)::pair_requests ORDER BY clusters), '{}')
  FROM (SELECT array_agg(cluster_id ORDER BY cluster_id) AS clusters, priority, resources_per_job, walltime_s, max_jobs, nodes_per_job, best_effort
        FROM campaign_clusters WHERE campaign_id = campaign
        GROUP BY priority, resources_per_job, walltime_s, max_jobs, nodes_per_job, best_effort) g
$$;

ALTER TABLE campaigns ADD COLUMN requested text NOT NULL DEFAULT '{}';
UPDATE campaigns SET requested = requested_of(id)::text;

-- campaigns.requested follows the campaign's pairs.
CREATE FUNCTION note_requested() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE campaigns SET requested = requested_of(id)::text WHERE id = NEW.campaign_id;
  RETURN NULL;
END $$;
CREATE TRIGGER note_requested AFTER INSERT OR UPDATE OF priority, resources_per_job, walltime_s, max_jobs, nodes_per_job, best_effort
  ON campaign_clusters FOR EACH ROW EXECUTE FUNCTION note_requested();
