-- Codes and sessions of browsers.

-- name: web_sessions.lock
-- Holds back other codes and sessions of the same user until the end of the transaction.
SELECT pg_advisory_xact_lock(hashtextextended('web sessions of ' || @user::text, 0))::text AS locked

-- name: web_sessions.add
-- Adds a code.
INSERT INTO web_sessions (digest, is_code, user_name, is_administrator, begun_at, expires_at)
VALUES (@digest, true, @user, @administrator, instant(@now), instant(@expires))

-- name: web_sessions.redeem
-- A code becomes a session; no row: there is no such code, it was used, or it is too old.
UPDATE web_sessions SET digest = @digest, is_code = false, begun_at = instant(@now), expires_at = instant(@expires)
WHERE digest = @code AND is_code AND expires_at > instant(@now)
RETURNING user_name, is_administrator

-- name: web_sessions.find
-- The session of a cookie.
SELECT user_name, is_administrator FROM web_sessions WHERE digest = @digest AND NOT is_code AND expires_at > instant(@now)

-- name: web_sessions.end
-- Ends a session.
DELETE FROM web_sessions WHERE digest = @digest AND NOT is_code

-- name: web_sessions.end_all
-- Ends all sessions of a user; codes that were not used yet are void, too.
DELETE FROM web_sessions WHERE user_name = @user

-- name: web_sessions.keep_newest
-- Deletes what is over, at most a thousand of all users; and of one user all but the newest.
DELETE FROM web_sessions w WHERE w.digest IN (SELECT o.digest FROM web_sessions o WHERE o.expires_at <= instant(@now) LIMIT 1000)
  OR w.digest IN (SELECT o.digest FROM web_sessions o WHERE o.user_name = @user ORDER BY o.begun_at DESC, o.digest OFFSET @most)
