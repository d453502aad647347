-- The database of CiGri 3, which is only read. Each row is read by its own id, so that what cannot be converted to UTF-8 costs its own.

-- name: cigri.only_read
-- Each transaction of this connection reads one state of the database, as UTF-8, and writes nothing. Joins of a campaign's tasks with its
-- jobs stay linear whatever statistics that database has, and nothing is compiled (jit, from PostgreSQL 11 on) because of that.
SELECT
  set_config('client_encoding', 'UTF8', false) AS encoding,
  set_config('default_transaction_read_only', 'on', false) AS read_only,
  set_config('default_transaction_isolation', 'repeatable read', false) AS isolation,
  set_config('enable_nestloop', 'off', false) AS nested_loops,
  (SELECT set_config(s.name, 'off', false) FROM pg_settings s WHERE s.name = 'jit') AS jit

-- name: cigri.unreadable
-- Columns of CiGri's tables that are needed, but missing or not readable for this role.
SELECT w.table_name || '.' || w.column_name AS name
FROM (VALUES
  ('clusters', 'id'), ('clusters', 'name'), ('clusters', 'api_url'), ('clusters', 'api_auth_type'), ('clusters', 'api_username'),
  ('clusters', 'api_password'), ('clusters', 'api_auth_header'), ('clusters', 'batch'), ('clusters', 'properties'), ('clusters', 'enabled'),
  ('users_mapping', 'id'), ('users_mapping', 'grid_login'), ('users_mapping', 'cluster_login'), ('users_mapping', 'cluster_id'),
  ('users_priority', 'id'), ('users_priority', 'grid_user'), ('users_priority', 'cluster_id'), ('users_priority', 'priority'),
  ('campaigns', 'id'), ('campaigns', 'grid_user'), ('campaigns', 'state'), ('campaigns', 'name'), ('campaigns', 'submission_time'),
  ('campaigns', 'jdl'),
  ('parameters', 'id'), ('parameters', 'campaign_id'), ('parameters', 'name'), ('parameters', 'param'),
  ('bag_of_tasks', 'campaign_id'), ('bag_of_tasks', 'param_id'), ('bag_of_tasks', 'priority'),
  ('jobs', 'id'), ('jobs', 'campaign_id'), ('jobs', 'param_id'), ('jobs', 'state'),
  ('events', 'job_id'), ('events', 'campaign_id'), ('events', 'code'), ('events', 'state'), ('events', 'date_open')
) AS w(table_name, column_name)
LEFT JOIN pg_class t ON t.relname = w.table_name AND pg_table_is_visible(t.oid)
WHERE NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attname = w.column_name AND NOT a.attisdropped)
  OR NOT has_table_privilege(t.oid, 'SELECT')

-- name: cigri.sessions
-- The other sessions of CiGri's database, and whose they are: it may still run.
SELECT
  count(*) AS others,
  coalesce(string_agg(DISTINCT usename || coalesce(' from ' || host(client_addr), ''), ', '), '') AS names
FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename IS NOT NULL

-- name: cigri.clusters
SELECT id FROM clusters ORDER BY id

-- name: cigri.cluster
-- How CiGri reaches a cluster.
SELECT
  name,
  api_url,
  api_auth_type::text AS authentication,
  api_username AS login,
  api_password AS password,
  api_auth_header AS header,
  batch::text AS batch,
  properties,
  coalesce(enabled, true) AS enabled
FROM clusters WHERE id = @id::bigint

-- name: cigri.logins
SELECT id FROM users_mapping ORDER BY id

-- name: cigri.login
-- The login of a user on a cluster, where it may be a token; cluster is null where CiGri does not have that cluster any more. shared_url is
-- the URL of a cluster that has its name in common with others.
SELECT
  m.grid_login AS user_name,
  m.cluster_login AS login,
  k.name AS cluster,
  CASE WHEN EXISTS (SELECT FROM clusters o WHERE o.name = k.name AND o.id <> k.id) THEN k.api_url END AS shared_url,
  coalesce(k.api_auth_type::text = 'jwt', false) AS is_token
FROM users_mapping m LEFT JOIN clusters k ON k.id = m.cluster_id WHERE m.id = @id::bigint

-- name: cigri.priorities
SELECT id FROM users_priority ORDER BY id

-- name: cigri.priority
-- The priority of a user's campaigns on a cluster, the greater the sooner; cluster and shared_url as in cigri.login.
SELECT
  p.grid_user AS user_name,
  p.priority,
  k.name AS cluster,
  CASE WHEN EXISTS (SELECT FROM clusters o WHERE o.name = k.name AND o.id <> k.id) THEN k.api_url END AS shared_url
FROM users_priority p LEFT JOIN clusters k ON k.id = p.cluster_id WHERE p.id = @id::bigint

-- name: cigri.campaigns
-- The campaigns that are not over.
SELECT id FROM campaigns WHERE state::text IN ('in_treatment', 'paused') ORDER BY id

-- name: cigri.campaign
-- One of those, and when it was submitted (seconds since 1970). The user who pauses a campaign is not recorded; a pause of the last
-- @drained_s seconds is not its user's.
SELECT
  c.grid_user AS user_name,
  c.name,
  c.state::text = 'paused' AND NOT EXISTS (
    SELECT FROM events e
    WHERE e.campaign_id = c.id AND e.code = 'PAUSED' AND e.date_open >= now() - @drained_s::bigint * interval '1 second') AS is_paused_by_user,
  floor(extract(epoch FROM coalesce(c.submission_time, 'epoch')))::bigint AS submitted
FROM campaigns c WHERE c.id = @id::bigint AND c.state::text IN ('in_treatment', 'paused')

-- name: cigri.jdl
-- The campaign's JDL without its parameters, in the order of its text.
SELECT (
  SELECT coalesce(json_object_agg(k.key, k.value), '{}')::text FROM json_each(c.jdl::json) AS k
  WHERE lower(k.key) NOT IN ('params', 'nb_jobs', 'param_file')) AS jdl
FROM campaigns c WHERE c.id = @id::bigint

-- name: cigri.tasks
-- The tasks of a campaign that are not done, and in each row how many there are by their fate. `live`: a job of it may be on a cluster,
-- `job`. `waiting`: it is in the bag, or CiGri would give it back by itself, as its job was not sent yet (to_launch) or its resubmission is
-- due. `failed`: the others. Those that wait are the last, in the order of CiGri's bag. @with_live: those that are live wait, too.
--
-- A job in the state `event` is over on its cluster only where an event shows how it ended, or that it was not accepted. One whose answer
-- got lost may run there, although its task is in the bag again.
WITH tried AS (
  SELECT
    j.param_id,
    bool_or(j.state::text = 'terminated') AS is_done,
    min(j.id) FILTER (WHERE j.state::text NOT IN ('terminated', 'event', 'to_launch')) AS live,
    min(j.id) FILTER (WHERE j.state::text = 'event' AND e.is_over IS NOT TRUE) AS unknown,
    max(CASE j.state::text WHEN 'to_launch' THEN 20 ELSE e.priority END) AS priority
  FROM jobs j CROSS JOIN LATERAL (
    SELECT
      bool_or(v.code IN ('EXIT_ERROR', 'RESUBMIT', 'RESUBMIT_END', 'WORKING_DIRECTORY_ERROR', 'UNKNOWN_ERROR', 'RUNNER_SUBMIT_TOO_LARGE',
        'RUNNER_SUBMIT_TOKEN_NOT_FOUND', 'RUNNER_SUBMIT_PERMISSION_DENIED')) AND NOT bool_or(v.code = 'OAR_AUTO_RESUBMIT') AS is_over,
      max(CASE v.code WHEN 'RESUBMIT_END' THEN 0 WHEN 'STUCK_LAUNCHING_JOB' THEN 10 ELSE 20 END) FILTER (
        WHERE v.state::text = 'open' AND v.code IN ('RESUBMIT', 'RESUBMIT_END', 'FRAG_RESUBMIT', 'STUCK_LAUNCHING_JOB')) AS priority
    FROM events v WHERE v.job_id = j.id AND j.state::text = 'event') e
  WHERE j.campaign_id = @id::bigint AND j.param_id <> 0
  GROUP BY j.param_id),
bag AS (
  SELECT b.param_id, max(b.priority) AS priority FROM bag_of_tasks b WHERE b.campaign_id = @id::bigint GROUP BY b.param_id),
undone AS (
  SELECT
    p.id,
    coalesce(p.param, p.name, '') AS parameter,
    coalesce(b.priority, t.priority) AS priority,
    coalesce(t.live, CASE WHEN coalesce(b.priority, t.priority) IS NOT NULL THEN t.unknown END) AS job
  FROM parameters p LEFT JOIN tried t ON t.param_id = p.id LEFT JOIN bag b ON b.param_id = p.id
  WHERE p.campaign_id = @id::bigint AND t.is_done IS NOT TRUE),
judged AS (
  SELECT
    u.*,
    CASE WHEN u.job IS NOT NULL AND NOT @with_live::boolean THEN 'live'
      WHEN u.job IS NOT NULL OR u.priority IS NOT NULL THEN 'waiting'
      ELSE 'failed' END AS fate
  FROM undone u)
SELECT
  id,
  fate,
  job,
  count(job) OVER () AS live,
  count(*) FILTER (WHERE fate = 'failed') OVER () AS failed,
  count(*) FILTER (WHERE fate = 'waiting') OVER () AS waiting,
  CASE fate WHEN 'waiting' THEN left(parameter, @longest::integer) ELSE '' END AS parameter
FROM judged
ORDER BY fate = 'waiting', fate = 'failed', priority DESC NULLS LAST, id
