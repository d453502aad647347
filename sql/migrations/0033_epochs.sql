-- A restored database gives ids again. Each restore begins an epoch, whose token is in the folders and names of what is new.
CREATE TABLE epochs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  token text NOT NULL DEFAULT substr(md5(random()::text || clock_timestamp()::text), 1, 8),
  first_campaign bigint NOT NULL,
  first_launch bigint NOT NULL,
  began_at timestamptz NOT NULL,
  cause text NOT NULL
);
COMMENT ON TABLE epochs IS 'the epochs after the first one, whose token is that of the grid';
COMMENT ON COLUMN epochs.first_campaign IS 'the least id of a campaign that it gives; older campaigns keep the token of theirs';
COMMENT ON COLUMN epochs.first_launch IS 'the least id of a launch that it gives';
COMMENT ON COLUMN epochs.cause IS 'how the restore was noticed';

ALTER TABLE grid ADD COLUMN database text;
COMMENT ON COLUMN grid.database IS 'database_identity() when the current epoch began; null: not noted yet';

-- Differs after a restore: the server's identifier and its timeline, the database's oid, and that of a table, which is made anew where a
-- dump is restored into the same database.
CREATE FUNCTION database_identity() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT format('%s.%s.%s.%s',
    (SELECT system_identifier FROM pg_control_system()),
    substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
    (SELECT oid FROM pg_database WHERE datname = current_database()),
    to_regclass('epochs')::oid)
$$;

ALTER TABLE clusters ADD COLUMN recover_from timestamptz;
COMMENT ON COLUMN clusters.recover_from IS
  'jobs that were submitted there from this time on may be unknown, as the database was restored, and nothing is planned before they are read; null: all are known';
