-- How many resources a job takes where its JDL does not say it, and what fits on a cluster.

-- How many nodes of each size it has, whatever their state, the biggest first: "16x2 8x40"; empty: not known.
ALTER TABLE clusters
  ADD COLUMN node_sizes text NOT NULL DEFAULT '',
  ADD COLUMN max_node_resources integer GENERATED ALWAYS AS (nullif(split_part(node_sizes, 'x', 1), '')::integer) STORED;

-- How many of the cluster's resources have the properties that the JDL asks for, as the cluster told, and when; null: it did not yet,
-- or it cannot.
ALTER TABLE campaign_clusters
  ADD COLUMN matching_resources integer,
  ADD COLUMN matching_at timestamptz;
CREATE INDEX campaign_clusters_properties ON campaign_clusters (campaign_id, cluster_id) WHERE properties <> '';

-- Resources of one job, as its JDL says it or as OAR gave them on average; null: neither is known.
CREATE FUNCTION known_width(pair campaign_clusters) RETURNS double precision LANGUAGE sql STABLE AS $$
  SELECT coalesce(pair.resources_per_job::double precision, pair.resources_sum::double precision / nullif(pair.resources_jobs, 0))
$$;

-- The same, with a guess where nothing is known that is rather too big: what the expressions of its tasks ask for on average, or the
-- biggest node.
CREATE FUNCTION job_width(pair campaign_clusters) RETURNS double precision LANGUAGE sql STABLE AS $$
  SELECT coalesce(known_width(pair),
    (SELECT 1 / nullif(f.job_ratio, 0) FROM forecasts f JOIN campaigns c ON c.id = f.campaign_id AND c.requests > 0
     WHERE f.campaign_id = pair.campaign_id AND f.cluster_id = pair.cluster_id),
    (SELECT k.max_node_resources FROM clusters k WHERE k.id = pair.cluster_id), 1)
$$;

CREATE OR REPLACE FUNCTION account_usage() RETURNS trigger LANGUAGE plpgsql AS $$
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
