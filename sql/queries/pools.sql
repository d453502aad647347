-- Pooled jobs, and the jobs of OAR that carry them.

-- name: pools.live
-- The launches on a cluster with pooled jobs that are not over. `carriers`: their jobs that OAR has or may have; `closed_at`: when these
-- stop taking tasks, null if one has not started; `last_end`: when the last of the other carriers was seen to be over, by the clock of the
-- database, as the times that are waited from then on; `may_come`: whether OAR may start one of these late;
-- `may_be_unseen`: whether one of these was given up though nobody knows whether it begins. `pool_s`: for how long a carrier takes tasks.
SELECT
  l.id,
  l.campaign_id,
  coalesce(l.login, u.login) AS login,
  coalesce(l.walltime_s, p.walltime_s) AS walltime_s,
  p.max_walltime_s,
  p.failures_in_a_row,
  p.last_unbegun,
  p.exec_directory,
  p.output_directory,
  l.state,
  coalesce(l.files, 0) AS files,
  coalesce(l.pool_s, 0) AS pool_s,
  c.carriers,
  micros(c.closed_at) AS closed_at,
  micros(c.last_end) AS last_end,
  c.may_come,
  c.may_be_unseen
FROM (SELECT DISTINCT launch_id FROM jobs WHERE cluster_id = @cluster AND is_live(state) AND state = 'pooled') q
JOIN launches l ON l.id = q.launch_id
JOIN campaign_clusters p ON p.campaign_id = l.campaign_id AND p.cluster_id = l.cluster_id
JOIN logins u ON u.campaign_id = l.campaign_id AND u.cluster_id = l.cluster_id
CROSS JOIN LATERAL (
  SELECT
    count(*) FILTER (WHERE is_live(j.state)) AS carriers,
    CASE WHEN bool_and(j.state = 'running') FILTER (WHERE is_live(j.state))
      THEN max(j.started_at) FILTER (WHERE is_live(j.state)) + coalesce(l.pool_s, 0) * interval '1 second' END AS closed_at,
    max(coalesce(j.over_since, j.ended_at)) FILTER (WHERE NOT is_live(j.state)) AS last_end,
    coalesce(bool_or(NOT is_live(j.state) AND (may_start_late(j) OR is_unfound(j) OR j.ending = 'lost')), false) AS may_come,
    coalesce(bool_or(NOT is_live(j.state) AND (j.ending IN ('never_began', 'lost') OR is_unfound(j))), false) AS may_be_unseen
  FROM jobs j WHERE j.launch_id = l.id AND NOT j.pooled) c
ORDER BY l.id

-- name: pools.carriers
-- The jobs of OAR of these launches: their own tasks, how each ended, if it is over, and when that was seen.
SELECT launch_id, remote_id, id, coalesce(fence, launch_id) AS fence, task, attempt, command_over, coalesce(run_ending, ending) AS ending,
  CASE WHEN ended_at IS NOT NULL THEN micros(coalesce(over_since, ended_at)) END AS ended_at
FROM jobs
WHERE launch_id = ANY (@launches::bigint[]) AND NOT pooled AND remote_id IS NOT NULL

-- name: pools.jobs
-- The pooled jobs of these launches that are not over; `remote_id`: of the carrier that claimed it, once it is known.
SELECT j.id, j.launch_id, coalesce(j.fence, j.launch_id) AS fence, j.task, j.attempt, j.remote_id FROM jobs j
WHERE j.launch_id = ANY (@launches::bigint[]) AND j.state = 'pooled' ORDER BY j.launch_id, j.id

-- name: pools.note_carriers
-- Writes which job of OAR claimed each of these pooled jobs, and when that was seen. Their tasks run. The guard names g: see jobs.settle.
WITH given AS (SELECT * FROM unnest(@jobs::bigint[], @remote_ids::bigint[]) AS g(id, remote_id)),
claimed AS (
  UPDATE jobs j SET remote_id = g.remote_id,
    claimed_at = CASE WHEN (SELECT c.replicas FROM campaigns c WHERE c.id = j.campaign_id) THEN instant(@now) END
  FROM given g WHERE j.id = g.id AND (j.state = 'pooled' OR g.id IS NULL)
  RETURNING j.campaign_id, j.cluster_id, j.task, j.attempt),
moved AS (
  UPDATE tasks t SET state = 'running' FROM claimed x
  WHERE t.campaign_id = x.campaign_id AND t.number = x.task AND t.attempt = x.attempt AND (t.state = 'submitted' OR x.task IS NULL)),
pair AS (
  UPDATE campaign_clusters p SET last_start_at = greatest(p.last_start_at, instant(@now))
  FROM (SELECT DISTINCT campaign_id, cluster_id FROM claimed) d
  WHERE p.campaign_id = d.campaign_id AND p.cluster_id = d.cluster_id)
SELECT count(*) AS claimed FROM claimed

-- name: pools.note_read
-- Writes, for campaigns that allow replicas, that all files of these pools were read, and which carriers are over with their own tasks.
WITH noted AS (
  UPDATE launches l SET read_at = instant(@now) FROM campaigns c
  WHERE l.id = ANY (@launches::bigint[]) AND c.id = l.campaign_id AND c.replicas),
over AS (
  UPDATE jobs j SET command_over = true FROM campaigns c
  WHERE j.id = ANY (@carriers::bigint[]) AND NOT j.command_over AND c.id = j.campaign_id AND c.replicas RETURNING j.id)
SELECT count(*) AS over FROM over
