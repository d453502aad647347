-- How many resources of a cluster have the properties that a campaign asks for there.

-- name: matching.wanted
-- Campaigns in treatment whose properties a cluster is to be asked for. $1 cluster, $2 answers older than this are asked for again, $3 the
-- same of answers that no resource has them.
SELECT p.campaign_id, coalesce(m.login, c.user_name) AS login, p.properties, p.best_effort
FROM campaign_clusters p
JOIN campaigns c ON c.id = p.campaign_id AND c.state = 'in_treatment'
LEFT JOIN user_mappings m ON m.user_name = c.user_name AND m.cluster_id = p.cluster_id
WHERE p.cluster_id = $1 AND p.properties <> ''
  AND (p.matching_at IS NULL OR p.matching_at < instant($2) OR (p.matching_resources = 0 AND p.matching_at < instant($3)))
ORDER BY p.matching_at NULLS FIRST, p.campaign_id

-- name: matching.record
-- What a cluster has told. $1 campaign, $2 cluster, $3 resources (null: it cannot tell), $4 now.
UPDATE campaign_clusters SET matching_resources = $3, matching_at = instant($4) WHERE campaign_id = $1 AND cluster_id = $2

-- name: matching.known
-- What the clusters have told of the campaigns in treatment or paused.
SELECT p.campaign_id, p.cluster_id, p.matching_resources
FROM campaign_clusters p JOIN campaigns c ON c.id = p.campaign_id AND c.state IN ('in_treatment', 'paused')
WHERE p.properties <> ''
