-- The last campaigns that measured what a start costs on a cluster. command_s is of all tasks that a job carried out, pooled ones included.
CREATE INDEX campaign_clusters_measured ON campaign_clusters (cluster_id, campaign_id) WHERE measured > 0;
