-- The modules' locks, one for each kind of work on each cluster.

-- name: locks.try
-- Tries to take, for this connection, the lock on a module's work on a cluster.
SELECT pg_try_advisory_lock(@work::int, @cluster::bigint::int) AS taken

-- name: locks.release
-- Releases that lock.
SELECT pg_advisory_unlock(@work::int, @cluster::bigint::int) AS released

-- name: locks.try_until_commit
-- Tries to take the lock until the end of the transaction.
SELECT pg_try_advisory_xact_lock(@work::int, @cluster::bigint::int) AS taken

-- name: locks.holder
-- The holder of a lock: PostgreSQL's process, the host of its program, and the seconds since it last began or ended a statement.
SELECT
  a.pid,
  coalesce(host(a.client_addr), '') AS host,
  floor(extract(epoch FROM clock_timestamp() - coalesce(a.state_change, a.backend_start)))::bigint AS silent_s
FROM pg_locks l
JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = @work::int::oid AND l.objid = @cluster::bigint::oid
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
