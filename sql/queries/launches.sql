-- Launches: planned, launching, then accepted, refused, unknown or void.

-- name: launches.planned
-- The launches to make on a cluster, with all data for their submission. If an attempt is claimed in the folder of an earlier launch, the
-- login is that launch's, because the folder is in its user's home. An epilogue is submitted whatever the state of its campaign. A script
-- is a job of its own kind: in the home, never best-effort. beside: the running job whose nodes a replica avoids.
SELECT
  l.id,
  l.campaign_id,
  l.jobs,
  l.resources,
  CASE WHEN l.script = 'epilogue' THEN 'in_treatment' ELSE c.state END::campaign_state AS campaign_state,
  c.name AS campaign_name,
  c.user_name,
  coalesce((SELECT f.login FROM jobs j JOIN launches f ON f.id = j.fence
    WHERE j.launch_id = l.id AND j.fence IS NOT NULL AND f.login IS NOT NULL LIMIT 1),
    u.login) AS login,
  CASE l.script WHEN 'prologue' THEN p.prologue WHEN 'epilogue' THEN p.epilogue ELSE p.exec_file END AS exec_file,
  CASE WHEN l.script IS NULL THEN p.exec_directory ELSE '$HOME' END AS exec_directory,
  l.script,
  coalesce(l.request, p.resources) AS request,
  coalesce(l.walltime_s, p.walltime_s) AS walltime_s,
  l.pool_s,
  c.dimensional_grouping AS side_by_side,
  l.pool_s IS NULL AND l.script IS NULL AND NOT c.dimensional_grouping AND p.measured < @enough_measured AS to_measure,
  l.memory_mb,
  (SELECT b.remote_id FROM jobs b WHERE b.id = l.beside AND b.state = 'running') AS beside,
  l.leaves,
  k.memory_property,
  k.memory_unit_mb,
  both_properties(p.properties, k.properties) AS properties,
  p.project,
  p.job_types,
  p.best_effort AND l.script IS NULL AS best_effort,
  CASE WHEN l.script IS NULL THEN p.output_directory ELSE '' END AS output_directory,
  CASE WHEN l.script IS NULL THEN p.output_files ELSE '' END AS output_files,
  CASE WHEN l.script IS NULL THEN c.input_files ELSE '' END AS input_files,
  c.placeholders AND l.script IS NULL AS placeholders,
  c.params_shell AND l.script IS NULL AS params_shell,
  CASE WHEN l.script IS NULL THEN c.checkpoint_signal END AS checkpoint_signal,
  c.gives AND l.script IS NULL AS gives,
  c.checkpoint_cost_s,
  k.shared_home IS NOT NULL AS shares_home
FROM launches l
JOIN clusters k ON k.id = l.cluster_id
JOIN campaigns c ON c.id = l.campaign_id
JOIN campaign_clusters p ON p.campaign_id = l.campaign_id AND p.cluster_id = l.cluster_id
JOIN logins u ON u.campaign_id = l.campaign_id AND u.cluster_id = l.cluster_id
WHERE l.cluster_id = @cluster AND l.state = 'planned'
ORDER BY l.id

-- name: launches.begin
-- Changes a launch from planned to launching, before its POST; no row when it is not planned any more. @login: the user's login on the
-- cluster.
WITH launch AS (
  UPDATE launches SET state = 'launching', tag = @tag, login = @login, term = @term, launching_at = instant(@now)
  WHERE id = @launch AND state = 'planned' RETURNING id),
started AS (
  UPDATE jobs j SET state = 'launching', submitted_at = instant(@now) FROM launch
    WHERE j.launch_id = launch.id AND j.state = 'planned' RETURNING j.id)
SELECT id, (SELECT count(*) FROM started) AS jobs FROM launch

-- name: launches.begun
-- The present states of launches that were begun. An epilogue is submitted whatever the state of its campaign.
SELECT
  l.id,
  l.state,
  l.term,
  CASE WHEN l.script = 'epilogue' THEN 'in_treatment' ELSE c.state END::campaign_state AS campaign_state,
  micros(l.launching_at) AS launching_at
FROM launches l JOIN campaigns c ON c.id = l.campaign_id
WHERE l.id = ANY (@launches::bigint[])

-- name: launches.lines
-- The jobs of a launch with their tasks' parameters, ordered as in the array, the fence of each, and whether its user cancelled the task.
-- Pooled ones are not in the array.
SELECT j.id, j.task, j.attempt, coalesce(j.fence, j.launch_id) AS fence, j.pooled, t.form, t.parameter, t.cancelling
FROM jobs j JOIN tasks t ON t.campaign_id = j.campaign_id AND t.number = j.task
WHERE j.launch_id = @launch ORDER BY j.id

-- name: launches.accept
-- Records OAR's ids of a launch's jobs; jobs of an unknown or void launch are adopted. @moves: whether each task changes
-- (grid::adoption_of); @again: whether OAR has run the job more than once. The guard of adopted jobs names g: see jobs.settle.
WITH given AS MATERIALIZED (SELECT *, @launch::bigint AS launch_id
  FROM unnest(@jobs::bigint[], @remote_ids::bigint[], @moves::boolean[], @again::boolean[]) AS g(id, remote_id, moves, again)),
adopted AS (
  UPDATE jobs j SET
    state = 'remote_waiting',
    remote_id = g.remote_id,
    ending = NULL,
    ended_at = NULL,
    over_since = NULL,
    running_since = NULL,
    message = NULL,
    resubmissions = j.resubmissions + g.again::integer
  FROM given g
  WHERE j.id = g.id AND j.launch_id = g.launch_id
    AND (j.state IN ('launching', 'unknown') OR is_unfound(j) OR g.id IS NULL)
  RETURNING j.campaign_id, j.task, j.attempt, g.moves),
moved AS (
  UPDATE tasks t SET state = 'submitted' FROM adopted a
  WHERE a.moves AND t.campaign_id = a.campaign_id AND t.number = a.task AND is_copy(t, a.attempt)
    AND (t.state IN ('launching', 'waiting') OR a.task IS NULL)
  RETURNING t.campaign_id, t.number),
carried AS (
  UPDATE tasks t SET state = 'submitted' FROM jobs j
  WHERE j.launch_id = @launch AND j.state = 'pooled' AND EXISTS (SELECT FROM adopted)
    AND t.campaign_id = j.campaign_id AND t.number = j.task AND t.attempt = j.attempt
    AND (t.state = 'launching' OR t.attempt <> j.attempt)),
kept AS (DELETE FROM returned_tasks r USING moved WHERE r.campaign_id = moved.campaign_id AND r.number = moved.number),
noted AS (
  UPDATE campaign_clusters p SET last_accept_at = instant(@now) FROM launches l
  WHERE l.id = @launch AND p.campaign_id = l.campaign_id AND p.cluster_id = l.cluster_id),
settled AS (
  UPDATE launches l SET state = 'accepted', settled_at = instant(@now), array_id = @array_id, error = NULL
  WHERE l.id = @launch AND l.state IN ('launching', 'unknown', 'void')
    AND NOT EXISTS (SELECT FROM jobs j
                    WHERE j.launch_id = l.id AND j.id NOT IN (SELECT id FROM given)
                      AND (j.state IN ('launching', 'unknown') OR is_unfound(j))))
SELECT count(*) AS jobs FROM adopted

-- name: launches.mark_unknown
-- Marks launches unknown: their tasks are frozen until the fate is known.
WITH launch AS (
  UPDATE launches SET
    state = 'unknown',
    error = @error,
    unknown_at = instant(@now)
  WHERE id = ANY (@launches::bigint[]) AND state = 'launching' RETURNING id)
UPDATE jobs j SET state = 'unknown' FROM launch WHERE j.launch_id = launch.id AND j.state = 'launching' RETURNING j.id

-- name: launches.interrupted
-- Launches whose runner died between the intent and the answer. The caller holds the cluster's lock, so no other runner works on them.
SELECT id FROM launches WHERE cluster_id = @cluster AND state = 'launching'

-- name: launches.stranded
-- Planned launches of unreachable or disabled clusters: nothing was sent.
SELECT l.id FROM launches l JOIN clusters c ON c.id = l.cluster_id
WHERE l.state = 'planned' AND (c.reachable IS NOT TRUE OR NOT c.enabled)

-- name: launches.give_back
-- Ends a launch as refused or void; no row when it is not in the state @leaves any more. A launch that was certainly never sent loses its
-- tag, so that its jobs are not searched for. A script is for its cluster alone, whether replicas are allowed or not.
UPDATE launches l SET
  state = @state::launch_state,
  settled_at = instant(@now),
  error = @error,
  tag = CASE WHEN @maybe_sent::boolean THEN tag END
FROM campaigns c
WHERE l.id = @launch AND l.state = @leaves::launch_state AND c.id = l.campaign_id
RETURNING c.replicas AND l.script IS NULL AS replicas

-- name: launches.open_jobs
-- The jobs of a launch without an id of OAR. Pooled ones are among them while no job of OAR can take them.
SELECT id FROM jobs WHERE launch_id = @launch
  AND (is_open(state) OR (state = 'pooled'
    AND NOT EXISTS (SELECT FROM jobs c WHERE c.launch_id = @launch AND NOT c.pooled AND c.remote_id IS NOT NULL)))
ORDER BY id

-- name: launches.unsettled
-- Unknown launches on a cluster, and launches that became void after @void_since, whose orphans may still appear. `missing`: jobs without
-- an id of OAR; `voids`: launches of the campaign there that became void since the last accepted one.
SELECT
  l.id,
  l.campaign_id,
  l.tag,
  l.state,
  l.looks,
  micros(l.launching_at) AS launching_at,
  micros(coalesce(l.unknown_at, l.launching_at)) AS unknown_at,
  micros(l.settled_at) AS settled_at,
  micros(l.last_look_at) AS last_look_at,
  l.error,
  coalesce(l.login, u.login) AS login,
  (SELECT count(*) FROM jobs j WHERE j.launch_id = l.id AND (j.state = 'unknown' OR is_unfound(j))) AS missing,
  CASE WHEN l.state = 'unknown' THEN (
    SELECT count(*) FROM launches v
      WHERE v.campaign_id = l.campaign_id AND v.cluster_id = l.cluster_id AND v.state = 'void' AND v.tag IS NOT NULL
      AND v.settled_at > coalesce(p.last_accept_at, '-infinity')) ELSE 0 END AS voids
FROM launches l
JOIN campaign_clusters p ON p.campaign_id = l.campaign_id AND p.cluster_id = l.cluster_id
JOIN logins u ON u.campaign_id = l.campaign_id AND u.cluster_id = l.cluster_id
WHERE l.cluster_id = @cluster AND l.tag IS NOT NULL AND (l.state = 'unknown' OR (l.state = 'void' AND l.settled_at > instant(@void_since)))
ORDER BY l.id

-- name: launches.awaited
-- Whether a cluster has open launches, or launches that became void after @void_since, whose orphans may still appear.
SELECT EXISTS (SELECT FROM launches WHERE cluster_id = @cluster AND is_open(state))
  OR EXISTS (SELECT FROM launches WHERE cluster_id = @cluster AND state = 'void' AND tag IS NOT NULL AND settled_at > instant(@void_since))
  AS awaited

-- name: launches.note_look
-- Records a look for these launches' tags.
UPDATE launches SET looks = looks + CASE WHEN state = 'unknown' THEN 1 ELSE 0 END, last_look_at = instant(@now)
WHERE id = ANY (@launches::bigint[])

-- name: launches.accept_found
-- Accepts launches that are searched for, if the last of their jobs was found by its files.
UPDATE launches l SET state = 'accepted', settled_at = instant(@now), error = NULL
WHERE l.id IN (SELECT launch_id FROM jobs WHERE id = ANY (@jobs::bigint[])) AND l.state = 'unknown'
  AND NOT EXISTS (SELECT FROM jobs j WHERE j.launch_id = l.id AND (j.state = 'unknown' OR is_unfound(j)))

-- name: launches.bound_tasks
-- Tasks bound to their cluster because of a launch whose jobs may still run there, by launch. `since`: the time when it became void, or,
-- for an accepted launch whose jobs did not begin, when the tasks were given back. Scripts are not among them: no other cluster can run
-- them.
SELECT
  r.fence AS launch,
  r.campaign_id,
  r.cluster_id,
  k.name AS cluster,
  c.replicas,
  k.retired_at IS NOT NULL AS retired,
  count(*) AS tasks,
  micros(CASE WHEN l.state = 'void' THEN l.settled_at ELSE max(r.returned_at) END) AS since
FROM returned_tasks r
JOIN launches l ON l.id = r.fence
JOIN campaigns c ON c.id = r.campaign_id
JOIN clusters k ON k.id = l.cluster_id
WHERE r.fence IS NOT NULL AND NOT is_script(r.number)
GROUP BY r.fence, r.campaign_id, r.cluster_id, k.name, c.replicas, k.retired_at, l.state, l.settled_at
ORDER BY r.fence

-- name: launches.doubtful
-- Launches of unknown fate, and those because of which tasks are bound to their cluster, by their id. @reader: null: all may be read; else
-- only those of this user's campaigns, and of campaigns of these @projects. `jobs`: those that the cluster was not found to have.
WITH bound AS (
  SELECT fence AS launch, count(*) AS tasks, max(returned_at) AS returned_at
  FROM returned_tasks WHERE fence IS NOT NULL AND NOT is_script(number) GROUP BY fence),
listed AS (
  SELECT id FROM launches WHERE is_open(state) AND state = 'unknown'
  UNION
  SELECT launch FROM bound)
SELECT
  l.id,
  l.campaign_id,
  c.name,
  c.user_name,
  k.name AS cluster,
  l.state,
  (SELECT count(*) FROM jobs j WHERE j.launch_id = l.id AND j.state = 'unknown') AS jobs,
  coalesce(b.tasks, 0) AS tasks,
  l.looks,
  micros(l.launching_at) AS launching_at,
  micros(CASE l.state WHEN 'unknown' THEN coalesce(l.unknown_at, l.launching_at) WHEN 'void' THEN l.settled_at ELSE b.returned_at END)
    AS since,
  micros(l.last_look_at) AS last_look_at,
  l.error
FROM listed
JOIN launches l ON l.id = listed.id
JOIN campaigns c ON c.id = l.campaign_id
JOIN clusters k ON k.id = l.cluster_id
LEFT JOIN bound b ON b.launch = l.id
WHERE c.purged_at IS NULL
  AND (@reader::text IS NULL OR c.user_name = @reader OR (c.project <> '' AND c.project = ANY (@projects::text[])))
ORDER BY l.id LIMIT @limit OFFSET @offset

-- name: launches.doubtful_total
WITH bound AS (
  SELECT fence AS launch, count(*) AS tasks, max(returned_at) AS returned_at
  FROM returned_tasks WHERE fence IS NOT NULL AND NOT is_script(number) GROUP BY fence),
listed AS (
  SELECT id FROM launches WHERE is_open(state) AND state = 'unknown'
  UNION
  SELECT launch FROM bound)
SELECT count(*) AS launches
FROM listed
JOIN launches l ON l.id = listed.id
JOIN campaigns c ON c.id = l.campaign_id
WHERE c.purged_at IS NULL
  AND (@reader::text IS NULL OR c.user_name = @reader OR (c.project <> '' AND c.project = ANY (@projects::text[])))

-- name: launches.release_tasks
-- Releases the tasks bound because of a launch: each gets a new attempt (grid::attempt_after_release); the old one does not count.
WITH launch AS (UPDATE launches SET released_at = coalesce(released_at, instant(@now)) WHERE id = @launch),
freed AS (UPDATE returned_tasks SET cluster_id = NULL, fence = NULL WHERE fence = @launch RETURNING campaign_id, number)
UPDATE tasks t SET attempt = next_attempt(t), uncounted = t.uncounted + next_attempt(t) - t.attempt
FROM freed f WHERE t.campaign_id = f.campaign_id AND t.number = f.number AND t.state = 'waiting'
RETURNING t.number

-- name: launches.bound_arrays
-- Bounds the arrays of a campaign on a cluster to @jobs jobs, and never raises the bound.
UPDATE campaign_clusters SET array_most = least(array_most, @jobs::integer) WHERE campaign_id = @campaign AND cluster_id = @cluster
