-- The one clock.

-- name: clock.now
-- The time now, not that of the transaction's begin.
SELECT micros(clock_timestamp()) AS now
