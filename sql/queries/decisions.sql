-- Why the metascheduler gives a campaign no more jobs on a cluster.

-- name: decisions.decided
-- The campaigns with stored decisions, including those that are over, each with the digest of its decisions; as campaign 0 that of the order.
SELECT campaign_id, digest FROM decided
UNION ALL SELECT 0, digest FROM campaign_order

-- name: decisions.stored
-- The stored decisions of these campaigns.
SELECT campaign_id, cluster_id, digest FROM decisions WHERE campaign_id = ANY (@campaigns::bigint[])

-- name: decisions.write
-- Upserts the changed decisions of these campaigns, and adds the reasons that end so to the history.
WITH given AS MATERIALIZED (SELECT * FROM unnest(@decisions::changed_decision[])),
ended AS (
  INSERT INTO decision_history
  SELECT e.* FROM given g JOIN decisions d ON d.campaign_id = g.campaign_id AND d.cluster_id = g.cluster_id
  CROSS JOIN LATERAL ended_reason(d, instant(@now)) e
  WHERE d.reason <> g.reason OR d.subject <> g.subject)
INSERT INTO decisions AS d (campaign_id, cluster_id, stage, reason, subject, figures, jobs, digest, since, stands_since)
SELECT g.campaign_id, g.cluster_id, g.stage, g.reason, g.subject, g.figures, g.jobs, g.digest, instant(@now), instant(@now)
FROM given g
ON CONFLICT (campaign_id, cluster_id) DO UPDATE SET
  stage = EXCLUDED.stage,
  reason = EXCLUDED.reason,
  subject = EXCLUDED.subject,
  figures = EXCLUDED.figures,
  jobs = EXCLUDED.jobs,
  digest = EXCLUDED.digest,
  since = CASE WHEN d.reason = EXCLUDED.reason THEN d.since ELSE EXCLUDED.since END,
  stands_since = CASE WHEN d.reason = EXCLUDED.reason AND d.subject = EXCLUDED.subject THEN d.stands_since ELSE EXCLUDED.stands_since END

-- name: decisions.remove
-- Deletes the obsolete decisions of pairs and campaigns, and adds their reasons to the history.
WITH removed AS (
  DELETE FROM decisions d USING unnest(@campaigns::bigint[], @clusters::bigint[]) AS g (campaign_id, cluster_id)
  WHERE d.campaign_id = g.campaign_id AND d.cluster_id = g.cluster_id RETURNING d)
INSERT INTO decision_history SELECT e.* FROM removed r CROSS JOIN LATERAL ended_reason(r.d, instant(@now)) e

-- name: decisions.note_decided
-- Marks campaigns whose decisions are all stored.
INSERT INTO decided (campaign_id, digest) SELECT * FROM unnest(@campaigns::bigint[], @digests::bigint[])
ON CONFLICT (campaign_id) DO UPDATE SET digest = EXCLUDED.digest

-- name: decisions.write_order
-- Replaces the order of the campaigns.
INSERT INTO campaign_order AS o (campaign_order, classes, campaigns, campaign_classes, places, digest, since)
VALUES (@campaign_order, @classes, @campaigns::bigint[], @campaign_classes::integer[], @places, @digest, instant(@now))
ON CONFLICT (is_only) DO UPDATE SET
  campaign_order = EXCLUDED.campaign_order,
  classes = EXCLUDED.classes,
  campaigns = EXCLUDED.campaigns,
  campaign_classes = EXCLUDED.campaign_classes,
  places = EXCLUDED.places,
  digest = EXCLUDED.digest,
  since = EXCLUDED.since

-- name: decisions.forget
-- Deletes the decisions of campaigns that are over, and adds their reasons to the history.
WITH gone AS (DELETE FROM decided WHERE campaign_id = ANY (@campaigns::bigint[])),
removed AS (DELETE FROM decisions d WHERE d.campaign_id = ANY (@campaigns::bigint[]) RETURNING d)
INSERT INTO decision_history SELECT e.* FROM removed r CROSS JOIN LATERAL ended_reason(r.d, instant(@now)) e
