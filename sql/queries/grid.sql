-- The grid itself.

-- name: grid.token
-- The token of this grid's first epoch.
SELECT token FROM grid

-- name: grid.wake_up
-- Wakes the conductor up when the transaction commits.
NOTIFY gleaner_wake_up

-- name: grid.set_limits
-- Sets limits for the rest of this transaction: for a statement, the wait for a lock, and idle time; 0: none.
SELECT
  set_config('statement_timeout', (@statement_ms::bigint)::text, true) AS statement_timeout,
  set_config('lock_timeout', (@lock_ms::bigint)::text, true) AS lock_timeout,
  set_config('idle_in_transaction_session_timeout', (@pause_ms::bigint)::text, true) AS idle_timeout
