-- The feed of changes, which streams of the API read.

-- name: feed.state
-- How far the feed can be read. horizon: rows of transactions below it are all visible, and none will be added. first: those of
-- transactions from it on are all kept. pending: changes are visible that cannot be read yet, because an older transaction is in progress.
SELECT
  h.horizon,
  (SELECT feed_from FROM grid) AS first,
  EXISTS (SELECT FROM feed f WHERE f.xact >= h.horizon) AS pending
FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS horizon) h

-- name: feed.read
-- The changes after a place, of transactions below @horizon, in their order.
SELECT xact, id, kind, change, subject, campaign_id FROM feed
WHERE (xact, id) > (@xact::bigint, @id::bigint) AND xact < @horizon::bigint ORDER BY xact, id LIMIT @limit

-- name: feed.adopt
-- After a restore into another PostgreSQL, whose transactions have other numbers, the feed begins anew: its rows would be in the future,
-- and no place would be kept. No row: it is this one's.
WITH here AS (
  SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS horizon, pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next),
foreign_rows AS (DELETE FROM feed WHERE xact >= (SELECT next FROM here) RETURNING xact)
UPDATE grid SET feed_from = here.horizon FROM here
WHERE feed_from > here.next OR EXISTS (SELECT FROM foreign_rows) RETURNING feed_from
