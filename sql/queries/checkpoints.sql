-- Checkpoints: the signals for them, and the tasks that are kept at the cluster where theirs are.

-- name: checkpoints.pairs
-- The live campaigns with checkpoints that have running jobs on a cluster, and how often their jobs are interrupted there without a signal
-- of OAR. `exposed`: the seconds for which its jobs ran, those that run now too.
SELECT
  c.id AS campaign_id,
  c.checkpoint_period_s::double precision AS period,
  c.checkpoint_cost_s::double precision AS cost,
  p.interruptions,
  p.exposed_s + r.seconds AS exposed
FROM campaigns c
JOIN campaign_clusters p ON p.campaign_id = c.id AND p.cluster_id = @cluster
CROSS JOIN LATERAL (
  SELECT sum(greatest(0, extract(epoch FROM instant(@now) - j.started_at)))::double precision AS seconds
  FROM jobs j WHERE j.campaign_id = c.id AND j.cluster_id = @cluster AND j.state = 'running' AND NOT is_script(j.task)) r
WHERE c.checkpoint_cost_s IS NOT NULL AND is_live(c.state) AND r.seconds IS NOT NULL
ORDER BY c.id

-- name: checkpoints.due
-- Running jobs on a cluster whose start or last signal is a period of their campaign ago, those that are most overdue first; before them
-- those that the grid preempts, once. Other jobs that are to be killed are not among them.
SELECT j.id, j.remote_id, j.campaign_id, j.task, j.attempt, l.tag, coalesce(l.login, u.login) AS login,
  c.checkpoint_signal AS signal
FROM unnest(@campaigns::bigint[], @periods::double precision[]) AS g(campaign_id, period)
JOIN jobs j ON j.campaign_id = g.campaign_id AND j.cluster_id = @cluster AND j.state = 'running' AND NOT is_script(j.task)
JOIN campaigns c ON c.id = j.campaign_id
JOIN launches l ON l.id = j.launch_id
JOIN logins u ON u.campaign_id = j.campaign_id AND u.cluster_id = j.cluster_id
LEFT JOIN kill_requests k ON k.job_id = j.id
WHERE CASE WHEN k.job_id IS NULL THEN greatest(j.started_at, j.signalled_at) + g.period * interval '1 second' <= instant(@now)
  ELSE k.reason = 'preempted' AND k.sent_at IS NULL AND coalesce(j.signalled_at < k.requested_at, true) END
ORDER BY k.job_id IS NULL, greatest(j.started_at, j.signalled_at) + g.period * interval '1 second', j.id LIMIT @most

-- name: checkpoints.note_sent
-- Records that the signal is sent, whatever the answer.
UPDATE jobs SET signalled_at = instant(@now) WHERE id = ANY (@jobs::bigint[]) AND state = 'running'

-- name: checkpoints.note_passed_on
-- Records that OAR passed the last signal on to these jobs.
UPDATE jobs SET checkpointed_at = signalled_at WHERE id = ANY (@jobs::bigint[]) AND state = 'running'

-- name: checkpoints.due_release
-- Campaigns with tasks that have waited since @waited_since for a cluster with their checkpoint, or where each such cluster is disabled or
-- retired.
-- Also tasks that are bound by a launch have a cluster; those have a fence, and are not released here. Nor are those that follow others:
-- their files are there. Those that a user holds do not wait for a cluster.
SELECT DISTINCT r.campaign_id FROM returned_tasks r JOIN clusters k ON k.id = r.cluster_id
WHERE r.fence IS NULL AND r.held_by IS NULL AND NOT r.follows AND NOT is_script(r.number)
  AND (r.returned_at <= instant(@waited_since) OR ((NOT k.enabled OR k.retired_at IS NOT NULL) AND sharer_of(r.campaign_id, k.id) IS NULL))
ORDER BY 1

-- name: checkpoints.release
-- Lets these tasks of the campaigns go to any cluster. Each begins anew there.
WITH released AS (
  UPDATE returned_tasks r SET cluster_id = NULL FROM clusters k
  WHERE r.campaign_id = ANY (@campaigns::bigint[])
    AND r.cluster_id = k.id AND r.fence IS NULL AND r.held_by IS NULL AND NOT r.follows AND NOT is_script(r.number)
    AND (r.returned_at <= instant(@waited_since)
      OR ((NOT k.enabled OR k.retired_at IS NOT NULL) AND sharer_of(r.campaign_id, k.id) IS NULL))
  RETURNING r.campaign_id, k.name)
SELECT campaign_id, name AS cluster, count(*) AS tasks FROM released GROUP BY 1, 2 ORDER BY 1, 2

-- name: checkpoints.kept
-- The clusters for which a waiting task is kept, as its checkpoint is in the homes there or the files of the task that it follows, and since
-- when it waits: `alpha or beta`.
SELECT k.name || coalesce((
    SELECT string_agg(' or ' || h.name, '' ORDER BY h.name) FROM clusters h JOIN campaign_clusters p ON p.campaign_id = r.campaign_id
      AND p.cluster_id = h.id AND p.max_jobs IS DISTINCT FROM 0
    WHERE h.id <> k.id AND h.shared_home = k.shared_home AND h.retired_at IS NULL), '') AS cluster, micros(r.returned_at) AS since, r.follows FROM returned_tasks r JOIN clusters k ON k.id = r.cluster_id
WHERE r.campaign_id = @campaign AND r.number = @task AND r.fence IS NULL AND r.held_by IS NULL
