-- The grid itself: its token, the lease of its conductor, the locks of its modules.

-- name: grid.token
-- This grid's own token.
SELECT token FROM grid

-- name: grid.wake_up
-- Wakes the conductor up at the commit.
NOTIFY gleaner_wake_up

-- name: grid.set_limits
-- Limits for the rest of this transaction. $1 a statement, $2 the wait for a lock, $3 a pause, in ms; 0: none.
SELECT set_config('statement_timeout', ($1::bigint)::text, true), set_config('lock_timeout', ($2::bigint)::text, true),
  set_config('idle_in_transaction_session_timeout', ($3::bigint)::text, true)

-- name: lease.acquire
-- Takes the lease when nobody holds it, with a new term. The database's clock decides: the holders' clocks may differ.
UPDATE lease SET term = term + 1, holder = $1, expires_at = clock_timestamp() + $2 * interval '1 millisecond'
WHERE expires_at < clock_timestamp()
RETURNING term

-- name: lease.renew
-- Keeps the lease of this term.
UPDATE lease SET expires_at = clock_timestamp() + $2 * interval '1 millisecond' WHERE term = $1 RETURNING term

-- name: lease.release
-- Gives the lease of this term back, for whoever waits.
UPDATE lease SET expires_at = '-infinity' WHERE term = $1

-- name: lease.take_away
-- Ends every term, so that who conducts looks at the schema again.
UPDATE lease SET term = term + 1, expires_at = '-infinity'

-- name: lease.guard
-- Holds the lease's term still until the end of the transaction; no row when it is another. The lease may be renewed meanwhile: the term
-- is a key, and a renewal leaves the key as it is.
SELECT term FROM lease WHERE term = $1 FOR KEY SHARE

-- name: lease.holder
-- Who conducts, when somebody does.
SELECT holder, term FROM lease WHERE expires_at >= clock_timestamp()

-- name: locks.try
-- Takes this connection's lock on a cluster's work of one module.
SELECT pg_try_advisory_lock($1::int, $2::bigint::int)

-- name: locks.release
-- Gives it back.
SELECT pg_advisory_unlock($1::int, $2::bigint::int)

-- name: locks.try_until_commit
-- The same until the end of the transaction.
SELECT pg_try_advisory_xact_lock($1::int, $2::bigint::int)

-- name: locks.holder
-- Who has that lock: PostgreSQL's process, the host of its program, and for how many seconds it has neither begun nor ended a statement.
SELECT a.pid, coalesce(host(a.client_addr), ''), floor(extract(epoch FROM clock_timestamp() - coalesce(a.state_change, a.backend_start)))::bigint
FROM pg_locks l
JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = $1::int::oid AND l.objid = $2::bigint::oid
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())

-- name: cycles.begin
-- A cycle of the conductor begins.
INSERT INTO cycles (term, started_at) VALUES ($1, instant($2)) RETURNING id

-- name: cycles.end
-- ...ends, with what each module did, as JSON.
UPDATE cycles SET ended_at = instant($2), modules = $3::jsonb WHERE id = $1

-- name: cycles.busy
-- Whether anything may change without a user: work to plan, jobs alive, launches or cleaning unsettled.
SELECT EXISTS (SELECT FROM campaigns WHERE state = 'in_treatment')
    OR EXISTS (SELECT FROM jobs WHERE state IN ('planned', 'launching', 'remote_waiting', 'running', 'unknown'))
    OR EXISTS (SELECT FROM launches WHERE state IN ('planned', 'launching', 'unknown'))
