-- The reads of the world's judge (sim/world/oracle.cpp). None of production's views or functions is used for its judgement.

-- name: oracle.live
-- How much is not over yet.
SELECT (SELECT count(*) FROM campaigns WHERE state IN ('in_treatment', 'paused')) + (SELECT count(*) FROM jobs WHERE is_live(state))
  + (SELECT count(*) FROM launches WHERE state IN ('planned', 'launching', 'unknown')) AS live

-- name: oracle.live_jobs
SELECT count(*) AS jobs FROM jobs WHERE is_live(state)

-- name: oracle.awaiting_users
-- Campaigns that are paused, or have held tasks, or wait for others whose tasks failed, or whose prologue failed on each cluster that they
-- may use.
SELECT id FROM campaigns c
WHERE state = 'paused' OR (state = 'in_treatment' AND held > 0) OR (state = 'in_treatment' AND EXISTS (
  SELECT FROM dependencies d JOIN campaigns o ON o.id = d.on_campaign
  WHERE d.campaign_id = c.id AND NOT is_live(o.state) AND (o.failed > 0 OR o.cancelled > 0 OR o.state = 'cancelled')))
  OR (state = 'in_treatment' AND NOT EXISTS (
    SELECT FROM campaign_clusters p WHERE p.campaign_id = c.id AND p.max_jobs IS DISTINCT FROM 0 AND NOT EXISTS (
      SELECT FROM events e WHERE e.campaign_id = c.id AND e.cluster_id = p.cluster_id AND e.code = 'PROLOGUE_FAILED' AND e.state = 'open')))
ORDER BY id

-- name: oracle.campaigns
-- Those that are not over, in words.
SELECT format('campaign %s is %s: %s waiting, %s launching, %s submitted, %s running, %s done, %s failed, %s cancelled of %s', id, state,
  waiting, launching, submitted, running, done, failed, cancelled, total) AS text
FROM campaigns WHERE state IN ('in_treatment', 'paused') ORDER BY id LIMIT 10

-- name: oracle.decisions
SELECT d.campaign_id, c.name, d.stage, d.reason, d.figures, d.jobs
FROM decisions d JOIN clusters c ON c.id = d.cluster_id JOIN campaigns k ON k.id = d.campaign_id
WHERE k.state = 'in_treatment' ORDER BY d.campaign_id, d.cluster_id LIMIT 20

-- name: oracle.jobs
SELECT format('job %s (task %s of campaign %s, attempt %s) is %s, job %s of OAR, launch %s', id, task, campaign_id, attempt, state,
  remote_id, launch_id) AS text
FROM jobs WHERE is_live(state) ORDER BY id LIMIT 10

-- name: oracle.events
SELECT format('event %s of campaign %s, cluster %s: %s', code, campaign_id, cluster_id, message) AS text
FROM events WHERE state = 'open' ORDER BY id LIMIT 20

-- name: oracle.preempted_unsignalled
-- Running jobs with checkpoints that the grid killed for others, without having let them write one.
SELECT k.job_id, j.campaign_id FROM kill_requests k JOIN jobs j ON j.id = k.job_id JOIN campaigns c ON c.id = j.campaign_id
WHERE k.reason = 'preempted' AND k.sent_at < k.requested_at + (60 + 2 * c.checkpoint_cost_s) * interval '1 second'
  AND j.state = 'running' AND j.started_at < k.requested_at AND NOT is_script(j.task)
  AND coalesce(j.signalled_at < k.requested_at, true)

-- name: oracle.tests_taken_back
SELECT k.job_id, j.campaign_id FROM kill_requests k JOIN jobs j ON j.id = k.job_id JOIN campaigns c ON c.id = j.campaign_id
WHERE k.reason IN ('excess', 'waited_too_long') AND c.type = 'test'

-- name: oracle.braked
-- Pairs that failures brake, where the order of failures is that of attempts: two copies of a task may both fail before the first is known,
-- and a job that OAR ended may have failed by itself before. Tasks that their user gave back have a clean slate: they fail for the first time
-- again.
SELECT b.campaign_id, k.name FROM brakes b JOIN clusters k ON k.id = b.cluster_id JOIN campaigns c ON c.id = b.campaign_id
WHERE b.reason LIKE '%jobs in a row failed there (%' AND NOT c.replicas AND NOT EXISTS (
  SELECT FROM jobs j WHERE j.campaign_id = b.campaign_id AND j.ending NOT IN ('done', 'task_error')
    AND (j.started_at IS NOT NULL OR j.ending NOT IN ('preempted', 'killed_by_us')))
  AND NOT EXISTS (SELECT FROM audit a WHERE a.campaign_id = b.campaign_id AND a.act LIKE '%tasks retried')

-- name: oracle.never_began
-- Pairs with more than @most jobs of OAR that never began; the tasks that such a job would have taken further are none.
SELECT j.campaign_id, k.name, count(*) AS jobs FROM jobs j JOIN clusters k ON k.id = j.cluster_id
WHERE j.ending = 'never_began' AND NOT j.pooled GROUP BY 1, 2 HAVING count(*) > @most

-- name: oracle.running
-- The tasks that are said to run, with the last job of each, and the launch of its pool.
SELECT t.campaign_id, t.number, j.id AS job, CASE WHEN c.temporal_grouping <> 'false' THEN j.launch_id END AS pool
FROM tasks t JOIN campaigns c ON c.id = t.campaign_id
LEFT JOIN LATERAL (
  SELECT id, launch_id FROM jobs j WHERE j.campaign_id = t.campaign_id AND j.task = t.number ORDER BY id DESC LIMIT 1) j ON true
WHERE t.state = 'running'

-- name: oracle.launches
-- The launches of jobs.
SELECT DISTINCT launch_id AS launch FROM jobs WHERE id = ANY (@jobs::bigint[])

-- name: oracle.waits_in_vain
-- Campaigns that wait for one that was cancelled meanwhile, and no event says so.
SELECT d.campaign_id, d.on_campaign FROM dependencies d JOIN campaigns c ON c.id = d.campaign_id JOIN campaigns o ON o.id = d.on_campaign
WHERE is_live(c.state) AND d.met_at IS NULL AND d.kind <> 'after_any_end' AND o.state = 'cancelled'
  AND o.ended_at > c.submitted_at AND NOT EXISTS (SELECT FROM events e WHERE e.campaign_id = c.id AND e.code = 'AWAITS_IN_VAIN')

-- name: oracle.sink_reports
-- Events that name a cluster as the sink of a campaign; more than none where pools would hide one.
SELECT count(*) AS events FROM events e JOIN clusters k ON k.id = e.cluster_id JOIN campaigns c ON c.id = @campaign
WHERE (e.campaign_id = @campaign AND k.name = @cluster AND e.code = 'SINK') OR c.temporal_grouping <> 'false'

-- name: oracle.known
-- Whether the grid knows a job of OAR.
SELECT count(*) AS jobs FROM jobs j JOIN clusters k ON k.id = j.cluster_id WHERE k.name = @cluster AND j.remote_id = @remote

-- name: oracle.tasks
SELECT campaign_id, number, state, parameter FROM tasks ORDER BY campaign_id, number

-- name: oracle.read_in_vain
-- The jobs whose files nobody could read when they were over, and that count neither for nor against their tasks.
SELECT id FROM jobs WHERE message LIKE '%could not be read%' AND ending NOT IN ('done', 'task_error', 'rerun_first', 'rerun_last', 'walltime', 'bad_request')
