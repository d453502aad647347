-- Kills: a request, then the DELETE, then the job's own state as the confirmation.

-- name: kills.request_cancelled
-- Requests kills of all jobs of cancelled campaigns, but of their epilogues.
INSERT INTO kill_requests (job_id, reason, requested_at)
SELECT j.id, 'cancelled', instant(@now) FROM jobs j JOIN campaigns c ON c.id = j.campaign_id
WHERE is_remote(j.state) AND c.state = 'cancelled' AND NOT is_epilogue(j.task)
ON CONFLICT DO NOTHING

-- name: kills.request_cancelled_tasks
-- Requests kills of the jobs of tasks that their users cancelled. A pooled job is withheld (kills.to_withhold); once a carrier is known to
-- carry it out, that one is killed.
INSERT INTO kill_requests (job_id, reason, requested_at)
SELECT j.id, 'task_cancelled', instant(@now) FROM tasks t JOIN jobs j ON j.campaign_id = t.campaign_id AND j.task = t.number
WHERE t.cancelling AND (is_remote(j.state) OR j.state = 'pooled')
UNION
SELECT c.id, 'task_cancelled', instant(@now) FROM tasks t
JOIN jobs j ON j.campaign_id = t.campaign_id AND j.task = t.number AND j.state = 'pooled' AND j.remote_id IS NOT NULL
JOIN jobs c ON c.launch_id = j.launch_id AND c.remote_id = j.remote_id AND NOT c.pooled AND is_remote(c.state)
WHERE t.cancelling
ON CONFLICT DO NOTHING

-- name: kills.to_withhold
-- The pooled jobs on a cluster whose tasks their users cancelled, without a claim of the grid, in launches that were sent. Those tried least
-- often come first, and users take turns. One that could not be claimed is tried again after 10 s, 20 s, 40 s… up to 20 min.
SELECT j.id, j.campaign_id, coalesce(j.fence, j.launch_id) AS fence, j.task, j.attempt, coalesce(l.login, u.login) AS login
FROM jobs j
JOIN campaigns c ON c.id = j.campaign_id
JOIN kill_requests k ON k.job_id = j.id
JOIN launches l ON l.id = j.launch_id
JOIN logins u ON u.campaign_id = j.campaign_id AND u.cluster_id = j.cluster_id
WHERE j.cluster_id = @cluster AND is_live(j.state) AND j.state = 'pooled' AND j.remote_id IS NULL
  AND k.sent_at IS NULL AND l.state <> 'planned'
  AND k.requested_at + interval '10 s' * (power(2, least(k.sends, 7)) - 1) + interval '20 min' * greatest(0, k.sends - 7) <= instant(@now)
ORDER BY k.sends, row_number() OVER (PARTITION BY c.user_name, k.sends ORDER BY j.id), j.id LIMIT 1000

-- name: kills.note_not_withheld
-- Records that tasks of pools could not be claimed.
UPDATE kill_requests SET sends = sends + 1 WHERE job_id = ANY (@jobs::bigint[]) AND sent_at IS NULL

-- name: kills.request_superseded
-- Requests kills of jobs that their tasks no longer wait for: superseded by the other copy, or late, with a spent attempt. A carrier is
-- killed when what it carries out is superseded, and no task waits for anything else that it is known to carry out.
INSERT INTO kill_requests (job_id, reason, requested_at)
SELECT j.id, CASE WHEN t.replica IS NULL THEN 'late' ELSE 'replica' END, instant(@now) FROM jobs j
JOIN tasks t ON t.campaign_id = j.campaign_id AND t.number = j.task
WHERE is_remote(j.state) AND NOT is_awaited(t, j.attempt) AND NOT j.command_over AND NOT carries_awaited(j)
UNION
SELECT c.id, 'replica', instant(@now) FROM jobs j
JOIN tasks t ON t.campaign_id = j.campaign_id AND t.number = j.task AND t.replica IS NOT NULL AND NOT is_awaited(t, j.attempt)
JOIN jobs c ON c.launch_id = j.launch_id AND c.remote_id = j.remote_id AND NOT c.pooled AND is_remote(c.state)
JOIN tasks o ON o.campaign_id = c.campaign_id AND o.number = c.task AND (c.command_over OR NOT is_awaited(o, c.attempt))
WHERE j.state = 'pooled' AND j.claimed_at IS NOT NULL AND NOT carries_awaited(c)
ON CONFLICT DO NOTHING

-- name: kills.request
-- Requests kills of jobs, for one reason.
INSERT INTO kill_requests (job_id, reason, requested_at)
SELECT id, @reason, instant(@now) FROM unnest(@jobs::bigint[]) AS g(id) ON CONFLICT DO NOTHING

-- name: kills.request_resent
-- Requests that what OAR submitted in place of jobs that are over is deleted, if there is such a job.
INSERT INTO kill_requests AS k (job_id, reason, requested_at)
SELECT j.id, 'resent', instant(@now) FROM jobs j WHERE j.id = ANY (@jobs::bigint[]) AND NOT is_live(j.state)
ON CONFLICT (job_id) DO UPDATE SET reason = 'resent', requested_at = EXCLUDED.requested_at, sent_at = NULL, sends = 0

-- name: kills.drop_resent
-- Nothing was submitted in place of these jobs, or it is over.
DELETE FROM kill_requests WHERE job_id = ANY (@jobs::bigint[]) AND reason = 'resent'

-- name: kills.pending
-- Kill requests on a cluster without a DELETE since @sent_before (a time after @now, from a clock that was set back, counts as none). Those
-- sent least often come first, and users take turns. A running job with checkpoints that is preempted is signalled first (checkpoints.due), and has the time of a
-- checkpoint after that; if the signal cannot be sent, it is killed after twice that time and a minute.
SELECT
  k.job_id,
  j.remote_id,
  j.campaign_id,
  j.task,
  j.attempt,
  l.tag,
  k.reason,
  k.sends,
  l.array_id,
  l.jobs AS array_jobs,
  coalesce(l.login, u.login) AS login
FROM (
  SELECT id FROM jobs WHERE cluster_id = @cluster AND is_remote(state)
  UNION ALL SELECT j.id FROM kill_requests k JOIN jobs j ON j.id = k.job_id AND j.cluster_id = @cluster
    WHERE k.reason IN ('lost', 'resent') AND is_killed_after_its_end(j, k)) due
JOIN kill_requests k ON k.job_id = due.id
JOIN jobs j ON j.id = due.id
JOIN campaigns c ON c.id = j.campaign_id
JOIN launches l ON l.id = j.launch_id
JOIN logins u ON u.campaign_id = j.campaign_id AND u.cluster_id = j.cluster_id
WHERE (k.sent_at IS NULL OR k.sent_at < instant(@sent_before) OR k.sent_at > instant(@now))
  AND NOT (k.reason = 'preempted' AND k.sent_at IS NULL AND j.state = 'running' AND c.checkpoint_cost_s IS NOT NULL
    AND k.requested_at <= instant(@now)
    AND instant(@now) < CASE WHEN j.signalled_at >= k.requested_at THEN j.signalled_at + c.checkpoint_cost_s * interval '1 second'
      ELSE k.requested_at + (60 + 2 * c.checkpoint_cost_s) * interval '1 second' END)
ORDER BY k.sends, row_number() OVER (PARTITION BY c.user_name, k.sends ORDER BY k.job_id), k.job_id

-- name: kills.note_sent
-- Records that the DELETE was sent, whatever the answer.
UPDATE kill_requests SET sent_at = instant(@now), sends = sends + 1 WHERE job_id = ANY (@jobs::bigint[])

-- name: kills.waiting
-- Our jobs that wait on a cluster, the newest first, with the figures that decide whether they are in excess. Scripts never are, nor is
-- the one job that a test campaign has there: sent again, it would be behind all others.
SELECT
  j.id,
  j.campaign_id,
  micros(j.submitted_at) AS submitted_at,
  requested_width(p) AS resources_per_job,
  f.job_ratio,
  micros(p.last_start_at) AS last_start_at,
  micros(p.last_accept_at) AS last_accept_at
FROM jobs j
JOIN campaigns c ON c.id = j.campaign_id AND c.type <> 'test'
JOIN campaign_clusters p ON p.campaign_id = j.campaign_id AND p.cluster_id = j.cluster_id
LEFT JOIN forecasts f ON f.campaign_id = j.campaign_id AND f.cluster_id = j.cluster_id
WHERE j.cluster_id = @cluster AND j.state = 'remote_waiting' AND NOT is_script(j.task)
  AND NOT EXISTS (SELECT FROM kill_requests k WHERE k.job_id = j.id)
ORDER BY j.submitted_at DESC, j.id DESC
