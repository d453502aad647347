-- Pools: launches whose jobs carry out more tasks than there are jobs (docs/architecture/pools.md).

-- The job has no job of OAR of its own: the jobs of its launch, its carriers, take it when they are through with their own tasks. While it
-- is live, its state is 'pooled'; remote_id is the id of the carrier that claimed it, once it is known.
ALTER TABLE jobs ADD COLUMN pooled boolean NOT NULL DEFAULT false;
ALTER TABLE jobs ADD CHECK (pooled OR state <> 'pooled');

-- How the job itself ended, if its own task had ended before: a carrier goes on with other tasks. Null: as `ending`.
ALTER TABLE jobs ADD COLUMN run_ending text;

-- How long its jobs take tasks, in seconds; their walltime in OAR is this plus walltime_s, which is that of one task. Null: no pool.
ALTER TABLE launches ADD COLUMN pool_s integer CHECK (pool_s > 0);

-- Whether many tasks may share one job: true, false, or auto.
ALTER TABLE campaigns ADD COLUMN temporal_grouping text GENERATED ALWAYS AS (coalesce(jdl ->> 'temporal_grouping', 'false')) STORED;

CREATE OR REPLACE FUNCTION is_live(state job_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('planned', 'launching', 'remote_waiting', 'running', 'unknown', 'pooled') $$;
DROP INDEX jobs_live;
CREATE INDEX jobs_live ON jobs (cluster_id, id) WHERE state IN ('planned', 'launching', 'remote_waiting', 'running', 'unknown', 'pooled');

-- Whether a job is over, and may still appear on its cluster: it was given up before its id in OAR was known. A pooled one has none.
CREATE OR REPLACE FUNCTION is_unfound(job jobs) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT job.state = 'error' AND NOT job.pooled AND (job.ending = 'never_submitted' OR (job.ending = 'lost' AND job.remote_id IS NULL))
$$;

-- The counters of a pair are of jobs that OAR has, or will have: they say what is held, and what waits.
CREATE OR REPLACE FUNCTION count_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE campaign_clusters p SET launching = p.launching + d.n, active = true
    FROM (SELECT campaign_id, cluster_id, count(*) AS n FROM after WHERE NOT pooled GROUP BY 1, 2) d
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

-- The carriers of a pool held the resources.
CREATE OR REPLACE FUNCTION account_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage AS u (day, user_name, project, cluster_id, campaign_id, resource_seconds)
  SELECT (a.ended_at AT TIME ZONE 'UTC')::date, c.user_name, c.project, a.cluster_id, a.campaign_id,
    sum(greatest(0, extract(epoch FROM a.ended_at - a.started_at)) * coalesce(a.resources, known_width(p), 1))
  FROM after a
  JOIN before b ON b.id = a.id AND b.ended_at IS NULL
  JOIN campaigns c ON c.id = a.campaign_id
  JOIN campaign_clusters p ON p.campaign_id = a.campaign_id AND p.cluster_id = a.cluster_id
  WHERE a.ended_at IS NOT NULL AND a.started_at IS NOT NULL AND NOT a.pooled
  GROUP BY 1, 2, 3, 4, 5
  ON CONFLICT (day, user_name, project, cluster_id, campaign_id) DO UPDATE SET resource_seconds = u.resource_seconds + EXCLUDED.resource_seconds;
  RETURN NULL;
END $$;
