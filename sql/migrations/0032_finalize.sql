-- The scheduler `finalize`: its tasks may get replicas, as those of campaigns with the key `replicas`.

ALTER TABLE campaigns DROP COLUMN replicas;
ALTER TABLE campaigns ADD COLUMN replicas boolean NOT NULL GENERATED ALWAYS AS (
  coalesce(jdl ->> 'replicas', '') = 'allowed' OR coalesce(jdl ->> 'scheduler', '') = 'finalize') STORED;
COMMENT ON COLUMN campaigns.replicas IS 'whether a running task may get a replica';
