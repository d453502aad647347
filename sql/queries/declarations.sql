-- What administrators declare.

-- name: declarations.add
-- $1 what, $2 subject, $3 author, $4 reason, $5 message, $6 now.
INSERT INTO declarations (what, subject, declared_by, reason, message, declared_at) VALUES ($1, $2, $3, $4, $5, instant($6))

-- name: declarations.live_jobs
-- The live jobs of one job ($1), launch ($2) or cluster ($3), the others null; those that are only planned are given back as ever.
SELECT j.id, j.state, j.campaign_id, j.cluster_id, k.name AS cluster, j.launch_id, j.task, j.remote_id
FROM jobs j JOIN clusters k ON k.id = j.cluster_id
WHERE j.state IN ('launching', 'unknown', 'remote_waiting', 'running')
  AND (j.id = $1 OR j.launch_id = $2 OR j.cluster_id = $3)
ORDER BY j.id

-- name: declarations.live_jobs_by_id
-- The same of the live jobs among these, the planned ones too. $1 jobs.
SELECT j.id, j.state, j.campaign_id, j.cluster_id, k.name AS cluster, j.launch_id, j.task, j.remote_id
FROM jobs j JOIN clusters k ON k.id = j.cluster_id
WHERE j.state IN ('planned', 'launching', 'unknown', 'remote_waiting', 'running') AND j.id = ANY ($1::bigint[])
ORDER BY j.id

-- name: declarations.kill
-- Lost jobs may go on: their deletion is asked for. One that was asked for already is asked for anew. $1 jobs, $2 now.
INSERT INTO kill_requests AS k (job_id, reason, requested_at)
SELECT j.id, 'lost', instant($2) FROM jobs j WHERE j.id = ANY ($1::bigint[]) AND j.ending = 'lost' AND j.remote_id IS NOT NULL
ON CONFLICT (job_id) DO UPDATE SET reason = 'lost', requested_at = EXCLUDED.requested_at, sent_at = NULL, sends = 0

-- name: declarations.void
-- Launches of which no job is open any more: jobs of theirs that appear later are late ones. $1 launches, $2 error, $3 now.
UPDATE launches l SET state = 'void', settled_at = instant($3), released_at = instant($3), error = $2
WHERE l.id = ANY ($1::bigint[]) AND l.state IN ('launching', 'unknown')
  AND NOT EXISTS (SELECT FROM jobs j WHERE j.launch_id = l.id AND j.state IN ('planned', 'launching', 'unknown'))

-- name: declarations.release
-- Tasks in the bags that wait for a cluster ($1), or because of a launch ($2), the other null: they may go anywhere, each with a new
-- attempt that counts for nothing. $3 now.
WITH freed AS (
  UPDATE returned_tasks r SET cluster_id = NULL, fence = NULL FROM returned_tasks b
  WHERE b.campaign_id = r.campaign_id AND b.number = r.number AND (r.cluster_id = $1 OR r.fence = $2)
  RETURNING r.campaign_id, r.number, b.fence, b.cluster_id),
launch AS (UPDATE launches l SET released_at = instant($3) FROM freed f WHERE l.id = f.fence AND l.released_at IS NULL),
raised AS (
  UPDATE tasks t SET attempt = greatest(t.attempt, t.replica) + 1, uncounted = t.uncounted + greatest(t.attempt, t.replica) + 1 - t.attempt
  FROM freed f WHERE t.campaign_id = f.campaign_id AND t.number = f.number AND t.state = 'waiting')
SELECT f.campaign_id, f.number, f.cluster_id, k.name AS cluster FROM freed f JOIN clusters k ON k.id = f.cluster_id ORDER BY 1, 2

-- name: declarations.bound
-- How many tasks wait for a cluster ($1), or because of a launch ($2), the other null.
SELECT count(*) FROM returned_tasks WHERE cluster_id = $1 OR fence = $2

-- name: declarations.launch
-- A launch. $1 its id.
SELECT l.state, l.campaign_id, k.name AS cluster FROM launches l JOIN clusters k ON k.id = l.cluster_id WHERE l.id = $1

-- name: declarations.job
-- A job's state, and why it is over. $1 its id.
SELECT state, coalesce(ending, '') AS ending FROM jobs WHERE id = $1

-- name: declarations.retire
-- Nothing is sent to the cluster any more, and it is not asked; no row when it was retired before. $1 cluster, $2 now.
UPDATE clusters SET enabled = false, retired_at = instant($2), reachable = NULL, unreachable_since = NULL, healthy_since = NULL, failed_polls = 0,
  next_probe_at = NULL, last_error = NULL
WHERE id = $1 AND retired_at IS NULL RETURNING id

-- name: declarations.bring_back
-- It is in use again. Its old jobs and launches are late: those lost when it was retired are deleted, and the tags of its void launches
-- are searched for a while. No row unless it was retired. $1 cluster, $2 now.
WITH returned AS (
  UPDATE clusters c SET retired_at = NULL, enabled = true, next_probe_at = NULL, resources_at = NULL FROM clusters b
  WHERE c.id = $1 AND b.id = c.id AND c.retired_at IS NOT NULL RETURNING c.id, b.retired_at),
kills AS (
  UPDATE kill_requests k SET requested_at = instant($2), sent_at = NULL, sends = 0 FROM returned r JOIN jobs j ON j.cluster_id = r.id
  WHERE k.job_id = j.id AND k.reason = 'lost' AND j.state = 'error' AND j.ending = 'lost' AND j.ended_at >= r.retired_at RETURNING k.job_id),
searches AS (
  UPDATE launches l SET settled_at = instant($2), last_look_at = NULL FROM returned r
  WHERE l.cluster_id = r.id AND l.state = 'void' AND l.tag IS NOT NULL AND l.settled_at >= r.retired_at - interval '1 hour')
SELECT id, (SELECT count(*) FROM kills) AS kills FROM returned
