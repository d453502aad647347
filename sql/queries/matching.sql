-- Number of a cluster's resources that have the properties of a campaign's jobs there: those of its JDL, and the cluster's own.

-- name: matching.unmatched
-- Campaigns in treatment for whose properties a cluster is to be asked: the answer is missing or older than @known_before, or than
-- @none_known_before if no resource had them. The oldest answers come first, and users take turns.
SELECT p.campaign_id, u.login, both_properties(p.properties, k.properties) AS properties, p.best_effort
FROM campaign_clusters p
JOIN clusters k ON k.id = p.cluster_id
JOIN campaigns c ON c.id = p.campaign_id AND c.state = 'in_treatment'
JOIN logins u ON u.campaign_id = p.campaign_id AND u.cluster_id = p.cluster_id
WHERE p.cluster_id = @cluster AND (p.properties <> '' OR k.properties <> '')
  AND (p.matching_at IS NULL OR p.matching_at < instant(@known_before)
    OR (p.matching_resources = 0 AND p.matching_at < instant(@none_known_before)))
ORDER BY row_number() OVER (PARTITION BY c.user_name ORDER BY p.matching_at NULLS FIRST, p.campaign_id), p.matching_at NULLS FIRST, p.campaign_id

-- name: matching.record
-- Records a cluster's answer. @resources: null: the cluster could not answer.
UPDATE campaign_clusters SET matching_resources = @resources, matching_at = instant(@now)
WHERE campaign_id = @campaign AND cluster_id = @cluster

-- name: matching.known
-- The clusters' answers for campaigns in treatment or paused.
SELECT p.campaign_id, p.cluster_id, p.matching_resources
FROM campaign_clusters p JOIN campaigns c ON c.id = p.campaign_id AND is_live(c.state)
WHERE p.properties <> ''
UNION
SELECT p.campaign_id, p.cluster_id, p.matching_resources
FROM clusters k JOIN campaign_clusters p ON p.cluster_id = k.id JOIN campaigns c ON c.id = p.campaign_id AND is_live(c.state)
WHERE k.properties <> ''

-- name: matching.properties
-- The properties of clusters that have some, which hold for all jobs there.
SELECT id, properties FROM clusters WHERE properties <> '' ORDER BY id

-- name: matching.set_properties
-- Sets them. How many resources match is asked again, if they are others.
WITH asked_again AS (
  UPDATE campaign_clusters p SET matching_resources = NULL, matching_at = NULL
  FROM clusters k WHERE k.id = @cluster AND k.properties <> @properties AND p.cluster_id = k.id AND p.matching_at IS NOT NULL)
UPDATE clusters SET properties = @properties WHERE id = @cluster AND properties <> @properties
