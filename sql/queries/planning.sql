-- Queries of the metascheduler.

-- name: planning.clusters
-- Every cluster with its newest status, and what a start there costs: the median of its users, each by the mean of the last ten campaigns
-- that measured it, of the last hundred there. The times of commands are what users' own jobs noted, so that none of them alone decides
-- for the others. `transfer_mb_s`: as declared, else
-- as measured. @flood, @array_size, @headroom and @availability are the configuration's, for clusters without values of their own.
SELECT
  c.id,
  c.name,
  c.power,
  coalesce(c.flood, @flood::double precision) AS flood,
  coalesce(c.array_size, @array_size::integer) AS array_size,
  coalesce(c.headroom, @headroom::text) AS headroom,
  h.resources AS learnt_headroom,
  CASE WHEN coalesce(c.availability, @availability::text) = 'dedicated' THEN 0 ELSE coalesce(c.loaded_resources, 0) END
    AS loaded_resources,
  c.enabled,
  c.retired_at IS NOT NULL AS retired,
  c.cost,
  c.wake_minutes,
  c.file_server_mb_s,
  n.open_sizes AS open_nodes,
  n.empty_sizes AS empty_nodes,
  n.asleep_sizes AS asleep_nodes,
  n.longest_name AS longest_node_name,
  CASE WHEN c.transfer_mb_s > 0 THEN c.transfer_mb_s ELSE coalesce(c.measured_mb_s, 0) END AS transfer_mb_s,
  c.max_node_resources,
  c.min_node_resources,
  c.reserved_resources,
  least(c.reserved_free, c.reserved_resources) AS reserved_free,
  c.free_nodes,
  c.reserved_free_nodes,
  c.advance_reservations,
  c.node_memory,
  c.memory_unit_mb,
  starts.cost AS start_cost,
  c.reachable IS TRUE AS reachable,
  s.max_resources,
  c.suspected_resources,
  c.absent_resources,
  c.dead_resources,
  micros(c.no_resources_since) AS no_resources_since,
  s.free,
  s.our_running,
  micros(s.time) AS status_at,
  (SELECT count(*) FROM launches l
    WHERE l.cluster_id = c.id AND l.state = 'unknown' AND l.unknown_at >= s.time)::integer AS unknown_launches,
  t.job_limit,
  t.reason AS stress_reason,
  coalesce(c.shared_home, '') AS shared_home
FROM clusters c
LEFT JOIN cluster_stress t ON t.cluster_id = c.id AND t.job_limit IS NOT NULL
LEFT JOIN learnt_headroom h ON h.cluster_id = c.id
LEFT JOIN named_nodes n ON n.cluster_id = c.id
LEFT JOIN LATERAL (SELECT max_resources, free, our_running, time FROM gridstatus s
  WHERE s.cluster_id = c.id AND s.reachable ORDER BY s.time DESC LIMIT 1) s ON true
LEFT JOIN LATERAL (
  SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY cost) AS cost FROM (
    SELECT greatest(0, least(86400, sum(held_s - command_s) / sum(measured))) AS cost
    FROM (
      SELECT o.user_name, p.measured, p.command_s, p.held_s, row_number() OVER (PARTITION BY o.user_name ORDER BY p.campaign_id DESC) AS place
      FROM (SELECT campaign_id, measured, command_s, held_s FROM campaign_clusters p
        WHERE p.cluster_id = c.id AND p.measured > 0 ORDER BY p.campaign_id DESC LIMIT 100) p
      JOIN campaigns o ON o.id = p.campaign_id) last
    WHERE place <= 10 GROUP BY user_name) users
  HAVING count(*) > 0) starts ON true
ORDER BY c.id

-- name: planning.campaigns
-- The campaigns in treatment or paused, with the numbers of tasks never taken from their bags and of those that are not settled, and
-- their requests of clusters (a pair_requests[]). Unordered: to sort rows as wide as these takes PostgreSQL a quarter of the query's time.
SELECT
  id,
  user_name,
  type,
  state,
  micros(submitted_at) AS submitted_at,
  priority,
  project,
  scheduler,
  min_duration_s AS min_duration,
  input_mb,
  replicas,
  total - next_task - skipped AS waiting,
  held AS on_hold,
  total - done - failed - cancelled AS unsettled,
  done + failed + cancelled AS settled,
  requests > 0 AS differing,
  temporal_grouping AS grouping,
  dimensional_grouping AS side_by_side,
  needs,
  checkpoint_cost_s::double precision AS checkpoint_cost,
  checkpoint_period_s::double precision AS checkpoint_period,
  requested
FROM campaigns
WHERE is_live(state)

-- name: planning.pairs
-- The active pairs, with the counters and the forecast of each. Pairs of campaigns that are over are included until they become inactive.
SELECT
  p.campaign_id,
  p.cluster_id,
  f.job_ratio,
  f.nsub,
  f.offered,
  p.launching,
  p.waiting,
  p.running,
  p.unknown,
  p.concluded,
  p.failures_in_a_row,
  micros(p.last_failure_at) AS last_failure_at,
  p.done,
  p.duration_sum,
  p.duration_squares,
  p.resources_sum,
  p.resources_jobs,
  micros(p.last_start_at) AS last_start_at,
  micros(p.last_accept_at) AS last_accept_at,
  CASE WHEN p.unknown > 0 THEN (
    SELECT count(*) FROM launches l JOIN jobs j ON j.launch_id = l.id AND j.state = 'unknown'
    WHERE l.campaign_id = p.campaign_id AND l.cluster_id = p.cluster_id AND l.state = 'unknown'
      AND l.unknown_at >= (SELECT max(s.time) FROM gridstatus s WHERE s.cluster_id = p.cluster_id AND s.reachable))
        ELSE 0 END::integer AS unseen,
  p.interruptions,
  p.exposed_s AS exposed_seconds,
  p.io_jobs,
  p.io_mb,
  p.io_wall_s AS io_seconds,
  p.suspected,
  p.array_most,
  coalesce((p.campaign_id, p.cluster_id) IN (SELECT campaign_id, cluster_id FROM events
    WHERE state = 'open' AND code = 'POOL_REFUSED' AND campaign_id IS NOT NULL AND cluster_id IS NOT NULL), false) AS pools_refused,
  p.memory_jobs,
  p.peak_memory_mb
FROM campaign_clusters p
LEFT JOIN forecasts f ON f.campaign_id = p.campaign_id AND f.cluster_id = p.cluster_id
WHERE p.active

-- name: planning.present
-- Whether optional features are in use. Most cycles find none: to plan and send the queries below takes longer than this check.
SELECT
  EXISTS (SELECT FROM returned_tasks WHERE held_by IS NULL) AS returned,
  EXISTS (SELECT FROM brakes) AS brakes,
  EXISTS (SELECT FROM user_mappings) AS logins,
  EXISTS (SELECT FROM clusters WHERE authentication = 'token') AS tokens,
  EXISTS (SELECT FROM limits) AS limits,
  EXISTS (SELECT FROM keeps) AS keeps,
  EXISTS (SELECT FROM limits WHERE group_name IS NOT NULL) OR EXISTS (SELECT FROM keeps WHERE group_name IS NOT NULL)
    OR EXISTS (SELECT FROM shares WHERE kind = 'group') OR EXISTS (SELECT FROM group_priorities) AS groups,
  EXISTS (SELECT FROM shares) AS shares,
  EXISTS (SELECT FROM user_priorities) AS priorities,
  EXISTS (SELECT FROM project_priorities) OR EXISTS (SELECT FROM group_priorities) AS declared_priorities,
  EXISTS (SELECT FROM events WHERE code = 'CANNOT_PLAN' AND state = 'open') AS set_aside,
  EXISTS (SELECT FROM campaign_clusters WHERE properties <> '') OR EXISTS (SELECT FROM clusters WHERE properties <> '') AS properties,
  EXISTS (SELECT FROM campaign_clusters WHERE prologue <> '' OR epilogue <> '') AS scripts,
  EXISTS (SELECT FROM dependencies WHERE met_at IS NULL) AS dependencies,
  EXISTS (SELECT FROM dependencies d JOIN campaigns w ON w.id = d.campaign_id AND is_live(w.state)
    WHERE d.kind = 'after_each' AND d.released_at IS NULL
      AND (d.scan_at < d.scan_to OR EXISTS (SELECT FROM freed_tasks f WHERE f.on_campaign = d.on_campaign AND f.place > d.released_to))
      AND NOT EXISTS (SELECT FROM brakes b WHERE b.campaign_id = d.campaign_id AND b.cluster_id IS NULL AND b.expires_at > instant(@now)))
    AS freed,
  EXISTS (SELECT FROM withheld_tasks) AS withheld,
  EXISTS (SELECT FROM reservations) AS held,
  EXISTS (SELECT FROM campaigns WHERE is_live(state) AND input_files <> '') AS inputs,
  EXISTS (SELECT FROM clusters WHERE memory_property <> '' AND retired_at IS NULL) AS memory

-- name: planning.withheld
-- The live campaigns with tasks that wait outside of the bag, as their requests cannot be computed from what others gave, and the number
-- of these tasks, counted to 1000.
SELECT c.id AS campaign_id, n.tasks
FROM campaigns c
CROSS JOIN LATERAL (SELECT count(*) AS tasks FROM (
  SELECT FROM withheld_tasks w JOIN tasks t ON t.campaign_id = w.campaign_id AND t.number = w.number AND t.state = 'waiting'
  WHERE w.campaign_id = c.id LIMIT 1000) counted) n
WHERE is_live(c.state) AND c.takes_given AND n.tasks > 0

-- name: planning.memory
-- For the live campaigns that request memory, by pair: the most that a task requests of a node. Cost: O(their requests).
SELECT q.campaign_id, q.cluster_id, max(q.memory_mb) AS memory_mb
FROM campaigns c JOIN campaign_requests q ON q.campaign_id = c.id
WHERE is_live(c.state) AND q.memory_mb IS NOT NULL
GROUP BY 1, 2

-- name: planning.inputs
-- By pair where input files are missing: the tasks of the bag that have theirs there (at most @most of each kind are counted), the bytes
-- that are still to be brought for those that come next, and how fast they reach the cluster; none where a cluster with the same homes has
-- them. @piece: bytes of a piece.
SELECT m.campaign_id, m.cluster_id,
  CASE WHEN m.shared IS NOT NULL AND m.sent = 0 THEN 0 ELSE coalesce(nullif(m.missing, 0), greatest(0, m.input_bytes - m.sent * @piece::bigint)) END AS bytes,
  coalesce(k.measured_mb_s, 0) AS mb_s,
  ready_tasks_of(m.campaign_id, lacking_inputs(m.campaign_id, m.cluster_id), @most) AS ready
FROM missing_inputs m JOIN clusters k ON k.id = m.cluster_id

-- name: planning.unread
-- By pair: the pooled jobs whose carriers are all over. Their outcome is in files that have not been read.
SELECT l.campaign_id, l.cluster_id, sum(q.jobs)::bigint AS tasks
FROM (SELECT launch_id, count(*) AS jobs FROM jobs WHERE is_live(state) AND state = 'pooled' GROUP BY 1) q
JOIN launches l ON l.id = q.launch_id
WHERE NOT EXISTS (SELECT FROM jobs j WHERE j.launch_id = l.id AND NOT j.pooled AND is_live(j.state))
GROUP BY 1, 2

-- name: planning.returned
-- Tasks given back to the bags, by the cluster that they are bound to, if any. `following`: because the tasks that they come after ran there.
-- `fenced`: others that a job of a void launch may still run there. `of_home`: those without a fence, which go to any cluster that has the
-- homes of there.
SELECT
  campaign_id,
  cluster_id,
  count(*) AS tasks,
  count(*) FILTER (WHERE follows) AS following,
  count(*) FILTER (WHERE fence IS NOT NULL AND NOT follows) AS fenced,
  count(*) FILTER (WHERE fence IS NULL) AS of_home
FROM returned_tasks WHERE held_by IS NULL AND NOT is_script(number) GROUP BY 1, 2

-- name: planning.holds
-- For the live campaigns with held tasks: who holds the first of them, and since when.
SELECT c.id, r.held_by, micros(r.held_at) AS held_at
FROM campaigns c
CROSS JOIN LATERAL (
  SELECT held_by, held_at FROM returned_tasks WHERE campaign_id = c.id AND held_by IS NOT NULL ORDER BY held_at, held_by LIMIT 1) r
WHERE is_live(c.state) AND c.held > 0
ORDER BY c.id

-- name: planning.fitting
-- For campaigns whose tasks have different requests: the number of waiting tasks that a cluster can hold. No row where it is 0.
-- Those that wait for another cluster are not among them.
SELECT q.campaign_id, q.cluster_id, sum(b.untaken + coalesce(r.tasks, 0) + coalesce(o.tasks, 0))::bigint AS tasks
FROM campaigns c
JOIN campaign_requests q ON q.campaign_id = c.id
JOIN request_bags b ON b.campaign_id = c.id AND b.request = q.request
LEFT JOIN (SELECT campaign_id, request, count(*) AS tasks FROM returned_tasks WHERE cluster_id IS NULL AND held_by IS NULL GROUP BY 1, 2) r
  ON r.campaign_id = c.id AND r.request = q.request
LEFT JOIN (
  SELECT r.campaign_id, r.request, h.id AS cluster_id, count(*) AS tasks FROM returned_tasks r
  JOIN clusters k ON k.id = r.cluster_id
  JOIN clusters h ON h.id = k.id OR (h.shared_home = k.shared_home AND r.fence IS NULL)
  WHERE r.held_by IS NULL
  GROUP BY 1, 2, 3) o
  ON o.campaign_id = c.id AND o.request = q.request AND o.cluster_id = q.cluster_id
WHERE is_live(c.state) AND c.requests > 0
GROUP BY 1, 2

-- name: planning.brakes
-- Brakes in force on clusters, campaigns and pairs; and those of pairs that are over, where the jobs since have not succeeded.
SELECT b.campaign_id, b.cluster_id, b.reason, micros(b.expires_at) AS until, b.expires_at > instant(@now) AS in_force
FROM brakes b
WHERE b.expires_at > instant(@now) OR (b.set_by IS NULL AND EXISTS (SELECT FROM campaign_clusters p
  WHERE p.campaign_id = b.campaign_id AND p.cluster_id = b.cluster_id AND p.active AND p.failures_in_a_row > 0))

-- name: planning.logins
-- Users whose login on a cluster differs from their name.
SELECT user_name, cluster_id, login FROM user_mappings

-- name: planning.tokens
-- The pairs of live campaigns on clusters that want a token of each user, where theirs is no use: since when, and why. @refused_since: what
-- the cluster refused before is tried again.
SELECT campaign_id, cluster_id, lack, micros(since) AS since
FROM (
  SELECT p.campaign_id, p.cluster_id,
    CASE
      WHEN t.user_name IS NULL OR t.login <> u.login THEN 'missing'
      WHEN t.expires_at <= instant(@now) THEN 'ended'
      WHEN t.unreadable <> '' THEN 'unreadable'
      WHEN t.refused_at > instant(@refused_since) THEN 'refused'
    END AS lack,
    CASE WHEN t.login = u.login THEN CASE WHEN t.expires_at <= instant(@now) THEN t.expires_at WHEN t.unreadable = '' THEN t.refused_at END END AS since
  FROM clusters k
  JOIN campaign_clusters p ON p.cluster_id = k.id
  JOIN campaigns c ON c.id = p.campaign_id AND is_live(c.state)
  JOIN logins u ON u.campaign_id = p.campaign_id AND u.cluster_id = p.cluster_id
  LEFT JOIN cluster_tokens t ON t.user_name = c.user_name AND t.cluster_id = k.id
  WHERE k.authentication = 'token') w
WHERE lack IS NOT NULL

-- name: planning.groups
-- The groups of campaigns' users, where limits, keeps, shares or priorities name them.
SELECT c.id, l.group_name
FROM (SELECT group_name FROM limits WHERE group_name IS NOT NULL UNION SELECT group_name FROM keeps WHERE group_name IS NOT NULL
  UNION SELECT name FROM shares WHERE kind = 'group' UNION SELECT group_name FROM group_priorities) l
JOIN campaigns c ON l.group_name = ANY (c.groups)
WHERE is_live(c.state)
ORDER BY 1, 2

-- name: planning.launch
-- Takes up to @tasks tasks from the bag of a campaign with one request for all tasks, and plans a launch of @jobs jobs for them. Returned
-- tasks go first; then new ones, and in proportion to their number tasks that failed, so that a launch of one job takes a new one; then
-- those that asked to run last. A task bound to another cluster stays, unless it needs no more than the homes there, which this cluster
-- shares; with the JDL's max_jobs of 0 only tasks that are bound to the cluster itself are taken. Tasks beyond @jobs are pooled:
-- the jobs take them for @pool_s seconds. No task is taken whose input files are not there; new ones in their order, up to the first of
-- these. @leaves: the nodes that the jobs leave empty. @passed: from the cursor on, new tasks are looked for
-- among so many. `taken` names the campaign, too, and PostgreSQL
-- does not look into it, so that the index finds each task by both: where the statistics do not know a new campaign, all of its tasks would
-- be read and compared with those that are taken. Its limits leave nothing out: they say that these are few.
WITH campaign AS (
  SELECT c.id, next_task, skipped, CASE WHEN f.off THEN 0 ELSE total - next_task - skipped END AS untaken, f.off,
    CASE WHEN c.input_files <> '' THEN lacking_inputs(@campaign, @cluster) END AS lacking
  FROM campaigns c, (
    SELECT EXISTS (SELECT FROM campaign_clusters p WHERE p.campaign_id = @campaign AND p.cluster_id = @cluster AND p.max_jobs = 0) AS off) f
  WHERE c.id = @campaign AND state = 'in_treatment' AND requests = 0 FOR UPDATE OF c),
sharers AS (
  SELECT h.id FROM campaign JOIN clusters k ON k.id = @cluster AND NOT off JOIN clusters h ON h.id <> k.id AND h.shared_home = k.shared_home),
-- Each part in the order of its index, as there may be a million of them.
early AS (
  SELECT number FROM (
    (SELECT true AS bound, r.priority, r.number FROM returned_tasks r
      WHERE EXISTS (SELECT FROM campaign) AND r.campaign_id = @campaign AND r.held_by IS NULL AND r.request IS NULL AND ((SELECT lacking FROM campaign) @> r.number) IS NOT TRUE AND r.cluster_id = @cluster AND goes_before_new(r) AND NOT is_script(r.number)
      ORDER BY r.request, r.priority DESC, r.number LIMIT @tasks)
    UNION ALL
    SELECT true, s.priority, s.number FROM sharers h CROSS JOIN LATERAL (
      SELECT r.priority, r.number FROM returned_tasks r
      WHERE r.campaign_id = @campaign AND r.held_by IS NULL AND r.request IS NULL AND ((SELECT lacking FROM campaign) @> r.number) IS NOT TRUE AND r.cluster_id = h.id AND r.fence IS NULL AND goes_before_new(r) AND NOT is_script(r.number)
      ORDER BY r.request, r.priority DESC, r.number LIMIT @tasks) s
    UNION ALL
    (SELECT false, r.priority, r.number FROM returned_tasks r
      WHERE EXISTS (SELECT FROM campaign WHERE NOT off) AND r.campaign_id = @campaign AND r.held_by IS NULL AND r.request IS NULL AND ((SELECT lacking FROM campaign) @> r.number) IS NOT TRUE AND r.cluster_id IS NULL AND goes_before_new(r) AND NOT is_script(r.number)
      ORDER BY r.request, r.cluster_id, r.priority DESC, r.number LIMIT @tasks)) heads
  ORDER BY bound DESC, priority DESC, number LIMIT @tasks),
rest AS (
  SELECT r.number, r.priority, r.returned_at FROM returned_tasks r
  WHERE EXISTS (SELECT FROM campaign) AND r.campaign_id = @campaign AND r.held_by IS NULL AND r.request IS NULL AND ((SELECT lacking FROM campaign) @> r.number) IS NOT TRUE AND r.cluster_id = @cluster AND NOT goes_before_new(r) AND NOT is_script(r.number)
  UNION ALL
  SELECT r.number, r.priority, r.returned_at FROM sharers h JOIN returned_tasks r ON r.campaign_id = @campaign AND r.held_by IS NULL AND r.request IS NULL AND ((SELECT lacking FROM campaign) @> r.number) IS NOT TRUE
    AND r.cluster_id = h.id AND r.fence IS NULL AND NOT goes_before_new(r) AND NOT is_script(r.number)
  UNION ALL
  SELECT r.number, r.priority, r.returned_at FROM returned_tasks r
  WHERE EXISTS (SELECT FROM campaign WHERE NOT off) AND r.campaign_id = @campaign AND r.held_by IS NULL AND r.request IS NULL AND ((SELECT lacking FROM campaign) @> r.number) IS NOT TRUE AND r.cluster_id IS NULL AND NOT goes_before_new(r) AND NOT is_script(r.number)),
failed AS (
  SELECT number FROM rest WHERE priority > 0 ORDER BY returned_at, number
  LIMIT (SELECT greatest(0, @tasks - (SELECT count(*) FROM early)) * f.tasks / greatest(1, f.tasks + c.untaken)
    FROM campaign c, (SELECT count(*) AS tasks FROM rest WHERE priority > 0) f)),
room AS (SELECT greatest(0, @tasks - (SELECT count(*) FROM early) - (SELECT count(*) FROM failed))::bigint AS tasks),
found AS (
  SELECT number FROM campaign, generate_series(next_task, next_task + least(untaken, (SELECT tasks FROM room)) - 1) AS number
  WHERE skipped = 0
  UNION ALL
  SELECT f.number FROM campaign c, LATERAL next_untaken(@campaign, c.next_task, c.next_task + @passed::bigint, greatest(0, least((SELECT tasks FROM room), c.untaken)))
    AS f(number)
  WHERE c.skipped > 0),
fresh AS (
  SELECT number FROM (SELECT number, bool_or(lacking @> number) OVER (ORDER BY number) AS stopped FROM found, campaign) f
  WHERE stopped IS NOT TRUE),
late AS (
  SELECT number FROM rest WHERE number NOT IN (SELECT number FROM failed) ORDER BY priority DESC, returned_at, number
  LIMIT greatest(0, (SELECT tasks FROM room) - (SELECT count(*) FROM fresh))),
again AS (SELECT number FROM early UNION ALL SELECT number FROM failed UNION ALL SELECT number FROM late),
taken AS MATERIALIZED (
  SELECT @campaign::bigint AS campaign_id, number, true AS is_returned FROM again UNION ALL SELECT @campaign::bigint, number, false FROM fresh),
removed AS (DELETE FROM returned_tasks r USING (SELECT * FROM taken WHERE is_returned LIMIT 2 * @tasks::bigint) k
  WHERE r.campaign_id = k.campaign_id AND r.number = k.number RETURNING r.number, r.fence),
-- The cursor moves past the cancelled and held tasks between the fresh ones. It passes @passed of them in a row, and no launch is made
-- then: the others' planning does not wait for what one user holds.
moved AS (
  UPDATE campaigns c SET next_task = f.next_task, skipped = c.skipped - (f.next_task - c.next_task - f.tasks)
  FROM (
    SELECT coalesce(max(number) + 1, (SELECT next_task + @passed FROM campaign WHERE skipped > 0 AND untaken > 0 AND (SELECT tasks FROM room) > 0
        AND NOT EXISTS (SELECT FROM found)))
      AS next_task, count(*) AS tasks
    FROM fresh) f
  WHERE c.id = @campaign AND f.next_task IS NOT NULL),
started AS (
  UPDATE tasks t SET state = 'launching' FROM (SELECT * FROM taken LIMIT 2 * @tasks::bigint) k
  WHERE t.campaign_id = k.campaign_id AND t.number = k.number AND t.state = 'waiting'
  RETURNING t.number, t.attempt, t.walltime_s),
-- OAR assigns one walltime to all jobs of an array: the greatest of its tasks. A smaller one would kill the longest task, while a job that
-- ends early frees its resources at once. The JDL's maximum bounds it.
launch AS (
  INSERT INTO launches (campaign_id, cluster_id, jobs, resources, term, planned_at, leaves, walltime_s, pool_s, files)
  SELECT
    @campaign,
    @cluster,
    least(count(*), @jobs),
    @resources,
    @term,
    instant(@now),
    @leaves,
    least(greatest(p.walltime_s, max(s.walltime_s)), coalesce(p.max_walltime_s, p.walltime_s)),
    CASE WHEN count(*) > @jobs THEN @pool_s::integer END,
    CASE WHEN count(*) > @jobs THEN 3 * count(*) + 1 END
  FROM started s JOIN campaign_clusters p ON p.campaign_id = @campaign AND p.cluster_id = @cluster
  GROUP BY p.walltime_s, p.max_walltime_s RETURNING id),
-- By groups: PostgreSQL takes both for a few rows, and would compare each with each to join them.
placed AS (
  SELECT number, max(attempt) AS attempt, max(fence) AS fence, row_number() OVER (ORDER BY number) > @jobs AS pooled
  FROM (SELECT number, attempt, NULL::bigint AS fence FROM started UNION ALL SELECT number, NULL, fence FROM removed) parts
  GROUP BY number HAVING max(attempt) IS NOT NULL),
planned AS (
  INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, fence, pooled, state)
  SELECT launch.id, @campaign, @cluster, number, attempt, fence, pooled, CASE WHEN pooled THEN 'pooled' ELSE 'planned' END::job_state
  FROM launch CROSS JOIN placed ORDER BY pooled, number RETURNING pooled)
SELECT id, (SELECT count(*) FROM planned WHERE NOT pooled) AS jobs FROM launch

-- name: planning.lock
-- Locks a campaign whose tasks have different requests, before its bags are read: their tasks may be cancelled at any time.
SELECT id FROM campaigns WHERE id = @campaign AND state = 'in_treatment' AND requests > 0 FOR UPDATE

-- name: planning.launch_by_request
-- As planning.launch, for campaigns whose tasks have different requests. The first task in turn determines the shape, because an array has
-- one request; only tasks of that shape join it. Their number is bounded by @resources, but is at least one.
WITH campaign AS (
  SELECT c.id, f.off, CASE WHEN c.input_files <> '' THEN lacking_inputs(@campaign, @cluster) END AS lacking FROM campaigns c, (
    SELECT EXISTS (SELECT FROM campaign_clusters p WHERE p.campaign_id = @campaign AND p.cluster_id = @cluster AND p.max_jobs = 0) AS off) f
  WHERE c.id = @campaign AND state = 'in_treatment' AND requests > 0 FOR UPDATE OF c),
sharers AS (
  SELECT h.id FROM campaign JOIN clusters k ON k.id = @cluster AND NOT off JOIN clusters h ON h.id <> k.id AND h.shared_home = k.shared_home),
-- Requests that this cluster can hold.
open AS (
  SELECT q.*, b.next_task, CASE WHEN off THEN 0 ELSE b.untaken END AS untaken, off, lacking,
    (SELECT coalesce(bool_or(lacking @> f.number), false) FROM (
      SELECT t.number FROM request_tasks t WHERE t.campaign_id = @campaign AND t.request = b.request AND t.number >= b.next_task
      ORDER BY t.number LIMIT 1) f) AS stopped
  FROM campaign
  JOIN campaign_requests q ON q.campaign_id = @campaign AND q.cluster_id = @cluster
  JOIN request_bags b ON b.campaign_id = @campaign AND b.request = q.request),
-- Each part in the order of its index, as there may be a million of them.
back AS (
  SELECT r.number, r.priority, r.before_new, r.bound, r.returned_at, o.shape
  FROM open o CROSS JOIN LATERAL (
    (SELECT r.number, r.priority, true AS before_new, true AS bound, r.returned_at FROM returned_tasks r
      WHERE r.campaign_id = @campaign AND r.held_by IS NULL AND r.request = o.request AND (o.lacking @> r.number) IS NOT TRUE AND r.cluster_id = @cluster AND goes_before_new(r)
      ORDER BY r.priority DESC, r.number LIMIT @jobs)
    UNION ALL
    SELECT s.* FROM sharers h CROSS JOIN LATERAL (
      SELECT r.number, r.priority, true, true, r.returned_at FROM returned_tasks r
      WHERE r.campaign_id = @campaign AND r.held_by IS NULL AND r.request = o.request AND (o.lacking @> r.number) IS NOT TRUE AND r.cluster_id = h.id AND r.fence IS NULL AND goes_before_new(r)
      ORDER BY r.priority DESC, r.number LIMIT @jobs) s
    UNION ALL
    (SELECT r.number, r.priority, true, NULL, r.returned_at FROM returned_tasks r
      WHERE r.campaign_id = @campaign AND r.held_by IS NULL AND r.request = o.request AND (o.lacking @> r.number) IS NOT TRUE AND NOT o.off AND r.cluster_id IS NULL AND goes_before_new(r)
      ORDER BY r.cluster_id, r.priority DESC, r.number LIMIT @jobs)
    UNION ALL
    SELECT r.number, r.priority, false, r.cluster_id = @cluster, r.returned_at FROM returned_tasks r
    WHERE r.campaign_id = @campaign AND r.held_by IS NULL AND r.request = o.request AND (o.lacking @> r.number) IS NOT TRUE AND r.cluster_id = @cluster AND NOT goes_before_new(r)
    UNION ALL
    SELECT r.number, r.priority, false, true, r.returned_at FROM sharers h JOIN returned_tasks r ON r.campaign_id = @campaign
      AND r.held_by IS NULL AND r.request = o.request AND (o.lacking @> r.number) IS NOT TRUE AND r.cluster_id = h.id AND r.fence IS NULL AND NOT goes_before_new(r)
    UNION ALL
    SELECT r.number, r.priority, false, NULL, r.returned_at FROM returned_tasks r
    WHERE r.campaign_id = @campaign AND r.held_by IS NULL AND r.request = o.request AND (o.lacking @> r.number) IS NOT TRUE AND NOT o.off AND r.cluster_id IS NULL AND NOT goes_before_new(r)) r),
lead AS (
  SELECT shape FROM (
    (SELECT 1 AS turn, shape FROM back WHERE before_new ORDER BY bound DESC NULLS LAST, priority DESC, number LIMIT 1)
    UNION ALL (SELECT 2, shape FROM open WHERE untaken > 0 AND NOT stopped ORDER BY next_task LIMIT 1)
    UNION ALL (SELECT 3, shape FROM back WHERE NOT before_new ORDER BY priority DESC, returned_at, number LIMIT 1)) heads
  ORDER BY turn LIMIT 1),
mine AS (SELECT * FROM open WHERE shape = (SELECT shape FROM lead)),
size AS (SELECT coalesce(greatest(1, least(@jobs, floor(@resources::double precision / max(resources_per_job)))), @jobs)::integer AS jobs
  FROM mine),
early AS (
  SELECT number FROM back WHERE before_new AND shape = (SELECT shape FROM lead)
  ORDER BY bound DESC NULLS LAST, priority DESC, number LIMIT (SELECT jobs FROM size)),
rest AS (SELECT number, priority, returned_at FROM back WHERE NOT before_new AND shape = (SELECT shape FROM lead)),
failed AS (
  SELECT number FROM rest WHERE priority > 0 ORDER BY returned_at, number
  LIMIT (SELECT greatest(0, size.jobs - (SELECT count(*) FROM early)) * f.tasks / greatest(1, f.tasks + m.untaken)
    FROM size, (SELECT count(*) AS tasks FROM rest WHERE priority > 0) f, (SELECT sum(untaken)::bigint AS untaken FROM mine) m)),
room AS (SELECT (SELECT jobs FROM size) - (SELECT count(*) FROM early) - (SELECT count(*) FROM failed) AS tasks),
fresh AS (
  SELECT f.number, m.request FROM mine m
  CROSS JOIN LATERAL (
    SELECT t.number, bool_or(m.lacking @> t.number) OVER (ORDER BY t.number) AS stopped FROM request_tasks t
    WHERE t.campaign_id = @campaign AND t.request = m.request AND t.number >= m.next_task
    ORDER BY t.number LIMIT (SELECT jobs FROM size)) f
  WHERE m.untaken > 0 AND f.stopped IS NOT TRUE ORDER BY f.number LIMIT (SELECT tasks FROM room)),
late AS (
  SELECT number FROM rest WHERE number NOT IN (SELECT number FROM failed)
  ORDER BY priority DESC, returned_at, number LIMIT (SELECT tasks FROM room) - (SELECT count(*) FROM fresh)),
again AS (SELECT number FROM early UNION ALL SELECT number FROM failed UNION ALL SELECT number FROM late),
taken AS MATERIALIZED (
  SELECT @campaign::bigint AS campaign_id, number, true AS is_returned FROM again UNION ALL SELECT @campaign::bigint, number, false FROM fresh),
removed AS (DELETE FROM returned_tasks r USING (SELECT * FROM taken WHERE is_returned LIMIT 2 * @jobs::bigint) k
  WHERE r.campaign_id = k.campaign_id AND r.number = k.number RETURNING r.number, r.fence),
moved AS (UPDATE campaigns c SET next_task = c.next_task + n FROM (SELECT count(*) AS n FROM fresh) f WHERE c.id = @campaign AND n > 0),
-- The lowest numbers of each request were taken: all before the last of them are gone.
emptied AS (
  UPDATE request_bags b SET next_task = f.last + 1, untaken = b.untaken - f.tasks
  FROM (SELECT request, max(number) AS last, count(*) AS tasks FROM fresh GROUP BY request) f
  WHERE b.campaign_id = @campaign AND b.request = f.request),
started AS (
  UPDATE tasks t SET state = 'launching' FROM (SELECT * FROM taken LIMIT 2 * @jobs::bigint) k
  WHERE t.campaign_id = k.campaign_id AND t.number = k.number AND t.state = 'waiting'
  RETURNING t.number, t.attempt, t.request, t.walltime_s),
launch AS (
  INSERT INTO launches (campaign_id, cluster_id, jobs, resources, term, planned_at, leaves, request, memory_mb, walltime_s)
  SELECT
    @campaign,
    @cluster,
    count(*),
    coalesce(count(*) * max(m.resources_per_job), @resources::double precision),
    @term,
    instant(@now),
    @leaves,
    max(m.resources),
    max(m.memory_mb),
    least(greatest(max(m.walltime_s), max(s.walltime_s)), coalesce(max(p.max_walltime_s), max(m.walltime_s)))
  FROM started s JOIN mine m ON m.request = s.request JOIN campaign_clusters p ON p.campaign_id = @campaign AND p.cluster_id = @cluster
  HAVING count(*) > 0 RETURNING id, resources),
-- By groups, as in planning.launch.
placed AS (
  SELECT number, max(attempt) AS attempt, max(fence) AS fence
  FROM (SELECT number, attempt, NULL::bigint AS fence FROM started UNION ALL SELECT number, NULL, fence FROM removed) parts
  GROUP BY number HAVING max(attempt) IS NOT NULL),
planned AS (
  INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, fence)
  SELECT launch.id, @campaign, @cluster, number, attempt, fence FROM launch CROSS JOIN placed ORDER BY number RETURNING id)
SELECT id, (SELECT count(*) FROM planned) AS jobs, resources FROM launch

-- name: planning.write_submitted
-- Records the jobs submitted for each pair in this cycle, for the predictor. @offered: free resources.
INSERT INTO forecasts (campaign_id, cluster_id, job_ratio, nsub, offered)
SELECT g.campaign_id, g.cluster_id, g.ratio, g.jobs, g.offered
FROM unnest(@campaigns::bigint[], @clusters::bigint[], @jobs::integer[], @offered::double precision[], @first_ratios::double precision[])
  AS g(campaign_id, cluster_id, jobs, offered, ratio)
ON CONFLICT (campaign_id, cluster_id) DO UPDATE SET nsub = EXCLUDED.nsub, offered = EXCLUDED.offered

-- name: planning.note_planned
-- Closes the event @code of campaigns that could not be planned before and were planned now, and lifts its brake.
WITH planned AS (
  UPDATE events SET state = 'closed', closed_at = instant(@now)
  WHERE code = @code AND state = 'open' AND cluster_id IS NULL AND campaign_id = ANY (@campaigns::bigint[]) RETURNING campaign_id)
DELETE FROM brakes b USING planned p WHERE b.campaign_id = p.campaign_id AND b.cluster_id IS NULL
