-- The reads of the world (docs/architecture/world.md) from its own database, over a connection that no fault meets.

-- name: world.add_database
CREATE DATABASE gleaner

-- name: world.add_time
-- The time, in microseconds since 1970: a sequence, as no transaction rolls it back.
CREATE SCHEMA world CREATE SEQUENCE microseconds

-- name: world.add_now
-- Found before PostgreSQL's own by the search_path of each connection of the world. PostgreSQL puts the body into the statements that call
-- it, at 0.4 us a call.
CREATE FUNCTION world.now() RETURNS timestamptz LANGUAGE sql VOLATILE AS
  $$SELECT pg_catalog.to_timestamp(pg_catalog.pg_sequence_last_value('world.microseconds') / 1000000.0::float8)$$

-- name: world.add_clock_timestamp
-- The same for the other name of the time.
CREATE FUNCTION world.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
  $$SELECT pg_catalog.to_timestamp(pg_catalog.pg_sequence_last_value('world.microseconds') / 1000000.0::float8)$$

-- name: world.set_time
SELECT setval('world.microseconds', @micros) AS micros

-- name: world.fix_token
-- Production leaves the grid's token to chance.
UPDATE grid SET token = 'world000'

-- name: world.count_statements
CREATE EXTENSION pg_stat_statements SCHEMA world

-- name: world.tables
-- Those of production, with commas.
SELECT string_agg(quote_ident(relname), ', ' ORDER BY relname) AS names FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'

-- name: world.connections
-- Those that a program has.
SELECT count(*) AS connections FROM pg_stat_activity WHERE application_name = @program

-- name: world.open_transactions
-- Those of all programs.
SELECT count(*) AS transactions FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'

-- name: world.writers
-- A program's connections whose transaction has changed something: it has a number then.
SELECT count(*) AS writers FROM pg_stat_activity WHERE application_name = @program AND backend_xid IS NOT NULL

-- name: world.fill_empty_tables
-- Before the database is dumped: a row for each table that a world leaves empty or may leave empty, and a paused campaign.
WITH
a AS (INSERT INTO affinities (user_name, cluster_id) SELECT 'zoe', min(id) FROM clusters),
b AS (INSERT INTO brakes (cluster_id, reason, created_at, expires_at, set_by)
  SELECT max(id), 'its users need it', now(), now() + interval '1 day', 'root' FROM clusters ON CONFLICT DO NOTHING),
d AS (INSERT INTO declarations (what, subject, declared_by, declared_at, reason, message)
  VALUES ('job_lost', '1', 'root', now(), 'its node burnt down', 'the task is tried again')),
e AS (INSERT INTO epochs (token, first_campaign, first_launch, began_at, cause)
  SELECT 'world001', coalesce(max(c.id), 0) + 1, (SELECT coalesce(max(id), 0) + 1 FROM launches), now(), 'by hand' FROM campaigns c),
i AS (INSERT INTO imported_campaigns (source, source_id, submitted_at, campaign_id, tasks, left_out)
  SELECT 'cigri', 7, now() - interval '1 year', min(id), 10, 3 FROM campaigns),
k AS (INSERT INTO keeps (name, cluster_id, resources, new_users_s) SELECT 'first-steps', min(id), 4, 2592000 FROM clusters),
m AS (INSERT INTO user_mappings (user_name, cluster_id, login) SELECT 'zoe', min(id), 'z0e' FROM clusters),
r AS (INSERT INTO reservations (cluster_id, campaign_id, begins_at, made_at)
  SELECT k.id, c.id, now() + interval '1 hour', now()
  FROM (SELECT min(id) AS id FROM clusters) k, (SELECT min(id) AS id FROM campaigns WHERE state = 'in_treatment') c WHERE c.id IS NOT NULL
  ON CONFLICT DO NOTHING),
s AS (INSERT INTO shares (name, kind, shares) VALUES ('physics', 'project', 3), ('guests', 'group', 1)),
u AS (INSERT INTO unmarked_ends (event, bound_s, before, before_job, tried_at) SELECT min(id), 5, now(), 1, now() FROM events
  HAVING count(*) > 0 ON CONFLICT DO NOTHING),
l AS (INSERT INTO user_limits (user_name, max_campaigns, changed_by, changed_at) VALUES ('zoe', 5, 'root', now())),
p AS (INSERT INTO user_priorities (user_name, priority) VALUES ('zoe', 2)),
q AS (INSERT INTO project_priorities (project, priority) VALUES ('physics', 3)),
g AS (INSERT INTO group_priorities (group_name, priority) VALUES ('guests', 5))
UPDATE campaigns SET state = 'paused'
WHERE id = (SELECT max(id) FROM campaigns WHERE state = 'in_treatment' HAVING count(*) > 1)

-- name: world.counts
-- Tasks and jobs by state, and events by code, for the trace.
SELECT concat_ws(' ',
  (SELECT string_agg(format('%s=%s', state, n), ' ' ORDER BY state) FROM (SELECT state, count(*) AS n FROM tasks GROUP BY state) t),
  '|',
  (SELECT string_agg(format('%s=%s', state, n), ' ' ORDER BY state) FROM (SELECT state, count(*) AS n FROM jobs GROUP BY state) j),
  '|',
  (SELECT string_agg(format('%s=%s', code, n), ' ' ORDER BY code) FROM (SELECT code, sum(occurrences) AS n FROM events GROUP BY code) e))
  AS counts

-- name: world.ends
-- How many tasks are over, and how many campaigns have others and wait for no campaign, which may wait for a user.
SELECT
  coalesce(sum(done + failed + cancelled), 0) AS tasks,
  count(*) FILTER (WHERE state = 'in_treatment'
    AND NOT EXISTS (SELECT FROM dependencies d WHERE d.campaign_id = c.id AND d.met_at IS NULL)) AS live
FROM campaigns c

-- name: world.totals
SELECT count(*) AS tasks, count(*) FILTER (WHERE state = 'done') AS done FROM tasks

-- name: world.longest_work
-- Seconds that the tasks of all campaigns take at most, one after the other: each runs until its walltime.
SELECT coalesce(sum(c.total * (SELECT max(greatest(p.walltime_s, p.max_walltime_s)) FROM campaign_clusters p WHERE p.campaign_id = c.id)), 0)
  ::float8 AS seconds
FROM campaigns c

-- name: world.heaviest_statements
-- The statements that took PostgreSQL longest, their plans included.
SELECT
  round(((total_exec_time + total_plan_time) / 1000)::numeric, 2) AS total_s,
  calls,
  plans,
  round((total_plan_time / greatest(plans, 1))::numeric, 3) AS plan_ms,
  round(mean_exec_time::numeric, 3) AS execute_ms,
  query
FROM pg_stat_statements ORDER BY total_exec_time + total_plan_time DESC LIMIT @most
