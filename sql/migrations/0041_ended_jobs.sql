-- How many jobs of a pair carried out an attempt of a task, whatever came of it. Until now that was taken to be the number of those whose
-- resources are known. Jobs of pools hold none of their own, so that `gridstat` said that no task of theirs was ever tried again.

-- Whether an ended job carried out an attempt. A task of a pool whose job was lost may not have begun.
CREATE FUNCTION is_attempt(ending text, pooled boolean, started_at timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN pooled THEN use_of(coalesce(ending, '')) <> 'lost' ELSE started_at IS NOT NULL END
$$;

ALTER TABLE campaign_clusters ADD COLUMN ended bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN campaign_clusters.ended IS 'jobs that carried out an attempt of a task, done or not';

UPDATE campaign_clusters p SET ended = j.jobs
FROM (
  SELECT campaign_id, cluster_id, count(*) AS jobs FROM jobs
  WHERE ended_at IS NOT NULL AND is_attempt(ending, pooled, started_at) AND NOT is_script(task)
  GROUP BY 1, 2) j
WHERE p.campaign_id = j.campaign_id AND p.cluster_id = j.cluster_id;
