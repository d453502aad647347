-- Jobs that failed on a cluster since any was done there.

-- name: failed_since.forget
-- Counts again from 0, for all campaigns of a cluster.
UPDATE campaign_clusters SET failed_since_done = 0 WHERE cluster_id = @cluster AND failed_since_done > 0

-- name: failed_since.count
-- Adds failed jobs of campaigns on a cluster.
UPDATE campaign_clusters p SET failed_since_done = p.failed_since_done + g.jobs
FROM unnest(@campaigns::bigint[], @jobs::integer[]) AS g(campaign, jobs)
WHERE p.campaign_id = g.campaign AND p.cluster_id = @cluster

-- name: failed_since.all
-- The counts of a cluster's live campaigns.
SELECT p.campaign_id, p.failed_since_done FROM campaign_clusters p JOIN campaigns c ON c.id = p.campaign_id AND is_live(c.state)
WHERE p.cluster_id = @cluster AND p.failed_since_done > 0 ORDER BY 1

-- name: failed_since.raise
-- Has a pair's failures that do not count otherwise count too.
UPDATE campaign_clusters SET failures_in_a_row = greatest(failures_in_a_row, failed_since_done)
WHERE campaign_id = @campaign AND cluster_id = @cluster
