-- Users' tokens for clusters.

-- name: tokens.put
-- Stores a token, in place of one that the user had for the cluster. @taken: when the cluster took it; null: it was not asked.
INSERT INTO cluster_tokens (user_name, cluster_id, login, sealed, key_name, fingerprint, given_at, expires_at, taken_at)
VALUES (@user, @cluster, @login, @sealed, @key_name, @fingerprint, instant(@now), instant(@expires), instant(@taken))
ON CONFLICT (user_name, cluster_id) DO UPDATE SET
  login = EXCLUDED.login,
  sealed = EXCLUDED.sealed,
  key_name = EXCLUDED.key_name,
  fingerprint = EXCLUDED.fingerprint,
  given_at = EXCLUDED.given_at,
  renewed_at = NULL,
  expires_at = EXCLUDED.expires_at,
  taken_at = EXCLUDED.taken_at,
  refused_at = NULL,
  unreadable = '',
  renewal_at = NULL,
  renewal_error = '',
  warned = 0

-- name: tokens.remove
-- Deletes a token. The number of jobs of the user that live on the cluster.
WITH gone AS (DELETE FROM cluster_tokens WHERE user_name = @user AND cluster_id = @cluster RETURNING user_name)
SELECT (SELECT count(*) FROM jobs j JOIN campaigns c ON c.id = j.campaign_id AND c.user_name = @user
  WHERE j.cluster_id = @cluster AND is_live(j.state)) AS live_jobs
FROM gone

-- name: tokens.list
-- The tokens of a user, or of all (null). Never what is in them.
SELECT t.user_name, t.cluster_id, k.name AS cluster, t.login, t.fingerprint, micros(t.given_at) AS given_at, micros(t.renewed_at) AS renewed_at,
  micros(t.expires_at) AS expires_at, micros(t.taken_at) AS taken_at, micros(t.refused_at) AS refused_at, t.unreadable, t.renewal_error
FROM cluster_tokens t JOIN clusters k ON k.id = t.cluster_id
WHERE t.user_name = @user OR @user::text IS NULL
ORDER BY k.name, t.user_name

-- name: tokens.sealed
-- The tokens for these clusters, as they are stored.
SELECT user_name, cluster_id, login, sealed, key_name, fingerprint, micros(expires_at) AS expires_at, micros(refused_at) AS refused_at,
  unreadable
FROM cluster_tokens WHERE cluster_id = ANY (@clusters::bigint[]) ORDER BY cluster_id, user_name

-- name: tokens.taken
-- Notes that the cluster took these tokens: at most once in @every_s, unless it refused one before. The users that it had refused.
UPDATE cluster_tokens t SET taken_at = instant(@now), refused_at = NULL
FROM cluster_tokens o
WHERE o.user_name = t.user_name AND o.cluster_id = t.cluster_id
  AND t.cluster_id = @cluster AND t.fingerprint = ANY (@fingerprints::text[])
  AND (t.taken_at IS NULL OR t.refused_at IS NOT NULL OR t.taken_at < instant(@now) - @every_s::double precision * interval '1 second')
RETURNING t.user_name, o.refused_at IS NOT NULL AS refused

-- name: tokens.refused
-- Notes that the cluster refused these tokens. A user who gave another one meanwhile is left alone.
UPDATE cluster_tokens SET refused_at = instant(@now)
WHERE cluster_id = @cluster AND fingerprint = ANY (@fingerprints::text[])
RETURNING user_name

-- name: tokens.unreadable
-- Notes why a token cannot be opened; an empty text: it can.
UPDATE cluster_tokens SET unreadable = @why
WHERE cluster_id = @cluster AND user_name = @user AND fingerprint = @fingerprint AND unreadable <> @why
RETURNING user_name

-- name: tokens.to_renew
-- Tokens for a cluster that are to be renewed now: in the last @days days of those that a user gave, in the second half of those that the
-- cluster gave. A renewal that failed is tried again after @again_s.
SELECT user_name, login FROM cluster_tokens
WHERE cluster_id = @cluster AND expires_at > instant(@now) AND refused_at IS NULL AND unreadable = ''
  AND renewal_due(expires_at, renewed_at, @days::double precision) <= instant(@now)
  AND (renewal_error = '' OR renewal_at < instant(@now) - @again_s::double precision * interval '1 second')
ORDER BY expires_at LIMIT @most

-- name: tokens.renewed
-- Stores what the cluster gave in place of a token, unless the user gave another one meanwhile.
UPDATE cluster_tokens SET
  sealed = @sealed,
  key_name = @key_name,
  fingerprint = @fingerprint,
  expires_at = instant(@expires),
  renewed_at = instant(@now),
  taken_at = instant(@now),
  renewal_at = instant(@now),
  renewal_error = '',
  warned = 0
WHERE user_name = @user AND cluster_id = @cluster AND fingerprint = @before
RETURNING user_name

-- name: tokens.not_renewed
-- Notes why a token was not renewed.
UPDATE cluster_tokens SET renewal_at = instant(@now), renewal_error = @why
WHERE user_name = @user AND cluster_id = @cluster AND fingerprint = @before

-- name: tokens.warn
-- Notes the tokens whose users must be warned now: of an end in a week, in a day, or that was. One that is renewed in time is left out.
UPDATE cluster_tokens t SET warned = s.stage
FROM (
  SELECT user_name, cluster_id, CASE
    WHEN expires_at <= instant(@now) THEN 3
    WHEN expires_at <= instant(@now) + interval '1 day' THEN 2
    WHEN expires_at <= instant(@now) + interval '7 days' THEN 1
    ELSE 0 END AS stage
  FROM cluster_tokens
  WHERE expires_at <= instant(@now) + interval '7 days'
    AND (expires_at <= instant(@now) OR renewal_error <> ''
      OR renewal_due(expires_at, renewed_at, @days::double precision) + interval '1 hour' <= instant(@now))) s,
  clusters k
WHERE t.user_name = s.user_name AND t.cluster_id = s.cluster_id AND s.stage > t.warned AND k.id = t.cluster_id
RETURNING t.user_name, t.cluster_id, k.name AS cluster, micros(t.expires_at) AS expires_at, t.warned, t.renewal_error

-- name: tokens.reseal
-- Stores a token as another key seals it, unless it was replaced meanwhile.
UPDATE cluster_tokens SET sealed = @sealed, key_name = @key_name, unreadable = ''
WHERE user_name = @user AND cluster_id = @cluster AND fingerprint = @fingerprint
RETURNING user_name

-- name: tokens.clusters
-- The clusters that want a token of each user.
SELECT id FROM clusters WHERE authentication = 'token' ORDER BY id

-- name: tokens.lacking
-- The clusters that want a token of each user, and have none of this one that works now (planning.tokens).
SELECT k.name
FROM clusters k
LEFT JOIN user_mappings m ON m.user_name = @user AND m.cluster_id = k.id
LEFT JOIN cluster_tokens t ON t.user_name = @user AND t.cluster_id = k.id
WHERE k.authentication = 'token' AND k.retired_at IS NULL
  AND (t.user_name IS NULL OR t.login <> coalesce(m.login, @user::text) OR t.expires_at <= instant(@now) OR t.unreadable <> ''
    OR t.refused_at > instant(@refused_since))
ORDER BY k.name

-- name: tokens.users_of
-- The users who have this login on a cluster: those that are mapped to it, and the one of this name, if not mapped to another.
SELECT user_name FROM user_mappings WHERE cluster_id = @cluster AND login = @login
UNION
SELECT @login::text AS user_name WHERE NOT EXISTS (SELECT FROM user_mappings WHERE cluster_id = @cluster AND user_name = @login)

-- name: tokens.login_of
-- The login of a user on a cluster.
SELECT coalesce((SELECT login FROM user_mappings WHERE user_name = @user AND cluster_id = @cluster), @user::text) AS login
