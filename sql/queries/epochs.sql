-- Epochs: the times between restores of the database, after which ids are given again.

-- name: epochs.all
-- The epochs that led to this database, the first one first.
SELECT token, 0::bigint AS first_campaign, 0::bigint AS first_launch, 0::bigint AS id FROM grid
UNION ALL SELECT token, first_campaign, first_launch, id FROM epochs
ORDER BY id

-- name: epochs.state
-- Whether this is the database of the current epoch (null: not noted yet), and whether a cluster that answers may have jobs which the
-- database does not know.
SELECT
  database = database_identity() AS same,
  EXISTS (SELECT FROM clusters WHERE recover_from IS NOT NULL AND reachable IS TRUE AND retired_at IS NULL) AS recovering
FROM grid

-- name: epochs.note_database
-- Notes that the current epoch is this database's.
UPDATE grid SET database = database_identity() WHERE database IS NULL

-- name: epochs.begin
-- Begins an epoch, unless @only_if_other, and the current one is this database's. @cause: how the restore was noticed. Ids of launches and
-- jobs go on far above all that may have been given since the dump, so that those can be taken over under their ids. `known_until`: the
-- last time of which the database knows.
WITH noted AS (
  UPDATE grid SET database = database_identity()
  WHERE NOT @only_if_other::boolean OR database IS DISTINCT FROM database_identity() RETURNING one),
known AS (SELECT coalesce(max(time), instant(@now)) AS until FROM gridstatus),
begun AS (
  INSERT INTO epochs (first_campaign, first_launch, began_at, cause)
  SELECT
    (SELECT last_value + is_called::integer FROM campaigns_id_seq),
    (SELECT setval('launches_id_seq', last_value + 100000000, false) FROM launches_id_seq),
    instant(@now),
    @cause
  FROM noted RETURNING token, first_campaign, first_launch),
jobs_too AS (SELECT setval('jobs_id_seq', (SELECT last_value + 100000000 FROM jobs_id_seq), false) AS first_job FROM begun),
sent_again AS (
  UPDATE campaign_clusters SET inputs_sent = 0, inputs_there = '{}', inputs_lacking = NULL, inputs_missing = NULL, inputs_at = NULL
  WHERE inputs_login IS NOT NULL AND campaign_id IN (SELECT id FROM campaigns WHERE is_live(state)) AND EXISTS (SELECT FROM begun)),
to_read AS (
  UPDATE clusters c SET recover_from = least(c.recover_from, (SELECT until FROM known)) WHERE EXISTS (SELECT FROM begun))
SELECT token, first_campaign, first_launch, (SELECT first_job FROM jobs_too) AS first_job, micros((SELECT until FROM known)) AS known_until
FROM begun

-- name: epochs.planned
-- The launches that were planned and not sent, as far as the database knows, with the login under which each would be sent.
SELECT
  l.id,
  l.campaign_id,
  coalesce((SELECT f.login FROM jobs j JOIN launches f ON f.id = j.fence
    WHERE j.launch_id = l.id AND j.fence IS NOT NULL AND f.login IS NOT NULL LIMIT 1),
    u.login) AS login
FROM launches l JOIN logins u ON u.campaign_id = l.campaign_id AND u.cluster_id = l.cluster_id
WHERE l.state = 'planned' ORDER BY l.id

-- name: epochs.live_campaigns
-- The campaigns that are not over, with the number of their tasks that are not settled.
SELECT id, waiting + launching + submitted + running AS tasks FROM campaigns
WHERE is_live(state) AND waiting + launching + submitted + running > 0 ORDER BY id

-- name: epochs.recover_from
-- Since when jobs on a cluster may be unknown; no row: all are known.
SELECT micros(recover_from) AS since FROM clusters WHERE id = @cluster AND recover_from IS NOT NULL

-- name: epochs.recovered
-- Records that the jobs on a cluster are known.
UPDATE clusters SET recover_from = NULL WHERE id = @cluster

-- name: epochs.logins
-- The logins under which live campaigns may have jobs on a cluster.
SELECT u.login FROM campaigns c
JOIN campaign_clusters p ON p.campaign_id = c.id AND p.cluster_id = @cluster
JOIN logins u ON u.campaign_id = c.id AND u.cluster_id = p.cluster_id
WHERE is_live(c.state)
UNION SELECT l.login FROM launches l JOIN campaigns c ON c.id = l.campaign_id
WHERE is_live(c.state) AND l.cluster_id = @cluster AND l.login IS NOT NULL
ORDER BY 1

-- name: epochs.known_launches
-- Those of these launches that the database has.
SELECT id FROM launches WHERE id = ANY (@launches::bigint[])

-- name: epochs.foreign
-- The places (from 1) of those launches whose live campaign's user never had the login on the cluster.
SELECT g.at FROM unnest(@campaigns::bigint[], @logins::text[]) WITH ORDINALITY AS g(campaign, login, at)
JOIN campaigns c ON c.id = g.campaign AND is_live(c.state)
WHERE NOT launches_as(g.campaign, @cluster, g.login)

-- name: epochs.lock
-- Locks a live campaign, before tasks are taken out of its bag. No row when it is over, or not on the cluster, or its user has not this
-- login there: anybody may submit a job to OAR that says it is of another user's campaign.
SELECT c.requests > 0 AS differing FROM campaigns c
WHERE c.id = @campaign AND is_live(c.state)
  AND EXISTS (SELECT FROM campaign_clusters p WHERE p.campaign_id = c.id AND p.cluster_id = @cluster)
  AND launches_as(c.id, @cluster, @login)
FOR UPDATE OF c

-- name: epochs.pass
-- Moves the cursor of a campaign with one request past these tasks. Others that it passes are given back to the bag, or stay held.
WITH campaign AS (SELECT id, next_task FROM campaigns WHERE id = @campaign),
passed AS (
  SELECT t.number, t.state, EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = t.campaign_id AND r.number = t.number) AS is_held
  FROM campaign c JOIN tasks t ON t.campaign_id = c.id
  WHERE t.number BETWEEN c.next_task AND (SELECT max(n) FROM unnest(@tasks::bigint[]) AS n)),
kept AS (
  INSERT INTO returned_tasks (campaign_id, number, returned_at) SELECT @campaign, number, instant(@now) FROM passed WHERE state = 'waiting'
  ON CONFLICT DO NOTHING)
UPDATE campaigns c SET next_task = f.next_task, skipped = c.skipped - f.skipped
FROM (SELECT max(number) + 1 AS next_task, count(*) FILTER (WHERE state = 'cancelled' OR is_held) AS skipped FROM passed) f
WHERE c.id = @campaign AND f.next_task IS NOT NULL

-- name: epochs.pass_by_request
-- The same for campaigns whose tasks have different requests: each request has its cursor. Held tasks are in no list of a request.
WITH last AS (
  SELECT t.request, max(t.number) AS number FROM tasks t
  JOIN request_bags b ON b.campaign_id = t.campaign_id AND b.request = t.request
  WHERE t.campaign_id = @campaign AND t.number = ANY (@tasks::bigint[]) AND t.number >= b.next_task AND t.state = 'waiting' GROUP BY 1),
passed AS (
  SELECT r.request, r.number FROM last l
  JOIN request_bags b ON b.campaign_id = @campaign AND b.request = l.request
  JOIN request_tasks r ON r.campaign_id = @campaign AND r.request = l.request AND r.number BETWEEN b.next_task AND l.number),
kept AS (
  INSERT INTO returned_tasks (campaign_id, number, request, returned_at) SELECT @campaign, number, request, instant(@now) FROM passed
  ON CONFLICT DO NOTHING),
emptied AS (
  UPDATE request_bags b SET next_task = l.number + 1, untaken = b.untaken - (SELECT count(*) FROM passed p WHERE p.request = l.request)
  FROM last l WHERE b.campaign_id = @campaign AND b.request = l.request)
UPDATE campaigns c SET next_task = c.next_task + f.tasks FROM (SELECT count(*) AS tasks FROM passed) f
WHERE c.id = @campaign AND f.tasks > 0

-- name: epochs.take_over
-- Writes a launch that the database does not know, as planned, with those of its jobs whose tasks are not over and had no later attempt.
-- Their tasks have these attempts from now on. No row when there is none. Ids of jobs that were not given yet are left out: they would be
-- given to other jobs.
WITH given AS (SELECT * FROM unnest(@jobs::bigint[], @tasks::bigint[], @attempts::integer[], @fences::bigint[], @pooled::boolean[])
  AS g(id, task, attempt, fence, pooled)),
wanted AS MATERIALIZED (
  SELECT g.*, t.state FROM given g JOIN tasks t ON t.campaign_id = @campaign AND t.number = g.task
  WHERE t.state IN ('waiting', 'launching', 'submitted', 'running') AND (g.attempt > t.attempt OR (g.attempt = t.attempt AND t.state = 'waiting'))
    AND g.id < (SELECT last_value FROM jobs_id_seq) AND NOT EXISTS (SELECT FROM jobs j WHERE j.id = g.id)
    AND (g.fence IS NULL OR EXISTS (SELECT FROM launches f WHERE f.id = g.fence AND f.campaign_id = @campaign AND f.cluster_id = @cluster))),
launch AS (
  INSERT INTO launches (id, campaign_id, cluster_id, term, jobs, resources, planned_at, pool_s, files) OVERRIDING SYSTEM VALUE
  SELECT
    @launch,
    @campaign,
    @cluster,
    coalesce((SELECT term FROM lease), 0),
    count(*) FILTER (WHERE NOT pooled),
    count(*) FILTER (WHERE NOT pooled) * coalesce(max(p.resources_per_job), 1),
    instant(@since),
    CASE WHEN bool_or(pooled) THEN coalesce((SELECT max(pool_s) FROM launches WHERE campaign_id = @campaign), 120) END,
    CASE WHEN bool_or(pooled) THEN 3 * count(*) + 1 END
  FROM wanted JOIN campaign_clusters p ON p.campaign_id = @campaign AND p.cluster_id = @cluster
  HAVING count(*) > 0 ON CONFLICT DO NOTHING RETURNING id),
removed AS (
  DELETE FROM returned_tasks r USING wanted w, launch WHERE r.campaign_id = @campaign AND r.number = w.task),
moved AS (
  UPDATE tasks t SET
    state = CASE t.state WHEN 'waiting' THEN 'launching' ELSE t.state END,
    uncounted = t.uncounted + w.attempt - t.attempt,
    attempt = w.attempt,
    replica_lives = false
  FROM wanted w, launch WHERE t.campaign_id = @campaign AND t.number = w.task),
added AS (
  INSERT INTO jobs (id, launch_id, campaign_id, cluster_id, task, attempt, fence, pooled, state) OVERRIDING SYSTEM VALUE
  SELECT w.id, launch.id, @campaign, @cluster, w.task, w.attempt, w.fence, w.pooled,
    CASE WHEN w.pooled THEN 'pooled' ELSE 'planned' END::job_state
  FROM wanted w, launch RETURNING id)
SELECT id, (SELECT count(*) FROM added) AS jobs FROM launch
