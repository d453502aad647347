-- The API's views. The cost of none depends on the number of a campaign's tasks.

-- name: views.campaigns
-- Campaigns, the oldest first. @ids, @states, @user, submitted @from and @before: null: any. @reader: null: all; else this user's, and
-- those of these @projects. Besides those of the states: @unfixed: ended ones whose failures are open; those that ended at @ended_from or
-- later (null: none).
SELECT
  c.id,
  c.name,
  c.user_name,
  c.project,
  c.type,
  c.state,
  micros(c.submitted_at) AS submitted_at,
  micros(c.first_start_at) AS first_start_at,
  micros(c.ended_at) AS ended_at,
  c.total,
  CASE WHEN c.requests > 0 THEN c.total ELSE c.next_task END AS next_task,
  c.waiting,
  c.held,
  c.launching,
  c.submitted,
  c.running,
  c.done,
  c.failed,
  c.cancelled,
  EXISTS (SELECT FROM events e WHERE e.campaign_id = c.id AND e.state = 'open') AS has_events,
  micros(f.made_at) AS forecast_made,
  micros(f.end_at) AS forecast_end,
  micros(f.end_earliest) AS end_earliest,
  micros(f.end_latest) AS end_latest,
  micros(f.start_at) AS forecast_start,
  micros(f.start_earliest) AS start_earliest,
  micros(f.start_latest) AS start_latest,
  f.method,
  c.temporal_grouping AS grouping
FROM campaigns c
LEFT JOIN campaign_forecasts f ON f.campaign_id = c.id
WHERE c.purged_at IS NULL AND (@ids::bigint[] IS NULL OR c.id = ANY (@ids)) AND (@states::campaign_state[] IS NULL OR c.state = ANY (@states)
    OR (@unfixed::boolean AND c.state = 'terminated' AND c.failed > 0
        AND EXISTS (SELECT FROM events e WHERE e.campaign_id = c.id AND e.state = 'open'))
    OR c.ended_at >= instant(@ended_from::bigint))
  AND (@user::text IS NULL OR c.user_name = @user)
  AND (@reader::text IS NULL OR c.user_name = @reader OR (c.project <> '' AND c.project = ANY (@projects::text[])))
  AND (@from::bigint IS NULL OR c.submitted_at >= instant(@from)) AND (@before::bigint IS NULL OR c.submitted_at < instant(@before))
ORDER BY c.id LIMIT @limit OFFSET @offset

-- name: views.campaigns_total
-- Number of campaigns that views.campaigns selects.
SELECT count(*) AS campaigns FROM campaigns c
WHERE c.purged_at IS NULL AND (@ids::bigint[] IS NULL OR c.id = ANY (@ids)) AND (@states::campaign_state[] IS NULL OR c.state = ANY (@states)
    OR (@unfixed::boolean AND c.state = 'terminated' AND c.failed > 0
        AND EXISTS (SELECT FROM events e WHERE e.campaign_id = c.id AND e.state = 'open'))
    OR c.ended_at >= instant(@ended_from::bigint))
  AND (@user::text IS NULL OR c.user_name = @user)
  AND (@reader::text IS NULL OR c.user_name = @reader OR (c.project <> '' AND c.project = ANY (@projects::text[])))
  AND (@from::bigint IS NULL OR c.submitted_at >= instant(@from)) AND (@before::bigint IS NULL OR c.submitted_at < instant(@before))

-- name: views.campaign_clusters
-- A campaign's clusters, each with the duration within which a share of its jobs ended.
SELECT
  p.cluster_id,
  k.name,
  k.enabled,
  k.retired_at IS NOT NULL AS retired,
  k.reachable,
  micros(k.no_resources_since) AS no_resources_since,
  p.priority,
  p.exec_file,
  p.exec_directory,
  p.resources,
  requested_width(p) AS resources_per_job,
  p.walltime_s,
  p.properties,
  p.project,
  p.best_effort,
  p.max_jobs,
  p.launching,
  p.waiting,
  p.running,
  p.unknown,
  p.concluded,
  p.done,
  p.duration_sum,
  p.duration_squares,
  p.ended,
  p.failures_in_a_row,
  f.job_ratio,
  f.throughput,
  f.algorithm,
  micros(f.changed_at) AS changed_at,
  f.ratio_before,
  f.verdict,
  f.seen_nsub,
  f.seen_offered,
  f.seen_waiting,
  f.seen_free,
  b.reason AS brake,
  micros(b.expires_at) AS brake_until,
  p.max_walltime_s,
  d.jobs AS durations,
  d.seconds AS most_durations,
  p.measured,
  p.command_s,
  p.held_s,
  p.cpu_jobs,
  p.cpu_s,
  p.cpu_wall_s,
  p.memory_jobs,
  p.peak_memory_mb,
  p.io_jobs,
  p.io_mb,
  p.io_wall_s,
  (SELECT max(r.memory_mb) FROM campaign_requests r WHERE r.campaign_id = p.campaign_id AND r.cluster_id = p.cluster_id) AS memory_mb,
  k.memory_property <> '' AS states_memory,
  p.prologue <> '' AS has_prologue,
  p.epilogue <> '' AS has_epilogue,
  p.epilogue_due,
  ps.state AS prologue,
  es.state AS epilogue
FROM campaign_clusters p
JOIN clusters k ON k.id = p.cluster_id
LEFT JOIN LATERAL (
  SELECT jobs, min(bucket_seconds(bucket)) FILTER (WHERE ended >= @share::double precision * jobs) AS seconds
  FROM (SELECT bucket, sum(w.jobs) OVER (ORDER BY bucket) AS ended, sum(w.jobs) OVER () AS jobs
        FROM durations w WHERE w.campaign_id = p.campaign_id AND w.cluster_id = p.cluster_id) b GROUP BY jobs) d ON true
LEFT JOIN forecasts f ON f.campaign_id = p.campaign_id AND f.cluster_id = p.cluster_id
LEFT JOIN brakes b ON b.campaign_id = p.campaign_id AND b.cluster_id = p.cluster_id AND b.expires_at > instant(@now)
LEFT JOIN tasks ps ON ps.campaign_id = p.campaign_id AND ps.number = prologue_on(p.cluster_id)
LEFT JOIN tasks es ON es.campaign_id = p.campaign_id AND es.number = epilogue_on(p.cluster_id)
WHERE p.campaign_id = @campaign ORDER BY k.name

-- name: views.efficiency
-- The usage of a campaign's finished tasks: of the walltime that was requested for them (null: each asked for its own), and of the
-- resource-seconds that all its jobs held (null: jobs carried out several tasks, or nothing is known). No row before a task is done.
SELECT
  CASE WHEN c.requests = 0 THEN sum(p.done * p.walltime_s)::double precision END AS asked_s,
  sum(p.duration_sum) AS used_s,
  CASE WHEN NOT EXISTS (SELECT FROM launches l WHERE l.campaign_id = c.id AND l.pool_s IS NOT NULL) THEN
    (SELECT sum(u.resource_seconds) FROM usage u
     WHERE u.campaign_id = c.id AND u.user_name = c.user_name AND u.day >= (c.submitted_at AT TIME ZONE 'UTC')::date)
  END AS held,
  sum(p.duration_sum * known_width(p)) AS worked
FROM campaigns c JOIN campaign_clusters p ON p.campaign_id = c.id
WHERE c.id = @campaign AND p.done > 0
GROUP BY c.id

-- name: views.needs
-- The consumables that each task of a campaign needs, and their present use: by the jobs of all campaigns, and the most by the limit that
-- binds them all (null: there is none).
SELECT
  n.key AS consumable,
  n.value::integer AS each,
  (SELECT coalesce(sum(held_by(o, p, n.key)), 0) FROM campaign_clusters p JOIN campaigns o ON o.id = p.campaign_id
   WHERE p.active AND live_jobs(p) > 0) AS used,
  l.most
FROM campaigns c
CROSS JOIN LATERAL jsonb_each_text(c.jdl -> 'needs') n
LEFT JOIN limits l ON l.consumable = n.key AND num_nonnulls(l.user_name, l.group_name, l.project, l.campaign_id, l.cluster_id, l.each_of) = 0
WHERE c.id = @campaign AND c.needs IS NOT NULL
ORDER BY n.key COLLATE "C"

-- name: views.brake
-- The brake on a campaign as a whole.
SELECT reason AS brake, micros(expires_at) AS brake_until FROM brakes
WHERE campaign_id = @campaign AND cluster_id IS NULL AND expires_at > instant(@now)

-- name: views.jdl
-- A campaign's JDL.
SELECT jdl FROM campaigns WHERE id = @campaign AND purged_at IS NULL

-- name: views.tasks
-- Tasks of a campaign with numbers in [@from, @end), each with its last job, or, if it is done, the job that did it. @states: null: any.
-- @held: only those that a user holds. @failure: null, or the group of failures of the campaign that they are in; no task is both.
-- @some_held: whether a user holds any task of the campaign.
-- The parameters of the result take at most @bytes, but one task is always included.
SELECT
  t.campaign_id,
  t.found,
  t.number,
  t.form,
  t.parameter,
  t.state,
  t.cancelling,
  h.held_by,
  micros(h.held_at) AS held_at,
  t.attempt,
  t.charged,
  j.id AS job,
  j.cluster_id,
  k.name AS cluster,
  j.state AS job_state,
  j.remote_id,
  j.ending,
  j.exit_status,
  j.launch_id,
  j.resources,
  micros(j.submitted_at) AS submitted_at,
  micros(j.started_at) AS started_at,
  micros(j.ended_at) AS ended_at
FROM (SELECT *, sum(octet_length(parameter)) OVER (ORDER BY number) AS bytes, row_number() OVER (ORDER BY number) AS place,
  count(*) OVER () AS found
      FROM (SELECT * FROM (
          -- Limited here, too: else each page would sort all tasks from @from on.
          (SELECT * FROM tasks
            WHERE campaign_id = @campaign AND number >= @from AND number < @end AND NOT @held::boolean AND @failure::bigint IS NULL
              AND (@states::task_state[] IS NULL OR state = ANY (@states))
            ORDER BY number LIMIT @limit::bigint + @offset::bigint)
          UNION ALL
          -- For each by both keys, as the statistics may take the campaign's tasks for few.
          SELECT o.* FROM (SELECT r.number FROM returned_tasks r
            WHERE @held AND @failure IS NULL AND r.campaign_id = @campaign AND r.number >= @from AND r.number < @end AND r.held_by IS NOT NULL
            ORDER BY r.number LIMIT @limit::bigint + @offset::bigint) r
          CROSS JOIN LATERAL (SELECT * FROM tasks o WHERE o.campaign_id = @campaign AND o.number = r.number OFFSET 0) o
          UNION ALL
          (SELECT * FROM tasks f WHERE NOT @held AND f.failure = @failure AND f.campaign_id = @campaign AND f.number >= @from AND f.number < @end
            ORDER BY f.number LIMIT @limit::bigint + @offset::bigint)) a
        WHERE @states IS NULL OR state = ANY (@states)
        ORDER BY number LIMIT @limit OFFSET @offset) w) t
-- Not by the index of held tasks, which has no numbers, and which such statistics take for as good.
LEFT JOIN LATERAL (SELECT r.held_by, r.held_at FROM returned_tasks r
  WHERE @some_held::boolean AND r.campaign_id = t.campaign_id AND r.number = t.number OFFSET 0) h ON h.held_by IS NOT NULL
LEFT JOIN LATERAL (SELECT * FROM jobs j WHERE j.campaign_id = t.campaign_id AND j.task = t.number
  ORDER BY j.ending IS NOT DISTINCT FROM 'done' DESC, j.id DESC LIMIT 1) j ON true
LEFT JOIN clusters k ON k.id = j.cluster_id
WHERE t.bytes <= @bytes OR t.place = 1
ORDER BY t.number

-- name: views.jobs
-- One job, or (null) the last 200 jobs of a task, the oldest first.
SELECT
  j.id,
  j.campaign_id,
  c.user_name,
  j.task,
  t.form,
  t.parameter,
  j.launch_id,
  l.tag,
  j.cluster_id,
  k.name AS cluster,
  j.state,
  j.attempt,
  j.remote_id,
  j.exit_status,
  j.ending,
  j.resources,
  micros(j.submitted_at) AS submitted_at,
  micros(j.started_at) AS started_at,
  micros(j.ended_at) AS ended_at,
  micros(j.checkpointed_at) AS checkpointed_at,
  j.resubmissions,
  j.cpu_s,
  j.peak_memory_mb,
  j.io_mb,
  j.message,
  coalesce(l.login, u.login) AS login,
  j.pooled,
  CASE WHEN is_script(j.task) THEN '$HOME' ELSE p.exec_directory END AS exec_directory,
  CASE WHEN is_script(j.task) THEN '' ELSE p.output_directory END AS output_directory
FROM (SELECT * FROM jobs WHERE id = @job OR (campaign_id = @campaign AND task = @task) ORDER BY id DESC LIMIT 200) j
JOIN campaigns c ON c.id = j.campaign_id AND c.purged_at IS NULL
JOIN clusters k ON k.id = j.cluster_id
LEFT JOIN tasks t ON t.campaign_id = j.campaign_id AND t.number = j.task
LEFT JOIN launches l ON l.id = j.launch_id
JOIN campaign_clusters p ON p.campaign_id = j.campaign_id AND p.cluster_id = j.cluster_id
JOIN logins u ON u.campaign_id = j.campaign_id AND u.cluster_id = j.cluster_id
ORDER BY j.id

-- name: views.outputs
-- Tasks of a campaign with numbers in [@from, @end). Each settled one with the job that did it, else with its last job that started, and
-- where that job's outputs are.
SELECT
  t.number,
  t.state,
  j.attempt,
  j.remote_id,
  j.cluster_id,
  k.name AS cluster,
  l.login,
  p.exec_directory,
  p.output_directory,
  j.pooled
FROM tasks t
LEFT JOIN LATERAL (SELECT * FROM jobs j
  WHERE t.state IN ('done', 'failed', 'cancelled') AND j.campaign_id = t.campaign_id AND j.task = t.number AND j.remote_id IS NOT NULL
  ORDER BY j.ending IS NOT DISTINCT FROM 'done' DESC, j.started_at IS NOT NULL DESC, j.id DESC LIMIT 1) j ON true
LEFT JOIN clusters k ON k.id = j.cluster_id
LEFT JOIN launches l ON l.id = j.launch_id
LEFT JOIN campaign_clusters p ON p.campaign_id = j.campaign_id AND p.cluster_id = j.cluster_id
WHERE t.campaign_id = @campaign AND t.number >= @from AND t.number < @end
ORDER BY t.number

-- name: views.output_of
-- Where the outputs of one attempt of a task are.
SELECT j.remote_id, j.cluster_id, k.name AS cluster, l.login, p.exec_directory, p.output_directory, j.pooled
FROM jobs j
JOIN clusters k ON k.id = j.cluster_id
JOIN launches l ON l.id = j.launch_id
JOIN campaign_clusters p ON p.campaign_id = j.campaign_id AND p.cluster_id = j.cluster_id
WHERE j.campaign_id = @campaign AND j.task = @task AND j.attempt = @attempt AND j.remote_id IS NOT NULL
ORDER BY j.ending IS NOT DISTINCT FROM 'done' DESC, j.started_at IS NOT NULL DESC, j.id DESC LIMIT 1

-- name: views.output_reader
-- The cluster through which the home of a login is read, where the cluster of a job does not answer or was retired, and that one has the
-- same homes; its user has this login there, too. No row: the job's own cluster is asked.
SELECT h.id FROM clusters k
JOIN clusters h ON h.id <> k.id AND h.shared_home = k.shared_home AND h.api = 'oar2' AND h.enabled AND h.retired_at IS NULL AND h.reachable IS TRUE
JOIN logins u ON u.campaign_id = @campaign AND u.cluster_id = h.id AND u.login = @login
WHERE k.id = @cluster AND (k.retired_at IS NOT NULL OR k.reachable IS FALSE)
ORDER BY h.id LIMIT 1

-- name: views.decisions
-- The last decisions on a campaign that still hold: first on the whole campaign, then on its clusters.
SELECT nullif(d.cluster_id, 0) AS cluster_id, k.name AS cluster, d.stage, d.reason, d.figures, d.jobs, micros(d.since) AS since
FROM decisions d LEFT JOIN clusters k ON k.id = d.cluster_id
WHERE d.campaign_id = @campaign
  AND still_holds(d, instant(@now))
ORDER BY d.cluster_id <> 0, k.name

-- name: views.main_reasons
-- The decision that says most about each campaign: the one on the whole campaign, else the one that came furthest in the planner's @stages.
-- Its place in the order is none.
SELECT DISTINCT ON (d.campaign_id)
  d.campaign_id, nullif(d.cluster_id, 0) AS cluster_id, k.name AS cluster, d.stage, d.reason, d.figures, d.jobs, micros(d.since) AS since
FROM decisions d LEFT JOIN clusters k ON k.id = d.cluster_id
WHERE d.campaign_id = ANY (@campaigns::bigint[]) AND d.reason <> 'standing' AND still_holds(d, instant(@now))
ORDER BY d.campaign_id, d.cluster_id <> 0, array_position(@stages::text[], d.stage) DESC NULLS LAST, d.jobs DESC, d.since, k.name

-- name: views.campaign_order
-- The order of the latest plan, without its campaigns. No row: nothing was planned yet.
SELECT campaign_order, places, micros(since) AS since FROM campaign_order

-- name: views.order_places
-- Places in the order, and the figures behind each. @campaign, @user: null: any. @reader: null: all may be read; else this user's, and those
-- of these @projects: others have a place alone, and none if a campaign or user is asked for.
SELECT p.place AS ranked, p.class AS class_number, (k.class ->> 'type') AS class_type, (k.class ->> 'project_priority')::int AS project_priority,
  (k.class ->> 'group_priority')::int AS group_priority, (k.class ->> 'priority')::int AS priority, (k.class ->> 'clusters') AS clusters,
  r.readable, c.id, c.name, c.user_name, c.project, micros(c.submitted_at) AS submitted_at, d.stage, d.figures, count(*) OVER () AS total
FROM campaign_order o
CROSS JOIN LATERAL unnest(o.campaigns, o.campaign_classes) WITH ORDINALITY AS p (campaign, class, place)
CROSS JOIN LATERAL (SELECT o.classes -> (p.class - 1) AS class) k
JOIN campaigns c ON c.id = p.campaign AND c.purged_at IS NULL
CROSS JOIN LATERAL (
  SELECT @reader::text IS NULL OR c.user_name = @reader OR (c.project <> '' AND c.project = ANY (@projects::text[])) AS readable) r
LEFT JOIN decisions d ON d.campaign_id = c.id AND d.cluster_id = 0 AND d.reason = 'standing'
WHERE (@campaign::bigint IS NULL OR (c.id = @campaign AND r.readable)) AND (@user::text IS NULL OR (c.user_name = @user AND r.readable))
ORDER BY p.place LIMIT @limit OFFSET @offset

-- name: views.jobs_to_kill
-- The live jobs of a campaign on each cluster, but for its epilogues and for what pooled jobs carry: jobs in OAR, and those that are not known to
-- be there yet.
SELECT k.id AS cluster_id, k.name AS cluster, n.jobs, n.unsent
FROM campaign_clusters p
JOIN clusters k ON k.id = p.cluster_id
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE is_remote(j.state)) AS jobs, count(*) FILTER (WHERE is_open(j.state)) AS unsent
  FROM jobs j WHERE j.cluster_id = p.cluster_id AND j.campaign_id = p.campaign_id AND is_live(j.state) AND NOT is_epilogue(j.task)) n
WHERE p.campaign_id = @campaign AND n.jobs + n.unsent > 0
ORDER BY n.jobs DESC, k.name

-- name: views.decision_history
-- The reasons of a campaign's pairs that held after @from, in their order; the last of each may stand still: until is null. Those that are
SELECT nullif(h.cluster_id, 0) AS cluster_id, k.name AS cluster, micros(h.since) AS since, micros(h.until) AS until,
  (extract(epoch FROM h.lasted) * 1000000)::bigint AS lasted, h.level > 0 AS summed, h.reason, h.subject
FROM decision_history h LEFT JOIN clusters k ON k.id = h.cluster_id
WHERE h.campaign_id = @campaign AND h.until > instant(@from)
UNION ALL
SELECT nullif(d.cluster_id, 0), k.name, micros(s.began), NULL, greatest(micros(instant(@now)) - micros(s.began), 0), false, d.reason, d.subject
FROM decisions d LEFT JOIN clusters k ON k.id = d.cluster_id
CROSS JOIN LATERAL (
  SELECT greatest(coalesce(d.stands_since, d.since), (
    SELECT h.until FROM decision_history h WHERE h.campaign_id = d.campaign_id AND h.cluster_id = d.cluster_id
    ORDER BY h.change DESC LIMIT 1)) AS began) s
WHERE d.campaign_id = @campaign AND d.reason <> 'standing'
ORDER BY cluster_id NULLS FIRST, since, lasted DESC, reason, subject

-- name: views.open_events
-- Numbers of open events of campaigns that have some.
SELECT e.campaign_id, count(*) AS events FROM events e
WHERE e.campaign_id = ANY (@campaigns::bigint[]) AND e.state = 'open' GROUP BY e.campaign_id

-- name: views.campaign_events
-- Events of a campaign. @which: 'open': its open events, those of its clusters, and those of its user there; 'all': all of its own.
SELECT * FROM event_rows e
WHERE (e.campaign_id = @campaign AND (e.state = 'open' OR @which::text = 'all'))
  OR (@which::text = 'open' AND e.state = 'open' AND e.campaign_id IS NULL
      AND e.cluster_id IN (SELECT p.cluster_id FROM campaign_clusters p WHERE p.campaign_id = @campaign)
      AND (e.user_name IS NULL OR e.user_name = (SELECT c.user_name FROM campaigns c WHERE c.id = @campaign)))
ORDER BY e.id LIMIT @limit OFFSET @offset

-- name: views.campaign_events_total
-- Number of events that views.campaign_events selects.
SELECT count(*) AS events FROM events e
WHERE (e.campaign_id = @campaign AND (e.state = 'open' OR @which::text = 'all'))
  OR (@which::text = 'open' AND e.state = 'open' AND e.campaign_id IS NULL
      AND e.cluster_id IN (SELECT p.cluster_id FROM campaign_clusters p WHERE p.campaign_id = @campaign)
      AND (e.user_name IS NULL OR e.user_name = (SELECT c.user_name FROM campaigns c WHERE c.id = @campaign)))

-- name: views.user_events
-- Events of a user's campaigns, and those about the user. @which: 'open' or 'all'.
SELECT * FROM event_rows e
WHERE (e.campaign_id IN (SELECT c.id FROM campaigns c WHERE c.user_name = @user AND c.purged_at IS NULL) OR (e.user_name = @user AND e.campaign_id IS NULL)) AND (e.state = 'open' OR @which::text = 'all')
ORDER BY e.id LIMIT @limit OFFSET @offset

-- name: views.user_events_total
-- Number of events that views.user_events selects.
SELECT count(*) AS events FROM events e
WHERE (e.campaign_id IN (SELECT c.id FROM campaigns c WHERE c.user_name = @user AND c.purged_at IS NULL) OR (e.user_name = @user AND e.campaign_id IS NULL)) AND (e.state = 'open' OR @which::text = 'all')

-- name: views.grid_events
-- Events of no campaign, and about no user. @which: 'open' or 'all'.
SELECT * FROM event_rows e
WHERE e.campaign_id IS NULL AND e.user_name IS NULL AND (e.state = 'open' OR @which::text = 'all')
ORDER BY e.id LIMIT @limit OFFSET @offset

-- name: views.grid_events_total
-- Number of events that views.grid_events selects.
SELECT count(*) AS events FROM events e WHERE e.campaign_id IS NULL AND e.user_name IS NULL AND (e.state = 'open' OR @which::text = 'all')

-- name: views.event
-- One event.
SELECT * FROM event_rows e
WHERE e.id = @event AND NOT EXISTS (SELECT FROM campaigns c WHERE c.id = e.campaign_id AND c.purged_at IS NOT NULL)

-- name: views.owner
-- The owner of a campaign: the campaign of this id, or the one of this job or event.
SELECT c.id, c.user_name, c.project FROM campaigns c
WHERE c.id = coalesce(@campaign::bigint, (SELECT j.campaign_id FROM jobs j WHERE j.id = @job::bigint),
  (SELECT e.campaign_id FROM events e WHERE e.id = @event::bigint))

-- name: views.clusters
-- The newest status and the brake of each cluster.
SELECT
  c.id,
  micros(s.time) AS time,
  s.max_resources,
  s.free,
  s.used,
  s.used_besteffort,
  s.our_running,
  s.our_waiting,
  s.api_latency_ms,
  s.stress,
  s.response_ms,
  x.usual_stress,
  x.calm_latency_ms,
  x.job_limit,
  x.signal,
  x.reason AS stress_reason,
  micros(x.limited_at) AS limited_at,
  h.resources AS learnt_headroom,
  b.reason AS brake,
  micros(b.expires_at) AS brake_until
FROM clusters c
LEFT JOIN cluster_stress x ON x.cluster_id = c.id
LEFT JOIN learnt_headroom h ON h.cluster_id = c.id
LEFT JOIN LATERAL (SELECT * FROM gridstatus s WHERE s.cluster_id = c.id ORDER BY s.time DESC LIMIT 1) s ON true
LEFT JOIN brakes b ON b.cluster_id = c.id AND b.campaign_id IS NULL AND b.expires_at > instant(@now)

-- name: views.usage_now
-- The newest figures of each cluster.
SELECT c.id, c.name, micros(s.time) AS time, s.max_resources, s.free, s.used, s.our_running
FROM clusters c
JOIN LATERAL (SELECT * FROM gridstatus s WHERE s.cluster_id = c.id ORDER BY s.time DESC LIMIT 1) s ON true
ORDER BY c.name

-- name: views.usage
-- The last figures of each cluster in each time slice. One index lookup for each, however long the time range is.
SELECT c.id, c.name, micros(x.slice) AS time, s.max_resources, s.free, s.used, s.our_running
FROM generate_series(date_bin(@slice_s * interval '1 second', instant(@from), 'epoch'::timestamptz), instant(@to),
  @slice_s * interval '1 second') AS x(slice)
CROSS JOIN clusters c
CROSS JOIN LATERAL (SELECT * FROM gridstatus s
  WHERE s.cluster_id = c.id AND s.time >= greatest(x.slice, instant(@from))
    AND s.time < least(x.slice + @slice_s * interval '1 second', instant(@to))
  ORDER BY s.time DESC LIMIT 1) s
ORDER BY x.slice, c.name

-- name: views.use
-- The figures of these clusters in each time slice of @step_s seconds from @from on that has some: least, mean, greatest, and for how long
-- they are known. A figure holds until the next one of its cluster, for @holds_s at most, which is no longer than a slice.
WITH figures AS MATERIALIZED (
  SELECT
    s.cluster_id,
    date_part('epoch', s.time - instant(@from)) AS begins,
    date_part('epoch', least(
      lead(s.time) OVER (PARTITION BY s.cluster_id ORDER BY s.time),
      s.time + @holds_s * interval '1 second',
      instant(@to)) - instant(@from)) AS ends,
    s.max_resources,
    s.used,
    s.used_besteffort,
    least(s.our_running, s.used) AS ours,
    greatest(s.max_resources - s.free - s.used, 0) AS unavailable
  FROM gridstatus s
  WHERE s.cluster_id = ANY (@clusters::bigint[]) AND s.time > instant(@from) - @holds_s * interval '1 second' AND s.time < instant(@to)),
parts AS (
  SELECT floor(f.begins / @step_s::double precision) AS slice, least(f.ends, (floor(f.begins / @step_s) + 1) * @step_s) - f.begins AS seconds, f.*
  FROM figures f
  UNION ALL
  SELECT floor(f.begins / @step_s) + 1, f.ends - (floor(f.begins / @step_s) + 1) * @step_s, f.*
  FROM figures f WHERE f.ends > (floor(f.begins / @step_s) + 1) * @step_s)
SELECT
  p.cluster_id,
  p.slice::bigint AS slice,
  sum(p.seconds) AS known_s,
  min(p.max_resources) AS least_max_resources,
  sum(p.max_resources * p.seconds) / sum(p.seconds) AS mean_max_resources,
  max(p.max_resources) AS most_max_resources,
  min(p.used) AS least_used,
  sum(p.used * p.seconds) / sum(p.seconds) AS mean_used,
  max(p.used) AS most_used,
  min(p.used_besteffort) AS least_used_besteffort,
  sum(p.used_besteffort * p.seconds) / sum(p.seconds) AS mean_used_besteffort,
  max(p.used_besteffort) AS most_used_besteffort,
  min(p.ours) AS least_ours,
  sum(p.ours * p.seconds) / sum(p.seconds) AS mean_ours,
  max(p.ours) AS most_ours,
  min(p.unavailable) AS least_unavailable,
  sum(p.unavailable * p.seconds) / sum(p.seconds) AS mean_unavailable,
  max(p.unavailable) AS most_unavailable
FROM parts p WHERE p.slice >= 0 AND p.seconds > 0
GROUP BY p.cluster_id, p.slice ORDER BY p.cluster_id, p.slice

-- name: views.outages
-- The times in which these clusters were not reached, of a span, as far as their events are kept: at most @most, the newest first.
SELECT e.cluster_id, micros(e.opened_at) AS opened_at, micros(e.closed_at) AS closed_at
FROM events e
WHERE e.campaign_id IS NULL AND e.code = 'CLUSTER_UNREACHABLE' AND e.cluster_id = ANY (@clusters::bigint[])
  AND e.opened_at < instant(@to) AND (e.closed_at IS NULL OR e.closed_at > instant(@from))
ORDER BY e.opened_at DESC LIMIT @most

-- name: views.last_cycle
-- When the conductor's last cycle began and ended.
SELECT micros(started_at) AS started_at, micros(ended_at) AS ended_at FROM cycles ORDER BY id DESC LIMIT 1

-- name: views.task_blocks
-- Tasks by state of each @width thousands of a campaign, without those in which all wait.
SELECT
  (block / @width::integer)::bigint AS block,
  sum(launching)::bigint AS launching,
  sum(submitted)::bigint AS submitted,
  sum(running)::bigint AS running,
  sum(done)::bigint AS done,
  sum(failed)::bigint AS failed,
  sum(cancelled)::bigint AS cancelled
FROM task_blocks WHERE campaign_id = @campaign
GROUP BY 1 HAVING bool_or((launching, submitted, running, done, failed, cancelled) <> (0, 0, 0, 0, 0, 0))
ORDER BY 1

-- name: views.small_task_blocks
-- The same of each @width tasks. Cost: O(tasks).
SELECT
  number / @width::bigint AS block,
  count(*) FILTER (WHERE state = 'launching') AS launching,
  count(*) FILTER (WHERE state = 'submitted') AS submitted,
  count(*) FILTER (WHERE state = 'running') AS running,
  count(*) FILTER (WHERE state = 'done') AS done,
  count(*) FILTER (WHERE state = 'failed') AS failed,
  count(*) FILTER (WHERE state = 'cancelled') AS cancelled
FROM tasks WHERE campaign_id = @campaign AND NOT is_script(number) AND state <> 'waiting'
GROUP BY 1 ORDER BY 1

-- name: views.progress
-- The tasks of a campaign that ended, done or failed, by slices of equal length: whole minutes, so that there are at most @points. Slices in
-- which none ended are left out; a task that is tried again counts each time that it ends.
WITH ended AS (SELECT minute, jobs FROM completions WHERE campaign_id = @campaign),
span AS (
  SELECT min(minute) AS first, greatest(1, ceil((extract(epoch FROM max(minute) - min(minute)) / 60 + 1) / @points::integer))::bigint AS minutes
  FROM ended)
SELECT
  micros(s.first + floor(extract(epoch FROM e.minute - s.first) / (60 * s.minutes)) * s.minutes * interval '1 minute') AS time,
  s.minutes * 60 AS step,
  sum(e.jobs)::bigint AS tasks
FROM ended e CROSS JOIN span s GROUP BY 1, 2 ORDER BY 1

-- name: views.cycles
-- The cycles before @before, the newest first, @most at most. modules: what came of each turn (almighty/cycle.cpp); null: it has not ended.
SELECT id, term, micros(started_at) AS started_at, micros(ended_at) AS ended_at, modules::text AS modules
FROM cycles WHERE id < @before ORDER BY id DESC LIMIT @most
