-- Shares, usage, limits, affinities: the facts for the planner's policies, and the edits of gridctl.

-- name: policies.usage
-- Resource-seconds by user, project and day: those booked, plus the use by running jobs so far. `groups`: those of the campaign's user that
-- have shares, one a line; none of a campaign that was deleted since.
WITH shared AS MATERIALIZED (SELECT DISTINCT name FROM shares WHERE kind = 'group')
SELECT user_name, project, days_ago, coalesce(groups, '') AS groups, sum(resource_seconds) AS resource_seconds
FROM (
  SELECT u.user_name, u.project, (instant(@now) AT TIME ZONE 'UTC')::date - u.day AS days_ago, CASE WHEN EXISTS (SELECT FROM shared)
    THEN (SELECT string_agg(s.name, E'\n' ORDER BY s.name) FROM campaigns c JOIN shared s ON s.name = ANY (c.groups) WHERE c.id = u.campaign_id)
    END AS groups, u.resource_seconds
  FROM usage u WHERE u.day >= (instant(@first_day) AT TIME ZONE 'UTC')::date
  UNION ALL
  SELECT c.user_name, c.project, 0, (SELECT string_agg(s.name, E'\n' ORDER BY s.name) FROM shared s WHERE s.name = ANY (c.groups)), greatest(0, date_part('epoch', instant(@now) - j.started_at)) * coalesce(j.resources, (
    SELECT known_width(p) FROM campaign_clusters p WHERE p.campaign_id = j.campaign_id AND p.cluster_id = j.cluster_id), 1)
  FROM jobs j
  JOIN campaigns c ON c.id = j.campaign_id
  WHERE is_live(j.state) AND j.started_at IS NOT NULL) used
GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4

-- name: policies.user_priorities
-- Users' priorities, as administrators set them.
SELECT user_name, priority FROM user_priorities ORDER BY user_name

-- name: policies.declared_priorities
-- The priorities of projects and groups, as administrators set them.
SELECT 'project' AS kind, project AS name, priority FROM project_priorities
UNION ALL SELECT 'group', group_name, priority FROM group_priorities ORDER BY 1, 2

-- name: policies.shares
-- The tree of shares, parents before their children.
WITH RECURSIVE tree AS (
  SELECT id, name, kind, parent_id, shares, ARRAY[id] AS path FROM shares WHERE parent_id IS NULL
  UNION ALL
  SELECT s.id, s.name, s.kind, s.parent_id, s.shares, t.path || s.id FROM shares s JOIN tree t ON t.id = s.parent_id)
SELECT id, name, kind, parent_id, shares FROM tree ORDER BY path

-- name: policies.workers
-- Users with campaigns in work, by project. `groups`: those of the user that have shares, one a line.
SELECT DISTINCT c.user_name, c.project, coalesce((
  SELECT string_agg(s.name, E'\n' ORDER BY s.name)
  FROM (SELECT DISTINCT name FROM shares WHERE kind = 'group') s WHERE s.name = ANY (c.groups)), '') AS groups
FROM campaigns c WHERE is_live(c.state) ORDER BY 1, 2, 3

-- name: policies.working_campaigns
-- The campaigns of a user that are in work.
SELECT id FROM campaigns WHERE is_live(state) AND user_name = @user ORDER BY id

-- name: policies.resources
-- The resources of the whole grid, against which usage counts: of each cluster, as it last answered.
SELECT coalesce(sum(s.max_resources), 0)::double precision AS resources
FROM clusters c
CROSS JOIN LATERAL (
  SELECT max_resources FROM gridstatus g WHERE g.cluster_id = c.id AND g.reachable ORDER BY g.time DESC LIMIT 1) s

-- name: policies.affinities
-- Users and the clusters that they have affinity with.
SELECT a.user_name, a.cluster_id, k.name AS cluster FROM affinities a JOIN clusters k ON k.id = a.cluster_id ORDER BY 1, 3

-- name: policies.limits
-- Every limit with its present use, by its id; one for each user, project or campaign has a row for each of them that uses some, or one
-- without a name. A job of unknown width is counted by an estimate that is rather too high. `pools`: the tasks in the hands of jobs that
-- take several, beside these jobs' own.
WITH pools AS (
  SELECT
    n.campaign_id,
    n.cluster_id,
    n.pool_s,
    count(*) FILTER (WHERE NOT j.pooled) AS carriers,
    count(*) FILTER (WHERE j.pooled) AS pooled
  FROM jobs j JOIN launches n ON n.id = j.launch_id AND n.pool_s IS NOT NULL
  WHERE is_live(j.state) AND EXISTS (SELECT FROM limits WHERE kind = 'resource_seconds')
  GROUP BY n.id)
SELECT
  l.id,
  l.kind,
  l.most,
  l.consumable,
  l.user_name,
  l.group_name,
  l.project,
  l.campaign_id,
  l.cluster_id,
  k.name AS cluster,
  l.days,
  l.each_of,
  l.silent_s,
  one.name,
  coalesce(one.used, 0)::double precision AS used
FROM limits l
LEFT JOIN clusters k ON k.id = l.cluster_id
LEFT JOIN LATERAL (
  SELECT name, sum(part) AS used FROM (
    SELECT
      CASE l.each_of WHEN 'user' THEN c.user_name WHEN 'project' THEN c.project WHEN 'campaign' THEN c.id::text END AS name,
      CASE l.kind
        WHEN 'running_jobs' THEN live_jobs(p)
        WHEN 'waiting_jobs' THEN p.launching + p.waiting + p.unknown
        WHEN 'nodes' THEN live_jobs(p) * job_nodes(p)
        WHEN 'resources' THEN live_jobs(p) * job_width(p)
        -- held_by is not inlined: 0.2 ms for a pair.
        WHEN 'consumable' THEN CASE
          WHEN EXISTS (SELECT FROM launches f WHERE f.campaign_id = p.campaign_id AND f.cluster_id = p.cluster_id AND f.needs IS NOT NULL)
            THEN held_by(c, p, l.consumable)
          ELSE live_jobs(p) * held_of(c, p, l.consumable) END
        -- Expected use of the live jobs in all.
        ELSE job_width(p) * (live_jobs(p) * e.mean + more.seconds) END AS part
    FROM campaign_clusters p
    JOIN campaigns c ON c.id = p.campaign_id
    JOIN clusters on_it ON on_it.id = p.cluster_id
    CROSS JOIN LATERAL (SELECT CASE WHEN p.done > 0 THEN p.duration_sum / p.done ELSE p.walltime_s END AS mean) e
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(least(
        q.pooled * e.mean / CASE WHEN c.dimensional_grouping THEN greatest(1, floor(job_width(p))) ELSE 1 END, q.carriers * q.pool_s)), 0)
        AS seconds
      FROM pools q WHERE q.campaign_id = p.campaign_id AND q.cluster_id = p.cluster_id) more
    WHERE p.active AND live_jobs(p) > 0
      AND (l.user_name IS NULL OR c.user_name = l.user_name) AND (l.group_name IS NULL OR l.group_name = ANY (c.groups))
      AND (l.project IS NULL OR c.project = l.project)
      AND (l.campaign_id IS NULL OR c.id = l.campaign_id) AND (l.cluster_id IS NULL OR p.cluster_id = l.cluster_id)
      AND NOT coalesce(on_it.unreachable_since <= instant(@now) - make_interval(secs => l.silent_s), false)
    UNION ALL
    SELECT CASE l.each_of WHEN 'user' THEN u.user_name WHEN 'project' THEN u.project WHEN 'campaign' THEN u.campaign_id::text END,
      u.resource_seconds
    FROM usage u
    WHERE l.kind = 'resource_seconds' AND u.day > (instant(@now) AT TIME ZONE 'UTC')::date - l.days
      AND (l.user_name IS NULL OR u.user_name = l.user_name)
      AND (l.project IS NULL OR u.project = l.project) AND (l.cluster_id IS NULL OR u.cluster_id = l.cluster_id)
      AND (l.campaign_id IS NULL OR u.campaign_id = l.campaign_id)
      AND (l.group_name IS NULL OR EXISTS (
        SELECT FROM campaigns c WHERE c.id = u.campaign_id AND l.group_name = ANY (c.groups)))) parts
  GROUP BY name) one ON true
ORDER BY l.id, one.name COLLATE "C"

-- name: policies.stopped_by_limits
-- The campaigns that each limit stopped somewhere, by the latest plan. @reason: the word of that decision. @user: null: of anybody.
SELECT (d.figures ->> 'limit')::bigint AS limit_id, count(DISTINCT d.campaign_id) AS campaigns
FROM decisions d JOIN campaigns c ON c.id = d.campaign_id
WHERE d.reason = @reason AND is_live(c.state) AND d.figures ? 'limit' AND (@user::text IS NULL OR c.user_name = @user)
GROUP BY 1 ORDER BY 1

-- name: policies.endings
-- Expected ends of our running jobs, by their mean duration or, if none is known, their walltime; in steps of a tenth. `soon`: of these
-- resources, those that may be free within @soon_s seconds: of jobs that are expected to end by then, and of those of which nothing is
-- known and that have not run so long yet.
SELECT cluster_id, after, sum(resources)::double precision AS resources,
  coalesce(sum(resources) FILTER (WHERE CASE WHEN known THEN after ELSE elapsed END <= @soon_s), 0)::double precision AS soon
FROM (
  SELECT j.cluster_id, coalesce(j.resources, known_width(p), 1) AS resources, p.done > 0 AS known, e.elapsed,
    ceil(greatest(1, least(p.walltime_s - e.elapsed, CASE
      WHEN p.done > 0 THEN greatest(p.duration_sum / p.done, e.elapsed * 1.1)
        ELSE p.walltime_s END - e.elapsed)))::double precision AS after
  FROM jobs j
  JOIN campaign_clusters p ON p.campaign_id = j.campaign_id AND p.cluster_id = j.cluster_id
  CROSS JOIN LATERAL (SELECT greatest(0, extract(epoch FROM instant(@now) - j.started_at)) AS elapsed) e
  WHERE is_live(j.state) AND j.state = 'running' AND j.started_at IS NOT NULL) r
GROUP BY 1, 2 ORDER BY 1, 2

-- name: policies.held
-- The reservations of earlier plans, the oldest first.
SELECT campaign_id, cluster_id, micros(begins_at) AS begins FROM reservations ORDER BY made_at, cluster_id

-- name: policies.hold
-- Writes the reservations of a plan in place of those of the one before. One that a campaign keeps stays as old as it is.
WITH new AS (SELECT * FROM unnest(@campaigns::bigint[], @clusters::bigint[], @begins::bigint[]) AS g(campaign_id, cluster_id, begins)),
gone AS (DELETE FROM reservations r WHERE NOT EXISTS (SELECT FROM new n WHERE n.cluster_id = r.cluster_id))
INSERT INTO reservations AS r (cluster_id, campaign_id, begins_at, made_at)
SELECT cluster_id, campaign_id, instant(begins), instant(@now) FROM new
ON CONFLICT (cluster_id) DO UPDATE SET
  campaign_id = EXCLUDED.campaign_id,
  begins_at = EXCLUDED.begins_at,
  made_at = CASE WHEN r.campaign_id = EXCLUDED.campaign_id THEN r.made_at ELSE EXCLUDED.made_at END
WHERE r.campaign_id <> EXCLUDED.campaign_id OR r.begins_at <> EXCLUDED.begins_at

-- name: policies.dying
-- Live jobs with an open kill request, by pair.
SELECT j.campaign_id, j.cluster_id, count(*) AS jobs FROM kill_requests k
JOIN jobs j ON j.id = k.job_id AND j.state = 'running' GROUP BY 1, 2

-- name: policies.profiled
-- Campaigns in treatment without a done task, if one of the user's 50 campaigns before each has done the same command (as
-- prediction.earlier).
SELECT c.id FROM campaigns c
WHERE c.state = 'in_treatment' AND c.done = 0 AND EXISTS (
  SELECT FROM (SELECT e.id FROM campaigns e WHERE e.user_name = c.user_name AND e.id < c.id ORDER BY e.id DESC LIMIT 50) o
  JOIN campaign_clusters q ON q.campaign_id = o.id AND q.done > 0
    AND q.exec_file IN (SELECT p.exec_file FROM campaign_clusters p WHERE p.campaign_id = c.id))

-- name: policies.preempt
-- Requests kills of the @jobs youngest running jobs of a campaign on a cluster, and of all that wait there, but of no script.
INSERT INTO kill_requests (job_id, reason, requested_at)
SELECT id, 'preempted', instant(@now) FROM (
  (SELECT j.id FROM jobs j WHERE j.campaign_id = @campaign AND j.cluster_id = @cluster AND j.state = 'running'
     AND NOT is_script(j.task) AND NOT EXISTS (SELECT FROM kill_requests k WHERE k.job_id = j.id)
   ORDER BY j.started_at DESC, j.id DESC LIMIT @jobs)
  UNION ALL
  (SELECT j.id FROM jobs j WHERE j.campaign_id = @campaign AND j.cluster_id = @cluster AND j.state = 'remote_waiting'
     AND NOT is_script(j.task) AND NOT EXISTS (SELECT FROM kill_requests k WHERE k.job_id = j.id))) y
ON CONFLICT DO NOTHING

-- name: policies.set_limit
-- Sets a limit of this kind on this target, in place of the old one.
INSERT INTO limits (kind, most, consumable, user_name, group_name, project, campaign_id, cluster_id, days, each_of, silent_s)
VALUES (@kind, @most, @consumable, @user, @group, @project, @campaign, @cluster, @days, @each, @silent)
ON CONFLICT (kind, coalesce(consumable, ''), coalesce(user_name, ''), coalesce(group_name, ''), coalesce(project, ''),
  coalesce(campaign_id, 0), coalesce(cluster_id, 0), coalesce(each_of, ''))
DO UPDATE SET most = EXCLUDED.most, days = EXCLUDED.days, silent_s = EXCLUDED.silent_s RETURNING id

-- name: policies.keeps
-- Every keep, by its name.
SELECT
  h.name,
  h.cluster_id,
  k.name AS cluster,
  h.resources,
  h.percent,
  h.user_name,
  h.group_name,
  h.project,
  h.campaign_id,
  h.campaign_type,
  h.new_users_s,
  h.from_s,
  h.to_s,
  micros(h.begins_at) AS begins,
  micros(h.ends_at) AS ends
FROM keeps h JOIN clusters k ON k.id = h.cluster_id ORDER BY h.name

-- name: policies.use_of_keeps
-- The resources of the live jobs of those that each keep is for, on its cluster. A project that has shares is that of its members alone.
WITH RECURSIVE below AS (
  SELECT id, kind, name, name AS project FROM shares WHERE kind = 'project'
  UNION
  SELECT s.id, s.kind, s.name, b.project FROM shares s JOIN below b ON s.parent_id = b.id)
SELECT h.name, coalesce(sum(live_jobs(p) * job_width(p)), 0)::double precision AS used
FROM keeps h
JOIN campaign_clusters p ON p.cluster_id = h.cluster_id AND p.active AND live_jobs(p) > 0
JOIN campaigns c ON c.id = p.campaign_id
LEFT JOIN first_campaigns f ON f.user_name = c.user_name
WHERE (h.user_name IS NULL OR c.user_name = h.user_name) AND (h.group_name IS NULL OR h.group_name = ANY (c.groups))
  AND (h.project IS NULL OR (c.project = h.project AND (
    NOT EXISTS (SELECT FROM below b WHERE b.project = h.project)
    OR EXISTS (SELECT FROM below b WHERE b.project = h.project
      AND ((b.kind = 'user' AND b.name = c.user_name) OR (b.kind = 'group' AND b.name = ANY (c.groups)))))))
  AND (h.campaign_id IS NULL OR c.id = h.campaign_id)
  AND (h.campaign_type IS NULL OR c.type = h.campaign_type)
  AND (h.new_users_s IS NULL OR instant(@now) - f.submitted_at < make_interval(secs => h.new_users_s))
GROUP BY h.name ORDER BY h.name

-- name: policies.first_campaigns
-- When each user submitted the first campaign, whether it is still there or not.
SELECT user_name, micros(submitted_at) AS submitted FROM first_campaigns ORDER BY user_name

-- name: policies.set_keep
-- Sets a keep, in place of the one of this name.
INSERT INTO keeps (name, cluster_id, resources, percent, user_name, group_name, project, campaign_id, campaign_type, new_users_s, from_s, to_s,
  begins_at, ends_at)
VALUES (@name, @cluster, @resources, @percent, @user, @group, @project, @campaign, @type, @new_users, @from, @to, instant(@begins),
  instant(@ends))
ON CONFLICT (name) DO UPDATE SET
  cluster_id = EXCLUDED.cluster_id,
  resources = EXCLUDED.resources,
  percent = EXCLUDED.percent,
  user_name = EXCLUDED.user_name,
  group_name = EXCLUDED.group_name,
  project = EXCLUDED.project,
  campaign_id = EXCLUDED.campaign_id,
  campaign_type = EXCLUDED.campaign_type,
  new_users_s = EXCLUDED.new_users_s,
  from_s = EXCLUDED.from_s,
  to_s = EXCLUDED.to_s,
  begins_at = EXCLUDED.begins_at,
  ends_at = EXCLUDED.ends_at

-- name: policies.remove_keep
DELETE FROM keeps WHERE name = @name RETURNING name

-- name: policies.consumables
-- The consumables that limits name, each with the lowest limit that binds every campaign of this user, if there is one. @user: null: of
-- nobody in particular.
SELECT consumable, bound.most, bound.id AS limit_id
FROM (SELECT DISTINCT consumable FROM limits WHERE kind = 'consumable') declared
LEFT JOIN LATERAL (
  SELECT l.most, l.id FROM limits l
  WHERE l.consumable = declared.consumable AND (l.user_name IS NULL OR l.user_name = @user::text)
    AND num_nonnulls(l.group_name, l.project, l.campaign_id, l.cluster_id) = 0 AND (l.each_of IS NULL OR NOT EXISTS (
      SELECT FROM limits n WHERE l.each_of = 'user' AND n.consumable = l.consumable AND n.user_name = @user
        AND num_nonnulls(n.group_name, n.project, n.campaign_id, n.cluster_id) = 0))
  ORDER BY l.most, l.id LIMIT 1) bound ON true
ORDER BY consumable

-- name: policies.remove_limit
DELETE FROM limits WHERE id = @limit RETURNING id

-- name: policies.share_of
-- Finds a node of the tree of shares. @parent: null: a child of the root.
SELECT id FROM shares WHERE kind = @kind AND name = @name AND coalesce(parent_id, 0) = coalesce(@parent::bigint, 0)

-- name: policies.projects_named
-- The projects of this name in the tree of shares.
SELECT id FROM shares WHERE kind = 'project' AND name = @name ORDER BY id

-- name: policies.projects_of
-- The projects that a user is below in the tree of shares.
WITH RECURSIVE above AS (
  SELECT parent_id FROM shares WHERE kind = 'user' AND name = @user
  UNION
  SELECT s.parent_id FROM shares s JOIN above a ON a.parent_id = s.id)
SELECT DISTINCT s.name FROM shares s JOIN above a ON a.parent_id = s.id WHERE s.kind = 'project' ORDER BY s.name

-- name: policies.set_share
-- Sets a node's shares. @parent: null: a child of the root.
INSERT INTO shares (kind, name, parent_id, shares) VALUES (@kind, @name, @parent, @shares)
ON CONFLICT (coalesce(parent_id, 0), kind, name) DO UPDATE SET shares = EXCLUDED.shares RETURNING id

-- name: policies.remove_share
-- Removes a node, with all nodes below it.
DELETE FROM shares WHERE id = @share RETURNING id

-- name: policies.set_affinity
INSERT INTO affinities (user_name, cluster_id) VALUES (@user, @cluster) ON CONFLICT DO NOTHING

-- name: policies.remove_affinity
DELETE FROM affinities WHERE user_name = @user AND cluster_id = @cluster RETURNING user_name

-- name: policies.set_user_priority
INSERT INTO user_priorities (user_name, priority) VALUES (@user, @priority)
ON CONFLICT (user_name) DO UPDATE SET priority = EXCLUDED.priority

-- name: policies.set_project_priority
INSERT INTO project_priorities (project, priority) VALUES (@project, @priority)
ON CONFLICT (project) DO UPDATE SET priority = EXCLUDED.priority

-- name: policies.set_group_priority
INSERT INTO group_priorities (group_name, priority) VALUES (@group, @priority)
ON CONFLICT (group_name) DO UPDATE SET priority = EXCLUDED.priority
