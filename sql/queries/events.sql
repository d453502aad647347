-- Events.

-- name: events.open
-- Something went wrong: one open event a cause, what repeats is counted.
INSERT INTO events AS e (code, campaign_id, cluster_id, job_id, message, opened_at, last_at, occurrences)
VALUES (@code, @campaign, @cluster, @job, @message, instant(@now), instant(@now), @occurrences)
ON CONFLICT (code, coalesce(campaign_id, 0), coalesce(cluster_id, 0)) WHERE state = 'open'
DO UPDATE SET
  occurrences = e.occurrences + EXCLUDED.occurrences,
  last_at = EXCLUDED.last_at,
  message = EXCLUDED.message,
  job_id = coalesce(EXCLUDED.job_id, e.job_id)
RETURNING id

-- name: events.close
-- The cause is gone.
UPDATE events SET state = 'closed', closed_at = instant(@now)
WHERE state = 'open' AND code = @code AND campaign_id IS NOT DISTINCT FROM @campaign AND cluster_id IS NOT DISTINCT FROM @cluster
RETURNING id

-- name: events.clusters_with_open
-- The clusters on which an event of this code is open.
SELECT cluster_id FROM events WHERE state = 'open' AND code = @code AND campaign_id IS NULL AND cluster_id IS NOT NULL

-- name: events.fix
-- An event is closed by a user.
UPDATE events SET state = 'closed', closed_at = instant(@now) WHERE id = @event AND state = 'open' RETURNING campaign_id, cluster_id

-- name: events.owner
-- Whose campaign an event is about (no name: nobody's), and whether it is open.
SELECT c.user_name, e.campaign_id, e.state = 'open' AS open FROM events e LEFT JOIN campaigns c ON c.id = e.campaign_id WHERE e.id = @event
