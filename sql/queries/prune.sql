-- What an administrator deletes when it is older than the retention, a batch at a time.

-- name: prune.count
-- How much there is to delete. $1 the time before which it must have ended.
SELECT
  (SELECT count(*) FROM campaigns WHERE state IN ('terminated', 'cancelled') AND ended_at < instant($1)) AS campaigns,
  (SELECT count(*) FROM tasks t JOIN campaigns c ON c.id = t.campaign_id WHERE c.state IN ('terminated', 'cancelled') AND c.ended_at < instant($1)) AS tasks,
  (SELECT count(*) FROM jobs j JOIN campaigns c ON c.id = j.campaign_id WHERE c.state IN ('terminated', 'cancelled') AND c.ended_at < instant($1)) AS jobs,
  (SELECT count(*) FROM gridstatus s WHERE s.time < instant($1)
     AND s.time < (SELECT max(n.time) FROM gridstatus n WHERE n.cluster_id = s.cluster_id)) AS statuses,
  (SELECT count(*) FROM cycles WHERE started_at < instant($1) AND id < (SELECT max(id) FROM cycles)) AS cycles,
  (SELECT count(*) FROM events WHERE state = 'closed' AND closed_at < instant($1)) AS events

-- name: prune.campaigns
-- Ended campaigns of which no job is alive, nor any launch unsettled. $1 ended before.
SELECT c.id FROM campaigns c
WHERE c.state IN ('terminated', 'cancelled') AND c.ended_at < instant($1)
  AND NOT EXISTS (SELECT FROM jobs j WHERE j.campaign_id = c.id AND j.state IN ('planned', 'launching', 'remote_waiting', 'running', 'unknown'))
  AND NOT EXISTS (SELECT FROM launches l WHERE l.campaign_id = c.id AND l.state IN ('planned', 'launching', 'unknown'))
ORDER BY c.id

-- name: prune.seal
-- From here on it cannot be retried, as its tasks go. No row when it is in treatment again. $1 campaign, $2 ended before.
UPDATE campaigns SET cancelled = cancelled + failed, failed = 0, sealed = true
WHERE id = $1 AND state IN ('terminated', 'cancelled') AND ended_at < instant($2) RETURNING id

-- name: prune.jobs
-- Jobs of a campaign. $1 campaign, $2 at most.
DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE campaign_id = $1 LIMIT $2)

-- name: prune.tasks
-- Tasks of a campaign. $1 campaign, $2 at most.
DELETE FROM tasks WHERE campaign_id = $1 AND number IN (SELECT number FROM tasks WHERE campaign_id = $1 ORDER BY number LIMIT $2)

-- name: prune.returned_tasks
-- Its tasks that were given back. $1 campaign.
DELETE FROM returned_tasks WHERE campaign_id = $1

-- name: prune.request_tasks
-- Its tasks sorted by request. $1 campaign, $2 at most.
DELETE FROM request_tasks WHERE campaign_id = $1
  AND (request, number) IN (SELECT request, number FROM request_tasks WHERE campaign_id = $1 ORDER BY request, number LIMIT $2)

-- name: prune.campaign
-- The campaign, and all that is its own.
DELETE FROM campaigns WHERE id = $1

-- name: prune.statuses
-- Figures of clusters, but the newest of each. $1 older than, $2 at most of each cluster.
DELETE FROM gridstatus g USING (
  SELECT s.cluster_id, s.time FROM clusters c
  CROSS JOIN LATERAL (SELECT max(time) AS time FROM gridstatus WHERE cluster_id = c.id) newest
  CROSS JOIN LATERAL (
    SELECT cluster_id, time FROM gridstatus WHERE cluster_id = c.id AND time < instant($1) AND time < newest.time ORDER BY time LIMIT $2) s) old
WHERE g.cluster_id = old.cluster_id AND g.time = old.time

-- name: prune.cycles
-- Cycles of the conductor, but the last. $1 older than, $2 at most.
DELETE FROM cycles WHERE id IN (
  SELECT id FROM cycles WHERE started_at < instant($1) AND id < (SELECT max(id) FROM cycles) ORDER BY started_at LIMIT $2)

-- name: prune.events
-- Closed events. $1 closed before, $2 at most.
DELETE FROM events WHERE id IN (SELECT id FROM events WHERE state = 'closed' AND closed_at < instant($1) LIMIT $2)
