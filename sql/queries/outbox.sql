-- The outbox: notices, and the messages that are made of them.

-- name: outbox.take_lock
-- Takes, for this connection, the lock of the one herald that sends.
SELECT pg_try_advisory_lock(6, 0) AS taken

-- name: outbox.gather
-- Takes what happened into messages, all at once. @lost_after_s: a shorter outage of a cluster is not reported.
-- @separate: a destination with more campaigns than that, in this turn and in its messages of the last @interval_s, gets the further ones
-- together. The end of an event is reported if its beginning was.
WITH candidates AS (
  SELECT n.id,
    CASE
      WHEN n.what <> 'CLUSTER_UNREACHABLE' OR n.change <> 'opened' THEN true
      ELSE coalesce(coalesce(e.closed_at, instant(@now)) - e.opened_at >= @lost_after_s::double precision * interval '1 second', false)
    END AS is_due,
    coalesce(n.what = 'CLUSTER_UNREACHABLE' AND n.change = 'opened' AND e.state = 'open', false) AS may_become_due
  FROM notices n LEFT JOIN events e ON e.id = n.event_id ORDER BY n.id LIMIT @batch::bigint),
taken AS (
  DELETE FROM notices n USING candidates c WHERE n.id = c.id AND (c.is_due OR NOT c.may_become_due) RETURNING n.*, c.is_due),
told AS (
  SELECT t.* FROM taken t
  WHERE t.is_due AND (t.change = 'opened' OR EXISTS (SELECT FROM told_events o WHERE o.event_id = t.event_id)
    OR EXISTS (SELECT FROM taken o WHERE o.event_id = t.event_id AND o.change = 'opened' AND o.is_due))),
begun AS (
  INSERT INTO told_events (event_id)
  SELECT t.event_id FROM told t JOIN events e ON e.id = t.event_id
  WHERE t.change = 'opened' AND t.campaign_id IS NULL AND e.state = 'open' ON CONFLICT DO NOTHING RETURNING event_id),
over AS (DELETE FROM told_events o USING told t WHERE o.event_id = t.event_id AND t.change = 'closed' RETURNING o.event_id),
grouped AS (
  SELECT what, change, severity, campaign_id, user_name, coalesce(cluster_id, 0) AS cluster_id, count(*) AS times, max(event_id) AS event_id,
    min(noted_at) AS first_at, max(noted_at) AS last_at, (array_agg(message ORDER BY id DESC))[1] AS message
  FROM told GROUP BY what, change, severity, campaign_id, user_name, coalesce(cluster_id, 0)),
matched AS (
  SELECT s.id AS subscription, g.* FROM grouped g
  JOIN campaigns c ON c.id = g.campaign_id
  JOIN subscriptions s ON s.user_name = c.user_name AND s.audience = 'user'
  WHERE CASE coalesce(c.jdl ->> 'notify', '')
    WHEN '' THEN g.severity >= s.severity
    WHEN 'low' THEN true
    WHEN 'medium' THEN g.severity >= 2
    WHEN 'high' THEN g.severity >= 3
    WHEN 'end' THEN g.what IN ('CAMPAIGN_TERMINATED', 'CAMPAIGN_CANCELLED')
    ELSE false END
  UNION ALL
  SELECT s.id, g.* FROM grouped g JOIN subscriptions s ON s.user_name = g.user_name AND s.audience = 'user'
  WHERE g.campaign_id IS NULL AND g.severity >= s.severity
  UNION ALL
  SELECT s.id, g.* FROM grouped g JOIN subscriptions s ON s.audience = 'administrators'
  WHERE g.campaign_id IS NULL AND g.user_name IS NULL AND g.severity >= s.severity
  UNION ALL
  SELECT s.id, g.* FROM grouped g JOIN subscriptions s ON s.audience = 'everybody' WHERE g.severity >= s.severity),
spread AS (
  SELECT m.subscription, count(DISTINCT m.campaign_id) + (
      SELECT count(*) FROM messages o WHERE o.subscription_id = m.subscription AND o.about > 0
        AND (o.state IN ('gathering', 'ready', 'sending') OR o.created_at > instant(@now) - @interval_s::double precision * interval '1 second')
        AND NOT EXISTS (SELECT FROM matched a WHERE a.subscription = o.subscription_id AND a.campaign_id = o.about)) AS campaigns
  FROM matched m WHERE m.campaign_id IS NOT NULL GROUP BY m.subscription),
keyed AS (
  SELECT m.*, CASE WHEN m.campaign_id IS NULL OR s.campaigns > @separate::bigint THEN 0 ELSE m.campaign_id END AS about
  FROM matched m LEFT JOIN spread s ON s.subscription = m.subscription),
gathering AS (
  INSERT INTO messages AS m (subscription_id, about, state, severity, created_at, due_at)
  SELECT k.subscription, k.about, 'gathering', k.severity, instant(@now),
    after_quiet(greatest(instant(@now) + @delay_s::double precision * interval '1 second',
      (SELECT max(o.fixed_at) FROM messages o WHERE o.subscription_id = k.subscription AND o.about = k.about) + @interval_s * interval '1 second'),
      s.quiet_from, s.quiet_to, s.zone)
  FROM (SELECT subscription, about, max(severity) AS severity FROM keyed GROUP BY subscription, about) k
  JOIN subscriptions s ON s.id = k.subscription
  ON CONFLICT (subscription_id, about) WHERE state = 'gathering' DO UPDATE SET severity = greatest(m.severity, EXCLUDED.severity)
  RETURNING m.id, m.subscription_id, m.about),
lines AS (
  INSERT INTO message_lines AS l (message_id, what, change, cluster_id, severity, times, campaigns, campaign_id, event_id, first_at, last_at, message)
  SELECT g.id, k.what, k.change, k.cluster_id, max(k.severity), sum(k.times), count(DISTINCT k.campaign_id), min(k.campaign_id), max(k.event_id),
    min(k.first_at), max(k.last_at), (array_agg(k.message ORDER BY k.last_at DESC))[1]
  FROM keyed k JOIN gathering g ON g.subscription_id = k.subscription AND g.about = k.about
  GROUP BY g.id, k.what, k.change, k.cluster_id
  ON CONFLICT (message_id, what, change, cluster_id) DO UPDATE SET
    times = l.times + EXCLUDED.times,
    campaigns = greatest(l.campaigns, EXCLUDED.campaigns),
    event_id = coalesce(EXCLUDED.event_id, l.event_id),
    last_at = greatest(l.last_at, EXCLUDED.last_at),
    message = EXCLUDED.message
  RETURNING l.message_id)
SELECT
  (SELECT count(*) FROM taken) AS notices,
  (SELECT count(*) FROM gathering) AS messages,
  (SELECT count(*) FROM lines) AS lines,
  (SELECT count(*) FROM begun) AS begun,
  (SELECT count(*) FROM over) AS ended

-- name: outbox.fix
-- Fixes the content of the messages that have gathered long enough, as receivers get it. While one about the same is not sent yet, the next
-- one goes on gathering.
WITH due AS (
  SELECT m.id FROM messages m
  WHERE m.state = 'gathering' AND m.due_at <= instant(@now)
    AND NOT EXISTS (SELECT FROM messages o WHERE o.subscription_id = m.subscription_id AND o.about = m.about AND o.state IN ('ready', 'sending'))
  ORDER BY m.id LIMIT @batch::bigint),
lines AS (DELETE FROM message_lines l USING due d WHERE l.message_id = d.id RETURNING l.*),
shown AS (
  SELECT l.message_id, count(*) AS total, jsonb_agg(
    jsonb_strip_nulls(jsonb_build_object('code', l.what, 'change', l.change, 'severity', severity_word(l.severity), 'times', l.times,
      'campaigns', nullif(l.campaigns, 0), 'campaign_id', l.campaign_id, 'cluster', k.name, 'event_id', l.event_id,
      'first_at', l.first_at, 'last_at', l.last_at, 'message', nullif(l.message, '')))
    ORDER BY l.severity DESC, l.last_at DESC) FILTER (WHERE l.place <= @most::bigint) AS events
  FROM (SELECT *, row_number() OVER (PARTITION BY message_id ORDER BY severity DESC, last_at DESC) AS place FROM lines) l
  LEFT JOIN clusters k ON k.id = l.cluster_id
  GROUP BY l.message_id)
UPDATE messages m SET
  state = 'ready',
  fixed_at = instant(@now),
  next_at = instant(@now),
  content = jsonb_strip_nulls(jsonb_build_object(
    'id', m.uid,
    'grid', @grid::text,
    'user', nullif(s.user_name, ''),
    'severity', severity_word(m.severity),
    'campaign', (
      SELECT jsonb_build_object('id', c.id, 'user', c.user_name, 'name', c.name, 'state', c.state, 'total', c.total, 'waiting', c.waiting,
        'running', c.launching + c.submitted + c.running, 'done', c.done, 'failed', c.failed, 'cancelled', c.cancelled)
      FROM campaigns c WHERE c.id = m.about),
    'events', coalesce(h.events, '[]'),
    'more', nullif(greatest(0, h.total - @most), 0)))
FROM shown h, subscriptions s
WHERE h.message_id = m.id AND s.id = m.subscription_id
RETURNING m.id

-- name: outbox.claim
-- Notes messages of a channel as being sent, before a byte of them is: at most one of each user, none of the busy ones.
UPDATE messages m SET state = 'sending', sending_at = instant(@now), attempts = m.attempts + 1
FROM subscriptions s
WHERE s.id = m.subscription_id AND m.id IN (
  SELECT f.id FROM (
    SELECT DISTINCT ON (o.user_name) r.id, r.next_at FROM messages r JOIN subscriptions o ON o.id = r.subscription_id
    WHERE r.state = 'ready' AND r.next_at <= instant(@now) AND o.channel = @channel::text AND NOT o.user_name = ANY (@busy::text[])
    ORDER BY o.user_name, r.next_at, r.id) f
  ORDER BY f.next_at, f.id LIMIT @limit::bigint)
RETURNING m.id, m.uid::text AS uid, m.attempts, m.doubts, m.content::text AS content, micros(m.fixed_at) AS fixed_at, s.user_name, s.channel,
  s.address, s.form, s.secret

-- name: outbox.sent
-- Notes that a message was taken by its receiver.
UPDATE messages SET state = 'sent', settled_at = instant(@now), error = '' WHERE id = @message AND state = 'sending'

-- name: outbox.again
-- Lets a message wait for another attempt. @doubt: 1 if its receiver may have taken it.
UPDATE messages SET state = 'ready', next_at = instant(@next), error = @error, doubts = doubts + @doubt::integer
WHERE id = @message AND state = 'sending'

-- name: outbox.given_up
-- Gives a message up.
UPDATE messages SET state = 'failed', settled_at = instant(@now), error = @error WHERE id = @message AND state = 'sending'

-- name: outbox.recover
-- Messages that were being sent when a herald died may have arrived: they are sent again, once. @kept: those that this herald sends now.
UPDATE messages SET state = 'ready', next_at = instant(@now), doubts = doubts + 1, error = 'the herald ended while it was being sent'
WHERE state = 'sending' AND NOT id = ANY (@kept::bigint[])

-- name: outbox.prune
-- Deletes messages that were settled before.
DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE state IN ('sent', 'failed') AND settled_at < instant(@before) LIMIT @batch)

-- name: outbox.configure
-- Makes the subscriptions of the configuration those that it has: mail to administrators, and the program of on_event.
WITH wanted AS (
  SELECT 'administrators' AS audience, 'mail' AS channel, address FROM unnest(@mails::text[]) address
  UNION ALL SELECT 'everybody', 'command', '' WHERE @with_command::boolean),
gone AS (
  DELETE FROM subscriptions s WHERE s.user_name = ''
    AND NOT EXISTS (SELECT FROM wanted w WHERE w.audience = s.audience AND w.channel = s.channel AND w.address = s.address) RETURNING s.id)
INSERT INTO subscriptions (user_name, audience, channel, address, severity, created_at)
SELECT '', w.audience, w.channel, w.address, CASE w.channel WHEN 'mail' THEN 2 ELSE 1 END, instant(@now) FROM wanted w
ON CONFLICT (user_name, audience, channel, address) DO NOTHING
RETURNING id
