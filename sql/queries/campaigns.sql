-- Users' actions on campaigns. Each change of a state is guarded by the state that it leaves.

-- name: campaigns.create
-- Creates a campaign, without tasks yet; no row when its user has used the key before.
INSERT INTO campaigns (user_name, name, type, jdl, submitted_at, idempotency_key, request_digest, groups)
VALUES (@user, @name, @type, @jdl::jsonb, instant(@now), @key, @digest::bigint, @groups::text[])
ON CONFLICT (user_name, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
RETURNING id

-- name: campaigns.find_repeated
-- The campaign that a user submitted under this key, and whether the request was the same: its JDL, which includes the type, and the digest
-- of all of it, parameters included.
SELECT id, coalesce(submitted_jdl, jdl) = @jdl::jsonb AND coalesce(request_digest = @digest::bigint, true) AS same FROM campaigns WHERE user_name = @user AND idempotency_key = @key

-- name: campaigns.record_admitted
-- Stores the name and the JDL of a new campaign after its admission rules; the submitted JDL is kept.
UPDATE campaigns SET submitted_jdl = jdl, name = @name, jdl = @jdl::jsonb WHERE id = @campaign

-- name: campaigns.ask_cluster
-- Writes what the campaign asks of a cluster, by name, in place of what it asked before: the counters stay, and so do where its outputs
-- are, and its scripts.
INSERT INTO campaign_clusters AS p (campaign_id, cluster_id, priority, exec_file, exec_directory, resources, resources_per_job,
  nodes_per_job, walltime_s, properties, project, job_types, best_effort, max_jobs, max_walltime_s, output_directory, output_files,
  prologue, prologue_walltime_s, epilogue, epilogue_walltime_s)
SELECT
  @campaign,
  id,
  @priority,
  @exec_file,
  @exec_directory,
  @resources,
  @resources_per_job,
  @nodes_per_job,
  @walltime_s,
  @properties,
  @project,
  @job_types,
  @best_effort,
  @max_jobs,
  @max_walltime_s,
  @output_directory,
  @output_files,
  @prologue,
  @prologue_walltime_s,
  @epilogue,
  @epilogue_walltime_s
FROM clusters WHERE name = @cluster
ON CONFLICT (campaign_id, cluster_id) DO UPDATE SET
  priority = EXCLUDED.priority,
  exec_file = EXCLUDED.exec_file,
  exec_directory = EXCLUDED.exec_directory,
  resources = EXCLUDED.resources,
  resources_per_job = EXCLUDED.resources_per_job,
  nodes_per_job = EXCLUDED.nodes_per_job,
  walltime_s = EXCLUDED.walltime_s,
  properties = EXCLUDED.properties,
  project = EXCLUDED.project,
  job_types = EXCLUDED.job_types,
  best_effort = EXCLUDED.best_effort,
  max_jobs = EXCLUDED.max_jobs,
  max_walltime_s = EXCLUDED.max_walltime_s,
  matching_resources = CASE WHEN p.properties = EXCLUDED.properties THEN p.matching_resources END,
  matching_at = CASE WHEN p.properties = EXCLUDED.properties THEN p.matching_at END
RETURNING cluster_id

-- name: campaigns.write_numbered_tasks
-- Writes @tasks tasks of a campaign, from the number @first on, if their parameters are their numbers.
INSERT INTO tasks (campaign_id, number, parameter)
SELECT @campaign, n, n::text FROM generate_series(@first::bigint, @first + @tasks::bigint - 1) AS n

-- name: campaigns.add_requests
-- Adds the different requests of the campaign's tasks, for each cluster that can hold them.
INSERT INTO campaign_requests (campaign_id, cluster_id, request, shape, resources, resources_per_job, memory_mb, walltime_s)
SELECT @campaign, k.id, g.request, g.shape, g.resources, g.resources_per_job, g.memory_mb, g.walltime_s
FROM unnest(@requests::cluster_request[]) AS g
JOIN clusters k ON k.name = g.cluster

-- name: campaigns.sort_tasks
-- Sorts the campaign's tasks from the number @first on by request.
INSERT INTO request_tasks (campaign_id, request, number) SELECT campaign_id, request, number FROM tasks
WHERE campaign_id = @campaign AND number >= @first ORDER BY request, number

-- name: campaigns.fill_bags
-- Puts the campaign's tasks from the number @first on into the bag of each request. Where no task of a request was left, its cursor is at
-- the first of them, else it stays.
INSERT INTO request_bags AS b (campaign_id, request, next_task, untaken)
SELECT campaign_id, request, min(number), count(*) FROM request_tasks WHERE campaign_id = @campaign AND number >= @first GROUP BY 1, 2
ON CONFLICT (campaign_id, request) DO UPDATE SET
  next_task = CASE WHEN b.untaken > 0 THEN b.next_task ELSE EXCLUDED.next_task END,
  untaken = b.untaken + EXCLUDED.untaken

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
-- The campaign's user, state and number of tasks. No row of one that its user had deleted.
SELECT user_name, state, total FROM campaigns WHERE id = @campaign AND purged_at IS NULL

-- name: campaigns.hold
-- Pauses a campaign: no more of its tasks are submitted.
UPDATE campaigns SET state = 'paused' WHERE id = @campaign AND state = 'in_treatment' RETURNING id

-- name: campaigns.resume
-- Resumes a paused campaign. From now on max_fails counts anew.
UPDATE campaigns SET state = 'in_treatment', forgiven = failed WHERE id = @campaign AND state = 'paused' RETURNING id

-- name: campaigns.cancel
-- Cancels a campaign.
UPDATE campaigns SET state = 'cancelled', ended_at = instant(@now) WHERE id = @campaign AND is_live(state) RETURNING id

-- name: campaigns.has_returned_more
-- Whether more than @most tasks were given back to the campaign's bag.
SELECT EXISTS (SELECT FROM returned_tasks WHERE campaign_id = @campaign AND NOT is_epilogue(number) ORDER BY number OFFSET @most) AS found

-- name: campaigns.cancel_returned
-- Cancels up to @most of the returned tasks in the campaign's bag, but not its epilogues. Each is found by both keys (planning.launch).
WITH first AS MATERIALIZED (
  SELECT campaign_id, number FROM returned_tasks WHERE campaign_id = @campaign AND NOT is_epilogue(number) ORDER BY number LIMIT @most),
gone AS (
  DELETE FROM returned_tasks r USING first f WHERE r.campaign_id = f.campaign_id AND r.number = f.number RETURNING r.campaign_id, r.number)
UPDATE tasks t SET state = 'cancelled' FROM gone g
WHERE t.campaign_id = g.campaign_id AND t.number = g.number AND t.state = 'waiting'
RETURNING t.number

-- name: campaigns.cancel_untaken
-- Cancels the tasks that were never taken. There may be a million of them, so only the counters change.
UPDATE campaigns SET cancelled = cancelled + waiting, waiting = 0, next_task = total, skipped = 0 WHERE id = @campaign

-- name: campaigns.reopen
-- Puts a terminated campaign in treatment again. The state of one in treatment or paused is unchanged; no row for a cancelled one.
UPDATE campaigns SET state = CASE state WHEN 'terminated' THEN 'in_treatment' ELSE state END, ended_at = NULL
WHERE id = @campaign AND state IN ('in_treatment', 'paused', 'terminated') AND failed > 0 RETURNING id

-- name: campaigns.uncleaned
-- Marks the campaign's folders on the clusters as in use again.
UPDATE campaign_clusters SET cleaned_at = NULL, active = true WHERE campaign_id = @campaign AND cleaned_at IS NOT NULL

-- name: campaigns.has_failed_tasks
-- Whether one of the campaign's tasks from @first to @last has failed. @cluster: null, or that of the task's last job. @failure: null, or their
-- group of failure_groups.
SELECT EXISTS (
  SELECT FROM tasks t
  WHERE campaign_id = @campaign AND state = 'failed' AND number BETWEEN @first AND @last
    AND (@failure::bigint IS NULL OR failure = @failure)
    AND (@cluster::bigint IS NULL OR @cluster = (
      SELECT j.cluster_id FROM jobs j WHERE j.campaign_id = t.campaign_id AND j.task = t.number ORDER BY j.id DESC LIMIT 1))) AS found

-- name: campaigns.retry_failed_tasks
-- Returns the first @most of the campaign's failed tasks from @first to @last to the bag, with a clean slate; their last jobs settle them
-- no more. @cluster: null, or that of the task's last job. @failure: null, or their group of failure_groups. Each is found by both keys
-- (planning.launch), and not in an index of failed tasks: thus the text.
WITH first AS MATERIALIZED (
  SELECT campaign_id, number FROM tasks t
  WHERE campaign_id = @campaign AND state = 'failed' AND number BETWEEN @first AND @last
    AND (@failure::bigint IS NULL OR failure = @failure)
    AND (@cluster::bigint IS NULL OR @cluster = (
      SELECT j.cluster_id FROM jobs j WHERE j.campaign_id = t.campaign_id AND j.task = t.number ORDER BY j.id DESC LIMIT 1))
  ORDER BY number LIMIT @most),
again AS (
  UPDATE tasks t SET state = 'waiting', attempt = greatest(attempt, replica) + 1, uncounted = greatest(attempt, replica) + 1, charged = 0,
    failure = NULL
  FROM first f WHERE t.campaign_id = f.campaign_id AND t.number = f.number AND t.state::text = 'failed'
  RETURNING t.number, t.request),
pair AS (
  UPDATE campaign_clusters p SET concluded = greatest(0, p.concluded - d.jobs)
  FROM (
    SELECT j.cluster_id, count(*) AS jobs FROM again a
    CROSS JOIN LATERAL (
      SELECT j.cluster_id, j.ending FROM jobs j WHERE j.campaign_id = @campaign AND j.task = a.number ORDER BY j.id DESC LIMIT 1) j
    WHERE j.ending IS NOT NULL GROUP BY 1) d
  WHERE p.campaign_id = @campaign AND p.cluster_id = d.cluster_id)
INSERT INTO returned_tasks (campaign_id, number, request, returned_at) SELECT @campaign, number, request, instant(@now)
FROM again ON CONFLICT DO NOTHING
RETURNING number

-- name: campaigns.forgive_fewer
-- After failed tasks were returned to the bag: at most those that are still failed are forgiven.
UPDATE campaigns SET forgiven = failed WHERE id = @campaign AND forgiven > failed

-- name: campaigns.lock_in_flight
-- Locks the campaign's tasks from @first to @last that have a live job, in the order of jobs.lock_tasks.
SELECT FROM tasks WHERE campaign_id = @campaign AND number BETWEEN @first AND @last AND is_in_flight(state) ORDER BY number FOR UPDATE

-- name: campaigns.lock_live
-- Locks a campaign in treatment or paused: none of its tasks is taken from the bag until the transaction ends. No row when it is over.
SELECT requests > 0 AS differing FROM campaigns WHERE id = @campaign AND is_live(state) FOR UPDATE

-- name: campaigns.cancel_in_flight
-- Marks the tasks that have a live job: nikita kills the jobs, and no task of them goes back to the bag.
UPDATE tasks SET cancelling = true
WHERE campaign_id = @campaign AND number BETWEEN @first AND @last AND is_in_flight(state) AND NOT cancelling
RETURNING number

-- name: campaigns.cancel_returned_tasks
-- Cancels those tasks from @first to @last that were given back to the bag.
WITH gone AS (DELETE FROM returned_tasks WHERE campaign_id = @campaign AND number BETWEEN @first AND @last RETURNING campaign_id, number)
UPDATE tasks t SET state = 'cancelled' FROM gone g
WHERE t.campaign_id = g.campaign_id AND t.number = g.number AND t.state = 'waiting'
RETURNING t.number

-- name: campaigns.cancel_ahead
-- Cancels those tasks from @first to @last that were never taken, of a campaign with one request for all tasks. Returned ones are not in
-- the bag any more; those that another campaign holds were not in it.
WITH gone AS (
  UPDATE tasks SET state = 'cancelled'
  WHERE campaign_id = @campaign AND number BETWEEN @first AND @last AND state = 'waiting' RETURNING number),
skipped AS (
  UPDATE campaigns c SET skipped = c.skipped + (SELECT count(*) FROM gone g WHERE g.number >= c.next_task)
  WHERE c.id = @campaign AND EXISTS (SELECT FROM gone))
SELECT count(*) AS tasks FROM gone

-- name: campaigns.cancel_ahead_by_request
-- As campaigns.cancel_ahead, for campaigns whose tasks have different requests: the tasks leave the bags of their requests.
WITH gone AS (
  UPDATE tasks SET state = 'cancelled'
  WHERE campaign_id = @campaign AND number BETWEEN @first AND @last AND state = 'waiting' RETURNING number, request),
removed AS (
  DELETE FROM request_tasks r USING gone WHERE r.campaign_id = @campaign AND r.request = gone.request AND r.number = gone.number),
ahead AS (
  SELECT g.request, count(*) AS tasks FROM gone g
  JOIN request_bags b ON b.campaign_id = @campaign AND b.request = g.request AND g.number >= b.next_task GROUP BY 1),
emptied AS (
  UPDATE request_bags b SET untaken = b.untaken - a.tasks FROM ahead a WHERE b.campaign_id = @campaign AND b.request = a.request),
passed AS (
  UPDATE campaigns c SET next_task = c.next_task + a.tasks FROM (SELECT sum(tasks)::bigint AS tasks FROM ahead) a
  WHERE c.id = @campaign AND a.tasks > 0)
SELECT count(*) AS tasks FROM gone

-- name: campaigns.hold_tasks
-- Takes the waiting tasks from @first to @last out of the bag of a campaign, which is locked. Those that were given back keep their places.
-- Those ahead of its cursor are counted as skipped; in a campaign whose tasks have different requests they leave the bags of these. Those
-- that are neither wait for tasks of other campaigns. `in_flight`, `over`, `before`: of the others, those with live jobs, those that are
-- settled, and those that were held before.
WITH campaign AS (SELECT id, next_task, requests FROM campaigns WHERE id = @campaign),
again AS (
  UPDATE returned_tasks SET held_by = @user::text, held_at = instant(@now)
  WHERE campaign_id = @campaign AND number BETWEEN @first AND @last AND held_by IS NULL
  RETURNING number),
others AS (
  SELECT t.number, t.request, t.number >= coalesce(b.next_task, c.next_task) AS ahead
  FROM campaign c
  JOIN tasks t ON t.campaign_id = c.id AND t.number BETWEEN @first AND @last AND t.state = 'waiting'
  LEFT JOIN request_bags b ON b.campaign_id = c.id AND b.request = t.request
  -- For each by both keys, as the statistics may take the tasks that were given back for few.
  LEFT JOIN LATERAL (SELECT true AS found FROM returned_tasks r WHERE r.campaign_id = t.campaign_id AND r.number = t.number OFFSET 0) r ON true
  WHERE r.found IS NULL),
added AS (
  INSERT INTO returned_tasks (campaign_id, number, request, returned_at, held_by, held_at, outside)
  SELECT @campaign, number, request, instant(@now), @user, instant(@now), NOT ahead FROM others),
removed AS (
  DELETE FROM request_tasks r USING others o WHERE r.campaign_id = @campaign AND r.request = o.request AND r.number = o.number AND o.ahead),
emptied AS (
  UPDATE request_bags b SET untaken = b.untaken - a.tasks
  FROM (SELECT request, count(*) AS tasks FROM others WHERE ahead GROUP BY 1) a WHERE b.campaign_id = @campaign AND b.request = a.request),
counts AS (
  SELECT (SELECT count(*) FROM again) + count(*) AS held, count(*) FILTER (WHERE ahead) AS ahead FROM others),
counted AS (
  UPDATE campaigns c SET
    held = c.held + n.held,
    skipped = c.skipped + CASE WHEN c.requests = 0 THEN n.ahead ELSE 0 END,
    next_task = c.next_task + CASE WHEN c.requests > 0 THEN n.ahead ELSE 0 END
  FROM counts n WHERE c.id = @campaign AND n.held > 0)
SELECT
  n.held,
  (SELECT count(*) FROM tasks t WHERE t.campaign_id = @campaign AND t.number BETWEEN @first AND @last AND is_in_flight(t.state)) AS in_flight,
  (SELECT count(*) FROM tasks t
    WHERE t.campaign_id = @campaign AND t.number BETWEEN @first AND @last AND t.state IN ('done', 'failed', 'cancelled')) AS over,
  (SELECT count(*) FROM returned_tasks r WHERE r.campaign_id = @campaign AND r.number BETWEEN @first AND @last AND r.held_by IS NOT NULL)
    AS before
FROM counts n

-- name: campaigns.release_tasks
-- Releases the held tasks from @first to @last of a campaign, which is locked: they are in their places in the bag again, or ahead of its
-- cursor. `first`: the first of those that were not in the bag, and come into it as tasks of other campaigns free them; null: none.
WITH held AS (
  SELECT
    r.number,
    r.request,
    NOT r.outside AND r.number >= coalesce(b.next_task, c.next_task) AS ahead,
    r.outside AND EXISTS (SELECT FROM dependencies d WHERE d.campaign_id = c.id AND d.kind = 'after_each') AS outside
  FROM campaigns c
  JOIN returned_tasks r ON r.campaign_id = c.id AND r.number BETWEEN @first AND @last AND r.held_by IS NOT NULL
  LEFT JOIN request_bags b ON b.campaign_id = c.id AND b.request = r.request
  WHERE c.id = @campaign),
gone AS (
  DELETE FROM returned_tasks r USING held h WHERE r.campaign_id = @campaign AND r.number = h.number AND (h.ahead OR h.outside)),
back AS (
  UPDATE returned_tasks r SET held_by = NULL, held_at = NULL, outside = false, returned_at = instant(@now)
  FROM held h WHERE r.campaign_id = @campaign AND r.number = h.number AND NOT h.ahead AND NOT h.outside),
listed AS (
  INSERT INTO request_tasks (campaign_id, request, number) SELECT @campaign, request, number FROM held WHERE ahead AND request IS NOT NULL
  ON CONFLICT DO NOTHING),
filled AS (
  UPDATE request_bags b SET untaken = b.untaken + a.tasks
  FROM (SELECT request, count(*) AS tasks FROM held WHERE ahead GROUP BY 1) a WHERE b.campaign_id = @campaign AND b.request = a.request),
counts AS (
  SELECT count(*) AS tasks, count(*) FILTER (WHERE ahead) AS ahead, count(*) FILTER (WHERE NOT ahead AND NOT outside) AS back,
    min(number) FILTER (WHERE outside) AS first
  FROM held),
counted AS (
  UPDATE campaigns c SET
    held = c.held - n.back,
    skipped = c.skipped - CASE WHEN c.requests = 0 THEN n.ahead ELSE 0 END,
    next_task = c.next_task - CASE WHEN c.requests > 0 THEN n.ahead ELSE 0 END
  FROM counts n WHERE c.id = @campaign AND n.tasks > 0)
SELECT tasks, first FROM counts

-- name: campaigns.held_tasks
-- The number of a campaign's held tasks.
SELECT held AS tasks FROM campaigns WHERE id = @campaign

-- name: campaigns.failing
-- Campaigns of which more tasks failed since they were last resumed than max_fails allows.
SELECT c.id FROM campaigns c
WHERE c.state = 'in_treatment' AND c.max_fails IS NOT NULL AND c.failed - c.forgiven > fails_allowed(c) ORDER BY c.id

-- name: campaigns.pause_failing
-- Pauses one of them.
UPDATE campaigns c SET state = 'paused'
WHERE c.id = @campaign AND c.state = 'in_treatment' AND c.max_fails IS NOT NULL AND c.failed - c.forgiven > fails_allowed(c)
RETURNING c.id, c.failed - c.forgiven AS fails, c.forgiven > 0 AS was_resumed, c.total, c.max_fails, fails_allowed(c)::bigint AS allowed

-- name: campaigns.lift_brakes
-- Lifts the campaign's brakes, on all its clusters; those that were set by hand only with @by_hand.
DELETE FROM brakes WHERE campaign_id = @campaign AND (@by_hand OR set_by IS NULL)

-- name: campaigns.forgive
-- Resets the counts of failures in a row, which would otherwise brake the campaign again, and the bounds of its arrays.
UPDATE campaign_clusters SET failures_in_a_row = 0, failed_since_done = 0, array_most = NULL
WHERE campaign_id = @campaign AND (failures_in_a_row > 0 OR failed_since_done > 0 OR array_most IS NOT NULL)

-- name: campaigns.fix_events
-- Closes the campaign's open events.
UPDATE events SET state = 'closed', closed_at = instant(@now) WHERE campaign_id = @campaign AND state = 'open' RETURNING id

-- name: campaigns.acknowledge
-- Closes the open events of a terminated campaign.
UPDATE events e SET state = 'closed', closed_at = instant(@now) FROM campaigns c
WHERE c.id = @campaign AND c.state = 'terminated' AND e.campaign_id = c.id AND e.state = 'open'
RETURNING e.id

-- name: campaigns.settled
-- Live campaigns whose tasks are all settled, and whose epilogues have ended.
SELECT id FROM campaigns WHERE is_live(state) AND done + failed + cancelled >= total AND NOT has_scripts_left(id) ORDER BY id

-- name: campaigns.finish
-- Terminates these, if they are settled still.
UPDATE campaigns SET state = 'terminated', ended_at = instant(@now)
WHERE id = ANY (@campaigns::bigint[]) AND is_live(state) AND done + failed + cancelled >= total AND NOT has_scripts_left(id)
RETURNING id

-- name: campaigns.sweep
-- Cancels tasks that returned to the bag of a campaign while it was being cancelled.
WITH stray AS (
  DELETE FROM returned_tasks r USING campaigns c WHERE c.id = r.campaign_id AND c.state = 'cancelled' AND NOT is_epilogue(r.number)
  RETURNING r.campaign_id, r.number)
UPDATE tasks t SET state = 'cancelled' FROM stray
WHERE t.campaign_id = stray.campaign_id AND t.number = stray.number AND t.state = 'waiting'
