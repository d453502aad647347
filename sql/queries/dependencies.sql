-- Dependencies between campaigns.

-- name: dependencies.find
-- The campaign that a user means by a name: the newest one of the user that is not cancelled. @except: the one that asks.
SELECT id FROM campaigns WHERE user_name = @user AND name = @name AND id <> @except AND state <> 'cancelled' AND purged_at IS NULL ORDER BY id DESC LIMIT 1

-- name: dependencies.lock
-- Locks campaigns that another one is to wait for: no task of them is settled before the transaction ends.
SELECT id, state, total, failed, cancelled FROM campaigns WHERE id = ANY (@campaigns::bigint[]) AND purged_at IS NULL ORDER BY id FOR NO KEY UPDATE

-- name: dependencies.lock_awaited
-- The same of those whose tasks hold tasks of a campaign.
SELECT c.id, c.total FROM campaigns c
WHERE c.id IN (SELECT on_campaign FROM dependencies WHERE campaign_id = @campaign AND kind = 'after_each' AND met_at IS NULL)
ORDER BY c.id FOR NO KEY UPDATE

-- name: dependencies.waiting
-- How many live campaigns wait for each of these: of its own user, and of others.
SELECT o.id, o.user_name, count(*) FILTER (WHERE w.user_name = o.user_name) AS of_owner,
  count(*) FILTER (WHERE w.user_name <> o.user_name) AS of_others
FROM dependencies d
JOIN campaigns o ON o.id = d.on_campaign
JOIN campaigns w ON w.id = d.campaign_id AND is_live(w.state)
WHERE d.on_campaign = ANY (@campaigns::bigint[]) AND d.met_at IS NULL
GROUP BY o.id ORDER BY o.id

-- name: dependencies.add
-- Has a campaign wait for another one, which is locked, unless that one has ended so that nothing is left to wait for. Tasks of it that are
-- done already are released later.
INSERT INTO dependencies (campaign_id, on_campaign, kind, met_at, released_at, released_to, scan_to)
SELECT @campaign, c.id, @kind, m.met_at, CASE WHEN NOT m.releases THEN m.met_at END,
  (SELECT coalesce(max(f.place), 0) FROM freed_tasks f WHERE f.on_campaign = c.id),
  CASE WHEN m.releases THEN w.total ELSE 0 END
FROM campaigns c
JOIN campaigns w ON w.id = @campaign
CROSS JOIN LATERAL (SELECT CASE WHEN meets(c, @kind) THEN instant(@now) END AS met_at,
  @kind = 'after_each' AND (w.follows OR w.takes_given OR NOT meets(c, @kind)) AS releases) m
WHERE c.id = @on

-- name: dependencies.feeds
-- Whether tasks of a campaign are put into its bag one by one: they wait for others, for the cluster where those ran, or for what those gave.
SELECT is_fed(@campaign) AS fed

-- name: dependencies.unseen
-- The clusters with tasks, or with tasks to come, of a campaign whose homes no cluster of these names has.
SELECT k.name FROM campaign_clusters p
JOIN campaigns c ON c.id = p.campaign_id
JOIN clusters k ON k.id = p.cluster_id AND k.retired_at IS NULL
WHERE p.campaign_id = @on AND (p.done > 0 OR (is_live(c.state) AND p.max_jobs IS DISTINCT FROM 0))
  AND NOT EXISTS (
    SELECT FROM clusters h WHERE h.name = ANY (@names::text[]) AND h.retired_at IS NULL AND (h.id = k.id OR h.shared_home = k.shared_home))
ORDER BY k.name

-- name: dependencies.follow
-- Has the tasks in the bag of a campaign (null: of all) follow the tasks that they come after once more: what decides where has changed.
-- The release checks all of them again, a part at a time. No task of them is ahead of a cursor (dependencies.hold).
UPDATE dependencies d SET scan_at = 0, scan_to = c.total, released_at = NULL
FROM campaigns c
WHERE c.id = d.campaign_id AND d.kind = 'after_each' AND (c.id = @campaign::bigint OR (@campaign::bigint IS NULL AND c.follows))
  AND is_live(c.state) AND c.next_task >= c.total
  AND NOT EXISTS (SELECT FROM request_bags b WHERE b.campaign_id = c.id AND b.untaken > 0)

-- name: dependencies.out_of_reach
-- Live campaigns with tasks that follow others which ran on a cluster, and without any cluster in use that has the homes of there. `tasks`:
-- how many of the others ran there.
SELECT w.id, d.on_campaign, k.name AS cluster, p.done AS tasks
FROM clusters k
JOIN campaign_clusters p ON p.cluster_id = k.id AND p.done > 0
JOIN dependencies d ON d.on_campaign = p.campaign_id AND d.kind = 'after_each'
JOIN campaigns w ON w.id = d.campaign_id AND is_live(w.state) AND w.follows AND w.waiting > 0
WHERE k.id = @cluster AND NOT EXISTS (
  SELECT FROM campaign_clusters q JOIN clusters h ON h.id = q.cluster_id AND h.retired_at IS NULL
  WHERE q.campaign_id = w.id AND (h.id = k.id OR h.shared_home = k.shared_home))
ORDER BY w.id, d.on_campaign

-- name: dependencies.in_vain
-- Live campaigns that wait for one, and that cannot end unless it does more. `is_own`: of the same user. If not the @whole of it is gone,
-- those that wait for its tasks one by one have such as wait for cancelled ones: `tasks`. `numbers`: `named` of them, as text::parse_ranges
-- reads them, at most @ranges ranges.
SELECT w.id, d.kind, w.user_name = c.user_name AS is_own, coalesce(v.tasks, 0) AS tasks, v.numbers, coalesce(v.named, 0) AS named
FROM dependencies d
JOIN campaigns w ON w.id = d.campaign_id AND is_live(w.state)
JOIN campaigns c ON c.id = d.on_campaign
LEFT JOIN LATERAL (
  SELECT
    sum(r.tasks)::bigint AS tasks,
    sum(r.tasks) FILTER (WHERE r.place <= @ranges::integer)::bigint AS named,
    string_agg(r.numbers, ',' ORDER BY r.place) FILTER (WHERE r.place <= @ranges) AS numbers
  FROM (
    SELECT
      count(*) AS tasks,
      concat_ws('-', min(f.number), nullif(max(f.number), min(f.number))) AS numbers,
      row_number() OVER (ORDER BY min(f.number)) AS place
    FROM (
      SELECT t.number, t.number - row_number() OVER (ORDER BY t.number) AS range
      FROM tasks o JOIN tasks t ON t.campaign_id = w.id AND t.number = o.number AND t.state = 'waiting'
      WHERE o.campaign_id = c.id AND o.state = 'cancelled') f
    GROUP BY f.range) r) v ON NOT @whole::boolean AND d.kind = 'after_each'
WHERE d.on_campaign = @on AND d.met_at IS NULL AND d.kind <> 'after_any_end' 
  AND (@whole OR (c.cancelled > 0 AND (d.kind = 'after' OR v.tasks > 0)))
ORDER BY w.id

-- name: dependencies.lock_followers
-- Locks the live campaigns that wait, or waited, for tasks of one, in the order of their ids.
SELECT w.id FROM campaigns w
WHERE is_live(w.state) AND w.id IN (SELECT campaign_id FROM dependencies WHERE on_campaign = @on AND kind <> 'after_any_end')
ORDER BY w.id FOR NO KEY UPDATE

-- name: dependencies.unmeet
-- Has the live campaigns with waiting tasks that came after all tasks of one wait for it again: some are to be done anew. Those that wait
-- task by task check all of these again.
UPDATE dependencies d SET met_at = NULL, released_at = NULL, scan_at = 0, scan_to = CASE d.kind WHEN 'after_each' THEN w.total ELSE 0 END
FROM campaigns w
WHERE d.on_campaign = @on AND d.kind <> 'after_any_end' AND d.met_at IS NOT NULL AND w.id = d.campaign_id AND is_live(w.state)
  AND w.waiting > 0
RETURNING d.campaign_id, d.kind = 'after_each' AS task_by_task

-- name: dependencies.hold_again
-- Takes out of the bags what waits there for these tasks, which are to be done anew, of campaigns for which they count still. A task that
-- its user holds stays held.
WITH again AS (
  SELECT r.campaign_id, r.number, r.held_by IS NOT NULL AS is_held
  FROM dependencies d
  JOIN campaigns w ON w.id = d.campaign_id AND is_live(w.state)
  JOIN unnest(@tasks::bigint[]) AS t(number) ON true
  JOIN returned_tasks r ON r.campaign_id = d.campaign_id AND r.number = t.number AND r.fence IS NULL
  WHERE d.on_campaign = @on AND d.kind = 'after_each' AND d.met_at IS NULL),
out AS (
  DELETE FROM returned_tasks r USING again a WHERE r.campaign_id = a.campaign_id AND r.number = a.number AND NOT a.is_held),
held AS (
  UPDATE returned_tasks r SET outside = true FROM again a WHERE r.campaign_id = a.campaign_id AND r.number = a.number AND a.is_held)
SELECT number FROM again

-- name: dependencies.not_held
-- Tasks that come after these and do not wait for them: they are under way or done, or their dependency is met and stays so.
SELECT count(*) AS tasks FROM dependencies d
JOIN campaigns w ON w.id = d.campaign_id AND w.state <> 'cancelled'
JOIN unnest(@tasks::bigint[]) AS g(number) ON true
JOIN tasks t ON t.campaign_id = d.campaign_id AND t.number = g.number AND t.state NOT IN ('failed', 'cancelled')
WHERE d.on_campaign = @on AND d.kind = 'after_each'
  AND (d.met_at IS NOT NULL OR t.state <> 'waiting'
    OR EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = t.campaign_id AND r.number = t.number AND NOT r.outside))

-- name: dependencies.hold
-- Takes all tasks of a campaign out of its bag: from now on those that were released are in it, as returned tasks.
UPDATE campaigns SET next_task = total, skipped = 0 WHERE id = @campaign

-- name: dependencies.hold_bags
-- The same of the bag of each request.
UPDATE request_bags b SET next_task = c.total, untaken = 0 FROM campaigns c WHERE c.id = @campaign AND b.campaign_id = c.id

-- name: dependencies.scan_from
-- Has the tasks of a campaign from @first on looked at: those that they wait for may be done already.
UPDATE dependencies d SET scan_at = CASE WHEN d.scan_at < d.scan_to THEN least(d.scan_at, @first) ELSE @first END, scan_to = c.total,
  released_at = NULL
FROM campaigns c
WHERE d.campaign_id = @campaign AND c.id = d.campaign_id AND d.kind = 'after_each'
  AND (d.met_at IS NULL OR c.follows OR c.takes_given)

-- name: dependencies.scan_released
-- The same where tasks from @first on were held by a user, and are no more: also if none is waited for any more.
UPDATE dependencies d SET scan_at = CASE WHEN d.scan_at < d.scan_to THEN least(d.scan_at, @first) ELSE @first END, scan_to = c.total,
  released_at = NULL
FROM campaigns c
WHERE d.campaign_id = @campaign AND c.id = d.campaign_id AND d.kind = 'after_each'

-- name: dependencies.to_release
-- Dependencies task by task that may have tasks to release: users take turns, and of each user those looked at longest ago come first.
-- Not of campaigns that are braked whole: their last release was refused, or they cannot be planned.
SELECT d.campaign_id, d.on_campaign
FROM dependencies d
JOIN campaigns w ON w.id = d.campaign_id AND is_live(w.state)
WHERE d.kind = 'after_each' AND d.released_at IS NULL
  AND (d.scan_at < d.scan_to OR EXISTS (SELECT FROM freed_tasks f WHERE f.on_campaign = d.on_campaign AND f.place > d.released_to))
  AND NOT EXISTS (SELECT FROM brakes b WHERE b.campaign_id = d.campaign_id AND b.cluster_id IS NULL AND b.expires_at > instant(@now))
ORDER BY row_number() OVER (PARTITION BY w.user_name ORDER BY d.looked_at NULLS FIRST, d.campaign_id), d.looked_at NULLS FIRST, d.campaign_id
LIMIT @most

-- name: dependencies.lock_waiting
-- Locks a campaign whose tasks are released: nobody cancels them, or appends some, meanwhile. takes_given: whether their requests are computed
-- then.
SELECT id, takes_given FROM campaigns WHERE id = @campaign FOR NO KEY UPDATE

-- name: dependencies.try_appends
-- Whether nobody appends to the campaign, and nobody begins to until the transaction ends: an append numbers requests, too.
SELECT pg_try_advisory_xact_lock(@campaign::bigint) AS taken

-- name: dependencies.release
-- Puts tasks into the bag of a campaign for which those of all the others are done: of the next @most that were, or may be. One that waits
-- there follows the task that it comes after once more: that one was done anew, or what decides where has changed. Those of a dependency
-- that is met wait for none. `numbers`: those that were not in the bag, with blanks between them.
WITH d AS (
  SELECT scan_at, scan_to, released_to, scan_at < scan_to AS scans, met_at IS NOT NULL AS met FROM dependencies
  WHERE campaign_id = @campaign AND on_campaign = @on FOR UPDATE),
scanned AS (
  SELECT o.number FROM d JOIN tasks o ON o.campaign_id = @on AND o.number >= d.scan_at AND o.number < least(d.scan_to, d.scan_at + @most)
  WHERE d.scans AND NOT d.met AND o.state = 'done'
  UNION ALL
  SELECT number FROM d CROSS JOIN LATERAL generate_series(d.scan_at, least(d.scan_to, d.scan_at + @most) - 1) AS number
  WHERE d.scans AND d.met),
noted AS (
  SELECT f.place, f.number FROM d
  CROSS JOIN LATERAL (SELECT * FROM freed_tasks f WHERE f.on_campaign = @on AND f.place > d.released_to ORDER BY f.place LIMIT @most) f
  WHERE NOT d.scans),
freed AS (
  INSERT INTO returned_tasks (campaign_id, number, request, returned_at)
  SELECT t.campaign_id, t.number, t.request, instant(@now)
  FROM (SELECT number FROM scanned UNION SELECT number FROM noted) n
  -- For each by both keys, as the statistics may take the tasks of a new campaign for one.
  CROSS JOIN LATERAL (
    SELECT t.campaign_id, t.number, t.request FROM tasks t
    WHERE t.campaign_id = @campaign AND t.number = n.number AND t.state = 'waiting' OFFSET 0) t
  WHERE NOT awaits_task(t.campaign_id, t.number)
  ON CONFLICT (campaign_id, number) DO UPDATE SET cluster_id = NULL
    WHERE returned_tasks.fence IS NULL AND (returned_tasks.follows OR returned_tasks.cluster_id IS NULL)
  RETURNING number, xmax = 0 AS is_new),
moved AS (
  UPDATE dependencies p SET
    scan_at = CASE WHEN d.scans THEN least(d.scan_to, d.scan_at + @most) ELSE p.scan_at END,
    released_to = greatest(p.released_to, (SELECT max(place) FROM noted)),
    looked_at = instant(@now)
  FROM d WHERE p.campaign_id = @campaign AND p.on_campaign = @on)
SELECT count(*) FILTER (WHERE is_new) AS released, coalesce(string_agg(number::text, ' ') FILTER (WHERE is_new), '') AS numbers FROM freed

-- name: dependencies.given
-- These tasks of a campaign, each with what the tasks that it comes after gave, with blanks between them: nothing where its user has forgiven
-- that.
SELECT t.number, t.request, t.form, t.parameter, coalesce(g.given, '') AS given
FROM tasks t
CROSS JOIN LATERAL (
  SELECT string_agg(o.given, ' ' ORDER BY o.campaign_id) AS given
  FROM dependencies d
  JOIN task_gives o ON o.campaign_id = d.on_campaign AND o.number = t.number
  JOIN tasks b ON b.campaign_id = o.campaign_id AND b.number = o.number AND b.state = 'done' AND b.attempt = o.attempt
  WHERE d.campaign_id = t.campaign_id AND d.kind = 'after_each'
    AND NOT EXISTS (SELECT FROM withheld_tasks w WHERE w.campaign_id = t.campaign_id AND w.number = t.number AND w.forgiven)) g
WHERE t.campaign_id = @campaign AND t.number = ANY (@tasks::bigint[])
ORDER BY t.number

-- name: dependencies.request
-- Gives tasks in the bag of a campaign, which no cursor has ahead of it, the requests that were computed from what others gave.
WITH n AS (SELECT * FROM unnest(@tasks::bigint[], @requests::bigint[]) AS g(number, request)),
tasks_of_them AS (
  UPDATE tasks t SET request = n.request FROM n
  WHERE t.campaign_id = @campaign AND t.number = n.number AND t.request IS DISTINCT FROM n.request RETURNING t.number),
left_there AS (DELETE FROM request_tasks r USING n WHERE r.campaign_id = @campaign AND r.number = n.number AND r.request <> n.request),
come_there AS (
  INSERT INTO request_tasks (campaign_id, request, number) SELECT @campaign, request, number FROM n ON CONFLICT DO NOTHING),
bags AS (
  INSERT INTO request_bags (campaign_id, request, next_task, untaken)
  SELECT DISTINCT c.id, n.request, c.total, 0 FROM n JOIN campaigns c ON c.id = @campaign ON CONFLICT DO NOTHING),
in_the_bag AS (UPDATE returned_tasks r SET request = n.request FROM n WHERE r.campaign_id = @campaign AND r.number = n.number)
SELECT count(*) AS changed FROM tasks_of_them

-- name: dependencies.withhold
-- Takes tasks out of the bag of a campaign, as their requests cannot be computed from what others gave.
WITH n AS (SELECT * FROM unnest(@tasks::bigint[], @reasons::text[]) AS g(number, why)),
out AS (DELETE FROM returned_tasks r USING n WHERE r.campaign_id = @campaign AND r.number = n.number)
INSERT INTO withheld_tasks (campaign_id, number, why) SELECT @campaign, number, why FROM n
ON CONFLICT (campaign_id, number) DO UPDATE SET why = EXCLUDED.why, forgiven = false

-- name: dependencies.unwithhold
-- These tasks of a campaign are in its bag, or are judged anew.
DELETE FROM withheld_tasks WHERE campaign_id = @campaign AND number = ANY (@tasks::bigint[])

-- name: dependencies.withheld
-- How many waiting tasks of a campaign are withheld, and the first of them.
SELECT w.number, w.why, count(*) OVER () AS tasks
FROM withheld_tasks w JOIN tasks t ON t.campaign_id = w.campaign_id AND t.number = w.number AND t.state = 'waiting'
WHERE w.campaign_id = @campaign ORDER BY w.number LIMIT 1

-- name: dependencies.withheld_task
-- Why a task is withheld.
SELECT w.why FROM withheld_tasks w JOIN tasks t ON t.campaign_id = w.campaign_id AND t.number = w.number AND t.state = 'waiting'
WHERE w.campaign_id = @campaign AND w.number = @task

-- name: dependencies.judge_withheld
-- Has the withheld tasks of a campaign released, and so judged, once more: what was given to them is forgiven.
WITH forgiven AS (UPDATE withheld_tasks SET forgiven = true WHERE campaign_id = @campaign)
UPDATE dependencies d SET scan_at = 0, scan_to = c.total, released_at = NULL
FROM campaigns c
WHERE d.campaign_id = @campaign AND c.id = d.campaign_id AND d.kind = 'after_each' AND is_live(c.state) AND c.takes_given
  AND EXISTS (SELECT FROM withheld_tasks w WHERE w.campaign_id = c.id)

-- name: dependencies.note_released
-- Records which dependencies, once met, have nothing left to release.
UPDATE dependencies d SET released_at = instant(@now)
WHERE d.kind = 'after_each' AND d.released_at IS NULL AND d.met_at IS NOT NULL AND d.scan_at >= d.scan_to
  AND NOT EXISTS (SELECT FROM freed_tasks f WHERE f.on_campaign = d.on_campaign AND f.place > d.released_to)

-- name: dependencies.forget_freed
-- Deletes the notes that every live campaign which waits has looked at.
WITH seen AS (
  SELECT o.on_campaign, (
    SELECT min(d.released_to) FROM dependencies d JOIN campaigns w ON w.id = d.campaign_id AND is_live(w.state)
    WHERE d.on_campaign = o.on_campaign AND d.kind = 'after_each' AND d.released_at IS NULL) AS until
  FROM (SELECT DISTINCT on_campaign FROM freed_tasks) o)
DELETE FROM freed_tasks f USING seen s WHERE f.on_campaign = s.on_campaign AND (s.until IS NULL OR f.place <= s.until)

-- name: dependencies.open
-- The dependencies that keep the campaigns in treatment or paused (@campaign: this one; null: all), or tasks of them, waiting: the
-- campaigns that come first, and how far they are.
SELECT
  d.campaign_id,
  w.waiting - w.held AS waiting,
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
WHERE d.met_at IS NULL AND (@campaign::bigint IS NULL OR d.campaign_id = @campaign)
ORDER BY d.campaign_id, d.on_campaign

-- name: dependencies.of
-- The present and past dependencies of these campaigns.
SELECT d.campaign_id, d.on_campaign, d.kind, d.met_at IS NOT NULL AS met, c.name
FROM dependencies d LEFT JOIN campaigns c ON c.id = d.on_campaign
WHERE d.campaign_id = ANY (@campaigns::bigint[]) ORDER BY d.campaign_id, d.on_campaign
