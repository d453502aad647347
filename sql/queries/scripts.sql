-- Scripts: the prologue and the epilogue of a campaign on a cluster. Their tasks have negative numbers (is_script).

-- name: scripts.pairs
-- The pairs with scripts of live campaigns, and those of cancelled ones whose epilogue is still to be run. `usable`: the cluster can be
-- given a job, and no brake holds the pair; `settled`: no task of the campaign is left.
WITH wanted AS (
  SELECT p.campaign_id, p.cluster_id FROM campaigns c
  JOIN campaign_clusters p ON p.campaign_id = c.id AND (p.prologue <> '' OR p.epilogue <> '')
  WHERE is_live(c.state)
  UNION SELECT campaign_id, cluster_id FROM campaign_clusters WHERE epilogue_due
  UNION SELECT campaign_id, cluster_of_script(number) FROM returned_tasks WHERE number < 0 AND is_epilogue(number))
SELECT
  p.campaign_id,
  p.cluster_id,
  c.state AS campaign_state,
  CASE WHEN is_kept_waiting(c.id) THEN 0 ELSE c.waiting - c.held END AS waiting_tasks,
  c.done + c.failed + c.cancelled >= c.total AS settled,
  k.enabled AND k.retired_at IS NULL AND k.reachable IS TRUE AND u.login ~ '^[A-Za-z0-9_]+$' AND NOT EXISTS (
    SELECT FROM brakes b WHERE b.expires_at > instant(@now)
      AND (b.campaign_id IS NULL OR b.campaign_id = p.campaign_id) AND (b.cluster_id IS NULL OR b.cluster_id = p.cluster_id)) AS usable,
  p.prologue <> '' AS has_prologue,
  p.epilogue <> '' AS has_epilogue,
  p.prepared,
  p.epilogue_due,
  p.last_start_at IS NOT NULL AS began,
  (SELECT count(*) FROM jobs j WHERE j.campaign_id = p.campaign_id AND j.cluster_id = p.cluster_id AND is_live(j.state)) AS live_jobs,
  a.state AS prologue,
  e.state AS epilogue
FROM wanted w
JOIN campaign_clusters p ON p.campaign_id = w.campaign_id AND p.cluster_id = w.cluster_id
JOIN campaigns c ON c.id = p.campaign_id
JOIN clusters k ON k.id = p.cluster_id
JOIN logins u ON u.campaign_id = p.campaign_id AND u.cluster_id = p.cluster_id
LEFT JOIN tasks a ON a.campaign_id = p.campaign_id AND a.number = prologue_on(p.cluster_id)
LEFT JOIN tasks e ON e.campaign_id = p.campaign_id AND e.number = epilogue_on(p.cluster_id)
WHERE c.state <> 'terminated' AND NOT c.sealed
ORDER BY p.campaign_id, p.cluster_id

-- name: scripts.add
-- Adds the task of a script, or has one that is over run again, with a new attempt and a clean slate. It is in the bag, for its cluster
-- alone. Nothing changes while it waits or is under way.
WITH added AS (
  INSERT INTO tasks AS t (campaign_id, number, parameter) VALUES (@campaign, @task, '')
  ON CONFLICT (campaign_id, number) DO UPDATE SET
    state = 'waiting',
    attempt = next_attempt(t),
    uncounted = next_attempt(t),
    charged = 0
  WHERE t.state IN ('done', 'failed')
  RETURNING t.number)
INSERT INTO returned_tasks (campaign_id, number, returned_at) SELECT @campaign, number, instant(@now) FROM added
ON CONFLICT DO NOTHING

-- name: scripts.launch
-- Plans the launch of a script that waits: one job, for the smallest request that every OAR understands, as CiGri's. No row when it does
-- not wait any more.
WITH removed AS (
  DELETE FROM returned_tasks WHERE campaign_id = @campaign AND number = @task RETURNING number, fence),
started AS (
  UPDATE tasks t SET state = 'launching' FROM removed r
  WHERE t.campaign_id = @campaign AND t.number = r.number AND t.state = 'waiting' RETURNING t.number, t.attempt, r.fence),
launch AS (
  INSERT INTO launches (campaign_id, cluster_id, jobs, resources, term, planned_at, script, request, walltime_s)
  SELECT
    @campaign,
    @cluster,
    1,
    1,
    @term,
    instant(@now),
    @script,
    '/resource_id=1',
    coalesce(CASE @script WHEN 'prologue' THEN p.prologue_walltime_s ELSE p.epilogue_walltime_s END, p.walltime_s)
  FROM started JOIN campaign_clusters p ON p.campaign_id = @campaign AND p.cluster_id = @cluster RETURNING id),
planned AS (
  INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, fence)
  SELECT launch.id, @campaign, @cluster, number, attempt, fence FROM launch CROSS JOIN started RETURNING id)
SELECT launch.id FROM launch

-- name: scripts.lock
-- Locks the campaign while its failed scripts are given back; no row when it is sealed.
SELECT state FROM campaigns WHERE id = @campaign AND NOT sealed FOR UPDATE

-- name: scripts.retry
-- Has failed scripts of a campaign run again, the one with the number @task or (null) all: an epilogue always, a prologue while the
-- campaign is live.
WITH again AS (
  UPDATE tasks t SET state = 'waiting', attempt = next_attempt(t), uncounted = next_attempt(t), charged = 0
  FROM campaigns c
  WHERE c.id = @campaign AND t.campaign_id = c.id AND t.number < 0 AND t.state = 'failed'
    AND (@task::bigint IS NULL OR t.number = @task::bigint) AND (is_epilogue(t.number) OR is_live(c.state))
  RETURNING t.number)
INSERT INTO returned_tasks (campaign_id, number, returned_at) SELECT @campaign, number, instant(@now) FROM again
ON CONFLICT DO NOTHING
RETURNING number

-- name: scripts.reopen
-- Puts a terminated campaign in treatment again, because an epilogue of it was given back.
UPDATE campaigns SET state = 'in_treatment', ended_at = NULL WHERE id = @campaign AND state = 'terminated' RETURNING id
