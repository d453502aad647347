-- Events and brakes.

-- name: events.open
-- Something went wrong: one open event a cause, what repeats is counted. $1 code, $2 campaign, $3 cluster, $4 job, $5 message, $6 now,
-- $7 occurrences.
INSERT INTO events AS e (code, campaign_id, cluster_id, job_id, message, opened_at, last_at, occurrences)
VALUES ($1, $2, $3, $4, $5, instant($6), instant($6), $7)
ON CONFLICT (code, coalesce(campaign_id, 0), coalesce(cluster_id, 0)) WHERE state = 'open'
DO UPDATE SET occurrences = e.occurrences + EXCLUDED.occurrences, last_at = EXCLUDED.last_at, message = EXCLUDED.message,
  job_id = coalesce(EXCLUDED.job_id, e.job_id)
RETURNING id

-- name: events.close
-- The cause is gone. $1 code, $2 campaign, $3 cluster, $4 now.
UPDATE events SET state = 'closed', closed_at = instant($4)
WHERE state = 'open' AND code = $1 AND campaign_id IS NOT DISTINCT FROM $2 AND cluster_id IS NOT DISTINCT FROM $3
RETURNING id

-- name: events.open_on_clusters
-- The clusters on which an event of this code is open. $1 code.
SELECT cluster_id FROM events WHERE state = 'open' AND code = $1 AND campaign_id IS NULL AND cluster_id IS NOT NULL

-- name: brakes.set
-- Sends nothing to the target until it expires; each time that it comes back, for twice as long. The level falls by one for each greatest
-- length that has gone by since the last brake ended, and never rises above the one that reaches the greatest length. $1 campaign,
-- $2 cluster, $3 reason, $4 now, $5 first length and $6 greatest length in seconds. No row while a brake is on.
WITH last AS (
  SELECT level, floor(greatest(0, date_part('epoch', instant($4) - expires_at)) / greatest($6::double precision, 1)) AS fallen
  FROM brakes WHERE coalesce(campaign_id, 0) = coalesce($1::bigint, 0) AND coalesce(cluster_id, 0) = coalesce($2::bigint, 0)),
next AS (
  SELECT coalesce((SELECT least(greatest(0, level + 1 - fallen), ceil(log(2, greatest(1, $6 / greatest($5::double precision, 1))::numeric))) FROM last), 0)::integer
    AS level)
INSERT INTO brakes AS b (campaign_id, cluster_id, reason, level, created_at, expires_at)
SELECT $1, $2, $3, level, instant($4), instant($4) + least($6, $5 * 2 ^ level) * interval '1 second' FROM next
ON CONFLICT (coalesce(campaign_id, 0), coalesce(cluster_id, 0)) DO UPDATE SET reason = EXCLUDED.reason, level = EXCLUDED.level,
  created_at = EXCLUDED.created_at, expires_at = EXCLUDED.expires_at
WHERE b.expires_at <= instant($4)
RETURNING micros(expires_at)

-- name: brakes.clear
-- Lifts the brake of a target. $1 campaign, $2 cluster.
DELETE FROM brakes WHERE campaign_id IS NOT DISTINCT FROM $1 AND cluster_id IS NOT DISTINCT FROM $2 RETURNING id
