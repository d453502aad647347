-- A cluster where all jobs fail is braked, also when these are of tasks that failed before, which say nothing of a cluster otherwise.

-- Jobs of the campaign that failed there, for whatever reason, since a job of any campaign was done on the cluster.
ALTER TABLE campaign_clusters ADD COLUMN failed_since_done integer NOT NULL DEFAULT 0;
CREATE INDEX campaign_clusters_failed_since_done ON campaign_clusters (cluster_id) WHERE failed_since_done > 0;
