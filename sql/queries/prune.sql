-- Deletion of data in batches: of what is older than the retention on an administrator's request, of an ended campaign on its user's.

-- name: prune.count
-- Number of rows to delete. Campaigns: as prune.campaigns selects them.
WITH prunable AS (
  SELECT c.id FROM campaigns c
  WHERE is_over(c.state) AND c.ended_at < instant(@ended_before)
    AND NOT EXISTS (SELECT FROM jobs j WHERE j.campaign_id = c.id AND is_live(j.state))
    AND NOT EXISTS (SELECT FROM launches l WHERE l.campaign_id = c.id AND is_open(l.state))
    AND awaited_by(c.id) IS NULL)
SELECT
  (SELECT count(*) FROM prunable) AS campaigns,
  (SELECT count(*) FROM tasks t JOIN prunable p ON p.id = t.campaign_id) AS tasks,
  (SELECT count(*) FROM jobs j JOIN prunable p ON p.id = j.campaign_id) AS jobs,
  (SELECT count(*) FROM gridstatus s WHERE s.time < instant(@ended_before)
    AND s.time < (SELECT max(n.time) FROM gridstatus n WHERE n.cluster_id = s.cluster_id)) AS statuses,
  (SELECT count(*) FROM cycles WHERE started_at < instant(@ended_before) AND id < (SELECT max(id) FROM cycles)) AS cycles,
  (SELECT count(*) FROM events WHERE state = 'closed' AND closed_at < instant(@ended_before)) AS events,
  (SELECT count(*) FROM forecast_history h WHERE h.made_at < instant(@ended_before)
    AND h.made_at < (SELECT max(n.made_at) FROM forecast_history n WHERE n.campaign_id = h.campaign_id)) AS forecasts,
  (SELECT count(*) FROM decision_history h WHERE h.until < instant(@ended_before)) AS reasons,
  (SELECT count(*) FROM audit a WHERE a.acted_at < instant(@ended_before)) AS acts

-- name: prune.campaigns
-- Ended campaigns without live jobs and unsettled launches, for which no other one waits.
SELECT c.id FROM campaigns c
WHERE is_over(c.state) AND c.ended_at < instant(@ended_before)
  AND NOT EXISTS (SELECT FROM jobs j WHERE j.campaign_id = c.id AND is_live(j.state))
  AND NOT EXISTS (SELECT FROM launches l WHERE l.campaign_id = c.id AND is_open(l.state))
  AND awaited_by(c.id) IS NULL
ORDER BY c.id

-- name: prune.seal
-- Seals a campaign: it cannot be retried any more, because its tasks are being deleted. No row when it is in treatment again.
UPDATE campaigns SET cancelled = cancelled + failed, failed = 0, sealed = true
WHERE id = @campaign AND is_over(state) AND ended_at < instant(@ended_before) RETURNING id

-- name: prune.obstacles
-- The reasons that keep a campaign from being deleted: it is live, another one waits for it, jobs or launches of it are not settled, its
-- files are still on a cluster, a retired cluster may still have jobs of it, which are deleted there when it returns. Locks it.
SELECT
  is_over(c.state) AS has_ended,
  awaited_by(c.id) AS awaited_by,
  EXISTS (SELECT FROM jobs j WHERE j.campaign_id = c.id AND is_live(j.state))
    OR EXISTS (SELECT FROM launches l WHERE l.campaign_id = c.id AND is_open(l.state)) AS unsettled,
  (SELECT min(k.name) FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id
   WHERE p.campaign_id = c.id AND p.cleaned_at IS NULL AND k.retired_at IS NULL) AS uncleaned,
  (SELECT min(k.name) FROM clusters k WHERE k.retired_at IS NOT NULL
   AND (EXISTS (SELECT FROM jobs j WHERE j.campaign_id = c.id AND j.cluster_id = k.id AND j.ending = 'lost')
     OR EXISTS (SELECT FROM launches l WHERE l.campaign_id = c.id AND l.cluster_id = k.id AND l.state = 'void'))) AS retired
FROM campaigns c WHERE c.id = @campaign FOR UPDATE OF c

-- name: prune.hide
-- Records that its user had a sealed campaign deleted: it is shown no more, its events are closed, and prune.purged has it once it can go.
WITH closed AS (UPDATE events SET state = 'closed', closed_at = instant(@now) WHERE campaign_id = @campaign AND state = 'open')
UPDATE campaigns SET purged_at = instant(@now) WHERE id = @campaign AND sealed AND purged_at IS NULL

-- name: prune.purged
-- Campaigns that their users had deleted, and that can go: nothing of them is live or still to be killed, and no file of them is left. Users take turns.
SELECT c.id FROM campaigns c
WHERE c.purged_at IS NOT NULL AND awaited_by(c.id) IS NULL
  AND NOT EXISTS (SELECT FROM jobs j WHERE j.campaign_id = c.id AND is_live(j.state))
  AND NOT EXISTS (SELECT FROM launches l WHERE l.campaign_id = c.id AND is_open(l.state))
  AND NOT EXISTS (SELECT FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id
    WHERE p.campaign_id = c.id AND p.cleaned_at IS NULL AND k.retired_at IS NULL)
  AND NOT EXISTS (SELECT FROM jobs j JOIN clusters k ON k.id = j.cluster_id
    WHERE j.campaign_id = c.id AND j.ending = 'lost' AND k.retired_at IS NOT NULL)
  AND NOT EXISTS (SELECT FROM launches l JOIN clusters k ON k.id = l.cluster_id
    WHERE l.campaign_id = c.id AND l.state = 'void' AND k.retired_at IS NOT NULL)
  AND NOT EXISTS (SELECT FROM kill_requests r JOIN jobs j ON j.id = r.job_id WHERE j.campaign_id = c.id AND is_killed_after_its_end(j, r))
ORDER BY row_number() OVER (PARTITION BY c.user_name ORDER BY c.purged_at), c.purged_at LIMIT @most

-- name: prune.jobs
-- Deletes jobs of a campaign.
DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE campaign_id = @campaign LIMIT @batch)

-- name: prune.tasks
-- Deletes tasks of a campaign.
DELETE FROM tasks WHERE campaign_id = @campaign
  AND number IN (SELECT number FROM tasks WHERE campaign_id = @campaign ORDER BY number LIMIT @batch)

-- name: prune.returned_tasks
-- Deletes a campaign's returned tasks.
DELETE FROM returned_tasks WHERE campaign_id = @campaign

-- name: prune.request_tasks
-- Deletes a campaign's list of tasks by request.
DELETE FROM request_tasks WHERE campaign_id = @campaign
  AND (request, number) IN (SELECT request, number FROM request_tasks WHERE campaign_id = @campaign ORDER BY request, number LIMIT @batch)

-- name: prune.campaign
-- Deletes a campaign, and the rows that belong to it.
DELETE FROM campaigns WHERE id = @campaign

-- name: prune.statuses
-- Deletes snapshots of clusters, except the newest of each. @batch: at most so many of each cluster.
DELETE FROM gridstatus g USING (
  SELECT s.cluster_id, s.time FROM clusters c
  CROSS JOIN LATERAL (SELECT max(time) AS time FROM gridstatus WHERE cluster_id = c.id) newest
  CROSS JOIN LATERAL (
    SELECT cluster_id, time FROM gridstatus
      WHERE cluster_id = c.id AND time < instant(@before) AND time < newest.time ORDER BY time LIMIT @batch) s) old
WHERE g.cluster_id = old.cluster_id AND g.time = old.time

-- name: prune.cycles
-- Deletes cycles, except the last.
DELETE FROM cycles WHERE id IN (
  SELECT id FROM cycles WHERE started_at < instant(@before) AND id < (SELECT max(id) FROM cycles) ORDER BY started_at LIMIT @batch)

-- name: prune.events
-- Deletes closed events.
DELETE FROM events WHERE id IN (SELECT id FROM events WHERE state = 'closed' AND closed_at < instant(@before) LIMIT @batch)

-- name: prune.forecasts
-- Deletes kept forecasts, except the newest of each campaign.
DELETE FROM forecast_history WHERE (campaign_id, made_at) IN (
  SELECT h.campaign_id, h.made_at FROM forecast_history h WHERE h.made_at < instant(@before)
    AND h.made_at < (SELECT max(n.made_at) FROM forecast_history n WHERE n.campaign_id = h.campaign_id) LIMIT @batch)

-- name: prune.reasons
-- Deletes past reasons of pairs.
DELETE FROM decision_history WHERE (campaign_id, cluster_id, change, reason, subject) IN (
  SELECT campaign_id, cluster_id, change, reason, subject FROM decision_history WHERE until < instant(@before) LIMIT @batch)

-- name: prune.quality
-- Puts the figures of plans and forecasts of older days together in one row each, of the day 1970-01-01; the sums stay. Returns the number
-- of rows that are gone.
WITH plans AS (
  DELETE FROM plan_quality WHERE day > 'epoch' AND day < (instant(@before) AT TIME ZONE 'UTC')::date RETURNING *),
kept_plans AS (
  INSERT INTO plan_quality AS q
  SELECT 'epoch'::date, cluster_id, algorithm, type, sum(done), sum(failed), sum(walltime), sum(preempted), sum(killed), sum(taken_back),
    sum(unsent), sum(lost), sum(started), sum(waited), sum(wait_s), sum(held_s), sum(wasted_s), sum(turns), sum(too_big), sum(too_small),
    sum(offered), sum(sent), sum(left_waiting), sum(left_free)
  FROM plans GROUP BY 1, 2, 3, 4
  ON CONFLICT (day, cluster_id, algorithm, type) DO UPDATE SET
    done = q.done + EXCLUDED.done,
    failed = q.failed + EXCLUDED.failed,
    walltime = q.walltime + EXCLUDED.walltime,
    preempted = q.preempted + EXCLUDED.preempted,
    killed = q.killed + EXCLUDED.killed,
    taken_back = q.taken_back + EXCLUDED.taken_back,
    unsent = q.unsent + EXCLUDED.unsent,
    lost = q.lost + EXCLUDED.lost,
    started = q.started + EXCLUDED.started,
    waited = q.waited + EXCLUDED.waited,
    wait_s = q.wait_s + EXCLUDED.wait_s,
    held_s = q.held_s + EXCLUDED.held_s,
    wasted_s = q.wasted_s + EXCLUDED.wasted_s,
    turns = q.turns + EXCLUDED.turns,
    too_big = q.too_big + EXCLUDED.too_big,
    too_small = q.too_small + EXCLUDED.too_small,
    offered = q.offered + EXCLUDED.offered,
    sent = q.sent + EXCLUDED.sent,
    left_waiting = q.left_waiting + EXCLUDED.left_waiting,
    left_free = q.left_free + EXCLUDED.left_free),
forecasts AS (
  DELETE FROM forecast_quality WHERE day > 'epoch' AND day < (instant(@before) AT TIME ZONE 'UTC')::date RETURNING *),
kept_forecasts AS (
  INSERT INTO forecast_quality AS q
  SELECT 'epoch'::date, cluster_id, method, sum(forecasts), sum(within), sum(early), sum(error_s), sum(error_parts)
  FROM forecasts GROUP BY 1, 2, 3
  ON CONFLICT (day, cluster_id, method) DO UPDATE SET
    forecasts = q.forecasts + EXCLUDED.forecasts,
    within = q.within + EXCLUDED.within,
    early = q.early + EXCLUDED.early,
    error_s = q.error_s + EXCLUDED.error_s,
    error_parts = q.error_parts + EXCLUDED.error_parts)
SELECT (SELECT count(*) FROM plans) + (SELECT count(*) FROM forecasts) AS deleted

-- name: prune.acts
-- Deletes acts of the audit.
DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE acted_at < instant(@before) ORDER BY acted_at LIMIT @batch)

-- name: prune.feed
-- Deletes changes of the feed that are older, and those beyond the newest @most; not those that a transaction moves now, and not those that
-- no reader could have read yet. Readers that may miss one are recognized by grid.feed_from. No row when nothing was deleted.
WITH gone AS (
  DELETE FROM feed WHERE (xact, id) IN (
    SELECT f.xact, f.id FROM feed f
    WHERE f.noted_at < greatest(instant(@before), (SELECT n.noted_at FROM feed n ORDER BY n.noted_at DESC OFFSET @most::bigint LIMIT 1))
      AND f.xact < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    LIMIT @batch FOR UPDATE SKIP LOCKED)
  RETURNING xact)
UPDATE grid SET feed_from = greatest(feed_from, (SELECT max(xact) + 1 FROM gone))
WHERE EXISTS (SELECT FROM gone) RETURNING (SELECT count(*) FROM gone) AS deleted
