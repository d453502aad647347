-- Sinks: durations of the last jobs of a campaign, marks on swallowed jobs, and the return of their tasks to the bag.

-- name: sinks.last_ends
-- For the campaigns of the jobs @jobs that were just done on a cluster, and for @campaigns: these jobs and the last @before done there
-- before them, those that began last first, without jobs that took further tasks, whose durations are not those of their own tasks; and
-- the greatest mean duration on another of the campaign's clusters with at least @min_done jobs done (`slowest`). Jobs marked as swallowed
-- are left out, except those that an open event names (`named`) while the cluster is suspected: what ends after them is judged with them.
-- `start_cost`: as planning.clusters. `others`: whether another cluster may get tasks. Suspected pairs, and the campaigns @late, have their
-- last @before_late; `compared_at`, for @late: when another cluster first had @min_done of them.
WITH just AS (
  SELECT campaign_id, sum(ends)::bigint AS ends, campaign_id = ANY (@late::bigint[]) AS late FROM (
    SELECT campaign_id, 1 AS ends FROM jobs WHERE id = ANY (@jobs::bigint[]) AND ending = 'done' AND NOT is_script(task)
    UNION ALL SELECT unnest(@campaigns::bigint[]), 0) one
  GROUP BY campaign_id)
SELECT just.campaign_id, e.id, e.seconds, date_part('epoch', e.started_at) AS began, e.named, c.min_duration_s, p.suspected, o.slowest,
  starts.cost AS start_cost, a.others, date_part('epoch', f.compared_at) AS compared_at
FROM just
CROSS JOIN (
  SELECT coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY cost), 0)::double precision AS cost FROM (
    SELECT greatest(0, least(86400, sum(held_s - command_s) / sum(measured))) AS cost
    FROM (
      SELECT o.user_name, p.measured, p.command_s, p.held_s, row_number() OVER (PARTITION BY o.user_name ORDER BY p.campaign_id DESC) AS place
      FROM (SELECT campaign_id, measured, command_s, held_s FROM campaign_clusters
        WHERE cluster_id = @cluster AND measured > 0 ORDER BY campaign_id DESC LIMIT 100) p
      JOIN campaigns o ON o.id = p.campaign_id) last
    WHERE place <= 10 GROUP BY user_name) users) starts
JOIN campaigns c ON c.id = just.campaign_id AND is_live(c.state)
JOIN campaign_clusters p ON p.campaign_id = just.campaign_id AND p.cluster_id = @cluster
CROSS JOIN LATERAL (
  SELECT max(q.duration_sum / q.done) AS slowest FROM campaign_clusters q
  WHERE q.campaign_id = just.campaign_id AND q.cluster_id <> @cluster AND q.done >= @min_done::integer) o
CROSS JOIN LATERAL (
  SELECT EXISTS (
    SELECT FROM campaign_clusters q JOIN clusters k ON k.id = q.cluster_id AND k.enabled AND k.retired_at IS NULL
    WHERE q.campaign_id = just.campaign_id AND q.cluster_id <> @cluster AND q.active AND q.max_jobs IS DISTINCT FROM 0) AS others) a
LEFT JOIN LATERAL (
  SELECT min(first.ended_at) AS compared_at FROM campaign_clusters q
  CROSS JOIN LATERAL (
    SELECT j.ended_at FROM jobs j
    WHERE j.campaign_id = q.campaign_id AND j.cluster_id = q.cluster_id AND j.ending = 'done' AND j.started_at IS NOT NULL
      AND NOT is_script(j.task) AND (j.pooled OR NOT EXISTS (SELECT FROM launches l WHERE l.id = j.launch_id AND l.pool_s IS NOT NULL))
    ORDER BY j.ended_at, j.id OFFSET @min_done::integer - 1 LIMIT 1) first
  WHERE q.campaign_id = just.campaign_id AND q.cluster_id <> @cluster AND q.done >= @min_done::integer) f ON just.late
CROSS JOIN LATERAL (
  SELECT j.id, j.started_at, date_part('epoch', j.ended_at - j.started_at) AS seconds, j.sink IS NOT NULL AS named FROM jobs j
  WHERE j.campaign_id = just.campaign_id AND j.cluster_id = @cluster AND j.ending = 'done' AND j.started_at IS NOT NULL
    AND (j.sink IS NULL OR p.suspected AND EXISTS (SELECT FROM events v WHERE v.id = j.sink AND v.state = 'open'))
    AND NOT is_script(j.task) AND (j.pooled OR NOT EXISTS (SELECT FROM launches l WHERE l.id = j.launch_id AND l.pool_s IS NOT NULL))
  ORDER BY j.ended_at DESC, j.id DESC
  LIMIT just.ends + CASE WHEN p.suspected OR just.late THEN @before_late::integer ELSE @before::integer END) e
ORDER BY just.campaign_id, e.started_at DESC, e.id DESC

-- name: sinks.running
-- The jobs of a campaign that run on a cluster, and began at @since (seconds since 1970) or later, those that began last first; without
-- jobs that take further tasks.
SELECT j.id, date_part('epoch', j.started_at) AS began FROM jobs j
WHERE j.campaign_id = @campaign AND j.cluster_id = @cluster AND j.state = 'running'
  AND j.started_at >= to_timestamp(@since::double precision) AND NOT is_script(j.task)
  AND (j.pooled OR NOT EXISTS (SELECT FROM launches l WHERE l.id = j.launch_id AND l.pool_s IS NOT NULL))
ORDER BY j.started_at DESC, j.id DESC

-- name: sinks.judged_late
-- Campaigns whose jobs on a cluster, @min_done or more, took much less time than those on another one with as many, @least s or more there:
-- jobs that ended elsewhere later than these show what these did. Without suspected pairs, whose tasks were named. `stretches`: as many of
-- the jobs took less than a tenth (and @some s for OAR), and no other cluster has done more than @last jobs: these may be the first that
-- can be compared. @most of these campaigns in each turn, others in the next one.
SELECT campaign_id, stretches AND place <= @most::integer AS stretches FROM (
  SELECT p.campaign_id, s.stretches, p.duration_sum / p.done < o.slowest / 2 AS shorter,
    row_number() OVER (PARTITION BY s.stretches ORDER BY hashint8extended(p.campaign_id, @now::bigint), p.campaign_id) AS place
  FROM campaign_clusters p JOIN campaigns c ON c.id = p.campaign_id AND is_live(c.state)
  CROSS JOIN LATERAL (
    SELECT max(q.duration_sum / q.done) AS slowest, max(q.done) AS most FROM campaign_clusters q
    WHERE q.campaign_id = p.campaign_id AND q.cluster_id <> @cluster AND q.done >= @min_done::integer) o
  CROSS JOIN LATERAL (
    SELECT o.most <= @last::integer AND coalesce((
      SELECT sum(d.jobs) FROM durations d WHERE d.campaign_id = p.campaign_id AND d.cluster_id = p.cluster_id
        AND d.bucket <= duration_bucket(o.slowest / 10 + @some::double precision)), 0) >= @min_done::integer AS stretches) s
  WHERE p.cluster_id = @cluster AND p.active AND NOT p.suspected AND p.done >= @min_done::integer AND o.slowest >= @least::double precision) late
WHERE shorter OR stretches AND place <= @most::integer

-- name: sinks.ends_elsewhere
-- The durations of the last @last jobs done of some campaigns on each cluster except @cluster, swallowed ones included; without jobs that
-- took further tasks, too.
SELECT p.campaign_id, p.cluster_id, e.seconds
FROM campaign_clusters p
CROSS JOIN LATERAL (
  SELECT date_part('epoch', j.ended_at - j.started_at) AS seconds FROM jobs j
  WHERE j.campaign_id = p.campaign_id AND j.cluster_id = p.cluster_id AND j.ending = 'done' AND j.started_at IS NOT NULL
    AND NOT is_script(j.task) AND (j.pooled OR NOT EXISTS (SELECT FROM launches l WHERE l.id = j.launch_id AND l.pool_s IS NOT NULL))
  ORDER BY j.ended_at DESC, j.id DESC LIMIT @last::integer) e
WHERE p.campaign_id = ANY (@campaigns::bigint[]) AND p.cluster_id <> @cluster
ORDER BY p.campaign_id, p.cluster_id

-- name: sinks.mark_swallowed
-- Marks jobs that most likely did nothing. @event: the event that reports them.
UPDATE jobs SET sink = @event WHERE id = ANY (@jobs::bigint[]) AND ending = 'done' AND sink IS NULL

-- name: sinks.mark_carriers
-- Marks the done jobs that took further tasks among @jobs, if all that they did of these was swallowed: their own tasks were, too.
UPDATE jobs c SET sink = m.event
FROM (SELECT launch_id, remote_id, max(sink) AS event FROM jobs
  WHERE pooled AND ending = 'done' AND (launch_id, remote_id) IN (SELECT launch_id, remote_id FROM jobs WHERE id = ANY (@jobs::bigint[]))
  GROUP BY launch_id, remote_id HAVING bool_and(sink IS NOT NULL)) m
WHERE NOT c.pooled AND c.ending = 'done' AND c.sink IS NULL AND c.launch_id = m.launch_id AND c.remote_id = m.remote_id

-- name: sinks.leave_unmarked
-- Leaves the ends before the oldest one that the event names to later turns. @bound_s: each of them took less.
INSERT INTO unmarked_ends (event, bound_s, before, before_job, tried_at)
SELECT @event, @bound_s, ended_at, id, instant(@now) FROM jobs WHERE sink = @event ORDER BY ended_at, id LIMIT 1
ON CONFLICT (event) DO UPDATE SET bound_s = EXCLUDED.bound_s

-- name: sinks.unmarked
-- The events of a cluster with ends that are still to be marked; those that were longest without a turn come first. Locks each.
SELECT u.event, e.campaign_id, u.bound_s
FROM unmarked_ends u JOIN events e ON e.id = u.event AND e.state = 'open' AND e.cluster_id = @cluster
ORDER BY u.tried_at, u.event LIMIT @most FOR UPDATE OF u

-- name: sinks.mark_more
-- Marks up to @most of them. Returns the marked jobs.
WITH rest AS (
  SELECT u.*, e.campaign_id, e.cluster_id FROM unmarked_ends u JOIN events e ON e.id = u.event WHERE u.event = @event),
page AS (
  SELECT j.id, j.ended_at, bool_or(date_part('epoch', j.ended_at - j.started_at) >= j.bound_s) OVER (ORDER BY j.ended_at DESC, j.id DESC) AS is_over
  FROM (
    SELECT j.id, j.ended_at, j.started_at, rest.bound_s FROM rest JOIN jobs j
      ON j.campaign_id = rest.campaign_id AND j.cluster_id = rest.cluster_id AND (j.ended_at, j.id) < (rest.before, rest.before_job)
    WHERE j.ending = 'done' AND j.sink IS NULL AND j.started_at IS NOT NULL AND NOT is_script(j.task)
      AND (j.pooled OR NOT EXISTS (SELECT FROM launches l WHERE l.id = j.launch_id AND l.pool_s IS NOT NULL))
    ORDER BY j.ended_at DESC, j.id DESC LIMIT @most) j),
marked AS (UPDATE jobs j SET sink = @event FROM page WHERE j.id = page.id AND NOT page.is_over RETURNING j.id),
moved AS (
  UPDATE unmarked_ends u SET before = p.ended_at, before_job = p.id, tried_at = instant(@now)
  FROM (SELECT ended_at, id FROM page ORDER BY ended_at, id LIMIT 1) p WHERE u.event = @event)
SELECT id FROM marked

-- name: sinks.all_marked
DELETE FROM unmarked_ends WHERE event = @event

-- name: sinks.suspect
-- Records whether the cluster is suspected of being a sink for the campaign.
UPDATE campaign_clusters SET suspected = @suspected::boolean
WHERE campaign_id = @campaign AND cluster_id = @cluster AND suspected <> @suspected::boolean

-- name: sinks.swallowed_tasks
-- The tasks of the jobs that this SINK event names.
SELECT DISTINCT task FROM jobs WHERE sink = @event ORDER BY task

-- name: sinks.lock
-- Locks the campaign while its tasks are given back; no row when it is cancelled or sealed.
SELECT id FROM campaigns WHERE id = @campaign AND state IN ('in_treatment', 'paused', 'terminated') AND NOT sealed FOR UPDATE

-- name: sinks.retry_swallowed_tasks
-- Gives back the first @most of the tasks from @first on that a sink swallowed, each with a new attempt and a clean slate, unless another
-- job did the task. The counters of the sink's jobs are subtracted. Selects the jobs that @event names, or those of the cluster of this
-- name; the other parameter is null.
WITH swallowed AS (
  SELECT DISTINCT ON (j.task) j.task, j.attempt, j.cluster_id, greatest(0, date_part('epoch', j.ended_at - j.started_at)) AS seconds
  FROM jobs j JOIN clusters k ON k.id = j.cluster_id JOIN tasks t ON t.campaign_id = j.campaign_id AND t.number = j.task
  WHERE j.campaign_id = @campaign AND j.task >= @first AND j.sink IS NOT NULL AND j.ending = 'done'
    AND (j.sink = @event::bigint OR k.name = @cluster::text)
    AND t.state = 'done' AND (j.attempt = t.attempt OR j.attempt = t.replica)
    -- Not `=`: without statistics, PostgreSQL would read all done jobs of the campaign by their index, for each task.
    AND NOT EXISTS (SELECT FROM jobs o
      WHERE o.campaign_id = @campaign AND o.task = j.task AND o.ending IS NOT DISTINCT FROM 'done' AND o.sink IS NULL)
  ORDER BY j.task, j.id DESC LIMIT @most),
again AS (
  UPDATE tasks t SET state = 'waiting', attempt = next_attempt(t), uncounted = next_attempt(t), charged = 0
  FROM swallowed s WHERE t.campaign_id = @campaign AND t.number = s.task AND t.state = 'done'
  RETURNING t.number, t.request, s.cluster_id, s.seconds),
back AS (
  INSERT INTO returned_tasks (campaign_id, number, request, returned_at) SELECT @campaign, number, request, instant(@now)
    FROM again ON CONFLICT DO NOTHING),
pair AS (
  UPDATE campaign_clusters p SET
    done = greatest(0, p.done - d.jobs),
    concluded = greatest(0, p.concluded - d.jobs),
    duration_sum = greatest(0, p.duration_sum - d.seconds),
    duration_squares = greatest(0, p.duration_squares - d.squares)
  FROM (SELECT cluster_id, count(*) AS jobs, sum(seconds) AS seconds, sum(seconds ^ 2) AS squares FROM again GROUP BY 1) d
  WHERE p.campaign_id = @campaign AND p.cluster_id = d.cluster_id),
lasted AS (
  UPDATE durations d SET jobs = d.jobs - g.jobs
  FROM (SELECT cluster_id, duration_bucket(seconds) AS bucket, count(*) AS jobs FROM again GROUP BY 1, 2) g
  WHERE d.campaign_id = @campaign AND d.cluster_id = g.cluster_id AND d.bucket = g.bucket)
SELECT number, cluster_id FROM again

-- name: sinks.forget_durations
-- Deletes durations without jobs.
DELETE FROM durations WHERE campaign_id = @campaign AND jobs <= 0

-- name: sinks.reopen
-- Puts the campaign in treatment again after its tasks were given back.
UPDATE campaigns SET state = CASE state WHEN 'terminated' THEN 'in_treatment' ELSE state END, ended_at = NULL WHERE id = @campaign

-- name: sinks.close
-- Closes the SINK events whose tasks were given back: @event, or those of the cluster of this name; the other parameter is null. The brake
-- on the cluster stays. An event that is to name more of them stays open.
UPDATE events e SET state = 'closed', closed_at = instant(@now)
WHERE e.campaign_id = @campaign AND e.code = 'SINK' AND e.state = 'open'
  AND (e.id = @event::bigint OR e.cluster_id = (SELECT k.id FROM clusters k WHERE k.name = @cluster::text))
  AND NOT EXISTS (SELECT FROM unmarked_ends u WHERE u.event = e.id)
