-- The laws of the database; lib/store/checks.cpp lists them. The first line of a law's comment states the law. A line "Repair:" states how
-- `gridctl db check --repair` repairs a breach. The query of a law returns the rows that break it, at most 1 000 of them, and their total
-- number. `@all`, where a law has it: campaigns that are over are checked too, and counters are not trusted. The query of a repair repeats
-- the condition of the breach, so that it leaves rows unchanged that were repaired meanwhile, and returns the number of rows that it
-- changed.

-- name: checks.limit_time
-- Limits the time of a law's check. @limit: with its unit.
SELECT set_config('statement_timeout', @limit, true) AS statement_timeout

-- name: checks.hold_lease
-- Blocks writes of all modules until the end of the transaction.
SELECT term FROM lease FOR UPDATE

-- name: checks.due
-- Records a check by the conductor, unless the last one is younger than @period_ms.
UPDATE grid SET checked_at = clock_timestamp()
WHERE checked_at IS NULL OR checked_at <= clock_timestamp() - @period_ms * interval '1 millisecond' OR checked_at > clock_timestamp()
RETURNING one

-- name: checks.triggers
-- The triggers are there and enabled: they keep counters, totals, usage, dependencies, campaigns.requested, the feed, the audit, and notices.
SELECT
  NULL::bigint AS campaign_id,
  NULL::bigint AS cluster_id,
  NULL::bigint AS id,
  format('the trigger %s of %s is %s', w.name, w.relation, CASE WHEN g.tgname IS NULL THEN 'missing' ELSE 'disabled' END) AS breach,
  count(*) OVER () AS breaches
FROM (VALUES ('admission_rules', 'note_act'), ('affinities', 'note_act'), ('brakes', 'note_act'), ('brakes', 'tell_brake'),
  ('campaign_clusters', 'note_requested'), ('campaign_clusters', 'note_failure'), ('campaigns', 'judge_forecasts'),
  ('campaigns', 'meet_dependencies'), ('campaigns', 'note_first_campaign'), ('campaigns', 'note_new_campaign'), ('campaigns', 'note_progress'), ('campaigns', 'note_reopened'),
  ('campaigns', 'note_state'), ('campaigns', 'tell_campaign'), ('campaigns', 'total_new_campaigns'),
  ('campaigns', 'total_over_campaigns'), ('clusters', 'forget_totals'), ('clusters', 'note_act'), ('clusters', 'note_cluster'),
  ('clusters', 'note_new_cluster'), ('decision_history', 'thin_decision_history'), ('declarations', 'note_act'), ('events', 'note_act'), ('events', 'note_event'),
  ('events', 'note_new_event'), ('events', 'tell_event'), ('events', 'tell_new_event'), ('gridstatus', 'total_resources'),
  ('inputs', 'count_gone_inputs'), ('inputs', 'count_new_inputs'), ('jobs', 'account_usage'), ('jobs', 'count_jobs'),
  ('jobs', 'count_new_jobs'), ('jobs', 'count_plans'), ('kill_requests', 'total_kills'), ('launches', 'note_algorithm'),
  ('group_priorities', 'note_act'), ('keeps', 'note_act'), ('lease', 'note_term'), ('limits', 'note_act'), ('normal_users', 'note_act'),
  ('project_priorities', 'note_act'), ('returned_tasks', 'count_unheld'), ('returned_tasks', 'follow_when_freed'),
  ('returned_tasks', 'follow_when_returned'), ('shares', 'note_act'), ('tasks', 'count_tasks'), ('tasks', 'release_tasks'),
  ('user_limits', 'note_act'), ('user_mappings', 'note_act'), ('user_priorities', 'note_act')) AS w(relation, name)
LEFT JOIN pg_trigger g ON g.tgrelid = to_regclass(w.relation) AND g.tgname = w.name
WHERE g.tgname IS NULL OR g.tgenabled = 'D'
ORDER BY w.name LIMIT 1000

-- name: checks.grid
-- The grid has one token.
SELECT
  NULL::bigint AS campaign_id,
  NULL::bigint AS cluster_id,
  NULL::bigint AS id,
  format('the table grid has %s rows', count(*)) AS breach,
  1::bigint AS breaches
FROM grid HAVING count(*) <> 1

-- name: checks.lease
-- The lease is one row, ends within a day, and no open launch is of a later term.
-- Repair: a new term that nobody holds; whoever conducts takes it.
SELECT NULL::bigint AS campaign_id, NULL::bigint AS cluster_id, NULL::bigint AS id, breach, count(*) OVER () AS breaches
FROM (
  SELECT format('the table lease has %s rows', count(*)) AS breach FROM lease HAVING count(*) <> 1
  UNION ALL SELECT format('%s holds the lease until %s', holder, expires_at) FROM lease
    WHERE expires_at > clock_timestamp() + interval '1 day'
  UNION ALL SELECT format('launch %s is of term %s, the lease is at %s', l.id, l.term, e.term) FROM launches l, lease e
    WHERE is_open(l.state) AND l.term > e.term) b
LIMIT 1000

-- name: checks.mend_lease
-- Sets a term greater than all others, without a holder.
WITH known AS (SELECT coalesce(max(term), 0) AS term FROM launches WHERE is_open(state)),
new AS (
  INSERT INTO lease (term) SELECT term + 1 FROM known WHERE NOT EXISTS (SELECT FROM lease) RETURNING term),
mended AS (
  UPDATE lease e SET term = greatest(e.term, k.term) + 1, expires_at = '-infinity' FROM known k
  WHERE e.expires_at > clock_timestamp() + interval '1 day' OR e.term < k.term RETURNING e.term)
SELECT (SELECT count(*) FROM new) + (SELECT count(*) FROM mended) AS changed

-- name: checks.stray_job
-- A live job has its campaign, its task, its pair and its launch.
-- Repair: the job is over (lost); nothing of the grid can follow it.
SELECT
  j.campaign_id,
  j.cluster_id,
  j.id,
  format('job %s (%s, %s) has no %s', j.id, j.state, coalesce('OAR job ' || j.remote_id, 'no OAR id'),
    concat_ws(', ', CASE WHEN c.id IS NULL THEN 'campaign' END, CASE WHEN t.number IS NULL THEN 'task' END,
      CASE WHEN p.campaign_id IS NULL THEN 'pair' END, CASE WHEN l.id IS NULL THEN 'launch' END)) AS breach,
  count(*) OVER () AS breaches
FROM jobs j
LEFT JOIN campaigns c ON c.id = j.campaign_id
LEFT JOIN tasks t ON t.campaign_id = j.campaign_id AND t.number = j.task
LEFT JOIN campaign_clusters p ON p.campaign_id = j.campaign_id AND p.cluster_id = j.cluster_id
LEFT JOIN launches l ON l.id = j.launch_id AND l.campaign_id = j.campaign_id AND l.cluster_id = j.cluster_id
WHERE is_live(j.state)
  AND (c.id IS NULL OR t.number IS NULL OR p.campaign_id IS NULL OR l.id IS NULL)
ORDER BY j.id LIMIT 1000

-- name: checks.end_stray_jobs
-- Nothing of the grid can follow these jobs.
WITH ended AS (
  UPDATE jobs j SET state = 'error', ending = 'lost', ended_at = instant(@now), message = 'what it belongs to is gone'
  WHERE j.id = ANY (@jobs::bigint[]) AND is_live(j.state)
    AND NOT EXISTS (
      SELECT FROM campaigns c
      JOIN tasks t ON t.campaign_id = c.id AND t.number = j.task
      JOIN campaign_clusters p ON p.campaign_id = c.id AND p.cluster_id = j.cluster_id
      JOIN launches l ON l.id = j.launch_id AND l.campaign_id = c.id AND l.cluster_id = j.cluster_id
      WHERE c.id = j.campaign_id)
  RETURNING j.id)
SELECT count(*) AS changed FROM ended

-- name: checks.job_without_remote_id
-- A job that waits or runs on its cluster has an OAR id.
-- Repair: the job is declared lost: its task goes elsewhere with a new attempt.
SELECT
  campaign_id,
  cluster_id,
  id,
  format('job %s of task %s of campaign %s is %s without an OAR id', id, task, campaign_id, state) AS breach,
  count(*) OVER () AS breaches
FROM jobs WHERE is_remote(state) AND remote_id IS NULL
ORDER BY id LIMIT 1000

-- name: checks.remote_id_twice
-- A job of OAR is one live job.
SELECT
  min(campaign_id) AS campaign_id,
  cluster_id,
  min(id) AS id,
  format('OAR job %s of cluster %s is the jobs %s', remote_id, cluster_id, string_agg(id::text, ', ' ORDER BY id)) AS breach,
  count(*) OVER () AS breaches
FROM jobs WHERE is_live(state) AND remote_id IS NOT NULL AND NOT pooled
GROUP BY cluster_id, remote_id HAVING count(*) > 1
ORDER BY cluster_id, remote_id LIMIT 1000

-- name: checks.live_job_with_end
-- A live job has no end.
-- Repair: the end is removed.
SELECT
  campaign_id,
  cluster_id,
  id,
  format('job %s is %s and has an end (%s, %s)', id, state, coalesce(ending, 'no reason'), coalesce(ended_at::text, 'no time')) AS breach,
  count(*) OVER () AS breaches
FROM jobs WHERE is_live(state) AND (ended_at IS NOT NULL OR ending IS NOT NULL)
ORDER BY id LIMIT 1000

-- name: checks.clear_ends
WITH cleared AS (
  UPDATE jobs SET ended_at = NULL, ending = NULL
  WHERE id = ANY (@jobs::bigint[]) AND is_live(state) AND (ended_at IS NOT NULL OR ending IS NOT NULL)
  RETURNING id)
SELECT count(*) AS changed FROM cleared

-- name: checks.job_of_launch
-- A job that is planned, launching or unknown is in a launch of that state.
-- Repair: the job is declared lost: its task goes elsewhere with a new attempt.
SELECT
  j.campaign_id,
  j.cluster_id,
  j.id,
  format('job %s is %s, its launch %s is %s', j.id, j.state, l.id, l.state) AS breach,
  count(*) OVER () AS breaches
FROM jobs j JOIN launches l ON l.id = j.launch_id
WHERE is_open(j.state) AND j.state::text <> l.state::text
ORDER BY j.id LIMIT 1000

-- name: checks.open_launch
-- A launch that is planned, launching or unknown has a job in that state, or one that may still appear.
-- Repair: the launch is void; its tag is searched for a while.
SELECT
  l.campaign_id,
  l.cluster_id,
  l.id,
  format('launch %s of campaign %s is %s, and none of its jobs is', l.id, l.campaign_id, l.state) AS breach,
  count(*) OVER () AS breaches
FROM launches l
WHERE is_open(l.state)
  AND NOT EXISTS (SELECT FROM jobs j WHERE j.launch_id = l.id AND (is_open(j.state) OR is_unfound(j)))
ORDER BY l.id LIMIT 1000

-- name: checks.void_launches
-- Launches without a job to wait for become void; their tags are searched for a while, as those of all void launches.
WITH voided AS (
  UPDATE launches l SET state = 'void', settled_at = instant(@now), error = 'it had no job left to look for'
  WHERE l.id = ANY (@launches::bigint[]) AND is_open(l.state)
    AND NOT EXISTS (SELECT FROM jobs j WHERE j.launch_id = l.id AND (is_open(j.state) OR is_unfound(j)))
  RETURNING l.id)
SELECT count(*) AS changed FROM voided

-- name: checks.launch_tag
-- A launch that is launching or unknown has a tag.
SELECT
  l.campaign_id,
  l.cluster_id,
  l.id,
  format('launch %s of campaign %s is %s and has no tag', l.id, l.campaign_id, l.state) AS breach,
  count(*) OVER () AS breaches
FROM launches l WHERE l.state IN ('launching', 'unknown') AND l.tag IS NULL
ORDER BY l.id LIMIT 1000

-- name: checks.job_fence
-- The launch in whose folder a live job claims its attempt is of the same campaign and cluster.
SELECT
  j.campaign_id,
  j.cluster_id,
  j.id,
  format('job %s claims its attempt in the folder of launch %s, which is %s', j.id, j.fence,
    CASE WHEN l.id IS NULL THEN 'gone' ELSE format('of campaign %s on cluster %s', l.campaign_id, l.cluster_id) END) AS breach,
  count(*) OVER () AS breaches
FROM jobs j LEFT JOIN launches l ON l.id = j.fence
WHERE is_live(j.state) AND j.fence IS NOT NULL
  AND (l.id IS NULL OR l.campaign_id <> j.campaign_id OR l.cluster_id <> j.cluster_id)
ORDER BY j.id LIMIT 1000

-- name: checks.retired_cluster
-- A retired cluster has no live job.
-- Repair: the job is declared lost: its task goes elsewhere with a new attempt.
SELECT
  j.campaign_id,
  j.cluster_id,
  j.id,
  format('job %s of campaign %s is %s on %s, which was retired at %s', j.id, j.campaign_id, j.state, k.name, k.retired_at) AS breach,
  count(*) OVER () AS breaches
FROM clusters k JOIN jobs j ON j.cluster_id = k.id
WHERE k.retired_at IS NOT NULL AND is_live(j.state) AND j.state <> 'planned'
ORDER BY j.id LIMIT 1000

-- name: checks.unwanted_job
-- A job that its task does not wait for is killed within 10 minutes, unless it carries out others.
-- Repair: its kill is requested.
-- Jobs of replicated tasks, and late ones, exist for a moment before nikita requests their kills.
SELECT
  j.campaign_id,
  j.cluster_id,
  j.id,
  format('job %s (attempt %s) is %s; task %s of campaign %s is %s, attempt %s', j.id, j.attempt, j.state, t.number, t.campaign_id, t.state,
    t.attempt) AS breach,
  count(*) OVER () AS breaches
FROM jobs j
JOIN tasks t ON t.campaign_id = j.campaign_id AND t.number = j.task
JOIN launches l ON l.id = j.launch_id
WHERE is_remote(j.state) AND NOT is_awaited(t, j.attempt) AND NOT j.command_over AND NOT carries_awaited(j)
  AND NOT EXISTS (SELECT FROM kill_requests k WHERE k.job_id = j.id)
  AND coalesce(greatest(l.settled_at, (SELECT max(o.ended_at) FROM jobs o WHERE o.campaign_id = j.campaign_id AND o.task = j.task)),
    '-infinity')
    < clock_timestamp() - interval '10 minutes'
ORDER BY j.id LIMIT 1000

-- name: checks.kill_unwanted
WITH killed AS (
  INSERT INTO kill_requests (job_id, reason, requested_at)
  SELECT j.id, 'late', instant(@now) FROM jobs j JOIN tasks t ON t.campaign_id = j.campaign_id AND t.number = j.task
  WHERE j.id = ANY (@jobs::bigint[]) AND is_remote(j.state) AND NOT is_awaited(t, j.attempt)
  ON CONFLICT DO NOTHING RETURNING job_id)
SELECT count(*) AS changed FROM killed

-- name: checks.task_without_job
-- A task that is launching, submitted or running has a live job of its attempt.
-- Repair: the task goes back to the bag with a new attempt, which nobody pays.
-- Unless @all, the tasks of a campaign are read only when its counters differ from those of its live jobs.
WITH carried AS (
  SELECT j.campaign_id, count(DISTINCT j.task) AS tasks FROM jobs j JOIN tasks t ON t.campaign_id = j.campaign_id AND t.number = j.task
  WHERE is_live(j.state) AND is_in_flight(t.state) AND is_copy(t, j.attempt) AND NOT is_script(t.number)
  GROUP BY j.campaign_id),
suspects AS (
  SELECT c.id FROM campaigns c LEFT JOIN carried k ON k.campaign_id = c.id
  WHERE @all::boolean OR (is_live(c.state) AND c.launching + c.submitted + c.running <> coalesce(k.tasks, 0)))
SELECT
  t.campaign_id,
  NULL::bigint AS cluster_id,
  t.number AS id,
  format('task %s of campaign %s is %s, attempt %s', t.number, t.campaign_id, t.state, t.attempt) AS breach,
  count(*) OVER () AS breaches
FROM suspects s JOIN tasks t ON t.campaign_id = s.id
WHERE is_in_flight(t.state)
  AND NOT EXISTS (SELECT FROM jobs j WHERE j.campaign_id = t.campaign_id AND j.task = t.number AND is_copy(t, j.attempt)
                    AND is_live(j.state))
ORDER BY t.campaign_id, t.number LIMIT 1000

-- name: checks.return_tasks
-- Tasks in flight without a job go back to the bag with a new attempt; nothing is charged.
WITH given AS (SELECT * FROM unnest(@campaigns::bigint[], @tasks::bigint[]) AS g(campaign_id, number)),
settled AS (
  UPDATE tasks t SET
    state = CASE WHEN (c.state = 'cancelled' AND NOT is_epilogue(t.number)) OR t.cancelling THEN 'cancelled' ELSE 'waiting' END::task_state,
    cancelling = false,
    attempt = n.attempt,
    uncounted = t.uncounted + n.attempt - t.attempt,
    replica_lives = false
  FROM given g
  JOIN campaigns c ON c.id = g.campaign_id
  JOIN tasks b ON b.campaign_id = g.campaign_id AND b.number = g.number
  CROSS JOIN LATERAL (SELECT greatest(b.attempt, b.replica, max(j.attempt)) + 1 AS attempt FROM jobs j
                      WHERE j.campaign_id = g.campaign_id AND j.task = g.number) n
  WHERE t.campaign_id = g.campaign_id AND t.number = g.number AND is_in_flight(t.state)
    AND NOT EXISTS (SELECT FROM jobs j WHERE j.campaign_id = t.campaign_id AND j.task = t.number AND is_copy(t, j.attempt)
                      AND is_live(j.state))
  RETURNING t.campaign_id, t.number, t.state, t.request),
back AS (
  INSERT INTO returned_tasks (campaign_id, number, request, returned_at)
  SELECT campaign_id, number, request, instant(@now) FROM settled WHERE state = 'waiting' ON CONFLICT DO NOTHING)
SELECT count(*) AS changed FROM settled

-- name: checks.attempt_behind
-- No job has a later attempt than its task.
-- Repair: the attempt of a task that waits or failed is raised.
SELECT
  t.campaign_id,
  NULL::bigint AS cluster_id,
  t.number AS id,
  format('task %s of campaign %s is %s at attempt %s, and job %s has attempt %s', t.number, t.campaign_id, t.state,
    greatest(t.attempt, t.replica), j.id, j.attempt) AS breach,
  count(*) OVER () AS breaches
FROM jobs j JOIN tasks t ON t.campaign_id = j.campaign_id AND t.number = j.task
WHERE (@all::boolean OR is_live(j.state)) AND j.attempt > greatest(t.attempt, t.replica)
ORDER BY t.campaign_id, t.number, j.attempt DESC LIMIT 1000

-- name: checks.raise_attempts
-- For tasks that wait or failed. For one in flight, the next attempt repairs it.
WITH raised AS (
  UPDATE tasks t SET attempt = n.attempt, uncounted = t.uncounted + n.attempt - t.attempt
  FROM unnest(@campaigns::bigint[], @tasks::bigint[]) AS g(campaign_id, number)
  CROSS JOIN LATERAL (SELECT max(j.attempt) + 1 AS attempt FROM jobs j WHERE j.campaign_id = g.campaign_id AND j.task = g.number) n
  WHERE t.campaign_id = g.campaign_id AND t.number = g.number AND t.state IN ('waiting', 'failed') AND n.attempt > next_attempt(t)
  RETURNING t.number)
SELECT count(*) AS changed FROM raised

-- name: checks.replica
-- A task with a replica has two live jobs, and is submitted or running.
-- Repair: the copy that lives is the only one.
SELECT
  t.campaign_id,
  NULL::bigint AS cluster_id,
  t.number AS id,
  format('task %s of campaign %s is %s and waits for the attempts %s and %s; %s of them have a live job', t.number, t.campaign_id, t.state,
    t.attempt, t.replica, n.live) AS breach,
  count(*) OVER () AS breaches
FROM campaigns c
JOIN tasks t ON t.campaign_id = c.id AND t.replica_lives
CROSS JOIN LATERAL (SELECT count(DISTINCT j.attempt) AS live FROM jobs j
  WHERE j.campaign_id = t.campaign_id AND j.task = t.number AND is_copy(t, j.attempt)
                      AND is_live(j.state)) n
WHERE (@all::boolean OR (is_live(c.state) AND c.replicas)) AND (n.live <> 2 OR t.state NOT IN ('submitted', 'running'))
ORDER BY t.campaign_id, t.number LIMIT 1000

-- name: checks.keep_one_copy
-- The live copy becomes the only one.
WITH kept AS (
  UPDATE tasks t SET replica_lives = false, attempt = coalesce(n.attempt, t.attempt)
  FROM unnest(@campaigns::bigint[], @tasks::bigint[]) AS g(campaign_id, number)
  JOIN tasks b ON b.campaign_id = g.campaign_id AND b.number = g.number
  CROSS JOIN LATERAL (SELECT count(DISTINCT j.attempt) AS live, max(j.attempt) AS attempt FROM jobs j
                      WHERE j.campaign_id = b.campaign_id AND j.task = b.number AND is_copy(b, j.attempt)
                        AND is_live(j.state)) n
  WHERE t.campaign_id = g.campaign_id AND t.number = g.number AND t.replica_lives
    AND (n.live < 2 OR t.state NOT IN ('submitted', 'running'))
  RETURNING t.number)
SELECT count(*) AS changed FROM kept

-- name: checks.lost_from_bag
-- A task that waits is ahead of its cursor, was given back, or is held by a user or by a task of another campaign.
-- Repair: the task goes back to the bag, with a new attempt if it had a job.
-- Unless @all, the tasks of a campaign are read only when its counters are inconsistent.
WITH back AS (SELECT campaign_id, count(*) AS tasks FROM returned_tasks WHERE NOT is_script(number) GROUP BY campaign_id),
suspects AS (
  SELECT c.id, c.next_task FROM campaigns c LEFT JOIN back b ON b.campaign_id = c.id
  WHERE is_live(c.state) AND (@all::boolean OR (c.waiting <> c.total - c.next_task - c.skipped + coalesce(b.tasks, 0)
    AND NOT EXISTS (SELECT FROM dependencies d WHERE d.campaign_id = c.id AND d.kind = 'after_each' AND d.met_at IS NULL))))
SELECT
  t.campaign_id,
  NULL::bigint AS cluster_id,
  t.number AS id,
  format('task %s of campaign %s waits, and is neither ahead of the cursor, nor given back, nor held', t.number, t.campaign_id) AS breach,
  count(*) OVER () AS breaches
FROM suspects s
JOIN tasks t ON t.campaign_id = s.id AND t.state = 'waiting'
LEFT JOIN request_bags q ON q.campaign_id = t.campaign_id AND q.request = t.request
WHERE t.number < coalesce(q.next_task, s.next_task)
  AND NOT EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = t.campaign_id AND r.number = t.number)
  AND NOT is_held(t.campaign_id, t.number)
ORDER BY t.campaign_id, t.number LIMIT 1000

-- name: checks.put_back
-- The fence of its attempt is unknown, so a task that had a job gets a new attempt.
WITH given AS (
  SELECT t.campaign_id, t.number, t.request, n.attempt FROM unnest(@campaigns::bigint[], @tasks::bigint[]) AS g(campaign_id, number)
  JOIN campaigns c ON c.id = g.campaign_id AND is_live(c.state)
  JOIN tasks t ON t.campaign_id = g.campaign_id AND t.number = g.number AND t.state = 'waiting'
  LEFT JOIN request_bags q ON q.campaign_id = t.campaign_id AND q.request = t.request
  CROSS JOIN LATERAL (SELECT greatest(t.attempt, t.replica, max(j.attempt)) + 1 AS attempt FROM jobs j
                      WHERE j.campaign_id = t.campaign_id AND j.task = t.number HAVING count(*) > 0
                      UNION ALL SELECT t.attempt LIMIT 1) n
  WHERE t.number < coalesce(q.next_task, c.next_task) AND NOT is_held(t.campaign_id, t.number)),
back AS (
  INSERT INTO returned_tasks (campaign_id, number, request, returned_at)
  SELECT campaign_id, number, request, instant(@now) FROM given ON CONFLICT DO NOTHING RETURNING campaign_id, number),
raised AS (
  UPDATE tasks t SET attempt = g.attempt, uncounted = t.uncounted + g.attempt - t.attempt
  FROM given g JOIN back b ON b.campaign_id = g.campaign_id AND b.number = g.number
  WHERE t.campaign_id = g.campaign_id AND t.number = g.number AND t.attempt <> g.attempt)
SELECT count(*) AS changed FROM back

-- name: checks.bag_entry
-- A task that was given back exists, waits, and is not ahead of its cursor, unless it is held.
-- Repair: the entry is removed from the bag.
-- Tasks of a campaign that was just cancelled are swept by the updator.
SELECT
  r.campaign_id,
  r.cluster_id,
  r.number AS id,
  format('task %s of campaign %s was given back, and %s', r.number, r.campaign_id,
    CASE WHEN c.id IS NULL THEN 'its campaign is gone' WHEN t.number IS NULL THEN 'is no task of it'
      WHEN t.state <> 'waiting' THEN 'is ' || t.state
         ELSE 'is ahead of the cursor, too' END) AS breach,
  count(*) OVER () AS breaches
FROM returned_tasks r
LEFT JOIN campaigns c ON c.id = r.campaign_id
LEFT JOIN tasks t ON t.campaign_id = r.campaign_id AND t.number = r.number
LEFT JOIN request_bags q ON q.campaign_id = t.campaign_id AND q.request = t.request
WHERE c.id IS NULL OR t.number IS NULL OR t.state <> 'waiting'
  OR (c.state <> 'cancelled' AND r.held_by IS NULL AND t.number >= coalesce(q.next_task, c.next_task))
ORDER BY r.campaign_id, r.number LIMIT 1000

-- name: checks.drop_bag_entries
WITH dropped AS (
  DELETE FROM returned_tasks r USING unnest(@campaigns::bigint[], @tasks::bigint[]) AS g(campaign_id, number)
  LEFT JOIN campaigns c ON c.id = g.campaign_id
  LEFT JOIN tasks t ON t.campaign_id = g.campaign_id AND t.number = g.number
  LEFT JOIN request_bags q ON q.campaign_id = t.campaign_id AND q.request = t.request
  WHERE r.campaign_id = g.campaign_id AND r.number = g.number
    AND (c.id IS NULL OR t.number IS NULL OR t.state <> 'waiting'
      OR (c.state <> 'cancelled' AND r.held_by IS NULL AND t.number >= coalesce(q.next_task, c.next_task)))
  RETURNING r.number)
SELECT count(*) AS changed FROM dropped

-- name: checks.bag_request
-- A task that was given back has its own request.
-- Repair: the task's request is written.
SELECT
  r.campaign_id,
  r.cluster_id,
  r.number AS id,
  format('task %s of campaign %s was given back with request %s, it has %s', r.number, r.campaign_id, coalesce(r.request::text, 'none'),
    coalesce(t.request::text, 'none')) AS breach,
  count(*) OVER () AS breaches
FROM returned_tasks r JOIN tasks t ON t.campaign_id = r.campaign_id AND t.number = r.number
WHERE r.request IS DISTINCT FROM t.request
ORDER BY r.campaign_id, r.number LIMIT 1000

-- name: checks.mend_bag_requests
WITH mended AS (
  UPDATE returned_tasks r SET request = t.request FROM tasks t
  WHERE t.campaign_id = r.campaign_id AND t.number = r.number AND r.request IS DISTINCT FROM t.request RETURNING r.number)
SELECT count(*) AS changed FROM mended

-- name: checks.claim
-- A task that waits for a cluster has it in its campaign, in use, and its fence is a launch there.
-- Repair: the task may go anywhere, with a new attempt.
SELECT
  r.campaign_id,
  r.cluster_id,
  r.number AS id,
  format('task %s of campaign %s waits for %s, %s', r.number, r.campaign_id,
    coalesce('cluster ' || coalesce(k.name, r.cluster_id::text), 'no cluster'),
    CASE WHEN k.retired_at IS NOT NULL THEN 'which is retired'
         WHEN r.cluster_id IS NOT NULL AND p.campaign_id IS NULL THEN 'which its campaign does not name'
         WHEN r.cluster_id IS NULL THEN format('and its attempt is claimed in the folder of launch %s', r.fence)
         ELSE format('and launch %s, in whose folder its attempt is claimed, is %s', r.fence,
                CASE WHEN l.id IS NULL THEN 'gone'
                  ELSE format('of campaign %s on cluster %s', l.campaign_id, l.cluster_id) END) END) AS breach,
  count(*) OVER () AS breaches
FROM returned_tasks r
LEFT JOIN clusters k ON k.id = r.cluster_id
LEFT JOIN campaign_clusters p ON p.campaign_id = r.campaign_id AND p.cluster_id = r.cluster_id
LEFT JOIN launches l ON l.id = r.fence
WHERE (r.cluster_id IS NOT NULL AND (p.campaign_id IS NULL OR k.retired_at IS NOT NULL))
  OR (r.fence IS NOT NULL AND (l.id IS NULL OR l.campaign_id <> r.campaign_id OR l.cluster_id IS DISTINCT FROM r.cluster_id))
ORDER BY r.campaign_id, r.number LIMIT 1000

-- name: checks.release_claims
-- These tasks may go to any cluster, with a new attempt.
WITH released AS (
  UPDATE returned_tasks r SET cluster_id = NULL, fence = NULL
  FROM unnest(@campaigns::bigint[], @tasks::bigint[]) AS g(campaign_id, number)
  WHERE r.campaign_id = g.campaign_id AND r.number = g.number AND (r.cluster_id IS NOT NULL OR r.fence IS NOT NULL)
    AND NOT EXISTS (
      SELECT FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id AND k.retired_at IS NULL
      LEFT JOIN launches l ON l.id = r.fence AND l.campaign_id = r.campaign_id AND l.cluster_id = r.cluster_id
      WHERE p.campaign_id = r.campaign_id AND p.cluster_id = r.cluster_id AND (r.fence IS NULL OR l.id IS NOT NULL))
  RETURNING r.campaign_id, r.number),
raised AS (
  UPDATE tasks t SET attempt = next_attempt(t), uncounted = t.uncounted + next_attempt(t) - t.attempt
  FROM released r WHERE t.campaign_id = r.campaign_id AND t.number = r.number AND t.state = 'waiting')
SELECT count(*) AS changed FROM released

-- name: checks.cursor
-- The cursor of a campaign is between 0 and the number of its tasks.
-- Repair: the nearer of the two.
SELECT
  id AS campaign_id,
  NULL::bigint AS cluster_id,
  id,
  format('campaign %s has %s tasks, its cursor is at %s', id, total, next_task) AS breach,
  count(*) OVER () AS breaches
FROM campaigns WHERE next_task < 0 OR next_task > total
ORDER BY id LIMIT 1000

-- name: checks.mend_cursors
WITH mended AS (
  UPDATE campaigns SET next_task = least(greatest(next_task, 0), total)
    WHERE id = ANY (@campaigns::bigint[]) AND (next_task < 0 OR next_task > total) RETURNING id)
SELECT count(*) AS changed FROM mended

-- name: checks.request_bags
-- The bags of a campaign hold the tasks that were never taken.
-- Repair: the bags are counted, and the cursor follows their sum.
-- Unless @all, the tasks of a request are not counted.
SELECT
  c.id AS campaign_id,
  NULL::bigint AS cluster_id,
  c.id,
  format('campaign %s has %s tasks that were never taken, its bags %s%s', c.id, c.total - c.next_task, b.untaken, b.wrong) AS breach,
  count(*) OVER () AS breaches
FROM campaigns c
CROSS JOIN LATERAL (
  SELECT coalesce(sum(q.untaken), 0) AS untaken,
    coalesce(string_agg(format('; %s of request %s', n.tasks, q.request), '') FILTER (WHERE q.untaken <> n.tasks), '') AS wrong
  FROM request_bags q
  CROSS JOIN LATERAL (SELECT CASE
    WHEN @all::boolean THEN (SELECT count(*) FROM request_tasks t WHERE t.campaign_id = q.campaign_id AND t.request = q.request
                                                          AND t.number >= q.next_task) ELSE greatest(q.untaken, 0) END AS tasks) n
  WHERE q.campaign_id = c.id) b
WHERE is_live(c.state) AND c.requests > 0 AND (b.untaken <> c.total - c.next_task OR b.wrong <> '')
ORDER BY c.id LIMIT 1000

-- name: checks.count_bags
-- The content of each bag, and the cursor from their sum.
WITH counted AS (
  SELECT q.campaign_id, q.request,
    (SELECT count(*) FROM request_tasks t
      WHERE t.campaign_id = q.campaign_id AND t.request = q.request AND t.number >= q.next_task) AS tasks
  FROM request_bags q JOIN campaigns c ON c.id = q.campaign_id AND is_live(c.state) WHERE q.campaign_id = ANY (@campaigns::bigint[])),
bags AS (
  UPDATE request_bags q SET untaken = n.tasks FROM counted n
    WHERE q.campaign_id = n.campaign_id AND q.request = n.request AND q.untaken <> n.tasks),
mended AS (
  UPDATE campaigns c SET next_task = c.total - n.tasks FROM (SELECT campaign_id, sum(tasks) AS tasks FROM counted GROUP BY 1) n
    WHERE c.id = n.campaign_id RETURNING c.id)
SELECT count(*) AS changed FROM mended

-- name: checks.taken_ahead
-- A task ahead of its cursor waits, or is cancelled.
SELECT
  t.campaign_id,
  NULL::bigint AS cluster_id,
  t.number AS id,
  format('task %s of campaign %s is ahead of the cursor, and %s', t.number, t.campaign_id, t.state) AS breach,
  count(*) OVER () AS breaches
FROM campaigns c
JOIN tasks t ON t.campaign_id = c.id
LEFT JOIN request_bags q ON q.campaign_id = t.campaign_id AND q.request = t.request
WHERE is_live(c.state) AND t.number >= coalesce(q.next_task, c.next_task) AND t.state NOT IN ('waiting', 'cancelled')
ORDER BY t.campaign_id, t.number LIMIT 1000

-- name: checks.skipped
-- The cancelled and held tasks ahead of a campaign's cursor are counted.
-- Repair: they are counted.
-- Unless @all, the tasks of a campaign are read only when its counters are inconsistent.
WITH back AS (SELECT campaign_id, count(*) AS tasks FROM returned_tasks WHERE NOT is_script(number) GROUP BY campaign_id),
suspects AS (
  SELECT c.id, c.next_task, c.skipped, c.requests FROM campaigns c LEFT JOIN back b ON b.campaign_id = c.id
  WHERE is_live(c.state) AND (@all::boolean OR c.waiting <> c.total - c.next_task - c.skipped + coalesce(b.tasks, 0)))
SELECT
  s.id AS campaign_id,
  NULL::bigint AS cluster_id,
  s.id,
  format('campaign %s counts %s cancelled and held tasks ahead of its cursor; they are %s', s.id, s.skipped, n.tasks) AS breach,
  count(*) OVER () AS breaches
FROM suspects s
CROSS JOIN LATERAL (SELECT count(*) AS tasks FROM tasks t
  WHERE t.campaign_id = s.id AND t.number >= s.next_task AND s.requests = 0
    AND (t.state = 'cancelled' OR EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = t.campaign_id AND r.number = t.number))) n
WHERE s.skipped <> n.tasks
ORDER BY s.id LIMIT 1000

-- name: checks.count_skipped
WITH mended AS (
  UPDATE campaigns c SET skipped = (SELECT count(*) FROM tasks t
    WHERE t.campaign_id = c.id AND t.number >= c.next_task AND c.requests = 0
      AND (t.state = 'cancelled' OR EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = t.campaign_id AND r.number = t.number)))
  WHERE c.id = ANY (@campaigns::bigint[]) AND is_live(c.state) RETURNING c.id)
SELECT count(*) AS changed FROM mended

-- name: checks.held
-- The held tasks of a campaign are counted.
-- Repair: they are counted.
SELECT
  c.id AS campaign_id,
  NULL::bigint AS cluster_id,
  c.id,
  format('campaign %s counts %s held tasks; they are %s', c.id, c.held, coalesce(h.tasks, 0)) AS breach,
  count(*) OVER () AS breaches
FROM campaigns c
LEFT JOIN (SELECT campaign_id, count(*) AS tasks FROM returned_tasks WHERE held_by IS NOT NULL GROUP BY 1) h ON h.campaign_id = c.id
WHERE c.held <> coalesce(h.tasks, 0)
ORDER BY c.id LIMIT 1000

-- name: checks.count_held
WITH mended AS (
  UPDATE campaigns c SET held = n.tasks
  FROM (
    SELECT o.id, (SELECT count(*) FROM returned_tasks r WHERE r.campaign_id = o.id AND r.held_by IS NOT NULL) AS tasks
    FROM campaigns o WHERE o.id = ANY (@campaigns::bigint[])) n
  WHERE c.id = n.id AND c.held <> n.tasks RETURNING c.id)
SELECT count(*) AS changed FROM mended

-- name: checks.cancelling
-- A task that is being cancelled has a live job.
-- Repair: the mark is removed.
SELECT
  campaign_id,
  NULL::bigint AS cluster_id,
  number AS id,
  format('task %s of campaign %s is %s, and is being cancelled', number, campaign_id, state) AS breach,
  count(*) OVER () AS breaches
FROM tasks WHERE cancelling AND NOT is_in_flight(state)
ORDER BY campaign_id, number LIMIT 1000

-- name: checks.unmark_cancelling
WITH mended AS (
  UPDATE tasks t SET cancelling = false FROM unnest(@campaigns::bigint[], @tasks::bigint[]) AS g(campaign_id, number)
  WHERE t.campaign_id = g.campaign_id AND t.number = g.number AND t.cancelling AND NOT is_in_flight(t.state) RETURNING t.number)
SELECT count(*) AS changed FROM mended

-- name: checks.missing_tasks
-- A campaign in treatment or paused has all its tasks.
SELECT
  c.id AS campaign_id,
  NULL::bigint AS cluster_id,
  c.id,
  format('campaign %s has %s of its %s tasks', c.id, t.tasks, c.total) AS breach,
  count(*) OVER () AS breaches
FROM campaigns c CROSS JOIN LATERAL (SELECT count(*) AS tasks FROM tasks t WHERE t.campaign_id = c.id AND NOT is_script(t.number)) t
WHERE is_live(c.state) AND t.tasks <> c.total
ORDER BY c.id LIMIT 1000

-- name: checks.done_twice
-- An attempt is done by one job at most.
SELECT
  campaign_id,
  min(cluster_id) AS cluster_id,
  min(id) AS id,
  format('attempt %s of task %s of campaign %s was done by the jobs %s', attempt, task, campaign_id,
    string_agg(id::text, ', ' ORDER BY id)) AS breach,
  count(*) OVER () AS breaches
FROM jobs WHERE ending = 'done'
GROUP BY campaign_id, task, attempt HAVING count(*) > 1
ORDER BY campaign_id, task LIMIT 1000

-- name: checks.done_by_a_job
-- A task is done exactly when a job of it was, unless its user had cancelled it before.
-- When a campaign is pruned, its jobs are deleted before its tasks. A cancelled task may have been in the bag, given back by a void launch,
-- whose orphan did it before it was killed.
SELECT
  t.campaign_id,
  NULL::bigint AS cluster_id,
  t.number AS id,
  format('task %s of campaign %s is %s, %s', t.number, t.campaign_id, t.state, CASE
    WHEN t.state = 'done' THEN 'and no job did it' ELSE 'and a job of its attempt did it' END) AS breach,
  count(*) OVER () AS breaches
FROM tasks t JOIN campaigns c ON c.id = t.campaign_id
CROSS JOIN LATERAL (SELECT count(*) AS jobs, count(*) FILTER (WHERE j.ending = 'done') AS done,
  count(*) FILTER (WHERE j.ending = 'done' AND is_copy(t, j.attempt)) AS current
                    FROM jobs j WHERE j.campaign_id = t.campaign_id AND j.task = t.number) n
WHERE (t.state = 'done' AND n.done = 0 AND (n.jobs > 0 OR is_live(c.state))) OR (t.state NOT IN ('done', 'cancelled') AND n.current > 0)
ORDER BY t.campaign_id, t.number LIMIT 1000

-- name: checks.ended_job
-- A job that is over has a reason and an end that is not before its start.
SELECT
  campaign_id,
  cluster_id,
  id,
  format('job %s is %s, %s', id, state, CASE WHEN ended_at IS NULL THEN 'since no time' WHEN ending IS NULL THEN 'for no reason'
    ELSE format('and ended at %s, before its start at %s', ended_at, started_at) END) AS breach,
  count(*) OVER () AS breaches
FROM jobs WHERE NOT is_live(state) AND (ended_at IS NULL OR ending IS NULL OR ended_at < started_at)
ORDER BY id LIMIT 1000

-- name: checks.over_with_tasks
-- Every task of a terminated campaign is done, failed or cancelled.
-- Repair: the campaign is in treatment again.
SELECT
  id AS campaign_id,
  NULL::bigint AS cluster_id,
  id,
  format('campaign %s is terminated, and %s of its %s tasks are not', id, total - done - failed - cancelled, total) AS breach,
  count(*) OVER () AS breaches
FROM campaigns WHERE state = 'terminated' AND done + failed + cancelled < total
ORDER BY id LIMIT 1000

-- name: checks.reopen
WITH open AS (
  UPDATE campaigns SET state = 'in_treatment', ended_at = NULL
    WHERE id = ANY (@campaigns::bigint[]) AND state = 'terminated' AND done + failed + cancelled < total RETURNING id),
pairs AS (
  UPDATE campaign_clusters p SET cleaned_at = NULL, active = true FROM open WHERE p.campaign_id = open.id AND p.cleaned_at IS NOT NULL)
SELECT count(*) AS changed FROM open

-- name: checks.campaign_end
-- A campaign has an end exactly when it is over.
-- Repair: the end is now, or removed.
SELECT
  id AS campaign_id,
  NULL::bigint AS cluster_id,
  id,
  format('campaign %s is %s, %s', id, state, coalesce('and ended at ' || ended_at, 'since no time')) AS breach,
  count(*) OVER () AS breaches
FROM campaigns WHERE is_over(state) <> (ended_at IS NOT NULL)
ORDER BY id LIMIT 1000

-- name: checks.mend_campaign_ends
WITH mended AS (
  UPDATE campaigns SET ended_at = CASE WHEN is_over(state) THEN instant(@now) END
  WHERE id = ANY (@campaigns::bigint[]) AND is_over(state) <> (ended_at IS NOT NULL) RETURNING id)
SELECT count(*) AS changed FROM mended

-- name: checks.cleaned_pair
-- The files of a campaign in treatment or paused are not removed from its clusters.
-- Repair: they count as there.
SELECT
  p.campaign_id,
  p.cluster_id,
  p.campaign_id AS id,
  format('campaign %s is %s, and its files on cluster %s count as removed', c.id, c.state, p.cluster_id) AS breach,
  count(*) OVER () AS breaches
FROM campaigns c JOIN campaign_clusters p ON p.campaign_id = c.id
WHERE is_live(c.state) AND p.cleaned_at IS NOT NULL
ORDER BY p.campaign_id, p.cluster_id LIMIT 1000

-- name: checks.uncleaned
WITH mended AS (
  UPDATE campaign_clusters p SET cleaned_at = NULL, active = true FROM campaigns c
  WHERE c.id = p.campaign_id AND c.id = ANY (@campaigns::bigint[]) AND is_live(c.state) AND p.cleaned_at IS NOT NULL
    RETURNING p.campaign_id)
SELECT count(*) AS changed FROM mended

-- name: checks.requested
-- The request of a campaign to its clusters is stored as its pairs have it.
-- Repair: it is written anew.
SELECT
  id AS campaign_id,
  NULL::bigint AS cluster_id,
  id,
  format('campaign %s asks "%s" of its clusters, and "%s" is written', id, requested_of(id), requested) AS breach,
  count(*) OVER () AS breaches
FROM campaigns WHERE is_live(state) AND requested <> requested_of(id)::text
ORDER BY id LIMIT 1000

-- name: checks.mend_requested
WITH mended AS (UPDATE campaigns SET requested = requested_of(id)::text WHERE id = ANY (@campaigns::bigint[]) AND requested <> requested_of(id)::text RETURNING id)
SELECT count(*) AS changed FROM mended

-- name: checks.inputs_there
-- The number of pieces of input files that are on a cluster is that of the pieces which are noted as there.
-- Repair: all of them are sent there again.
SELECT
  p.campaign_id,
  p.cluster_id,
  p.campaign_id AS id,
  format('%s pieces of the input files of campaign %s are on cluster %s, and %s are noted', p.inputs_sent, p.campaign_id, p.cluster_id, t.pieces)
    AS breach,
  count(*) OVER () AS breaches
FROM campaigns c
JOIN campaign_clusters p ON p.campaign_id = c.id
CROSS JOIN LATERAL (SELECT coalesce(sum(upper(r) - lower(r)), 0)::bigint AS pieces FROM unnest(p.inputs_there) r) t
WHERE (@all::boolean OR is_live(c.state)) AND (p.inputs_sent > 0 OR NOT isempty(p.inputs_there)) AND p.inputs_sent IS DISTINCT FROM t.pieces
ORDER BY p.campaign_id, p.cluster_id LIMIT 1000

-- name: checks.send_inputs_again
WITH mended AS (
  UPDATE campaign_clusters p
    SET inputs_sent = 0, inputs_there = '{}', inputs_lacking = NULL, inputs_missing = NULL, inputs_at = NULL
    WHERE p.campaign_id = ANY (@campaigns::bigint[])
      AND p.inputs_sent IS DISTINCT FROM (SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM unnest(p.inputs_there) r)
      RETURNING p.campaign_id)
SELECT count(*) AS changed FROM mended

-- name: checks.inactive_pair
-- A pair with a live job is active.
-- Repair: the pair is active.
SELECT
  p.campaign_id,
  p.cluster_id,
  p.campaign_id AS id,
  format('campaign %s has %s live jobs on cluster %s, and the pair is not active', p.campaign_id, count(*), p.cluster_id) AS breach,
  count(*) OVER () AS breaches
FROM campaign_clusters p JOIN jobs j ON j.campaign_id = p.campaign_id AND j.cluster_id = p.cluster_id
WHERE NOT p.active AND is_live(j.state)
GROUP BY p.campaign_id, p.cluster_id
ORDER BY p.campaign_id, p.cluster_id LIMIT 1000

-- name: checks.activate
WITH mended AS (
  UPDATE campaign_clusters p SET active = true
  WHERE p.campaign_id = ANY (@campaigns::bigint[]) AND NOT p.active
    AND EXISTS (SELECT FROM jobs j WHERE j.campaign_id = p.campaign_id AND j.cluster_id = p.cluster_id
                  AND is_live(j.state))
  RETURNING p.campaign_id)
SELECT count(*) AS changed FROM mended

-- name: checks.pair_counters
-- The counters of a pair are those of its live jobs.
-- Repair: the jobs are counted.
WITH counted AS (
  SELECT
    campaign_id,
    cluster_id,
    count(*) FILTER (WHERE state IN ('planned', 'launching')) AS launching,
    count(*) FILTER (WHERE state = 'remote_waiting') AS waiting,
    count(*) FILTER (WHERE state = 'running') AS running,
    count(*) FILTER (WHERE state = 'unknown') AS unknown
  FROM jobs WHERE is_live(state) GROUP BY 1, 2)
SELECT
  p.campaign_id,
  p.cluster_id,
  p.campaign_id AS id,
  format('campaign %s counts on cluster %s %s jobs launching, %s waiting, %s running, %s unknown; they are %s, %s, %s, %s', p.campaign_id,
    p.cluster_id,
    p.launching, p.waiting, p.running, p.unknown, coalesce(n.launching, 0), coalesce(n.waiting, 0), coalesce(n.running, 0),
      coalesce(n.unknown, 0)) AS breach,
  count(*) OVER () AS breaches
FROM campaign_clusters p LEFT JOIN counted n ON n.campaign_id = p.campaign_id AND n.cluster_id = p.cluster_id
WHERE (p.launching, p.waiting, p.running, p.unknown) <> (coalesce(n.launching, 0), coalesce(n.waiting, 0), coalesce(n.running, 0),
  coalesce(n.unknown, 0))
ORDER BY p.campaign_id, p.cluster_id LIMIT 1000

-- name: checks.count_pairs
WITH counted AS (
  SELECT
    p.campaign_id,
    p.cluster_id,
    count(*) FILTER (WHERE j.state IN ('planned', 'launching')) AS launching,
    count(*) FILTER (WHERE j.state = 'remote_waiting') AS waiting,
    count(*) FILTER (WHERE j.state = 'running') AS running,
    count(*) FILTER (WHERE j.state = 'unknown') AS unknown
  FROM campaign_clusters p
  LEFT JOIN jobs j ON j.campaign_id = p.campaign_id AND j.cluster_id = p.cluster_id AND is_live(j.state)
  WHERE p.campaign_id = ANY (@campaigns::bigint[]) GROUP BY 1, 2),
mended AS (
  UPDATE campaign_clusters p SET launching = n.launching, waiting = n.waiting, running = n.running, unknown = n.unknown FROM counted n
  WHERE p.campaign_id = n.campaign_id AND p.cluster_id = n.cluster_id
    AND (p.launching, p.waiting, p.running, p.unknown) <> (n.launching, n.waiting, n.running, n.unknown)
  RETURNING p.campaign_id)
SELECT count(*) AS changed FROM mended

-- name: checks.campaign_counters
-- The counters of a campaign are those of its tasks.
-- Repair: the tasks are counted.
-- The tasks that were never taken from the bag of a cancelled campaign keep their state, and a campaign that is being pruned counts its
-- failed tasks as cancelled: only the counters change.
SELECT
  c.id AS campaign_id,
  NULL::bigint AS cluster_id,
  c.id,
  format('campaign %s (%s) counts %s tasks waiting, %s launching, %s submitted, %s running, %s done, %s failed, %s cancelled; they are %s, %s, %s, %s, %s, %s, %s',
    c.id, c.state, c.waiting, c.launching, c.submitted, c.running, c.done, c.failed, c.cancelled,
    t.waiting, t.launching, t.submitted, t.running, t.done, t.failed, t.cancelled) AS breach,
  count(*) OVER () AS breaches
FROM campaigns c
CROSS JOIN LATERAL (
  SELECT
    count(*) AS tasks,
    count(*) FILTER (WHERE state = 'waiting') AS waiting,
    count(*) FILTER (WHERE state = 'launching') AS launching,
    count(*) FILTER (WHERE state = 'submitted') AS submitted,
    count(*) FILTER (WHERE state = 'running') AS running,
    count(*) FILTER (WHERE state = 'done') AS done,
    count(*) FILTER (WHERE state = 'failed') AS failed,
    count(*) FILTER (WHERE state = 'cancelled') AS cancelled
  FROM tasks WHERE campaign_id = c.id AND NOT is_script(number)) t
WHERE (@all::boolean OR is_live(c.state))
  AND CASE WHEN is_live(c.state)
        THEN (c.waiting, c.launching, c.submitted, c.running, c.done, c.failed, c.cancelled) <> (t.waiting, t.launching, t.submitted,
          t.running, t.done, t.failed, t.cancelled)
        ELSE t.tasks = c.total AND (c.launching, c.submitted, c.running, c.done, c.waiting + c.failed + c.cancelled)
          <> (t.launching, t.submitted, t.running, t.done, t.waiting + t.failed + t.cancelled) END
ORDER BY c.id LIMIT 1000

-- name: checks.count_tasks
WITH counted AS (
  SELECT c.id, count(*) FILTER (WHERE t.state = 'waiting') AS waiting, count(*) FILTER (WHERE t.state = 'launching') AS launching,
    count(*) FILTER (WHERE t.state = 'submitted') AS submitted, count(*) FILTER (WHERE t.state = 'running') AS running,
      count(*) FILTER (WHERE t.state = 'done') AS done,
    count(*) FILTER (WHERE t.state = 'failed') AS failed, count(*) FILTER (WHERE t.state = 'cancelled') AS cancelled,
    -- Tasks of a cancelled campaign that were never taken.
    count(*) FILTER (WHERE t.state = 'waiting' AND c.state = 'cancelled'
                       AND NOT EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = t.campaign_id AND r.number = t.number)) AS untaken
  FROM campaigns c LEFT JOIN tasks t ON t.campaign_id = c.id AND NOT is_script(t.number)
  WHERE c.id = ANY (@campaigns::bigint[]) GROUP BY c.id),
mended AS (
  UPDATE campaigns c SET
    waiting = n.waiting - n.untaken,
    launching = n.launching,
    submitted = n.submitted,
    running = n.running,
    done = n.done,
    failed = n.failed,
    cancelled = n.cancelled + n.untaken
  FROM counted n WHERE c.id = n.id
    AND (c.waiting, c.launching, c.submitted, c.running, c.done, c.failed, c.cancelled)
      <> (n.waiting - n.untaken, n.launching, n.submitted, n.running, n.done, n.failed, n.cancelled + n.untaken)
  RETURNING c.id)
SELECT count(*) AS changed FROM mended

-- name: checks.task_blocks
-- The blocks of a campaign are those of its tasks.
-- Repair: the tasks of each block are counted.
-- Unless @all, the tasks of a campaign are read only when its blocks differ from its counters.
WITH suspects AS (
  SELECT c.id FROM campaigns c
  LEFT JOIN LATERAL (
    SELECT sum(launching) AS launching, sum(submitted) AS submitted, sum(running) AS running, sum(done) AS done
    FROM task_blocks WHERE campaign_id = c.id) b ON true
  WHERE @all::boolean OR (is_live(c.state) AND (c.launching, c.submitted, c.running, c.done)
    <> (coalesce(b.launching, 0), coalesce(b.submitted, 0), coalesce(b.running, 0), coalesce(b.done, 0)))),
counted AS (SELECT s.id, n.* FROM suspects s CROSS JOIN LATERAL blocks_of(s.id) n),
kept AS (
  SELECT b.* FROM suspects s JOIN task_blocks b ON b.campaign_id = s.id
  WHERE (b.launching, b.submitted, b.running, b.done, b.failed, b.cancelled) <> (0, 0, 0, 0, 0, 0))
SELECT
  coalesce(k.campaign_id, n.id) AS campaign_id,
  NULL::bigint AS cluster_id,
  coalesce(k.campaign_id, n.id) AS id,
  format('block %s of campaign %s counts %s tasks launching, %s submitted, %s running, %s done, %s failed, %s cancelled; they are %s, %s, %s, %s, %s, %s',
    coalesce(k.block, n.block), coalesce(k.campaign_id, n.id), coalesce(k.launching, 0), coalesce(k.submitted, 0), coalesce(k.running, 0),
    coalesce(k.done, 0), coalesce(k.failed, 0), coalesce(k.cancelled, 0), coalesce(n.launching, 0), coalesce(n.submitted, 0),
    coalesce(n.running, 0), coalesce(n.done, 0), coalesce(n.failed, 0), coalesce(n.cancelled, 0)) AS breach,
  count(*) OVER () AS breaches
FROM counted n FULL JOIN kept k ON k.campaign_id = n.id AND k.block = n.block
-- The tasks of a campaign that is being pruned are deleted before its blocks.
WHERE (k.launching, k.submitted, k.running, k.done, k.failed, k.cancelled)
    IS DISTINCT FROM (n.launching, n.submitted, n.running, n.done, n.failed, n.cancelled)
  AND NOT EXISTS (SELECT FROM campaigns c WHERE c.id = coalesce(k.campaign_id, n.id) AND c.sealed)
ORDER BY 1, coalesce(k.block, n.block) LIMIT 1000

-- name: checks.count_blocks
WITH locked AS MATERIALIZED (SELECT id FROM campaigns WHERE id = ANY (@campaigns::bigint[]) ORDER BY id FOR NO KEY UPDATE),
counted AS (SELECT c.id, n.* FROM locked c CROSS JOIN LATERAL blocks_of(c.id) n),
emptied AS (
  DELETE FROM task_blocks b USING locked c
  WHERE b.campaign_id = c.id AND NOT EXISTS (SELECT FROM counted n WHERE n.id = c.id AND n.block = b.block)
  RETURNING b.block),
mended AS (
  INSERT INTO task_blocks AS b (campaign_id, block, launching, submitted, running, done, failed, cancelled)
  SELECT id, block, launching, submitted, running, done, failed, cancelled FROM counted
  ON CONFLICT (campaign_id, block) DO UPDATE SET
    launching = EXCLUDED.launching, submitted = EXCLUDED.submitted, running = EXCLUDED.running, done = EXCLUDED.done,
    failed = EXCLUDED.failed, cancelled = EXCLUDED.cancelled
  WHERE (b.launching, b.submitted, b.running, b.done, b.failed, b.cancelled)
    <> (EXCLUDED.launching, EXCLUDED.submitted, EXCLUDED.running, EXCLUDED.done, EXCLUDED.failed, EXCLUDED.cancelled)
  RETURNING b.block)
SELECT (SELECT count(*) FROM emptied) + (SELECT count(*) FROM mended) AS changed

-- name: checks.failure_groups
-- The tasks of a group of failures are those that name it, and these are failed.
-- Repair: they are counted.
-- Unless @all, the campaigns that are not over are looked at.
WITH suspects AS (SELECT c.id FROM campaigns c WHERE NOT c.sealed AND (@all::boolean OR is_live(c.state))),
counted AS (
  SELECT s.id AS campaign_id, t.failure, count(*) AS tasks
  FROM suspects s JOIN tasks t ON t.campaign_id = s.id AND t.failure IS NOT NULL GROUP BY 1, 2),
kept AS (SELECT g.campaign_id, g.id AS failure, g.tasks FROM suspects s JOIN failure_groups g ON g.campaign_id = s.id)
SELECT
  campaign_id,
  NULL::bigint AS cluster_id,
  failure AS id,
  format('group %s of the failures of campaign %s counts %s tasks; they are %s', failure, campaign_id, coalesce(k.tasks, 0),
    coalesce(n.tasks, 0)) AS breach,
  count(*) OVER () AS breaches
FROM counted n FULL JOIN kept k USING (campaign_id, failure)
WHERE coalesce(k.tasks, 0) <> coalesce(n.tasks, 0)
ORDER BY campaign_id, failure LIMIT 1000

-- name: checks.count_failures
-- Tasks that are not failed name no group, nor do those whose group is none of their campaign's.
WITH locked AS MATERIALIZED (SELECT id FROM campaigns WHERE id = ANY (@campaigns::bigint[]) ORDER BY id FOR NO KEY UPDATE),
counted AS (
  SELECT c.id AS campaign_id, t.failure, count(*) AS tasks
  FROM locked c JOIN tasks t ON t.campaign_id = c.id AND t.state = 'failed' AND t.failure IS NOT NULL GROUP BY 1, 2),
lost AS (
  UPDATE tasks t SET failure = NULL FROM locked c
  WHERE t.campaign_id = c.id AND t.failure IS NOT NULL
    AND (t.state <> 'failed' OR NOT EXISTS (SELECT FROM failure_groups g WHERE g.id = t.failure AND g.campaign_id = c.id))
  RETURNING t.number),
mended AS (
  UPDATE failure_groups g SET tasks = coalesce((SELECT n.tasks FROM counted n WHERE n.failure = g.id AND n.campaign_id = g.campaign_id), 0)
  FROM locked c WHERE g.campaign_id = c.id
    AND g.tasks <> coalesce((SELECT n.tasks FROM counted n WHERE n.failure = g.id AND n.campaign_id = g.campaign_id), 0)
  RETURNING g.id)
SELECT (SELECT count(*) FROM lost) + (SELECT count(*) FROM mended) AS changed

-- name: checks.pair_results
-- The tasks done of a campaign are those of its pairs together.
SELECT
  c.id AS campaign_id,
  NULL::bigint AS cluster_id,
  c.id,
  format('campaign %s has %s tasks done, its pairs count %s', c.id, c.done, p.done) AS breach,
  count(*) OVER () AS breaches
FROM campaigns c CROSS JOIN LATERAL (SELECT coalesce(sum(p.done), 0) AS done FROM campaign_clusters p WHERE p.campaign_id = c.id) p
WHERE (@all::boolean OR is_live(c.state)) AND c.done <> p.done
ORDER BY c.id LIMIT 1000

-- name: checks.usage
-- No usage is negative, infinite or not a number.
-- Repair: it counts as none.
SELECT
  campaign_id,
  cluster_id,
  campaign_id AS id,
  format('%s used %s resource-seconds of cluster %s on %s', user_name, resource_seconds, cluster_id, day) AS breach,
  count(*) OVER () AS breaches
FROM usage
WHERE NOT (least(resource_seconds, useful_seconds, failed_seconds, lost_seconds) >= 0
  AND greatest(resource_seconds, useful_seconds, failed_seconds, lost_seconds) < 'infinity')
ORDER BY day LIMIT 1000

-- name: checks.mend_usage
-- Impossible usage is set to 0.
WITH mended AS (
  UPDATE usage SET resource_seconds = 0, useful_seconds = 0, failed_seconds = 0, lost_seconds = 0
  WHERE NOT (least(resource_seconds, useful_seconds, failed_seconds, lost_seconds) >= 0
    AND greatest(resource_seconds, useful_seconds, failed_seconds, lost_seconds) < 'infinity')
  RETURNING day)
SELECT count(*) AS changed FROM mended

-- name: checks.plan_quality
-- The plans of each algorithm on each cluster count at least the jobs that are over and still there.
-- Repair: the figures are raised to those of the jobs.
-- Jobs of campaigns that were deleted stay counted.
SELECT
  NULL::bigint AS campaign_id,
  cluster_id,
  NULL::bigint AS id,
  format('%s on cluster %s: %s jobs counted (%s started, %s killed), %s are over (%s started, %s killed)',
    coalesce(nullif(algorithm, ''), 'the first ratio'), cluster_id, counted.jobs, counted.started, counted.killed, found.jobs, found.started,
    found.killed) AS breach,
  count(*) OVER () AS breaches
FROM (
  SELECT v.cluster_id, v.algorithm, v.type, count(*) AS jobs, count(*) FILTER (WHERE v.started) AS started,
    count(*) FILTER (WHERE v.fate IN ('preempted', 'killed')) AS killed
  FROM jobs j CROSS JOIN LATERAL judged(j) v GROUP BY 1, 2, 3) found
LEFT JOIN (
  SELECT cluster_id, algorithm, type, sum(done + failed + walltime + preempted + killed + taken_back + unsent + lost)::bigint AS jobs,
    sum(started)::bigint AS started, sum(preempted + killed)::bigint AS killed
  FROM plan_quality GROUP BY 1, 2, 3) counted USING (cluster_id, algorithm, type)
WHERE (found.jobs, found.started, found.killed) IS DISTINCT FROM (counted.jobs, counted.started, counted.killed)
  AND (counted.jobs IS NULL OR found.jobs > counted.jobs OR found.started > counted.started OR found.killed > counted.killed)
ORDER BY cluster_id, algorithm LIMIT 1000

-- name: checks.count_plans
-- The days that count less than their jobs are counted anew; their ratios stay.
WITH found AS (
  SELECT v.day, v.cluster_id, v.algorithm, v.type,
    count(*) FILTER (WHERE v.fate = 'done') AS done,
    count(*) FILTER (WHERE v.fate = 'failed') AS failed,
    count(*) FILTER (WHERE v.fate = 'walltime') AS walltime,
    count(*) FILTER (WHERE v.fate = 'preempted') AS preempted,
    count(*) FILTER (WHERE v.fate = 'killed') AS killed,
    count(*) FILTER (WHERE v.fate = 'taken_back') AS taken_back,
    count(*) FILTER (WHERE v.fate = 'unsent') AS unsent,
    count(*) FILTER (WHERE v.fate = 'lost') AS lost,
    count(*) FILTER (WHERE v.started) AS started,
    count(*) FILTER (WHERE v.started AND v.waited) AS waited,
    sum(v.wait_s) AS wait_s, sum(v.held_s) AS held_s, sum(v.wasted_s) AS wasted_s
  FROM jobs j CROSS JOIN LATERAL judged(j) v GROUP BY 1, 2, 3, 4),
mended AS (
  INSERT INTO plan_quality AS q (day, cluster_id, algorithm, type, done, failed, walltime, preempted, killed, taken_back, unsent, lost,
    started, waited, wait_s, held_s, wasted_s)
  SELECT * FROM found
  ON CONFLICT (day, cluster_id, algorithm, type) DO UPDATE SET
    done = greatest(q.done, EXCLUDED.done),
    failed = greatest(q.failed, EXCLUDED.failed),
    walltime = greatest(q.walltime, EXCLUDED.walltime),
    preempted = greatest(q.preempted, EXCLUDED.preempted),
    killed = greatest(q.killed, EXCLUDED.killed),
    taken_back = greatest(q.taken_back, EXCLUDED.taken_back),
    unsent = greatest(q.unsent, EXCLUDED.unsent),
    lost = greatest(q.lost, EXCLUDED.lost),
    started = greatest(q.started, EXCLUDED.started),
    waited = greatest(q.waited, EXCLUDED.waited),
    wait_s = greatest(q.wait_s, EXCLUDED.wait_s),
    held_s = greatest(q.held_s, EXCLUDED.held_s),
    wasted_s = greatest(q.wasted_s, EXCLUDED.wasted_s)
  WHERE (q.done, q.failed, q.walltime, q.preempted, q.killed, q.taken_back, q.unsent, q.lost, q.started)
    IS DISTINCT FROM (greatest(q.done, EXCLUDED.done), greatest(q.failed, EXCLUDED.failed), greatest(q.walltime, EXCLUDED.walltime),
      greatest(q.preempted, EXCLUDED.preempted), greatest(q.killed, EXCLUDED.killed), greatest(q.taken_back, EXCLUDED.taken_back),
      greatest(q.unsent, EXCLUDED.unsent), greatest(q.lost, EXCLUDED.lost), greatest(q.started, EXCLUDED.started))
  RETURNING q.day)
SELECT count(*) AS changed FROM mended

-- name: checks.future_brake
-- No brake was set in the future.
-- Repair: it holds as long as it was to, from now on.
SELECT campaign_id, cluster_id, id, format('brake %s (%s) was set at %s', id, reason, created_at) AS breach, count(*) OVER () AS breaches
FROM brakes WHERE created_at > clock_timestamp() + interval '1 minute'
ORDER BY id LIMIT 1000

-- name: checks.mend_brakes
-- The brakes keep their length, from now on.
WITH mended AS (
  UPDATE brakes SET created_at = clock_timestamp(), expires_at = clock_timestamp() + (expires_at - created_at)
  WHERE created_at > clock_timestamp() + interval '1 minute' RETURNING id)
SELECT count(*) AS changed FROM mended

-- name: checks.future_status
-- No figures of a cluster are of the future.
-- Repair: the figures are removed.
SELECT
  NULL::bigint AS campaign_id,
  s.cluster_id,
  NULL::bigint AS id,
  format('figures of %s are of %s', k.name, s.time) AS breach,
  count(*) OVER () AS breaches
FROM clusters k JOIN gridstatus s ON s.cluster_id = k.id AND s.time > clock_timestamp() + interval '1 minute'
ORDER BY s.cluster_id, s.time LIMIT 1000

-- name: checks.drop_future_status
WITH dropped AS (DELETE FROM gridstatus WHERE time > clock_timestamp() + interval '1 minute' RETURNING time)
SELECT count(*) AS changed FROM dropped

-- name: checks.future_probe
-- A cluster is asked again within 10 minutes.
-- Repair: it is asked at once.
SELECT
  NULL::bigint AS campaign_id,
  id AS cluster_id,
  id,
  format('%s is not asked before %s', name, next_probe_at) AS breach,
  count(*) OVER () AS breaches
FROM clusters WHERE next_probe_at > clock_timestamp() + interval '10 minutes'
ORDER BY id LIMIT 1000

-- name: checks.probe_now
WITH mended AS (UPDATE clusters SET next_probe_at = NULL WHERE next_probe_at > clock_timestamp() + interval '10 minutes' RETURNING id)
SELECT count(*) AS changed FROM mended

-- name: checks.stale_outage
-- An event of an unreachable cluster is closed when it answers.
-- Repair: the event is closed.
SELECT
  e.campaign_id,
  e.cluster_id,
  e.id,
  format('event %s is open since %s: %s cannot be reached; it answers', e.id, e.opened_at, k.name) AS breach,
  count(*) OVER () AS breaches
FROM events e JOIN clusters k ON k.id = e.cluster_id
WHERE e.state = 'open' AND e.code = 'CLUSTER_UNREACHABLE' AND k.reachable IS TRUE
ORDER BY e.id LIMIT 1000

-- name: checks.close_outages
WITH closed AS (
  UPDATE events e SET state = 'closed', closed_at = instant(@now) FROM clusters k
  WHERE k.id = e.cluster_id AND e.state = 'open' AND e.code = 'CLUSTER_UNREACHABLE' AND k.reachable IS TRUE RETURNING e.id)
SELECT count(*) AS changed FROM closed

-- name: checks.leftover_kills
-- A request to kill is of a live job, of one that was declared lost, or of what OAR submitted in place of one.
-- Repair: the request is removed.
SELECT
  j.campaign_id,
  j.cluster_id,
  j.id,
  format('job %s is %s, and asked to be killed', j.id, j.state) AS breach,
  count(*) OVER () AS breaches
FROM kill_requests k JOIN jobs j ON j.id = k.job_id AND NOT is_live(j.state) AND j.ending IS DISTINCT FROM 'lost'
  AND k.reason <> 'resent'
ORDER BY j.id LIMIT 1000

-- name: checks.drop_kills
WITH dropped AS (
  DELETE FROM kill_requests k USING jobs j
    WHERE j.id = k.job_id AND NOT is_live(j.state) AND j.ending IS DISTINCT FROM 'lost' AND k.reason <> 'resent'
    RETURNING k.job_id)
SELECT count(*) AS changed FROM dropped

-- name: checks.leftover_brakes
-- A brake holds a campaign that is in treatment or paused, or whose epilogue is still to be run.
-- Repair: the brake is removed.
SELECT
  b.campaign_id,
  b.cluster_id,
  b.id,
  format('brake %s holds campaign %s, which is %s', b.id, b.campaign_id, c.state) AS breach,
  count(*) OVER () AS breaches
FROM brakes b JOIN campaigns c ON c.id = b.campaign_id AND is_over(c.state) AND NOT has_scripts_left(c.id)
ORDER BY b.id LIMIT 1000

-- name: checks.drop_brakes
WITH dropped AS (
  DELETE FROM brakes b USING campaigns c
  WHERE c.id = b.campaign_id AND is_over(c.state) AND NOT has_scripts_left(c.id) RETURNING b.id)
SELECT count(*) AS changed FROM dropped

-- name: checks.leftover_events
-- The job of an open event exists.
-- Repair: the event is closed.
SELECT
  e.campaign_id,
  e.cluster_id,
  e.id,
  format('event %s (%s) is open, its job %s is gone', e.id, e.code, e.job_id) AS breach,
  count(*) OVER () AS breaches
FROM events e WHERE e.state = 'open' AND e.job_id IS NOT NULL AND NOT EXISTS (SELECT FROM jobs j WHERE j.id = e.job_id)
ORDER BY e.id LIMIT 1000

-- name: checks.close_events
WITH closed AS (
  UPDATE events e SET state = 'closed', closed_at = instant(@now)
  WHERE e.state = 'open' AND e.job_id IS NOT NULL AND NOT EXISTS (SELECT FROM jobs j WHERE j.id = e.job_id) RETURNING e.id)
SELECT count(*) AS changed FROM closed

-- name: checks.leftover_forecasts
-- Forecasts and decisions are about clusters that their campaign names.
-- Repair: they are removed.
-- Decisions with cluster 0 are about the whole campaign.
SELECT
  campaign_id,
  cluster_id,
  campaign_id AS id,
  format('a %s of campaign %s is about cluster %s, which it does not name', what, campaign_id, cluster_id) AS breach,
  count(*) OVER () AS breaches
FROM (SELECT 'forecast' AS what, campaign_id, cluster_id FROM forecasts UNION ALL SELECT 'decision', campaign_id, cluster_id
  FROM decisions WHERE cluster_id <> 0) w
WHERE NOT EXISTS (SELECT FROM campaign_clusters p WHERE p.campaign_id = w.campaign_id AND p.cluster_id = w.cluster_id)
ORDER BY campaign_id, cluster_id LIMIT 1000

-- name: checks.drop_forecasts
WITH forecast AS (
  DELETE FROM forecasts f
    WHERE NOT EXISTS (SELECT FROM campaign_clusters p WHERE p.campaign_id = f.campaign_id AND p.cluster_id = f.cluster_id)
      RETURNING f.cluster_id),
decision AS (
  DELETE FROM decisions d WHERE d.cluster_id <> 0
    AND NOT EXISTS (SELECT FROM campaign_clusters p WHERE p.campaign_id = d.campaign_id AND p.cluster_id = d.cluster_id)
      RETURNING d.cluster_id)
SELECT (SELECT count(*) FROM forecast) + (SELECT count(*) FROM decision) AS changed

-- name: checks.forecast_history
-- No forecast in the history of a live campaign is newer than its last one.
-- Repair: it is removed.
-- While there is one, no other is kept.
SELECT
  h.campaign_id,
  NULL::bigint AS cluster_id,
  h.campaign_id AS id,
  format('a forecast of campaign %s is of %s, and its last one of %s', h.campaign_id, h.made_at, f.made_at) AS breach,
  count(*) OVER () AS breaches
FROM campaigns c
JOIN campaign_forecasts f ON f.campaign_id = c.id
JOIN forecast_history h ON h.campaign_id = c.id AND h.made_at > f.made_at
WHERE is_live(c.state)
ORDER BY h.campaign_id, h.made_at LIMIT 1000

-- name: checks.drop_new_history
WITH dropped AS (
  DELETE FROM forecast_history h USING campaigns c, campaign_forecasts f
  WHERE is_live(c.state) AND f.campaign_id = c.id AND h.campaign_id = c.id AND h.made_at > f.made_at RETURNING h.campaign_id)
SELECT count(*) AS changed FROM dropped

-- name: checks.decision_history
-- No past reason of a pair ends in the future.
-- Repair: it is removed.
-- While there is one, the pair's history has no other.
SELECT
  campaign_id,
  nullif(cluster_id, 0) AS cluster_id,
  campaign_id AS id,
  format('a past reason of campaign %s on cluster %s holds until %s', campaign_id, cluster_id, until) AS breach,
  count(*) OVER () AS breaches
FROM decision_history WHERE until > clock_timestamp() + interval '1 minute'
ORDER BY campaign_id, cluster_id, change LIMIT 1000

-- name: checks.drop_future_reasons
WITH dropped AS (DELETE FROM decision_history WHERE until > clock_timestamp() + interval '1 minute' RETURNING campaign_id)
SELECT count(*) AS changed FROM dropped

-- name: checks.leftover_decisions
-- A campaign that is over has no decisions.
-- Repair: they are removed.
SELECT
  d.campaign_id,
  d.cluster_id,
  d.campaign_id AS id,
  format('campaign %s (%s) has a decision that no cycle forgets', d.campaign_id, c.state) AS breach,
  count(*) OVER () AS breaches
FROM decisions d JOIN campaigns c ON c.id = d.campaign_id
WHERE is_over(c.state) AND NOT EXISTS (SELECT FROM decided w WHERE w.campaign_id = d.campaign_id)
ORDER BY d.campaign_id, d.cluster_id LIMIT 1000

-- name: checks.drop_decisions
WITH dropped AS (
  DELETE FROM decisions d USING campaigns c
  WHERE c.id = d.campaign_id AND is_over(c.state) AND NOT EXISTS (SELECT FROM decided w WHERE w.campaign_id = d.campaign_id)
    RETURNING d.cluster_id)
SELECT count(*) AS changed FROM dropped
