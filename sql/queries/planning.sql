-- What the metascheduler and the predictor see, and what they write.

-- name: planning.clusters
-- Every cluster with its newest status. $1 flood and $2 array size of the configuration.
SELECT c.id, c.name, c.power, coalesce(c.flood, $1::double precision) AS flood, coalesce(c.array_size, $2::integer) AS array_size, c.enabled,
  c.retired_at IS NOT NULL AS retired,
  c.cost, c.transfer_mb_s, c.max_node_resources, c.reachable IS TRUE AS reachable, s.max_resources, s.free, s.our_running, micros(s.time) AS status_at,
  (SELECT count(*) FROM launches l WHERE l.cluster_id = c.id AND l.state = 'unknown' AND l.unknown_at >= s.time)::integer AS unknown_launches
FROM clusters c
LEFT JOIN LATERAL (SELECT max_resources, free, our_running, time FROM gridstatus s WHERE s.cluster_id = c.id AND s.reachable ORDER BY s.time DESC LIMIT 1) s ON true
ORDER BY c.id

-- name: planning.campaigns
-- The campaigns in treatment or paused, with what was never taken from their bags and what they ask of their clusters. In no order: to
-- sort rows as wide as these takes PostgreSQL a quarter of the query's time.
SELECT id, user_name, type, state, micros(submitted_at) AS submitted_at, priority, project, scheduler, min_duration_s, input_mb, replicas,
  total - next_task AS untaken, requests > 0 AS differing, asked
FROM campaigns
WHERE state IN ('in_treatment', 'paused')

-- name: planning.pairs
-- The pairs of which there is more to know, with the counters and the forecast of each; for a while those of campaigns that are over too.
SELECT p.campaign_id, p.cluster_id, f.job_ratio, f.nsub, f.offered, p.launching, p.waiting, p.running, p.unknown, p.concluded,
  p.failures_in_a_row, micros(p.last_failure_at) AS last_failure_at, p.done, p.duration_sum, p.duration_squares,
  p.resources_sum, p.resources_jobs, micros(p.last_start_at) AS last_start_at, micros(p.last_accept_at) AS last_accept_at,
  CASE WHEN p.unknown > 0 THEN (
    SELECT count(*) FROM launches l JOIN jobs j ON j.launch_id = l.id AND j.state = 'unknown'
    WHERE l.campaign_id = p.campaign_id AND l.cluster_id = p.cluster_id AND l.state = 'unknown'
      AND l.unknown_at >= (SELECT max(s.time) FROM gridstatus s WHERE s.cluster_id = p.cluster_id AND s.reachable)) ELSE 0 END::integer AS unseen, p.suspected
FROM campaign_clusters p
LEFT JOIN forecasts f ON f.campaign_id = p.campaign_id AND f.cluster_id = p.cluster_id
WHERE p.active

-- name: planning.present
-- Whether there is any of what most cycles find none of: to plan and send the queries below takes longer.
SELECT EXISTS (SELECT FROM returned_tasks) AS returned, EXISTS (SELECT FROM brakes) AS brakes, EXISTS (SELECT FROM user_mappings) AS logins,
  EXISTS (SELECT FROM cluster_stress WHERE job_limit IS NOT NULL) AS stress, EXISTS (SELECT FROM limits) AS limits,
  EXISTS (SELECT FROM shares) AS shares, EXISTS (SELECT FROM user_priorities) AS priorities,
  EXISTS (SELECT FROM events WHERE code = 'CANNOT_PLAN' AND state = 'open') AS set_aside,
  EXISTS (SELECT FROM campaign_clusters WHERE properties <> '') AS properties

-- name: planning.returned
-- Tasks given back to the bags, by the cluster that they are bound to, if any.
SELECT campaign_id, cluster_id, count(*) AS tasks FROM returned_tasks GROUP BY 1, 2

-- name: planning.fitting
-- Where tasks ask for different things: how many of those that wait a cluster can hold; no row where it is none.
SELECT q.campaign_id, q.cluster_id, sum(b.untaken + coalesce(r.tasks, 0))::bigint AS tasks
FROM campaigns c
JOIN campaign_requests q ON q.campaign_id = c.id
JOIN request_bags b ON b.campaign_id = c.id AND b.request = q.request
LEFT JOIN (SELECT campaign_id, request, count(*) AS tasks FROM returned_tasks GROUP BY 1, 2) r ON r.campaign_id = c.id AND r.request = q.request
WHERE c.state IN ('in_treatment', 'paused') AND c.requests > 0
GROUP BY 1, 2

-- name: planning.brakes
-- Those that hold, on clusters, campaigns and pairs. $1 now.
SELECT campaign_id, cluster_id, reason, micros(expires_at) AS until FROM brakes WHERE expires_at > instant($1)

-- name: planning.logins
-- The users who have another name on a cluster.
SELECT user_name, cluster_id, login FROM user_mappings

-- name: planning.stress
-- The clusters that take fewer of our jobs for a while.
SELECT cluster_id, job_limit, reason FROM cluster_stress WHERE job_limit IS NOT NULL

-- name: planning.launch
-- Takes up to $3 tasks from a bag and plans a launch of them: those given back first, then new ones, then those that asked to be
-- last; a task bound to another cluster stays. The tasks are named by an array, so that the index finds each of them whatever the
-- statistics of a bag just submitted say. $1 campaign, all of whose tasks ask the same; $2 cluster, $4 resources, $5 term, $6 now.
WITH campaign AS (
  SELECT id, next_task, total FROM campaigns WHERE id = $1 AND state = 'in_treatment' AND requests = 0 FOR UPDATE),
early AS (
  SELECT r.number FROM returned_tasks r JOIN campaign ON campaign.id = r.campaign_id
  WHERE (r.cluster_id IS NULL OR r.cluster_id = $2) AND r.priority >= 10
  ORDER BY r.cluster_id = $2 DESC NULLS LAST, r.priority DESC, r.number LIMIT $3),
fresh AS (
  SELECT number FROM campaign, generate_series(next_task, least(total, next_task + $3 - (SELECT count(*) FROM early)) - 1) AS number),
late AS (
  SELECT r.number FROM returned_tasks r JOIN campaign ON campaign.id = r.campaign_id
  WHERE (r.cluster_id IS NULL OR r.cluster_id = $2) AND r.priority < 10
  ORDER BY r.priority DESC, r.returned_at, r.number
  LIMIT greatest(0, $3 - (SELECT count(*) FROM early) - (SELECT count(*) FROM fresh))),
again AS (SELECT number FROM early UNION ALL SELECT number FROM late),
taken AS (SELECT number FROM again UNION ALL SELECT number FROM fresh),
removed AS (DELETE FROM returned_tasks r USING again WHERE r.campaign_id = $1 AND r.number = again.number RETURNING r.number, r.fence),
moved AS (UPDATE campaigns c SET next_task = c.next_task + n FROM (SELECT count(*) AS n FROM fresh) f WHERE c.id = $1 AND n > 0),
started AS (
  UPDATE tasks t SET state = 'launching'
  WHERE t.campaign_id = $1 AND t.number = ANY (ARRAY(SELECT number FROM taken)) AND t.state = 'waiting'
  RETURNING t.number, t.attempt, t.walltime_s),
-- OAR gives all jobs of an array one walltime. The greatest of its tasks': with less, the longest would be killed, while a job that
-- ends early gives its resources back at once. Never beyond what the JDL allows.
launch AS (
  INSERT INTO launches (campaign_id, cluster_id, jobs, resources, term, planned_at, walltime_s)
  SELECT $1, $2, count(*), $4, $5, instant($6), least(greatest(p.walltime_s, max(s.walltime_s)), coalesce(p.max_walltime_s, p.walltime_s))
  FROM started s JOIN campaign_clusters p ON p.campaign_id = $1 AND p.cluster_id = $2
  GROUP BY p.walltime_s, p.max_walltime_s RETURNING id),
planned AS (
  INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, fence)
  SELECT launch.id, $1, $2, number, attempt, removed.fence FROM launch CROSS JOIN started LEFT JOIN removed USING (number) ORDER BY number RETURNING id)
SELECT id, (SELECT count(*) FROM planned) AS jobs FROM launch

-- name: planning.launch_by_request
-- The same where tasks ask for different resources: the one whose turn it is leads, and only tasks of its shape join it, as an array
-- has one request; no more of them than $4 resources hold, but one at least.
WITH campaign AS (
  SELECT id FROM campaigns WHERE id = $1 AND state = 'in_treatment' AND requests > 0 FOR UPDATE),
-- The requests that this cluster can hold.
open AS (
  SELECT q.*, b.next_task, b.untaken FROM campaign
  JOIN campaign_requests q ON q.campaign_id = $1 AND q.cluster_id = $2
  JOIN request_bags b ON b.campaign_id = $1 AND b.request = q.request),
back AS (
  SELECT r.number, r.priority, r.cluster_id = $2 AS bound, r.returned_at, o.shape FROM returned_tasks r JOIN open o ON o.request = r.request
  WHERE r.campaign_id = $1 AND (r.cluster_id IS NULL OR r.cluster_id = $2)),
lead AS (
  SELECT shape FROM (
    (SELECT 1 AS turn, shape FROM back WHERE priority >= 10 ORDER BY bound DESC NULLS LAST, priority DESC, number LIMIT 1)
    UNION ALL (SELECT 2, shape FROM open WHERE untaken > 0 ORDER BY next_task LIMIT 1)
    UNION ALL (SELECT 3, shape FROM back WHERE priority < 10 ORDER BY priority DESC, returned_at, number LIMIT 1)) heads
  ORDER BY turn LIMIT 1),
mine AS (SELECT * FROM open WHERE shape = (SELECT shape FROM lead)),
size AS (SELECT coalesce(greatest(1, least($3, floor($4::double precision / max(resources_per_job)))), $3)::integer AS jobs FROM mine),
early AS (
  SELECT number FROM back WHERE priority >= 10 AND shape = (SELECT shape FROM lead)
  ORDER BY bound DESC NULLS LAST, priority DESC, number LIMIT (SELECT jobs FROM size)),
fresh AS (
  SELECT f.number, m.request FROM mine m
  CROSS JOIN LATERAL (
    SELECT t.number FROM request_tasks t WHERE t.campaign_id = $1 AND t.request = m.request AND t.number >= m.next_task
    ORDER BY t.number LIMIT (SELECT jobs FROM size)) f
  WHERE m.untaken > 0 ORDER BY f.number LIMIT (SELECT jobs FROM size) - (SELECT count(*) FROM early)),
late AS (
  SELECT number FROM back WHERE priority < 10 AND shape = (SELECT shape FROM lead)
  ORDER BY priority DESC, returned_at, number LIMIT (SELECT jobs FROM size) - (SELECT count(*) FROM early) - (SELECT count(*) FROM fresh)),
again AS (SELECT number FROM early UNION ALL SELECT number FROM late),
taken AS (SELECT number FROM again UNION ALL SELECT number FROM fresh),
removed AS (DELETE FROM returned_tasks r USING again WHERE r.campaign_id = $1 AND r.number = again.number RETURNING r.number, r.fence),
moved AS (UPDATE campaigns c SET next_task = c.next_task + n FROM (SELECT count(*) AS n FROM fresh) f WHERE c.id = $1 AND n > 0),
-- Of each request the lowest numbers were taken, so that all before its last one are gone.
emptied AS (
  UPDATE request_bags b SET next_task = f.last + 1, untaken = b.untaken - f.tasks
  FROM (SELECT request, max(number) AS last, count(*) AS tasks FROM fresh GROUP BY request) f
  WHERE b.campaign_id = $1 AND b.request = f.request),
started AS (
  UPDATE tasks t SET state = 'launching'
  WHERE t.campaign_id = $1 AND t.number = ANY (ARRAY(SELECT number FROM taken)) AND t.state = 'waiting'
  RETURNING t.number, t.attempt, t.request, t.walltime_s),
launch AS (
  INSERT INTO launches (campaign_id, cluster_id, jobs, resources, term, planned_at, request, memory_mb, walltime_s)
  SELECT $1, $2, count(*), coalesce(count(*) * max(m.resources_per_job), $4::double precision), $5, instant($6), max(m.resources), max(m.memory_mb),
    least(greatest(max(m.walltime_s), max(s.walltime_s)), coalesce(max(p.max_walltime_s), max(m.walltime_s)))
  FROM started s JOIN mine m ON m.request = s.request JOIN campaign_clusters p ON p.campaign_id = $1 AND p.cluster_id = $2
  HAVING count(*) > 0 RETURNING id, resources),
planned AS (
  INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, fence)
  SELECT launch.id, $1, $2, number, attempt, removed.fence FROM launch CROSS JOIN started LEFT JOIN removed USING (number) ORDER BY number RETURNING id)
SELECT id, (SELECT count(*) FROM planned) AS jobs, resources FROM launch

-- name: planning.replicate
-- Plans a launch of second copies of up to $3 running tasks that never had one and whose job is on another cluster, the longest
-- running first; with $4, only of those that run for so many seconds. Each copy has an attempt of its own, so that the fence lets
-- both run. $1 campaign, $2 cluster, $5 term, $6 now.
WITH running AS (
  SELECT t.number, t.attempt, t.request, t.walltime_s, j.started_at, q.shape, coalesce(q.resources, p.resources) AS resources,
    coalesce(q.resources_per_job, p.resources_per_job, 1) AS resources_per_job, q.memory_mb, coalesce(q.walltime_s, p.walltime_s) AS asked_s, p.max_walltime_s
  FROM campaigns c
  JOIN campaign_clusters p ON p.campaign_id = c.id AND p.cluster_id = $2
  JOIN jobs j ON j.campaign_id = c.id AND j.state = 'running' AND j.cluster_id <> $2
    AND ($4::double precision IS NULL OR j.started_at <= instant($6) - $4 * interval '1 second')
  JOIN tasks t ON t.campaign_id = c.id AND t.number = j.task AND t.attempt = j.attempt AND t.state = 'running' AND t.replica IS NULL
  LEFT JOIN campaign_requests q ON q.campaign_id = c.id AND q.cluster_id = $2 AND q.request = t.request
  WHERE c.id = $1 AND c.state = 'in_treatment' AND c.replicas AND (t.request IS NULL OR q.request IS NOT NULL)),
lead AS (SELECT shape FROM running ORDER BY started_at, number LIMIT 1),
chosen AS (SELECT * FROM running WHERE shape IS NOT DISTINCT FROM (SELECT shape FROM lead) ORDER BY started_at, number LIMIT $3),
doubled AS (
  UPDATE tasks t SET replica = t.attempt + 1, replica_lives = true FROM chosen
  WHERE t.campaign_id = $1 AND t.number = chosen.number AND t.attempt = chosen.attempt AND t.state = 'running' AND t.replica IS NULL
  RETURNING t.number, t.replica, t.request, chosen.resources, chosen.resources_per_job, chosen.memory_mb,
    least(greatest(chosen.asked_s, t.walltime_s), coalesce(chosen.max_walltime_s, chosen.asked_s)) AS walltime_s),
launch AS (
  INSERT INTO launches (campaign_id, cluster_id, jobs, resources, term, planned_at, request, memory_mb, walltime_s)
  SELECT $1, $2, count(*), sum(resources_per_job), $5, instant($6), max(resources), max(memory_mb), max(walltime_s)
  FROM doubled HAVING count(*) > 0 RETURNING id),
planned AS (
  INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt)
  SELECT launch.id, $1, $2, number, replica FROM doubled, launch ORDER BY number RETURNING id)
SELECT count(*) AS jobs FROM planned

-- name: planning.replicable
-- Of the campaigns in treatment that allow it, the tasks that run on each cluster and never had a second copy, and how many of them
-- run longer than a share of the campaign's jobs did. $1 share, $2 jobs done without which none is too long, $3 now.
WITH known AS (
  SELECT campaign_id, min(bucket_seconds(bucket)) FILTER (WHERE ended >= $1::double precision * jobs) AS seconds
  FROM (SELECT d.campaign_id, d.bucket, sum(sum(d.jobs)) OVER (PARTITION BY d.campaign_id ORDER BY d.bucket) AS ended,
          sum(sum(d.jobs)) OVER (PARTITION BY d.campaign_id) AS jobs
        FROM durations d JOIN campaigns c ON c.id = d.campaign_id AND c.replicas AND c.state = 'in_treatment' GROUP BY d.campaign_id, d.bucket) b
  WHERE jobs >= $2 GROUP BY campaign_id)
SELECT j.campaign_id, j.cluster_id, count(*) AS tasks, count(*) FILTER (WHERE j.started_at <= instant($3) - k.seconds * interval '1 second') AS expired,
  min(k.seconds) AS seconds
FROM campaigns c
JOIN jobs j ON j.campaign_id = c.id AND j.state = 'running'
JOIN tasks t ON t.campaign_id = c.id AND t.number = j.task AND t.attempt = j.attempt AND t.state = 'running' AND t.replica IS NULL
LEFT JOIN known k ON k.campaign_id = c.id
WHERE c.replicas AND c.state = 'in_treatment'
GROUP BY j.campaign_id, j.cluster_id ORDER BY j.campaign_id, j.cluster_id

-- name: planning.submitted
-- What this cycle submits for pairs, for the predictor. $1 campaigns, $2 clusters, $3 jobs, $4 free resources offered, $5 first ratios,
-- $6 now.
INSERT INTO forecasts (campaign_id, cluster_id, time, job_ratio, nsub, offered)
SELECT g.campaign_id, g.cluster_id, instant($6), g.ratio, g.jobs, g.offered
FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::double precision[], $5::double precision[])
  AS g(campaign_id, cluster_id, jobs, offered, ratio)
ON CONFLICT (campaign_id, cluster_id) DO UPDATE SET nsub = EXCLUDED.nsub, offered = EXCLUDED.offered

-- name: planning.decided
-- The campaigns whose decisions are written, those that are over too, with the figures' digest of each.
SELECT campaign_id, digest FROM decided

-- name: planning.decisions
-- What is written of some campaigns. $1 campaigns.
SELECT campaign_id, cluster_id, digest FROM decisions WHERE campaign_id = ANY ($1::bigint[])

-- name: planning.decide
-- Decisions that a cycle made otherwise than the last. $1 campaigns, $2 clusters, $3 stages, $4 reasons, $5 sentences, $6 jobs, $7 digests, $8 now.
INSERT INTO decisions AS d (campaign_id, cluster_id, stage, reason, sentence, jobs, digest, since)
SELECT g.*, instant($8) FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::bigint[]) AS g
ON CONFLICT (campaign_id, cluster_id) DO UPDATE SET stage = EXCLUDED.stage, reason = EXCLUDED.reason, sentence = EXCLUDED.sentence,
  jobs = EXCLUDED.jobs, digest = EXCLUDED.digest, since = CASE WHEN d.reason = EXCLUDED.reason THEN d.since ELSE EXCLUDED.since END

-- name: planning.undecide
-- Pairs and campaigns of which nothing is decided any longer. $1 campaigns, $2 clusters.
DELETE FROM decisions d USING unnest($1::bigint[], $2::bigint[]) AS g (campaign_id, cluster_id)
WHERE d.campaign_id = g.campaign_id AND d.cluster_id = g.cluster_id

-- name: planning.note_decided
-- Of some campaigns all is written. $1 campaigns, $2 digests.
INSERT INTO decided (campaign_id, digest) SELECT * FROM unnest($1::bigint[], $2::bigint[])
ON CONFLICT (campaign_id) DO UPDATE SET digest = EXCLUDED.digest

-- name: planning.forget_decided
-- Of campaigns that are over nothing is decided any longer. $1 campaigns.
WITH gone AS (DELETE FROM decided WHERE campaign_id = ANY ($1::bigint[]))
DELETE FROM decisions WHERE campaign_id = ANY ($1::bigint[])

-- name: planning.note_planned
-- Campaigns that could not be planned, and were. $1 campaigns, $2 the event's code, $3 now.
WITH planned AS (
  UPDATE events SET state = 'closed', closed_at = instant($3)
  WHERE code = $2 AND state = 'open' AND cluster_id IS NULL AND campaign_id = ANY ($1::bigint[]) RETURNING campaign_id)
DELETE FROM brakes b USING planned p WHERE b.campaign_id = p.campaign_id AND b.cluster_id IS NULL

-- name: prediction.campaigns
-- How far each campaign in treatment is. $1 the beginning of the throughput's window.
SELECT c.id, micros(c.submitted_at) AS submitted_at, micros(c.first_start_at) AS first_start_at,
  c.total - c.done - c.failed - c.cancelled AS remaining, c.running, coalesce(w.jobs, 0) AS ended, c.state = 'paused' AS paused
FROM campaigns c
LEFT JOIN (SELECT campaign_id, sum(jobs) AS jobs FROM completions WHERE minute >= date_trunc('minute', instant($1)) GROUP BY campaign_id) w
  ON w.campaign_id = c.id
WHERE c.state IN ('in_treatment', 'paused')
ORDER BY c.id

-- name: prediction.earlier
-- What the user's 50 campaigns before it have done with the same command, for the campaigns that have done nothing yet.
SELECT c.id, sum(q.done) AS done, sum(q.duration_sum) AS duration_sum, sum(q.duration_squares) AS duration_squares
FROM campaigns c
CROSS JOIN LATERAL (SELECT e.id FROM campaigns e WHERE e.user_name = c.user_name AND e.id < c.id ORDER BY e.id DESC LIMIT 50) o
JOIN campaign_clusters q ON q.campaign_id = o.id AND q.done > 0
  AND q.exec_file IN (SELECT p.exec_file FROM campaign_clusters p WHERE p.campaign_id = c.id)
WHERE c.state IN ('in_treatment', 'paused') AND c.done = 0
GROUP BY c.id

-- name: prediction.window
-- Ends within the window, by pair. $1 its beginning.
SELECT w.campaign_id, w.cluster_id, sum(w.jobs) AS jobs FROM completions w
JOIN campaigns c ON c.id = w.campaign_id AND c.state IN ('in_treatment', 'paused')
WHERE w.minute >= date_trunc('minute', instant($1)) GROUP BY 1, 2

-- name: prediction.write
-- The forecasts; what was submitted is the metascheduler's and stays.
INSERT INTO forecasts AS f (campaign_id, cluster_id, time, job_ratio, throughput, mean, stddev, end_at, method,
  end_earliest, end_latest, start_at, start_earliest, start_latest)
SELECT g.campaign_id, g.cluster_id, instant($9), g.ratio, g.throughput, g.mean, g.stddev, instant(g.end_at), g.method,
  instant(g.end_earliest), instant(g.end_latest), instant(g.start_at), instant(g.start_earliest), instant(g.start_latest)
FROM unnest($1::bigint[], $2::bigint[], $3::double precision[], $4::double precision[], $5::double precision[], $6::double precision[],
  $7::bigint[], $8::text[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[])
  AS g(campaign_id, cluster_id, ratio, throughput, mean, stddev, end_at, method, end_earliest, end_latest, start_at, start_earliest, start_latest)
ON CONFLICT (campaign_id, cluster_id) DO UPDATE SET time = EXCLUDED.time, job_ratio = EXCLUDED.job_ratio, throughput = EXCLUDED.throughput,
  mean = EXCLUDED.mean, stddev = EXCLUDED.stddev, end_at = EXCLUDED.end_at, method = EXCLUDED.method, end_earliest = EXCLUDED.end_earliest,
  end_latest = EXCLUDED.end_latest, start_at = EXCLUDED.start_at, start_earliest = EXCLUDED.start_earliest, start_latest = EXCLUDED.start_latest
WHERE (f.job_ratio, f.throughput, f.mean, f.stddev, f.end_at, f.method, f.end_earliest, f.end_latest, f.start_at, f.start_earliest, f.start_latest)
  IS DISTINCT FROM (EXCLUDED.job_ratio, EXCLUDED.throughput, EXCLUDED.mean, EXCLUDED.stddev, EXCLUDED.end_at, EXCLUDED.method,
    EXCLUDED.end_earliest, EXCLUDED.end_latest, EXCLUDED.start_at, EXCLUDED.start_earliest, EXCLUDED.start_latest)

-- name: prediction.quantiles
-- The duration within which a share of the jobs of each pair in treatment ended. $1 share, between 0 and 1.
SELECT campaign_id, cluster_id, jobs, min(bucket_seconds(bucket)) FILTER (WHERE ended >= $1::double precision * jobs) AS seconds
FROM (SELECT d.campaign_id, d.cluster_id, d.bucket, sum(d.jobs) OVER (PARTITION BY d.campaign_id, d.cluster_id ORDER BY d.bucket) AS ended,
        sum(d.jobs) OVER (PARTITION BY d.campaign_id, d.cluster_id) AS jobs
      FROM durations d JOIN campaigns c ON c.id = d.campaign_id AND c.state IN ('in_treatment', 'paused')) b
GROUP BY campaign_id, cluster_id, jobs ORDER BY campaign_id, cluster_id

-- name: prediction.quantile
-- The same of one campaign, of all its clusters or of one; no row while no job ended. $1 share, $2 campaign, $3 cluster (null: all).
SELECT jobs, min(bucket_seconds(bucket)) FILTER (WHERE ended >= $1::double precision * jobs) AS seconds
FROM (SELECT d.bucket, sum(sum(d.jobs)) OVER (ORDER BY d.bucket) AS ended, sum(sum(d.jobs)) OVER () AS jobs
      FROM durations d WHERE d.campaign_id = $2 AND ($3::bigint IS NULL OR d.cluster_id = $3) GROUP BY d.bucket) b
GROUP BY jobs
