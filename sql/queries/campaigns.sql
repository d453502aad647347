-- Users' actions on campaigns. Each change of a state is guarded by the state that it leaves.

-- name: campaigns.create
-- Creates a campaign, without tasks yet; no row when its user has used the key before.
INSERT INTO campaigns (user_name, name, type, jdl, submitted_at, idempotency_key)
VALUES (@user, @name, @type, @jdl::jsonb, instant(@now), @key)
ON CONFLICT (user_name, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
RETURNING id

-- name: campaigns.find_repeated
-- The campaign that a user submitted under this key, and whether its JDL, which includes the type, was the same.
SELECT id, coalesce(submitted_jdl, jdl) = @jdl::jsonb AS same FROM campaigns WHERE user_name = @user AND idempotency_key = @key

-- name: campaigns.record_admitted
-- Stores the name and the JDL of a new campaign after its admission rules; the submitted JDL is kept.
UPDATE campaigns SET submitted_jdl = jdl, name = @name, jdl = @jdl::jsonb WHERE id = @campaign

-- name: campaigns.add_cluster
-- Adds the campaign's requests of one cluster, by name.
INSERT INTO campaign_clusters (campaign_id, cluster_id, priority, exec_file, exec_directory, resources, resources_per_job, walltime_s,
  properties, project, job_types, best_effort, max_jobs, max_walltime_s)
SELECT
  @campaign,
  id,
  @priority,
  @exec_file,
  @exec_directory,
  @resources,
  @resources_per_job,
  @walltime_s,
  @properties,
  @project,
  @job_types,
  @best_effort,
  @max_jobs,
  @max_walltime_s
FROM clusters WHERE name = @cluster
RETURNING cluster_id

-- name: campaigns.write_numbered_tasks
-- Writes the campaign's tasks, if their parameters are numbers from 0.
INSERT INTO tasks (campaign_id, number, parameter) SELECT @campaign, n, n::text FROM generate_series(0, @tasks::bigint - 1) AS n

-- name: campaigns.add_requests
-- Adds the different requests of the campaign's tasks, for each cluster that can hold them. @clusters: names.
INSERT INTO campaign_requests (campaign_id, cluster_id, request, shape, resources, resources_per_job, memory_mb, walltime_s)
SELECT @campaign, k.id, g.request, g.shape, g.resources, g.resources_per_job, g.memory_mb, g.walltime_s
FROM unnest(
  @clusters::text[],
  @requests::smallint[],
  @shapes::smallint[],
  @resources::text[],
  @resources_per_job::integer[],
  @memories_mb::bigint[],
  @walltimes_s::integer[]) AS g(cluster, request, shape, resources, resources_per_job, memory_mb, walltime_s)
JOIN clusters k ON k.name = g.cluster

-- name: campaigns.sort_tasks
-- Sorts the campaign's tasks by request.
INSERT INTO request_tasks (campaign_id, request, number) SELECT campaign_id, request, number FROM tasks
WHERE campaign_id = @campaign ORDER BY request, number

-- name: campaigns.fill_bags
-- Creates the bag of each request.
INSERT INTO request_bags (campaign_id, request, next_task, untaken)
SELECT campaign_id, request, min(number), count(*) FROM request_tasks WHERE campaign_id = @campaign GROUP BY 1, 2

-- name: campaigns.count_requests
-- Stores the number of the campaign's different requests.
UPDATE campaigns SET requests = (SELECT count(*) FROM request_bags b WHERE b.campaign_id = @campaign) WHERE id = @campaign

-- name: campaigns.sum_requests
-- Summarizes the requests on each cluster: the greatest walltime, and the resources of a job if these are the same for all tasks.
UPDATE campaign_clusters p SET walltime_s = q.walltime_s, resources_per_job = q.resources
FROM (SELECT cluster_id, max(walltime_s) AS walltime_s, CASE
  WHEN min(resources_per_job) = max(resources_per_job) THEN min(resources_per_job) END AS resources
      FROM campaign_requests WHERE campaign_id = @campaign GROUP BY 1) q
WHERE p.campaign_id = @campaign AND p.cluster_id = q.cluster_id

-- name: campaigns.first_ratios
-- Sets the first job ratio from the mean resources of the tasks, where these differ.
WITH first AS (
  INSERT INTO forecasts (campaign_id, cluster_id, job_ratio)
  SELECT q.campaign_id, q.cluster_id, sum(b.untaken)::double precision / sum(b.untaken * q.resources_per_job)
  FROM campaign_requests q JOIN request_bags b ON b.campaign_id = q.campaign_id AND b.request = q.request
  WHERE q.campaign_id = @campaign
    GROUP BY 1, 2 HAVING bool_and(q.resources_per_job IS NOT NULL) AND min(q.resources_per_job) < max(q.resources_per_job)
  RETURNING campaign_id, cluster_id)
UPDATE campaign_clusters p SET active = true FROM first f WHERE p.campaign_id = f.campaign_id AND p.cluster_id = f.cluster_id

-- name: campaigns.write_input
-- Stores the tasks' mean input, in MB.
UPDATE campaigns SET input_mb = @megabytes WHERE id = @campaign

-- name: campaigns.complete
-- Sets the counters when all tasks are written.
UPDATE campaigns SET total = @tasks, waiting = @tasks WHERE id = @campaign

-- name: campaigns.owner
-- The campaign's user and state.
SELECT user_name, state FROM campaigns WHERE id = @campaign

-- name: campaigns.hold
-- Pauses a campaign: no more of its tasks are submitted.
UPDATE campaigns SET state = 'paused' WHERE id = @campaign AND state = 'in_treatment' RETURNING id

-- name: campaigns.resume
-- Resumes a paused campaign.
UPDATE campaigns SET state = 'in_treatment' WHERE id = @campaign AND state = 'paused' RETURNING id

-- name: campaigns.cancel
-- Cancels a campaign.
UPDATE campaigns SET state = 'cancelled', ended_at = instant(@now) WHERE id = @campaign AND is_live(state) RETURNING id

-- name: campaigns.cancel_returned
-- Cancels the returned tasks in the campaign's bag.
WITH gone AS (DELETE FROM returned_tasks WHERE campaign_id = @campaign RETURNING number)
UPDATE tasks t SET state = 'cancelled' FROM gone WHERE t.campaign_id = @campaign AND t.number = gone.number AND t.state = 'waiting'

-- name: campaigns.cancel_untaken
-- Cancels the tasks that were never taken. There may be a million of them, so only the counters change.
UPDATE campaigns SET cancelled = cancelled + waiting, waiting = 0, next_task = total WHERE id = @campaign

-- name: campaigns.reopen
-- Puts a terminated campaign in treatment again. The state of one in treatment or paused is unchanged; no row for a cancelled one.
UPDATE campaigns SET state = CASE state WHEN 'terminated' THEN 'in_treatment' ELSE state END, ended_at = NULL
WHERE id = @campaign AND state IN ('in_treatment', 'paused', 'terminated') AND failed > 0 RETURNING id

-- name: campaigns.uncleaned
-- Marks the campaign's folders on the clusters as in use again.
UPDATE campaign_clusters SET cleaned_at = NULL, active = true WHERE campaign_id = @campaign AND cleaned_at IS NOT NULL

-- name: campaigns.retry_failed_tasks
-- Returns the campaign's failed tasks to the bag, with a clean slate.
WITH again AS (
  UPDATE tasks SET state = 'waiting', attempt = greatest(attempt, replica) + 1, uncounted = greatest(attempt, replica) + 1, charged = 0
  WHERE campaign_id = @campaign AND state = 'failed' RETURNING number, request)
INSERT INTO returned_tasks (campaign_id, number, request, returned_at) SELECT @campaign, number, request, instant(@now)
FROM again ON CONFLICT DO NOTHING
RETURNING number

-- name: campaigns.lift_brakes
-- Lifts the campaign's brakes, on all its clusters.
DELETE FROM brakes WHERE campaign_id = @campaign

-- name: campaigns.forgive
-- Resets the counts of failures in a row, which would otherwise brake the campaign again.
UPDATE campaign_clusters SET failures_in_a_row = 0 WHERE campaign_id = @campaign AND failures_in_a_row > 0

-- name: campaigns.fix_events
-- Closes the campaign's open events.
UPDATE events SET state = 'closed', closed_at = instant(@now) WHERE campaign_id = @campaign AND state = 'open' RETURNING id

-- name: campaigns.finish
-- Terminates campaigns whose tasks are all settled.
UPDATE campaigns SET state = 'terminated', ended_at = instant(@now)
WHERE is_live(state) AND done + failed + cancelled >= total
RETURNING id

-- name: campaigns.sweep
-- Cancels tasks that returned to the bag of a campaign while it was being cancelled.
WITH stray AS (
  DELETE FROM returned_tasks r USING campaigns c WHERE c.id = r.campaign_id AND c.state = 'cancelled' RETURNING r.campaign_id, r.number)
UPDATE tasks t SET state = 'cancelled' FROM stray
WHERE t.campaign_id = stray.campaign_id AND t.number = stray.number AND t.state = 'waiting'
