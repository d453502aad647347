-- The lease of the grid's conductor.

-- name: lease.acquire
-- Takes the lease when nobody holds it, with a new term. The database's clock decides: the holders' clocks may differ.
UPDATE lease SET term = term + 1, holder = @holder, expires_at = clock_timestamp() + @milliseconds * interval '1 millisecond'
WHERE expires_at < clock_timestamp()
RETURNING term

-- name: lease.renew
-- Keeps the lease of this term.
UPDATE lease SET expires_at = clock_timestamp() + @milliseconds * interval '1 millisecond' WHERE term = @term RETURNING term

-- name: lease.release
-- Gives the lease of this term back, for whoever waits.
UPDATE lease SET expires_at = '-infinity' WHERE term = @term

-- name: lease.take_away
-- Ends every term, so that who conducts looks at the schema again.
UPDATE lease SET term = term + 1, expires_at = '-infinity'

-- name: lease.guard
-- Holds the lease's term still until the end of the transaction; no row when it is another. The lease may be renewed meanwhile: the term
-- is a key, and a renewal leaves the key as it is.
SELECT term FROM lease WHERE term = @term FOR KEY SHARE

-- name: lease.holder
-- Who conducts, when somebody does.
SELECT holder, term FROM lease WHERE expires_at >= clock_timestamp()
