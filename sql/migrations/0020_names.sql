-- Names for what many queries say again: sets of states, the next attempt of a task, the login of a user, a cluster's row, an event's.
-- PostgreSQL puts the body of each function into the query that calls it, so that the indexes on these states are used as ever. That
-- holds only while a body is one expression without a subquery.

-- As the indexes jobs_live, campaigns_live and launches_open have them.
CREATE FUNCTION is_live(state job_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('planned', 'launching', 'remote_waiting', 'running', 'unknown') $$;
CREATE FUNCTION is_live(state campaign_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('in_treatment', 'paused') $$;
CREATE FUNCTION is_open(state launch_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('planned', 'launching', 'unknown') $$;
-- OAR has no id of it.
CREATE FUNCTION is_open(state job_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('planned', 'launching', 'unknown') $$;
-- OAR has it.
CREATE FUNCTION is_remote(state job_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('remote_waiting', 'running') $$;
CREATE FUNCTION is_over(state campaign_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('terminated', 'cancelled') $$;
-- A job carries it.
CREATE FUNCTION is_in_flight(state task_state) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT state IN ('launching', 'submitted', 'running') $$;

CREATE FUNCTION next_attempt(task tasks) RETURNS integer LANGUAGE sql IMMUTABLE
  AS $$ SELECT greatest(task.attempt, task.replica) + 1 $$;

-- A task that was given back goes before the new ones of its bag, or after them.
CREATE FUNCTION goes_before_new(returned returned_tasks) RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT returned.priority >= 10 $$;

-- The jobs of a pair that are not over.
CREATE FUNCTION live_jobs(pair campaign_clusters) RETURNS integer LANGUAGE sql IMMUTABLE
  AS $$ SELECT pair.launching + pair.waiting + pair.running + pair.unknown $$;

-- The user's name on each cluster, of each campaign.
CREATE VIEW logins AS
SELECT c.id AS campaign_id, k.id AS cluster_id, coalesce(m.login, c.user_name) AS login
FROM campaigns c
CROSS JOIN clusters k
LEFT JOIN user_mappings m ON m.user_name = c.user_name AND m.cluster_id = k.id;

-- Clusters as lib/store/clusters.cpp reads them.
CREATE VIEW cluster_rows AS
SELECT
  id,
  name,
  url,
  authentication,
  login,
  secret_file,
  identity_header,
  ca_file,
  certificate_file,
  key_file,
  verify_tls,
  power,
  flood,
  array_size,
  enabled,
  reachable,
  micros(unreachable_since) AS unreachable_since,
  micros(healthy_since) AS healthy_since,
  failed_polls,
  micros(next_probe_at) AS next_probe_at,
  last_error,
  max_resources,
  micros(resources_at) AS resources_at,
  memory_property,
  memory_unit_mb,
  memory_max_mb,
  cost,
  transfer_mb_s,
  micros(retired_at) AS retired_at
FROM clusters;

-- Events as lib/store/views_grid.cpp reads them.
CREATE VIEW event_rows AS
SELECT
  e.id,
  e.code,
  e.state,
  e.campaign_id,
  e.cluster_id,
  k.name AS cluster,
  e.job_id,
  e.occurrences,
  micros(e.opened_at) AS opened_at,
  micros(e.last_at) AS last_at,
  micros(e.closed_at) AS closed_at,
  e.message
FROM events e
LEFT JOIN clusters k ON k.id = e.cluster_id;
