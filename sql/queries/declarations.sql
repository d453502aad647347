-- Declarations of administrators.

-- name: declarations.add
-- Records what an administrator declared.
INSERT INTO declarations (what, subject, declared_by, reason, message, declared_at)
VALUES (@what, @subject, @author, @reason, @message, instant(@now))

-- name: declarations.live_jobs_of
-- The live jobs of one job, launch or cluster; the other two parameters are null. Planned jobs are left out, because their launches are
-- given back as usual.
SELECT j.id, j.state, j.campaign_id, j.cluster_id, k.name AS cluster, j.launch_id, j.task, j.remote_id
FROM jobs j JOIN clusters k ON k.id = j.cluster_id
WHERE is_live(j.state) AND j.state <> 'planned'
  AND (j.id = @job OR j.launch_id = @launch OR j.cluster_id = @cluster)
ORDER BY j.id

-- name: declarations.live_jobs_among
-- The live jobs among these, planned ones included.
SELECT j.id, j.state, j.campaign_id, j.cluster_id, k.name AS cluster, j.launch_id, j.task, j.remote_id
FROM jobs j JOIN clusters k ON k.id = j.cluster_id
WHERE is_live(j.state) AND j.id = ANY (@jobs::bigint[])
ORDER BY j.id

-- name: declarations.kill
-- Requests kills of lost jobs, which may still run; a request that exists is sent again.
INSERT INTO kill_requests AS k (job_id, reason, requested_at)
SELECT j.id, 'lost', instant(@now) FROM jobs j WHERE j.id = ANY (@jobs::bigint[]) AND j.ending = 'lost' AND j.remote_id IS NOT NULL AND NOT j.pooled
ON CONFLICT (job_id) DO UPDATE SET reason = 'lost', requested_at = EXCLUDED.requested_at, sent_at = NULL, sends = 0

-- name: declarations.void
-- Declares launches void if none of their jobs is open. Their jobs that appear later are late jobs.
UPDATE launches l SET state = 'void', settled_at = instant(@now), released_at = instant(@now), error = @error
WHERE l.id = ANY (@launches::bigint[]) AND l.state IN ('launching', 'unknown')
  AND NOT EXISTS (SELECT FROM jobs j WHERE j.launch_id = l.id AND is_open(j.state))

-- name: declarations.release_bound_tasks
-- Releases tasks bound to a cluster, or because of a launch (the other parameter is null). Each gets a new attempt; the old one does not
-- count. Tasks that are only kept at the cluster have a new attempt already, and run nowhere: they are not among the rows, and are kept at
-- another cluster that has the homes of there. Those that follow others there are not released here, but with all others that follow
-- (dependencies.follow).
WITH freed AS (
  UPDATE returned_tasks r SET cluster_id = CASE WHEN r.fence IS NULL AND NOT is_script(r.number) THEN sharer_of(r.campaign_id, r.cluster_id) END, fence = NULL
  FROM returned_tasks b
  WHERE b.campaign_id = r.campaign_id AND b.number = r.number AND (r.cluster_id = @cluster OR r.fence = @launch)
    AND (r.fence IS NOT NULL OR NOT r.follows)
  RETURNING r.campaign_id, r.number, b.fence, b.cluster_id),
launch AS (UPDATE launches l SET released_at = instant(@now) FROM freed f WHERE l.id = f.fence AND l.released_at IS NULL),
raised AS (
  UPDATE tasks t SET attempt = next_attempt(t), uncounted = t.uncounted + next_attempt(t) - t.attempt
  FROM freed f WHERE t.campaign_id = f.campaign_id AND t.number = f.number AND t.state = 'waiting' AND f.fence IS NOT NULL)
SELECT f.campaign_id, f.number, f.cluster_id, k.name AS cluster FROM freed f JOIN clusters k ON k.id = f.cluster_id
WHERE f.fence IS NOT NULL ORDER BY 1, 2

-- name: declarations.bound_tasks_of
-- Number of tasks bound to a cluster, or because of a launch (the other parameter is null).
SELECT count(*) AS tasks FROM returned_tasks WHERE (cluster_id = @cluster OR fence = @launch) AND fence IS NOT NULL

-- name: declarations.find_launch
-- A launch's state, campaign and cluster.
SELECT l.state, l.campaign_id, k.name AS cluster FROM launches l JOIN clusters k ON k.id = l.cluster_id WHERE l.id = @launch

-- name: declarations.find_job
-- A job's state and end.
SELECT state, coalesce(ending, '') AS ending FROM jobs WHERE id = @job

-- name: declarations.retire
-- Retires a cluster: nothing is sent to it, and it is not asked any more. No row when it was retired before.
UPDATE clusters SET
  enabled = false,
  retired_at = instant(@now),
  reachable = NULL,
  unreachable_since = NULL,
  healthy_since = NULL,
  failed_polls = 0,
  next_probe_at = NULL,
  last_error = NULL
WHERE id = @cluster AND retired_at IS NULL RETURNING id

-- name: declarations.bring_back
-- Brings a retired cluster back into use. Jobs that were lost when it was retired are killed, and the tags of its void launches are
-- searched for a while. No row unless it was retired.
WITH returned AS (
  UPDATE clusters c SET retired_at = NULL, enabled = true, next_probe_at = NULL, resources_at = NULL FROM clusters b
  WHERE c.id = @cluster AND b.id = c.id AND c.retired_at IS NOT NULL RETURNING c.id, b.retired_at),
kills AS (
  UPDATE kill_requests k SET requested_at = instant(@now), sent_at = NULL, sends = 0 FROM returned r JOIN jobs j ON j.cluster_id = r.id
  WHERE k.job_id = j.id AND k.reason = 'lost' AND j.state = 'error' AND j.ending = 'lost' AND j.ended_at >= r.retired_at
    RETURNING k.job_id),
searches AS (
  UPDATE launches l SET settled_at = instant(@now), last_look_at = NULL FROM returned r
  WHERE l.cluster_id = r.id AND l.state = 'void' AND l.tag IS NOT NULL AND l.settled_at >= r.retired_at - interval '1 hour')
SELECT id, (SELECT count(*) FROM kills) AS kills FROM returned
