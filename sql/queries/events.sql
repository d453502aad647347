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

-- name: brakes.set
-- Sends nothing to the target until it expires; each time that it comes back, for twice as long. $1 campaign, $2 cluster, $3 reason,
-- $4 now, $5 first length and $6 greatest length in seconds.
INSERT INTO brakes AS b (campaign_id, cluster_id, reason, created_at, expires_at)
VALUES ($1, $2, $3, instant($4), instant($4) + $5 * interval '1 second')
ON CONFLICT (coalesce(campaign_id, 0), coalesce(cluster_id, 0)) DO UPDATE SET reason = EXCLUDED.reason, level = b.level + 1,
  created_at = EXCLUDED.created_at, expires_at = instant($4) + least($6, $5 * 2 ^ least(b.level + 1, 20)) * interval '1 second'
WHERE b.expires_at <= instant($4)
RETURNING micros(expires_at)

-- name: brakes.clear
-- Lifts the brake of a target. $1 campaign, $2 cluster.
DELETE FROM brakes WHERE campaign_id IS NOT DISTINCT FROM $1 AND cluster_id IS NOT DISTINCT FROM $2 RETURNING id
