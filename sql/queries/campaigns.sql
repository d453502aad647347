-- What users do to campaigns. Each change of a state is guarded by the state that it leaves.

-- name: campaigns.create
-- A new campaign, without tasks yet; no row when its user has used the key before. $1 user, $2 name, $3 type, $4 JDL, $5 now, $6 key.
INSERT INTO campaigns (user_name, name, type, jdl, submitted_at, idempotency_key)
VALUES ($1, $2, $3, $4::jsonb, instant($5), $6)
ON CONFLICT (user_name, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
RETURNING id

-- name: campaigns.of_key
-- The campaign that a key of a user stands for, and whether it was submitted with this JDL, which says its type. $1 user, $2 key, $3 JDL.
SELECT id, coalesce(submitted_jdl, jdl) = $3::jsonb AS same FROM campaigns WHERE user_name = $1 AND idempotency_key = $2

-- name: campaigns.admitted
-- What admission rules have made of a new campaign. $1 campaign, $2 name, $3 JDL.
UPDATE campaigns SET submitted_jdl = jdl, name = $2, jdl = $3::jsonb WHERE id = $1

-- name: campaigns.add_cluster
-- What it asks of one cluster, by name. $1 campaign, $2 cluster.
INSERT INTO campaign_clusters (campaign_id, cluster_id, priority, exec_file, exec_directory, resources, resources_per_job, walltime_s,
  properties, project, job_types, best_effort, max_jobs, max_walltime_s)
SELECT $1, id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 FROM clusters WHERE name = $2
RETURNING cluster_id

-- name: campaigns.count_out
-- Its tasks, when their parameters are numbers from 0. $1 campaign, $2 tasks.
INSERT INTO tasks (campaign_id, number, parameter) SELECT $1, n, n::text FROM generate_series(0, $2::bigint - 1) AS n

-- name: campaigns.add_requests
-- The different requests of its tasks, for each cluster that can hold them. $1 campaign, $2 clusters by name, $3 requests, $4 shapes,
-- $5 resources, $6 of one job, $7 memory in MB, $8 walltimes in seconds.
INSERT INTO campaign_requests (campaign_id, cluster_id, request, shape, resources, resources_per_job, memory_mb, walltime_s)
SELECT $1, k.id, g.request, g.shape, g.resources, g.resources_per_job, g.memory_mb, g.walltime_s
FROM unnest($2::text[], $3::smallint[], $4::smallint[], $5::text[], $6::integer[], $7::bigint[], $8::integer[])
  AS g(cluster, request, shape, resources, resources_per_job, memory_mb, walltime_s)
JOIN clusters k ON k.name = g.cluster

-- name: campaigns.sort_tasks
-- Its tasks by request. $1 campaign.
INSERT INTO request_tasks (campaign_id, request, number) SELECT campaign_id, request, number FROM tasks WHERE campaign_id = $1 ORDER BY request, number

-- name: campaigns.fill_bags
-- The bag of each request. $1 campaign.
INSERT INTO request_bags (campaign_id, request, next_task, untaken)
SELECT campaign_id, request, min(number), count(*) FROM request_tasks WHERE campaign_id = $1 GROUP BY 1, 2

-- name: campaigns.count_requests
-- How many different requests it has. $1 campaign.
UPDATE campaigns SET requests = (SELECT count(*) FROM request_bags b WHERE b.campaign_id = $1) WHERE id = $1

-- name: campaigns.sum_requests
-- What its tasks ask of each cluster, taken together: the greatest walltime, and the resources of a job where all take the same.
UPDATE campaign_clusters p SET walltime_s = q.walltime_s, resources_per_job = q.resources
FROM (SELECT cluster_id, max(walltime_s) AS walltime_s, CASE WHEN min(resources_per_job) = max(resources_per_job) THEN min(resources_per_job) END AS resources
      FROM campaign_requests WHERE campaign_id = $1 GROUP BY 1) q
WHERE p.campaign_id = $1 AND p.cluster_id = q.cluster_id

-- name: campaigns.first_ratios
-- Where its tasks take different resources, the first job ratio comes from their mean. $1 campaign, $2 now.
WITH first AS (
  INSERT INTO forecasts (campaign_id, cluster_id, time, job_ratio, method)
  SELECT q.campaign_id, q.cluster_id, instant($2), sum(b.untaken)::double precision / sum(b.untaken * q.resources_per_job), 'requests'
  FROM campaign_requests q JOIN request_bags b ON b.campaign_id = q.campaign_id AND b.request = q.request
  WHERE q.campaign_id = $1 GROUP BY 1, 2 HAVING bool_and(q.resources_per_job IS NOT NULL) AND min(q.resources_per_job) < max(q.resources_per_job)
  RETURNING campaign_id, cluster_id)
UPDATE campaign_clusters p SET active = true FROM first f WHERE p.campaign_id = f.campaign_id AND p.cluster_id = f.cluster_id

-- name: campaigns.input
-- The mean input of its tasks. $1 campaign, $2 MB.
UPDATE campaigns SET input_mb = $2 WHERE id = $1

-- name: campaigns.complete
-- Its tasks are all there. $1 campaign, $2 tasks.
UPDATE campaigns SET total = $2, waiting = $2 WHERE id = $1

-- name: campaigns.owner
-- Whose it is, and its state. $1 campaign.
SELECT user_name, state FROM campaigns WHERE id = $1

-- name: campaigns.hold
-- Nothing more is submitted.
UPDATE campaigns SET state = 'paused' WHERE id = $1 AND state = 'in_treatment' RETURNING id

-- name: campaigns.resume
-- It goes on.
UPDATE campaigns SET state = 'in_treatment' WHERE id = $1 AND state = 'paused' RETURNING id

-- name: campaigns.cancel
-- It is over. $2 now.
UPDATE campaigns SET state = 'cancelled', ended_at = instant($2) WHERE id = $1 AND state IN ('in_treatment', 'paused') RETURNING id

-- name: campaigns.cancel_returned
-- The tasks that were given back to its bag are cancelled.
WITH gone AS (DELETE FROM returned_tasks WHERE campaign_id = $1 RETURNING number)
UPDATE tasks t SET state = 'cancelled' FROM gone WHERE t.campaign_id = $1 AND t.number = gone.number AND t.state = 'waiting'

-- name: campaigns.cancel_untaken
-- The tasks that were never taken too; there may be a million of them, so only the counters move.
UPDATE campaigns SET cancelled = cancelled + waiting, waiting = 0, next_task = total WHERE id = $1

-- name: campaigns.reopen
-- It is in treatment again, or stays as it is when it is not over; a cancelled one changes nothing.
UPDATE campaigns SET state = CASE state WHEN 'terminated' THEN 'in_treatment' ELSE state END, ended_at = NULL
WHERE id = $1 AND state IN ('in_treatment', 'paused', 'terminated') AND failed > 0 RETURNING id

-- name: campaigns.uncleaned
-- Its claims and journals on the clusters are in use again.
UPDATE campaign_clusters SET cleaned_at = NULL, active = true WHERE campaign_id = $1 AND cleaned_at IS NOT NULL

-- name: campaigns.retry
-- Its failed tasks go back to the bag, with a clean slate. $2 now.
WITH again AS (
  UPDATE tasks SET state = 'waiting', attempt = greatest(attempt, replica) + 1, uncounted = greatest(attempt, replica) + 1, charged = 0
  WHERE campaign_id = $1 AND state = 'failed' RETURNING number, request)
INSERT INTO returned_tasks (campaign_id, number, request, returned_at) SELECT $1, number, request, instant($2) FROM again ON CONFLICT DO NOTHING
RETURNING number

-- name: campaigns.release_brakes
-- Lifts its brakes, on all its clusters.
DELETE FROM brakes WHERE campaign_id = $1

-- name: campaigns.forgive
-- Its failures so far stop nothing any more.
UPDATE campaign_clusters SET failures_in_a_row = 0 WHERE campaign_id = $1 AND failures_in_a_row > 0

-- name: campaigns.fix_events
-- Its open events are closed. $2 now.
UPDATE events SET state = 'closed', closed_at = instant($2) WHERE campaign_id = $1 AND state = 'open' RETURNING id

-- name: events.fix
-- An event is closed by a user. $1 event, $2 now.
UPDATE events SET state = 'closed', closed_at = instant($2) WHERE id = $1 AND state = 'open' RETURNING campaign_id, cluster_id

-- name: events.owner
-- Whose campaign an event is about (no name: nobody's), and whether it is open.
SELECT c.user_name, e.campaign_id, e.state = 'open' AS open FROM events e LEFT JOIN campaigns c ON c.id = e.campaign_id WHERE e.id = $1
