-- The audit: who changed what. Most of its rows are written by the trigger note_act.

-- name: audit.act_as
-- Names the actor of this connection until it is closed.
SELECT set_config('gleaner.actor', @actor, false) AS actor, set_config('gleaner.origin', @origin, false) AS origin,
  set_config('gleaner.act', @act, false) AS act

-- name: audit.act_as_here
-- Names the actor until the end of the transaction.
SELECT set_config('gleaner.actor', @actor, true) AS actor, set_config('gleaner.origin', @origin, true) AS origin,
  set_config('gleaner.act', @act, true) AS act

-- name: audit.add
-- Notes an act on a campaign. @before and @after: JSON objects of what differs, or null.
INSERT INTO audit (acted_at, actor, origin, act, subject, campaign_id, before, after)
VALUES (instant(@now), @actor, @origin, @act, @subject, @campaign, @before::jsonb, @after::jsonb)

-- name: audit.list
-- The newest acts first. Null parameters select all.
SELECT id, micros(acted_at) AS acted_at, actor, origin, act, subject, campaign_id, before::text AS before, after::text AS after
FROM audit
WHERE (@campaign::bigint IS NULL OR campaign_id = @campaign)
  AND (@actor::text IS NULL OR actor = @actor)
  AND (@since::bigint IS NULL OR acted_at >= instant(@since))
ORDER BY id DESC LIMIT @limit
