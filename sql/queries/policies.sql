-- Shares, usage, limits, couples: what the policies of the planner need, and what gridctl edits.

-- name: policies.usage
-- Resource-seconds by user, project and day: what is booked, and what the jobs that run have used so far. $1 first day, $2 now.
SELECT user_name, project, days_ago, sum(resource_seconds) AS resource_seconds
FROM (
  SELECT user_name, project, (instant($2) AT TIME ZONE 'UTC')::date - day AS days_ago, resource_seconds
  FROM usage WHERE day >= (instant($1) AT TIME ZONE 'UTC')::date
  UNION ALL
  SELECT c.user_name, c.project, 0, greatest(0, date_part('epoch', instant($2) - j.started_at)) * coalesce(j.resources, (
    SELECT known_width(p) FROM campaign_clusters p WHERE p.campaign_id = j.campaign_id AND p.cluster_id = j.cluster_id), 1)
  FROM jobs j
  JOIN campaigns c ON c.id = j.campaign_id
  WHERE j.state IN ('planned', 'launching', 'remote_waiting', 'running', 'unknown') AND j.started_at IS NOT NULL) used
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3

-- name: policies.users
-- The administrators' priorities of users.
SELECT user_name, priority FROM user_priorities ORDER BY user_name

-- name: policies.shares
-- The tree, parents before their children.
WITH RECURSIVE tree AS (
  SELECT id, name, kind, parent_id, shares, ARRAY[id] AS path FROM shares WHERE parent_id IS NULL
  UNION ALL
  SELECT s.id, s.name, s.kind, s.parent_id, s.shares, t.path || s.id FROM shares s JOIN tree t ON t.id = s.parent_id)
SELECT id, name, kind, parent_id, shares FROM tree ORDER BY path

-- name: policies.couples
-- Users and clusters that belong together.
SELECT a.user_name, a.cluster_id, k.name AS cluster FROM affinities a JOIN clusters k ON k.id = a.cluster_id ORDER BY 1, 3

-- name: policies.limits
-- Every limit, with what it counts now; a job whose width nobody knows yet counts for rather too much. $1 now.
SELECT l.id, l.kind, l.most, l.user_name, l.project, l.campaign_id, l.cluster_id, k.name AS cluster, l.days,
  CASE l.kind
    WHEN 'running_jobs' THEN live.jobs
    WHEN 'waiting_jobs' THEN live.waiting
    WHEN 'resources' THEN live.resources
    ELSE (SELECT coalesce(sum(u.resource_seconds), 0) FROM usage u
          WHERE u.day > (instant($1) AT TIME ZONE 'UTC')::date - l.days AND (l.user_name IS NULL OR u.user_name = l.user_name)
            AND (l.project IS NULL OR u.project = l.project) AND (l.cluster_id IS NULL OR u.cluster_id = l.cluster_id)
            AND (l.campaign_id IS NULL OR u.campaign_id = l.campaign_id)) + live.seconds
  END AS used
FROM limits l
LEFT JOIN clusters k ON k.id = l.cluster_id
CROSS JOIN LATERAL (
  SELECT coalesce(sum(p.launching + p.waiting + p.running + p.unknown), 0)::double precision AS jobs,
    coalesce(sum(p.launching + p.waiting + p.unknown), 0)::double precision AS waiting,
    coalesce(sum((p.launching + p.waiting + p.running + p.unknown) * job_width(p)), 0)::double precision AS resources,
    -- What the live jobs are expected to use in all.
    coalesce(sum((p.launching + p.waiting + p.running + p.unknown) * job_width(p)
      * CASE WHEN p.done > 0 THEN p.duration_sum / p.done ELSE p.walltime_s END), 0)::double precision AS seconds
  FROM campaign_clusters p
  JOIN campaigns c ON c.id = p.campaign_id
  WHERE p.active AND p.launching + p.waiting + p.running + p.unknown > 0
    AND (l.user_name IS NULL OR c.user_name = l.user_name) AND (l.project IS NULL OR c.project = l.project)
    AND (l.campaign_id IS NULL OR c.id = l.campaign_id) AND (l.cluster_id IS NULL OR p.cluster_id = l.cluster_id)) live
ORDER BY l.id

-- name: policies.endings
-- When our running jobs end, by their mean duration or, while none is known, their walltime; in steps of a tenth. $1 now.
SELECT cluster_id, after, sum(resources)::double precision AS resources FROM (
  SELECT j.cluster_id, coalesce(j.resources, known_width(p), 1) AS resources,
    ceil(greatest(1, least(p.walltime_s - e.elapsed, CASE WHEN p.done > 0 THEN greatest(p.duration_sum / p.done, e.elapsed * 1.1) ELSE p.walltime_s END - e.elapsed)))::double precision AS after
  FROM jobs j
  JOIN campaign_clusters p ON p.campaign_id = j.campaign_id AND p.cluster_id = j.cluster_id
  CROSS JOIN LATERAL (SELECT greatest(0, extract(epoch FROM instant($1) - j.started_at)) AS elapsed) e
  WHERE j.state IN ('planned', 'launching', 'remote_waiting', 'running', 'unknown') AND j.state = 'running' AND j.started_at IS NOT NULL) r
GROUP BY 1, 2 ORDER BY 1, 2

-- name: policies.dying
-- Live jobs with a kill on its way, by pair.
SELECT j.campaign_id, j.cluster_id, count(*) AS jobs FROM kill_requests k
JOIN jobs j ON j.id = k.job_id AND j.state = 'running' GROUP BY 1, 2

-- name: policies.profiled
-- Campaigns in treatment that have done nothing yet, and of whose user's 50 campaigns before them one has done the same command (as
-- prediction.earlier).
SELECT c.id FROM campaigns c
WHERE c.state = 'in_treatment' AND c.done = 0 AND EXISTS (
  SELECT FROM (SELECT e.id FROM campaigns e WHERE e.user_name = c.user_name AND e.id < c.id ORDER BY e.id DESC LIMIT 50) o
  JOIN campaign_clusters q ON q.campaign_id = o.id AND q.done > 0
    AND q.exec_file IN (SELECT p.exec_file FROM campaign_clusters p WHERE p.campaign_id = c.id))

-- name: policies.preempt
-- The youngest running jobs of a campaign on a cluster are to be killed, and all that wait there. $1 campaign, $2 cluster, $3 jobs, $4 now.
INSERT INTO kill_requests (job_id, reason, requested_at)
SELECT id, 'preempted', instant($4) FROM (
  (SELECT j.id FROM jobs j WHERE j.campaign_id = $1 AND j.cluster_id = $2 AND j.state = 'running'
     AND NOT EXISTS (SELECT FROM kill_requests k WHERE k.job_id = j.id)
   ORDER BY j.started_at DESC, j.id DESC LIMIT $3)
  UNION ALL
  (SELECT j.id FROM jobs j WHERE j.campaign_id = $1 AND j.cluster_id = $2 AND j.state = 'remote_waiting'
     AND NOT EXISTS (SELECT FROM kill_requests k WHERE k.job_id = j.id))) y
ON CONFLICT DO NOTHING

-- name: policies.set_limit
-- $1 kind, $2 most, $3 user, $4 project, $5 campaign, $6 cluster, $7 days.
INSERT INTO limits (kind, most, user_name, project, campaign_id, cluster_id, days) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (kind, coalesce(user_name, ''), coalesce(project, ''), coalesce(campaign_id, 0), coalesce(cluster_id, 0))
DO UPDATE SET most = EXCLUDED.most, days = EXCLUDED.days RETURNING id

-- name: policies.remove_limit
-- $1 limit.
DELETE FROM limits WHERE id = $1 RETURNING id

-- name: policies.share_of
-- A node of the tree. $1 kind, $2 name, $3 parent (null: below the root).
SELECT id FROM shares WHERE kind = $1 AND name = $2 AND coalesce(parent_id, 0) = coalesce($3::bigint, 0)

-- name: policies.projects_named
-- The projects of the tree of a name, wherever they are. $1 name.
SELECT id FROM shares WHERE kind = 'project' AND name = $1 ORDER BY id

-- name: policies.set_share
-- $1 kind, $2 name, $3 parent (null: below the root), $4 shares.
INSERT INTO shares (kind, name, parent_id, shares) VALUES ($1, $2, $3, $4)
ON CONFLICT (coalesce(parent_id, 0), kind, name) DO UPDATE SET shares = EXCLUDED.shares RETURNING id

-- name: policies.remove_share
-- A node, with all below it. $1 id.
DELETE FROM shares WHERE id = $1 RETURNING id

-- name: policies.couple
-- $1 user, $2 cluster.
INSERT INTO affinities (user_name, cluster_id) VALUES ($1, $2) ON CONFLICT DO NOTHING

-- name: policies.uncouple
-- $1 user, $2 cluster.
DELETE FROM affinities WHERE user_name = $1 AND cluster_id = $2 RETURNING user_name

-- name: policies.set_user_priority
-- $1 user, $2 priority.
INSERT INTO user_priorities (user_name, priority) VALUES ($1, $2) ON CONFLICT (user_name) DO UPDATE SET priority = EXCLUDED.priority
