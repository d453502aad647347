-- Kills: an intent, the DELETE, and the job's own state as the confirmation.

-- name: kills.request_cancelled
-- Every job of a cancelled campaign is to be killed. $1 now.
INSERT INTO kill_requests (job_id, reason, requested_at)
SELECT j.id, 'cancelled', instant($1) FROM jobs j JOIN campaigns c ON c.id = j.campaign_id
WHERE j.state IN ('remote_waiting', 'running') AND c.state = 'cancelled'
ON CONFLICT DO NOTHING

-- name: kills.request_superseded
-- Jobs of replicated tasks that these wait for no longer: another copy did it, or they were late. $1 now.
INSERT INTO kill_requests (job_id, reason, requested_at)
SELECT j.id, 'replica', instant($1) FROM jobs j
JOIN campaigns c ON c.id = j.campaign_id AND c.replicas
JOIN tasks t ON t.campaign_id = j.campaign_id AND t.number = j.task AND t.replica IS NOT NULL
WHERE j.state IN ('remote_waiting', 'running') AND NOT (t.state IN ('launching', 'submitted', 'running') AND is_copy(t, j.attempt))
ON CONFLICT DO NOTHING

-- name: kills.request
-- $1 jobs, $2 reason, $3 now.
INSERT INTO kill_requests (job_id, reason, requested_at)
SELECT id, $2, instant($3) FROM unnest($1::bigint[]) AS g(id) ON CONFLICT DO NOTHING

-- name: kills.pending
-- What is to be killed on a cluster and was not asked for since $2.
SELECT k.job_id, j.remote_id, j.campaign_id, k.reason, k.sends, l.array_id, l.jobs AS array_jobs, coalesce(m.login, c.user_name) AS login
FROM kill_requests k
JOIN jobs j ON j.id = k.job_id AND j.cluster_id = $1 AND j.state IN ('remote_waiting', 'running')
JOIN launches l ON l.id = j.launch_id
JOIN campaigns c ON c.id = j.campaign_id
LEFT JOIN user_mappings m ON m.user_name = c.user_name AND m.cluster_id = j.cluster_id
WHERE k.sent_at IS NULL OR k.sent_at < instant($2)
ORDER BY k.job_id

-- name: kills.sent
-- The DELETE was sent, whatever was answered. $1 jobs, $2 now.
UPDATE kill_requests SET sent_at = instant($2), sends = sends + 1 WHERE job_id = ANY ($1::bigint[])

-- name: kills.waiting
-- Our jobs that wait on a cluster, the newest first, with what tells whether they are too many. $1 cluster.
SELECT j.id, j.campaign_id, micros(j.submitted_at) AS submitted_at, p.resources_per_job, f.job_ratio,
  micros(p.last_start_at) AS last_start_at, micros(p.last_accept_at) AS last_accept_at
FROM jobs j
JOIN campaign_clusters p ON p.campaign_id = j.campaign_id AND p.cluster_id = j.cluster_id
LEFT JOIN forecasts f ON f.campaign_id = j.campaign_id AND f.cluster_id = j.cluster_id
WHERE j.cluster_id = $1 AND j.state = 'remote_waiting'
  AND NOT EXISTS (SELECT FROM kill_requests k WHERE k.job_id = j.id)
ORDER BY j.submitted_at DESC, j.id DESC

-- name: kills.to_clean
-- Ended campaigns that left claims and journals on a cluster, when nothing of theirs can still come. $1 cluster, $2 ended before,
-- $3 no void launch since.
SELECT p.campaign_id, coalesce(m.login, c.user_name) AS login
FROM campaign_clusters p
JOIN campaigns c ON c.id = p.campaign_id AND c.state IN ('terminated', 'cancelled') AND c.ended_at < instant($2)
LEFT JOIN user_mappings m ON m.user_name = c.user_name AND m.cluster_id = p.cluster_id
WHERE p.cluster_id = $1 AND p.cleaned_at IS NULL AND p.launching + p.waiting + p.running + p.unknown = 0
  AND NOT EXISTS (SELECT FROM launches l WHERE l.campaign_id = p.campaign_id AND l.cluster_id = p.cluster_id
                    AND (l.state IN ('planned', 'launching', 'unknown') OR (l.state = 'void' AND l.tag IS NOT NULL AND l.settled_at > instant($3))))
ORDER BY p.campaign_id LIMIT 20

-- name: kills.cleaned
-- $1 campaign, $2 cluster, $3 now.
UPDATE campaign_clusters SET cleaned_at = instant($3), active = false WHERE campaign_id = $1 AND cluster_id = $2
