-- Whether the grid works as a whole.

-- name: health.conductor
-- The lease, held or not (expires_at is null if it was released), and when a cycle ended last (null: never) and the schema was made.
SELECT e.holder, e.expires_at >= clock_timestamp() AS held, CASE WHEN isfinite(e.expires_at) THEN micros(e.expires_at) END AS expires_at,
  (SELECT micros(ended_at) FROM cycles WHERE ended_at IS NOT NULL ORDER BY id DESC LIMIT 1) AS last_end,
  (SELECT micros(max(applied_at)) FROM schema_migrations) AS schema_made
FROM lease e

-- name: health.lapses
-- Since when campaigns are not planned, and not forecast, though cycles go on (null: they are): the module has failed for a minute or longer,
-- or nothing is planned before a cluster's jobs are known again, after a restore. Campaigns that are not planned have no forecast either.
SELECT micros(u.at) AS unplanned, micros(least(u.at, f.at)) AS unforecast
FROM (
  SELECT least(
    (SELECT min(opened_at) FROM events WHERE state = 'open' AND code = 'MODULE_FAILED_metascheduler'
       AND opened_at <= instant(@now) - interval '1 minute'),
    (SELECT max(began_at) FROM epochs WHERE EXISTS (
      SELECT FROM clusters WHERE recover_from IS NOT NULL AND reachable IS TRUE AND retired_at IS NULL))) AS at) u,
  (SELECT min(opened_at) AS at FROM events WHERE state = 'open' AND code = 'MODULE_FAILED_predictor'
     AND opened_at <= instant(@now) - interval '1 minute') f

-- name: health.faults
-- The conditions that keep the grid from its work, beside the conductor's: a database that takes no writes, modules that fail, everywhere
-- or on one cluster, broken laws, clusters that are lost or have no live resources, brakes of whole clusters. At most 100. A module that
-- failed on a cluster some time ago, and had nothing to do there since, is left out. A herald that has not run for a quarter of an hour,
-- though somebody subscribed, and messages that have waited for an hour are named too. `times`: failures of a module in a row.
SELECT x.kind, x.subject, micros(x.since) AS since, x.message, x.set_by, x.times
FROM (
  SELECT 1 AS place, 'database' AS kind, 'database' AS subject, NULL::timestamptz AS since,
    CASE WHEN pg_is_in_recovery() THEN 'it takes no writes: it is a standby'
         ELSE 'it takes no writes: default_transaction_read_only is on' END AS message, NULL::text AS set_by,
    1::bigint AS times
  WHERE current_setting('transaction_read_only') = 'on'
  UNION ALL
  SELECT 2, 'module', substr(code, length('MODULE_FAILED_') + 1), opened_at, message, NULL, occurrences
  FROM events WHERE state = 'open' AND starts_with(code, 'MODULE_FAILED_')
  UNION ALL
  SELECT 2, 'module', substr(e.code, length('CLUSTER_TURN_FAILED_') + 1) || ' on ' || k.name, e.opened_at, e.message, NULL, 1
  FROM events e JOIN clusters k ON k.id = e.cluster_id
  WHERE e.state = 'open' AND e.campaign_id IS NULL AND starts_with(e.code, 'CLUSTER_TURN_FAILED_')
    AND e.last_at > instant(@now) - interval '10 minutes' AND k.enabled AND k.retired_at IS NULL
  UNION ALL
  SELECT 3, 'law', substr(code, length('LAW_BROKEN_') + 1), opened_at, message, NULL, 1
  FROM events WHERE state = 'open' AND starts_with(code, 'LAW_BROKEN_')
  UNION ALL
  SELECT 4, 'cluster', k.name, k.unreachable_since, coalesce(e.message, 'it does not answer'), NULL, 1
  FROM clusters k
  LEFT JOIN events e ON e.cluster_id = k.id AND e.campaign_id IS NULL AND e.state = 'open' AND e.code = 'CLUSTER_UNREACHABLE'
  WHERE k.enabled AND k.retired_at IS NULL AND k.reachable IS FALSE
  UNION ALL
  SELECT 4, 'cluster', k.name, k.no_resources_since, 'none of its resources is alive', NULL, 1
  FROM clusters k WHERE k.enabled AND k.retired_at IS NULL AND k.reachable AND k.no_resources_since IS NOT NULL
  UNION ALL
  SELECT 5, 'brake', k.name, b.created_at, b.reason, b.set_by, 1
  FROM brakes b JOIN clusters k ON k.id = b.cluster_id
  WHERE b.campaign_id IS NULL AND b.expires_at > instant(@now) AND k.enabled AND k.retired_at IS NULL
  UNION ALL
  SELECT 6, 'herald', 'herald', coalesce(t.last_at, s.first_at),
    CASE WHEN t.last_at IS NULL THEN 'it has never run' ELSE 'it does not run' END ||
      format('; subscriptions that wait for it: %s', s.subscriptions), NULL, 1
  FROM (SELECT count(*) AS subscriptions, min(created_at) AS first_at FROM subscriptions) s
  LEFT JOIN totals t ON t.kind = 'herald' AND t.cluster_id = 0 AND t.name = '' AND t.result = ''
  WHERE coalesce(t.last_at, s.first_at) < instant(@now) - interval '15 minutes' AND s.subscriptions > 0
  UNION ALL
  SELECT 7, 'outbox', 'outbox', min(m.fixed_at),
    format('messages wait to be sent: %s%s', count(*), coalesce('; the last error: ' || max(nullif(m.error, '')), '')), NULL, 1
  FROM messages m WHERE m.state IN ('ready', 'sending')
  HAVING min(m.fixed_at) < instant(@now) - interval '1 hour'
) x
ORDER BY x.place, x.subject
LIMIT 100

-- name: health.database_size
-- Bytes of the database.
SELECT pg_database_size(current_database()) AS bytes
