-- The schema and its migrations.

-- name: schema.lock
-- Locks the schema until the end of the transaction: one migration at a time.
SELECT pg_advisory_xact_lock(7, 0) AS taken

-- name: schema.create
-- Creates the table of applied migrations.
CREATE TABLE IF NOT EXISTS schema_migrations (number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())

-- name: schema.exists
-- Whether any migration was ever applied.
SELECT to_regclass('schema_migrations') IS NOT NULL AS found

-- name: schema.history
-- The migrations applied, in their order.
SELECT number, name FROM schema_migrations ORDER BY number

-- name: schema.applied
-- Records an applied migration.
INSERT INTO schema_migrations (number, name) VALUES (@number, @name)

-- name: schema.forget
-- Removes the history of a database of before the first release.
DELETE FROM schema_migrations
