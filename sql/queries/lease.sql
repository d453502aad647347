-- The lease of the grid's conductor.

-- name: lease.acquire
-- Takes the lease under a new term, if nobody holds it. The database's clock decides, because the holders' clocks may differ.
UPDATE lease SET term = term + 1, holder = @holder, expires_at = clock_timestamp() + @milliseconds * interval '1 millisecond'
WHERE expires_at < clock_timestamp()
RETURNING term

-- name: lease.renew
-- Renews the lease of this term.
UPDATE lease SET expires_at = clock_timestamp() + @milliseconds * interval '1 millisecond' WHERE term = @term RETURNING term

-- name: lease.release
-- Releases the lease of this term for a waiting conductor.
UPDATE lease SET expires_at = '-infinity' WHERE term = @term

-- name: lease.take_away
-- Ends every term, so that the conductor checks the schema again.
UPDATE lease SET term = term + 1, expires_at = '-infinity'

-- name: lease.guard
-- Keeps the lease's term unchanged until the end of the transaction, and reads the clock; no row when the term is another. Renewals are
-- possible meanwhile: the term is a key, and a renewal does not change it.
SELECT micros(clock_timestamp()) AS now FROM lease WHERE term = @term FOR KEY SHARE

-- name: lease.holder
-- The present holder of the lease; no row when it has none.
SELECT holder, term FROM lease WHERE expires_at >= clock_timestamp()
