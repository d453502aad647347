-- The schema's version.

-- name: schema.lock
-- One migration at a time, until the end of the transaction.
SELECT pg_advisory_xact_lock(7, 0) AS taken

-- name: schema.create
-- The table of the migrations applied.
CREATE TABLE IF NOT EXISTS schema_migrations (number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())

-- name: schema.exists
-- Whether any migration was ever applied.
SELECT to_regclass('schema_migrations') IS NOT NULL AS found

-- name: schema.version
-- The number of the last migration applied.
SELECT coalesce(max(number), 0) AS version FROM schema_migrations

-- name: schema.applied
-- Notes a migration.
INSERT INTO schema_migrations (number, name) VALUES (@number, @name)
