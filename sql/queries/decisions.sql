-- Why the metascheduler gives a campaign no more jobs on a cluster.

-- name: decisions.decided
-- The campaigns with stored decisions, including those that are over, each with the digest of its decisions.
SELECT campaign_id, digest FROM decided

-- name: decisions.stored
-- The stored decisions of these campaigns.
SELECT campaign_id, cluster_id, digest FROM decisions WHERE campaign_id = ANY (@campaigns::bigint[])

-- name: decisions.write
-- Upserts the changed decisions of these campaigns.
INSERT INTO decisions AS d (campaign_id, cluster_id, stage, reason, figures, jobs, digest, since)
SELECT g.campaign_id, g.cluster_id, g.stage, g.reason, g.figures, g.jobs, g.digest, instant(@now)
FROM unnest(@decisions::changed_decision[]) AS g
ON CONFLICT (campaign_id, cluster_id) DO UPDATE SET
  stage = EXCLUDED.stage,
  reason = EXCLUDED.reason,
  figures = EXCLUDED.figures,
  jobs = EXCLUDED.jobs,
  digest = EXCLUDED.digest,
  since = CASE WHEN d.reason = EXCLUDED.reason THEN d.since ELSE EXCLUDED.since END

-- name: decisions.remove
-- Deletes the obsolete decisions of pairs and campaigns.
DELETE FROM decisions d USING unnest(@campaigns::bigint[], @clusters::bigint[]) AS g (campaign_id, cluster_id)
WHERE d.campaign_id = g.campaign_id AND d.cluster_id = g.cluster_id

-- name: decisions.note_decided
-- Marks campaigns whose decisions are all stored.
INSERT INTO decided (campaign_id, digest) SELECT * FROM unnest(@campaigns::bigint[], @digests::bigint[])
ON CONFLICT (campaign_id) DO UPDATE SET digest = EXCLUDED.digest

-- name: decisions.forget
-- Deletes the decisions of campaigns that are over.
WITH gone AS (DELETE FROM decided WHERE campaign_id = ANY (@campaigns::bigint[]))
DELETE FROM decisions WHERE campaign_id = ANY (@campaigns::bigint[])
