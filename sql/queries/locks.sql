-- The locks of the modules, each on its work on one cluster.

-- name: locks.try
-- Takes this connection's lock on a cluster's work of one module.
SELECT pg_try_advisory_lock(@work::int, @cluster::bigint::int) AS taken

-- name: locks.release
-- Gives it back.
SELECT pg_advisory_unlock(@work::int, @cluster::bigint::int) AS released

-- name: locks.try_until_commit
-- The same until the end of the transaction.
SELECT pg_try_advisory_xact_lock(@work::int, @cluster::bigint::int) AS taken

-- name: locks.holder
-- Who has that lock: PostgreSQL's process, the host of its program, and for how many seconds it has neither begun nor ended a statement.
SELECT
  a.pid,
  coalesce(host(a.client_addr), '') AS host,
  floor(extract(epoch FROM clock_timestamp() - coalesce(a.state_change, a.backend_start)))::bigint AS silent_s
FROM pg_locks l
JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = @work::int::oid AND l.objid = @cluster::bigint::oid
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
