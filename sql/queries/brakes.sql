-- Brakes: while one is in force, nothing is sent to its target.

-- name: brakes.set
-- Sets a brake on the target. Each repetition doubles its length, from @first_s to @most_s seconds. The level falls by one for each @most_s
-- that has passed since the last brake ended, and never exceeds the level that reaches @most_s. No row while a brake is in force.
WITH last AS (
  SELECT level, floor(greatest(0, date_part('epoch', instant(@now) - expires_at)) / greatest(@most_s::double precision, 1)) AS fallen
  FROM brakes WHERE coalesce(campaign_id, 0) = coalesce(@campaign::bigint, 0) AND coalesce(cluster_id, 0) = coalesce(@cluster::bigint, 0)),
next AS (
  SELECT coalesce((SELECT least(greatest(0, level + 1 - fallen),
    ceil(log(2, greatest(1, @most_s / greatest(@first_s::double precision, 1))::numeric))) FROM last), 0)::integer
    AS level)
INSERT INTO brakes AS b (campaign_id, cluster_id, reason, level, created_at, expires_at)
SELECT
  @campaign,
  @cluster,
  @reason,
  level,
  instant(@now),
  instant(@now) + least(@most_s, @first_s * 2 ^ level) * interval '1 second'
FROM next
ON CONFLICT (coalesce(campaign_id, 0), coalesce(cluster_id, 0)) DO UPDATE SET
  reason = EXCLUDED.reason,
  level = EXCLUDED.level,
  created_at = EXCLUDED.created_at,
  expires_at = EXCLUDED.expires_at,
  set_by = NULL
WHERE b.expires_at <= instant(@now)
RETURNING micros(expires_at) AS expires_at

-- name: brakes.clear
-- Lifts the brake of a target.
DELETE FROM brakes WHERE campaign_id IS NOT DISTINCT FROM @campaign AND cluster_id IS NOT DISTINCT FROM @cluster RETURNING id

-- name: brakes.impose
-- Sets a brake by hand, in place of any other one on the target.
INSERT INTO brakes AS b (campaign_id, cluster_id, reason, created_at, expires_at, set_by)
VALUES (@campaign, @cluster, @reason, instant(@now), instant(@expires), @user)
ON CONFLICT (coalesce(campaign_id, 0), coalesce(cluster_id, 0)) DO UPDATE SET
  reason = EXCLUDED.reason,
  created_at = EXCLUDED.created_at,
  expires_at = EXCLUDED.expires_at,
  set_by = EXCLUDED.set_by
RETURNING id

-- name: brakes.release
-- Lifts the brake of a target, unless it was set by hand.
DELETE FROM brakes WHERE campaign_id IS NOT DISTINCT FROM @campaign AND cluster_id IS NOT DISTINCT FROM @cluster AND set_by IS NULL
RETURNING id

-- name: brakes.list
-- The brakes in force, those of whole clusters first. @reader: null: all may be read; else of campaigns only this user's, and those of these
-- @projects. `event`: the open one that was opened with a brake set by hand, and whose closing lifts it.
SELECT
  b.id,
  b.campaign_id,
  c.name,
  c.user_name,
  b.cluster_id,
  k.name AS cluster,
  b.reason,
  b.set_by,
  micros(b.created_at) AS since,
  micros(b.expires_at) AS until,
  (SELECT e.id FROM events e
    WHERE e.state = 'open' AND e.code = 'BLACKLISTED' AND b.set_by IS NOT NULL AND e.campaign_id IS NOT DISTINCT FROM b.campaign_id
      AND e.cluster_id IS NOT DISTINCT FROM b.cluster_id ORDER BY e.id DESC LIMIT 1) AS event
FROM brakes b
LEFT JOIN campaigns c ON c.id = b.campaign_id
LEFT JOIN clusters k ON k.id = b.cluster_id
WHERE b.expires_at > instant(@now) AND (b.campaign_id IS NULL OR (c.purged_at IS NULL
  AND (@reader::text IS NULL OR c.user_name = @reader OR (c.project <> '' AND c.project = ANY (@projects::text[])))))
ORDER BY b.campaign_id NULLS FIRST, k.name NULLS FIRST, b.id LIMIT @limit OFFSET @offset

-- name: brakes.total
SELECT count(*) AS brakes
FROM brakes b
LEFT JOIN campaigns c ON c.id = b.campaign_id
WHERE b.expires_at > instant(@now) AND (b.campaign_id IS NULL OR (c.purged_at IS NULL
  AND (@reader::text IS NULL OR c.user_name = @reader OR (c.project <> '' AND c.project = ANY (@projects::text[])))))
