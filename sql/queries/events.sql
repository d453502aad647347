-- Events.

-- name: events.open
-- Opens an event, or counts a repetition into the open one. Each cause has at most one open event.
INSERT INTO events AS e (code, campaign_id, cluster_id, user_name, job_id, message, output, opened_at, last_at, occurrences)
VALUES (@code, @campaign, @cluster, nullif(@user, ''), @job, @message, @output, instant(@now), instant(@now), @occurrences)
ON CONFLICT (code, coalesce(campaign_id, 0), coalesce(cluster_id, 0), coalesce(user_name, '')) WHERE state = 'open'
DO UPDATE SET
  occurrences = e.occurrences + EXCLUDED.occurrences,
  last_at = EXCLUDED.last_at,
  message = EXCLUDED.message,
  output = EXCLUDED.output,
  job_id = coalesce(EXCLUDED.job_id, e.job_id)
RETURNING id

-- name: events.close
-- Closes the event of a cause that is gone.
UPDATE events SET state = 'closed', closed_at = instant(@now)
WHERE state = 'open' AND code = @code AND campaign_id IS NOT DISTINCT FROM @campaign AND cluster_id IS NOT DISTINCT FROM @cluster
  AND user_name IS NULL
RETURNING id

-- name: events.close_of_user
-- Closes the events about a user on a cluster.
UPDATE events SET state = 'closed', closed_at = instant(@now)
WHERE state = 'open' AND user_name = @user AND cluster_id = @cluster AND campaign_id IS NULL

-- name: events.clusters_with_open
-- The clusters with an open event of this code.
SELECT cluster_id FROM events WHERE state = 'open' AND code = @code AND campaign_id IS NULL AND cluster_id IS NOT NULL

-- name: events.close_expired
-- Closes the events of this code whose brake, which was set by hand, has expired or was lifted.
UPDATE events e SET state = 'closed', closed_at = instant(@now)
WHERE e.state = 'open' AND e.code = @code
  AND NOT EXISTS (SELECT FROM brakes b WHERE b.campaign_id IS NOT DISTINCT FROM e.campaign_id
      AND b.cluster_id IS NOT DISTINCT FROM e.cluster_id AND b.set_by IS NOT NULL AND b.expires_at > instant(@now))
RETURNING id

-- name: events.close_of_cluster
-- Closes the events of this code of all campaigns on a cluster.
UPDATE events SET state = 'closed', closed_at = instant(@now)
WHERE state = 'open' AND code = @code AND cluster_id = @cluster AND campaign_id IS NOT NULL

-- name: events.close_of_campaigns
-- Closes the events of this code of these campaigns.
UPDATE events SET state = 'closed', closed_at = instant(@now)
WHERE state = 'open' AND code = @code AND campaign_id = ANY (@campaigns::bigint[])

-- name: events.close_of_retired
-- Closes the events of a cluster that is no longer polled. Events of manual acts stay open until they end.
UPDATE events SET state = 'closed', closed_at = instant(@now)
WHERE state = 'open' AND cluster_id = @cluster AND campaign_id IS NULL AND code <> @kept

-- name: events.fix
-- Closes an event for a user.
UPDATE events SET state = 'closed', closed_at = instant(@now) WHERE id = @event AND state = 'open' RETURNING campaign_id, cluster_id, code

-- name: events.owner
-- The user of the campaign that an event is about, or the user that it is about (null: none), its cluster, and whether the event is open.
SELECT coalesce(c.user_name, e.user_name) AS user_name, e.campaign_id, e.cluster_id, e.state = 'open' AS open FROM events e LEFT JOIN campaigns c ON c.id = e.campaign_id WHERE e.id = @event
