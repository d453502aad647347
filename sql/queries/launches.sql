-- A launch's way: planned, launching, then accepted, refused, unknown or void.

-- name: launches.planned
-- The launches to make on a cluster, with all that their submission needs. $1 cluster.
SELECT l.id, l.campaign_id, l.jobs, l.resources, c.state AS campaign_state, c.name AS campaign_name, c.user_name, coalesce(m.login, c.user_name) AS login,
  p.exec_file, p.exec_directory, coalesce(l.request, p.resources) AS request, coalesce(l.walltime_s, p.walltime_s) AS walltime_s, l.memory_mb,
  k.memory_property, k.memory_unit_mb, p.properties, p.project, p.job_types, p.best_effort
FROM launches l
JOIN clusters k ON k.id = l.cluster_id
JOIN campaigns c ON c.id = l.campaign_id
JOIN campaign_clusters p ON p.campaign_id = l.campaign_id AND p.cluster_id = l.cluster_id
LEFT JOIN user_mappings m ON m.user_name = c.user_name AND m.cluster_id = l.cluster_id
WHERE l.cluster_id = $1 AND l.state = 'planned'
ORDER BY l.id

-- name: launches.begin
-- From planned to launching, before any network; no row when somebody else did. $1 launch, $2 tag, $3 term, $4 now.
WITH launch AS (
  UPDATE launches SET state = 'launching', tag = $2, term = $3, launching_at = instant($4) WHERE id = $1 AND state = 'planned' RETURNING id),
started AS (
  UPDATE jobs j SET state = 'launching', submitted_at = instant($4) FROM launch WHERE j.launch_id = launch.id AND j.state = 'planned' RETURNING j.id)
SELECT id, (SELECT count(*) FROM started) AS jobs FROM launch

-- name: launches.lines
-- The jobs of a launch with their tasks' parameters, in their order in the array.
SELECT j.id, j.task, j.attempt, t.form, t.parameter
FROM jobs j JOIN tasks t ON t.campaign_id = j.campaign_id AND t.number = j.task
WHERE j.launch_id = $1 ORDER BY j.id

-- name: launches.accept
-- OAR's ids for the jobs of a launch: adopted where its fate was unknown or it had been given up. A task that has gone on meanwhile
-- (another attempt, or its twin ended) is not moved. $1 launch, $2 jobs, $3 remote ids, $4 array id, $5 now.
WITH given AS (SELECT * FROM unnest($2::bigint[], $3::bigint[]) AS g(id, remote_id)),
adopted AS (
  UPDATE jobs j SET state = 'remote_waiting', remote_id = g.remote_id, ending = NULL, ended_at = NULL
  FROM given g
  WHERE j.id = g.id AND j.launch_id = $1
    AND (j.state IN ('launching', 'unknown') OR (j.state = 'error' AND j.ending = 'never_submitted'))
  RETURNING j.campaign_id, j.cluster_id, j.task, j.attempt),
moved AS (
  UPDATE tasks t SET state = 'submitted' FROM adopted a
  WHERE t.campaign_id = a.campaign_id AND t.number = a.task AND t.attempt = a.attempt AND t.state IN ('launching', 'waiting')
  RETURNING t.campaign_id, t.number),
kept AS (DELETE FROM returned_tasks r USING moved WHERE r.campaign_id = moved.campaign_id AND r.number = moved.number),
noted AS (
  UPDATE campaign_clusters p SET last_accept_at = instant($5) FROM launches l
  WHERE l.id = $1 AND p.campaign_id = l.campaign_id AND p.cluster_id = l.cluster_id)
UPDATE launches l SET state = 'accepted', settled_at = instant($5), array_id = $4, error = NULL
WHERE l.id = $1 AND l.state IN ('launching', 'unknown', 'void')
  AND NOT EXISTS (SELECT FROM jobs j LEFT JOIN given g ON g.id = j.id
                  WHERE j.launch_id = l.id AND g.id IS NULL
                    AND (j.state IN ('launching', 'unknown') OR (j.state = 'error' AND j.ending = 'never_submitted')))
RETURNING (SELECT count(*) FROM adopted)

-- name: launches.unknown
-- No answer to a submission: its tasks are frozen until its fate is known. $1 launches, $2 error.
WITH launch AS (UPDATE launches SET state = 'unknown', error = $2 WHERE id = ANY ($1::bigint[]) AND state = 'launching' RETURNING id)
UPDATE jobs j SET state = 'unknown' FROM launch WHERE j.launch_id = launch.id AND j.state = 'launching' RETURNING j.id

-- name: launches.interrupted
-- Launches whose runner died between the intent and the answer: the caller holds the cluster's lock, so nobody is at work on them.
SELECT id FROM launches WHERE cluster_id = $1 AND state = 'launching'

-- name: launches.give_back
-- A launch that was never submitted: its tasks go back to the bag, with the same attempt, so that a late orphan and its successor
-- contend for one claim. Where a twin already found the claim taken, the attempt is spent. A task that another job of the same
-- attempt still carries stays, and so does one whose other copy lives. $1 launch, $2 state (refused or void), $3 whether they are bound to the cluster, $4 error, $5 now.
WITH launch AS (
  UPDATE launches SET state = $2::launch_state, settled_at = instant($5), error = $4
  WHERE id = $1 AND state IN ('planned', 'launching', 'unknown') RETURNING id, cluster_id),
ended AS (
  UPDATE jobs j SET state = 'error', ending = 'never_submitted', ended_at = instant($5)
  FROM launch WHERE j.launch_id = launch.id AND j.state IN ('planned', 'launching', 'unknown')
  RETURNING j.id, j.campaign_id, j.cluster_id, j.task, j.attempt),
settled AS (
  UPDATE tasks t SET
    state = CASE WHEN t.replica_lives THEN t.state WHEN c.state = 'cancelled' THEN 'cancelled' ELSE 'waiting' END::task_state,
    attempt = CASE WHEN t.replica_lives THEN CASE WHEN e.attempt = t.attempt THEN t.replica ELSE t.attempt END
      WHEN EXISTS (SELECT FROM jobs d WHERE d.campaign_id = e.campaign_id AND d.task = e.task AND d.attempt = e.attempt AND d.ending = 'duplicate')
        THEN greatest(t.attempt, t.replica) + 1 ELSE t.attempt END,
    replica_lives = false
  FROM ended e JOIN campaigns c ON c.id = e.campaign_id
  WHERE t.campaign_id = e.campaign_id AND t.number = e.task AND is_copy(t, e.attempt)
    AND (t.state IN ('launching', 'submitted') OR (t.replica_lives AND t.state = 'running'))
    AND NOT EXISTS (
      SELECT FROM jobs o WHERE o.campaign_id = e.campaign_id AND o.task = e.task AND o.attempt = e.attempt AND o.launch_id <> $1
        AND o.state IN ('planned', 'launching', 'remote_waiting', 'running', 'unknown'))
  RETURNING t.campaign_id, t.number, t.state, t.request),
back AS (
  INSERT INTO returned_tasks (campaign_id, number, priority, cluster_id, request, returned_at)
  SELECT campaign_id, number, 10, CASE WHEN $3::boolean THEN (SELECT cluster_id FROM launch) END, request, instant($5) FROM settled WHERE state = 'waiting'
  ON CONFLICT DO NOTHING)
SELECT count(*) FROM ended

-- name: launches.unsettled
-- Launches of unknown fate on a cluster, and void ones whose orphans may still appear. $1 cluster, $2 void since.
SELECT l.id, l.campaign_id, l.tag, l.state, l.jobs, l.looks, micros(l.launching_at) AS launching_at, micros(l.settled_at) AS settled_at,
  micros(l.last_look_at) AS last_look_at, l.error, coalesce(m.login, c.user_name) AS login
FROM launches l
JOIN campaigns c ON c.id = l.campaign_id
LEFT JOIN user_mappings m ON m.user_name = c.user_name AND m.cluster_id = l.cluster_id
WHERE l.cluster_id = $1 AND (l.state = 'unknown' OR (l.state = 'void' AND l.tag IS NOT NULL AND l.settled_at > instant($2)))
ORDER BY l.id

-- name: launches.looked
-- A search of its tag found nothing (more).
UPDATE launches SET looks = looks + 1, last_look_at = instant($2) WHERE id = ANY ($1::bigint[])

-- name: launches.reopen
-- A job found its attempt claimed, and its twin is of a void launch: the twin must be in OAR, so that its launch is searched again.
-- $1 campaign, $2 task, $3 attempt, $4 the job that ended as a duplicate.
WITH twin AS (
  SELECT j.id, j.launch_id FROM jobs j
  WHERE j.campaign_id = $1 AND j.task = $2 AND j.attempt = $3 AND j.id <> $4 AND j.state = 'error' AND j.ending = 'never_submitted'),
launch AS (
  UPDATE launches l SET state = 'unknown', looks = 0 FROM twin WHERE l.id = twin.launch_id AND l.state IN ('void', 'unknown') AND l.tag IS NOT NULL
  RETURNING l.id)
UPDATE jobs j SET state = 'unknown', ending = NULL, ended_at = NULL FROM twin, launch
WHERE j.id = twin.id AND twin.launch_id = launch.id RETURNING j.id
