-- Sinks are found by the last ends of a campaign on a cluster, and what they swallowed is known job by job.

-- The event SINK that names the job: it ended without an error, and most likely did nothing.
ALTER TABLE jobs ADD COLUMN sink bigint;
CREATE INDEX jobs_sink ON jobs (sink) WHERE sink IS NOT NULL;
-- The last jobs done of a campaign on a cluster.
CREATE INDEX jobs_done ON jobs (campaign_id, cluster_id, ended_at, id) WHERE ending = 'done';

ALTER TABLE campaign_clusters
  DROP COLUMN judged_done,
  DROP COLUMN judged_sum,
  ADD COLUMN suspected boolean NOT NULL DEFAULT false;   -- it swallowed the last jobs there, and has shown no work since

-- Its jobs and tasks are being removed: none of them is given back any more.
ALTER TABLE campaigns ADD COLUMN sealed boolean NOT NULL DEFAULT false;

-- The most jobs for one of its tasks, as its JDL says it; null: the configuration's. The administrator's bound counts all the same.
ALTER TABLE campaigns ADD COLUMN max_attempts integer GENERATED ALWAYS AS ((jdl ->> 'max_attempts')::integer) STORED;
