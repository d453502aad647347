-- Subscriptions: which events are sent to whom, and where.

-- name: subscriptions.of
-- A user's subscriptions, with what became of their messages. @all: those of the configuration too, for administrators.
SELECT s.id, s.user_name, s.audience, s.channel, s.address, s.form, severity_word(s.severity) AS severity, s.quiet_from, s.quiet_to, s.zone,
  micros(s.created_at) AS created_at,
  (SELECT micros(max(m.settled_at)) FROM messages m WHERE m.subscription_id = s.id AND m.state = 'sent') AS sent_at,
  (SELECT count(*) FROM messages m WHERE m.subscription_id = s.id AND m.state IN ('gathering', 'ready', 'sending')) AS pending,
  l.state AS last_state, l.error AS last_error
FROM subscriptions s
LEFT JOIN LATERAL (
  SELECT m.state, m.error FROM messages m WHERE m.subscription_id = s.id AND m.attempts > 0 ORDER BY m.id DESC LIMIT 1) l ON true
WHERE s.user_name = @user::text OR (@all::boolean AND s.user_name = '')
ORDER BY s.id

-- name: subscriptions.counts
-- How many subscriptions a user has.
SELECT count(*) AS number FROM subscriptions WHERE user_name = @user

-- name: subscriptions.lock
-- Holds back other subscriptions of the same user until the end of the transaction.
SELECT pg_advisory_xact_lock(hashtextextended('subscriptions of ' || @user::text, 0))::text AS locked

-- name: subscriptions.add
-- Adds one. No row: there is one of this user to this address already.
INSERT INTO subscriptions (user_name, audience, channel, address, form, severity, quiet_from, quiet_to, zone, secret, created_at)
VALUES (@user, @audience, @channel, @address, @form, @severity, @quiet_from, @quiet_to, @zone, @secret, instant(@now))
ON CONFLICT (user_name, audience, channel, address) DO NOTHING
RETURNING id

-- name: subscriptions.is_zone
-- Whether PostgreSQL knows a time zone.
SELECT EXISTS (SELECT FROM pg_timezone_names WHERE name = @zone) AS known

-- name: subscriptions.remove
-- Removes one of a user's.
DELETE FROM subscriptions WHERE id = @subscription AND user_name = @user::text RETURNING id

-- name: subscriptions.remove_address
-- The same, by its address.
DELETE FROM subscriptions WHERE user_name = @user::text AND user_name <> '' AND channel = @channel AND address = @address RETURNING id

-- name: subscriptions.test
-- Puts a test message to one of a user's subscriptions into the outbox. No row: it is no subscription of the user's, or was tested less than
-- a minute ago.
WITH tested AS (
  UPDATE subscriptions SET tested_at = instant(@now)
  WHERE id = @subscription AND (user_name = @user::text OR (@all::boolean AND user_name = ''))
    AND (tested_at IS NULL OR tested_at < instant(@now) - interval '1 minute')
  RETURNING id),
named AS (SELECT t.id, gen_random_uuid() AS uid FROM tested t)
INSERT INTO messages (uid, subscription_id, about, state, severity, created_at, due_at, fixed_at, next_at, content)
SELECT n.uid, n.id, -1, 'ready', 1, instant(@now), instant(@now), instant(@now), instant(@now),
  jsonb_build_object('id', n.uid, 'grid', @grid::text, 'user', @user, 'severity', 'low', 'test', true, 'events', '[]'::jsonb)
FROM named n
RETURNING id
