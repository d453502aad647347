-- What a campaign used is told apart, so that a limit on its resource-seconds counts those alone.

ALTER TABLE usage ADD COLUMN campaign_id bigint NOT NULL DEFAULT 0;  -- 0: used before that was told
ALTER TABLE usage DROP CONSTRAINT usage_pkey;
ALTER TABLE usage ADD PRIMARY KEY (day, user_name, project, cluster_id, campaign_id);

CREATE OR REPLACE FUNCTION account_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage AS u (day, user_name, project, cluster_id, campaign_id, resource_seconds)
  SELECT (a.ended_at AT TIME ZONE 'UTC')::date, c.user_name, c.project, a.cluster_id, a.campaign_id,
    sum(greatest(0, extract(epoch FROM a.ended_at - a.started_at)) * coalesce(a.resources, p.resources_per_job, 1))
  FROM after a
  JOIN before b ON b.id = a.id AND b.ended_at IS NULL
  JOIN campaigns c ON c.id = a.campaign_id
  JOIN campaign_clusters p ON p.campaign_id = a.campaign_id AND p.cluster_id = a.cluster_id
  WHERE a.ended_at IS NOT NULL AND a.started_at IS NOT NULL
  GROUP BY 1, 2, 3, 4, 5
  ON CONFLICT (day, user_name, project, cluster_id, campaign_id) DO UPDATE SET resource_seconds = u.resource_seconds + EXCLUDED.resource_seconds;
  RETURN NULL;
END $$;
