-- The database's clock.

-- name: clock.now
-- The present time, not that of the transaction's begin.
SELECT micros(clock_timestamp()) AS now
