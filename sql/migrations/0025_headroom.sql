-- Resources that stay free for local jobs.
ALTER TABLE clusters ADD COLUMN headroom text CHECK (headroom ~ '^(auto|[0-9]{1,7}|[0-9.]{1,20}%)$');
COMMENT ON COLUMN clusters.headroom IS
  'resources that the grid leaves free for local jobs: a number, a part such as 5%, or auto; null: the configuration''s';

-- What `auto` has learnt on a cluster.
CREATE TABLE learnt_headroom (
  cluster_id bigint PRIMARY KEY REFERENCES clusters ON DELETE CASCADE,
  polled_at timestamptz,              -- the last poll that was watched; null: none was
  last_start timestamptz,             -- latest start of a local job that ran then, by the cluster's clock; null: none ran
  resources integer NOT NULL DEFAULT 0 CHECK (resources >= 0)  -- to keep free
);

-- The local jobs that came, by hour of the day: 24 rows a cluster at most.
CREATE TABLE local_demand (
  cluster_id bigint NOT NULL REFERENCES clusters ON DELETE CASCADE,
  hour smallint NOT NULL CHECK (hour BETWEEN 0 AND 23),  -- UTC
  seconds double precision NOT NULL CHECK (seconds >= 0),  -- for which the cluster was watched in that hour, 14 hours at most
  arrivals text NOT NULL,             -- "1:2.5 4:1": arrivals of 1 and of 4 resources in that time (grid::LocalDemand)
  PRIMARY KEY (cluster_id, hour)
);

CREATE OR REPLACE VIEW cluster_rows AS
SELECT
  id, name, url, authentication, login, secret_file, identity_header, ca_file, certificate_file, key_file, verify_tls, power, flood,
  array_size, enabled, reachable, micros(unreachable_since) AS unreachable_since, micros(healthy_since) AS healthy_since, failed_polls,
  micros(next_probe_at) AS next_probe_at, last_error, max_resources, micros(resources_at) AS resources_at, memory_property,
  memory_unit_mb, memory_max_mb, cost, transfer_mb_s, micros(retired_at) AS retired_at, headroom
FROM clusters;

DROP TRIGGER note_act ON clusters;
CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE OF name, enabled, retired_at, url, authentication, login, secret_file, identity_header,
  ca_file, certificate_file, key_file, verify_tls, power, cost, transfer_mb_s, flood, array_size, memory_property, memory_unit_mb,
  memory_max_mb, headroom
  ON clusters FOR EACH ROW EXECUTE FUNCTION note_act('cluster', 'name');
