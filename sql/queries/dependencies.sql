-- Dependencies between campaigns.

-- name: dependencies.find
-- The campaign that a user means by a name: the newest one of the user that is not cancelled. @except: the one that asks.
SELECT id FROM campaigns WHERE user_name = @user AND name = @name AND id <> @except AND state <> 'cancelled' ORDER BY id DESC LIMIT 1

-- name: dependencies.lock
-- Locks campaigns that another one is to wait for: no task of them is settled before the transaction ends.
SELECT id, state, total, failed, cancelled FROM campaigns WHERE id = ANY (@campaigns::bigint[]) ORDER BY id FOR NO KEY UPDATE

-- name: dependencies.lock_awaited
-- The same of those whose tasks hold tasks of a campaign.
SELECT c.id, c.total FROM campaigns c
WHERE c.id IN (SELECT on_campaign FROM dependencies WHERE campaign_id = @campaign AND kind = 'after_each' AND met_at IS NULL)
ORDER BY c.id FOR NO KEY UPDATE

-- name: dependencies.add
-- Has a campaign wait for another one, which is locked, unless that one has ended so that nothing is left to wait for.
INSERT INTO dependencies (campaign_id, on_campaign, kind, met_at)
SELECT @campaign, c.id, @kind, CASE WHEN meets(c, @kind) THEN instant(@now) END FROM campaigns c WHERE c.id = @on

-- name: dependencies.hold
-- Takes all tasks of a campaign out of its bag: from now on those that were released are in it, as returned tasks.
UPDATE campaigns SET next_task = total, skipped = 0 WHERE id = @campaign

-- name: dependencies.hold_bags
-- The same of the bag of each request.
UPDATE request_bags b SET next_task = c.total, untaken = 0 FROM campaigns c WHERE c.id = @campaign AND b.campaign_id = c.id

-- name: dependencies.release
-- Puts those tasks from @first on into the bag that wait for tasks that are all done.
WITH each AS (SELECT on_campaign FROM dependencies WHERE campaign_id = @campaign AND kind = 'after_each' AND met_at IS NULL),
ready AS (
  SELECT o.number FROM each e JOIN tasks o ON o.campaign_id = e.on_campaign AND o.state = 'done' AND o.number >= @first
  GROUP BY o.number HAVING count(*) = (SELECT count(*) FROM each))
INSERT INTO returned_tasks (campaign_id, number, request, returned_at)
SELECT @campaign, t.number, t.request, instant(@now)
FROM ready r JOIN tasks t ON t.campaign_id = @campaign AND t.number = r.number AND t.state = 'waiting'
ON CONFLICT DO NOTHING

-- name: dependencies.open
-- What keeps the campaigns in treatment or paused, or tasks of them, waiting: the campaigns that come first, and how far they are.
SELECT
  d.campaign_id,
  w.waiting,
  d.on_campaign,
  d.kind,
  c.state,
  coalesce(c.total, 0) AS tasks,
  coalesce(c.total - c.done - c.failed - c.cancelled, 0) AS left,
  coalesce(c.failed, 0) AS failed,
  coalesce(c.cancelled, 0) AS cancelled,
  CASE WHEN c.failed > 0 THEN (SELECT min(number) FROM tasks t WHERE t.campaign_id = c.id AND t.state = 'failed') END AS first_failed
FROM dependencies d
JOIN campaigns w ON w.id = d.campaign_id AND is_live(w.state)
LEFT JOIN campaigns c ON c.id = d.on_campaign
WHERE d.met_at IS NULL
ORDER BY d.campaign_id, d.on_campaign

-- name: dependencies.of
-- What these campaigns wait for, or waited for.
SELECT d.campaign_id, d.on_campaign, d.kind, d.met_at IS NOT NULL AS met, c.name
FROM dependencies d LEFT JOIN campaigns c ON c.id = d.on_campaign
WHERE d.campaign_id = ANY (@campaigns::bigint[]) ORDER BY d.campaign_id, d.on_campaign
