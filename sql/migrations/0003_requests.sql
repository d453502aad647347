-- What each task asks, where a campaign's expressions make it differ from task to task; walltimes that grow; how long jobs took.

-- How OAR tells the memory of a node there; sites name and count it in their own way.
ALTER TABLE clusters
  ADD COLUMN memory_property text NOT NULL DEFAULT '',                            -- of OAR's resources; empty: it does not tell
  ADD COLUMN memory_unit_mb integer NOT NULL DEFAULT 1 CHECK (memory_unit_mb > 0), -- what one of it is
  ADD COLUMN memory_max_mb bigint CHECK (memory_max_mb > 0);                      -- of the biggest node; null: not known

ALTER TABLE campaigns
  ADD COLUMN requests smallint NOT NULL DEFAULT 0,                                -- different ones of its tasks; 0: all ask the same
  ADD COLUMN input_mb double precision;                                           -- mean input of its tasks; null: the JDL does not say
ALTER TABLE campaign_clusters ADD COLUMN max_walltime_s integer;                  -- up to where a walltime grows; null: it does not

ALTER TABLE tasks
  ADD COLUMN request smallint,                                                    -- null: what the campaign asks for all
  ADD COLUMN walltime_s integer;                                                  -- at least this, after a job was killed by its walltime
ALTER TABLE returned_tasks ADD COLUMN request smallint;                           -- its task's

-- What a launch asks of OAR: one array, so one request and one walltime. Null: what the campaign asks of the cluster.
ALTER TABLE launches
  ADD COLUMN request text,
  ADD COLUMN memory_mb bigint,
  ADD COLUMN walltime_s integer;

-- The different requests of a campaign's tasks, numbered from 1, as each cluster understands them. A request that a cluster cannot
-- hold has no row there. Requests of one shape differ in their walltime alone, and can share an array.
CREATE TABLE campaign_requests (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL,
  request smallint NOT NULL,
  shape smallint NOT NULL,
  resources text NOT NULL,
  resources_per_job integer,                                                      -- null: only the cluster knows
  memory_mb bigint,
  walltime_s integer NOT NULL,
  PRIMARY KEY (campaign_id, cluster_id, request)
);

-- Where each request's tasks begin that were never taken, and how many they are.
CREATE TABLE request_bags (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  request smallint NOT NULL,
  next_task bigint NOT NULL,
  untaken bigint NOT NULL,
  PRIMARY KEY (campaign_id, request)
);

-- The tasks of such a campaign, sorted by request. A table of its own, not an index on tasks: it can be read in one way only,
-- whatever the statistics of a bag just submitted say.
CREATE TABLE request_tasks (
  campaign_id bigint NOT NULL,
  request smallint NOT NULL,
  number bigint NOT NULL,
  PRIMARY KEY (campaign_id, request, number)
);

-- Durations of the jobs done: a bucket holds those up to 1.1 ^ bucket seconds, so that a quantile is at most 10 % too long.
CREATE FUNCTION duration_bucket(seconds double precision) RETURNS smallint LANGUAGE sql IMMUTABLE
  AS $$ SELECT ceil(ln(greatest(seconds, 1)) / ln(1.1::double precision))::smallint $$;
CREATE FUNCTION bucket_seconds(bucket smallint) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$ SELECT 1.1::double precision ^ bucket $$;
CREATE TABLE durations (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL,
  bucket smallint NOT NULL,
  jobs bigint NOT NULL,
  PRIMARY KEY (campaign_id, cluster_id, bucket)
);
