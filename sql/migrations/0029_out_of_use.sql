-- Resources of a cluster on which OAR starts no job, by their state, when the resources were read last.
ALTER TABLE clusters
  ADD COLUMN suspected_resources integer NOT NULL DEFAULT 0 CHECK (suspected_resources >= 0),
  ADD COLUMN absent_resources integer NOT NULL DEFAULT 0 CHECK (absent_resources >= 0),
  ADD COLUMN dead_resources integer NOT NULL DEFAULT 0 CHECK (dead_resources >= 0),
  ADD COLUMN no_resources_since timestamptz;
COMMENT ON COLUMN clusters.suspected_resources IS 'of nodes of which OAR found a fault';
COMMENT ON COLUMN clusters.absent_resources IS 'of nodes that are down, and that OAR does not wake for a job';
COMMENT ON COLUMN clusters.dead_resources IS 'of nodes that the site''s administrators took out';
COMMENT ON COLUMN clusters.no_resources_since IS
  'since when no resource can be used; null: some can, or the resources were never read';

CREATE OR REPLACE VIEW cluster_rows AS
SELECT
  id, name, url, authentication, login, secret_file, identity_header, ca_file, certificate_file, key_file, verify_tls, power, flood,
  array_size, enabled, reachable, micros(unreachable_since) AS unreachable_since, micros(healthy_since) AS healthy_since, failed_polls,
  micros(next_probe_at) AS next_probe_at, last_error, max_resources, micros(resources_at) AS resources_at, memory_property,
  memory_unit_mb, memory_max_mb, cost, transfer_mb_s, micros(retired_at) AS retired_at, headroom, availability, load_property,
  utilized_resources, loaded_resources, micros(load_at) AS load_at, suspected_resources, absent_resources, dead_resources,
  micros(no_resources_since) AS no_resources_since
FROM clusters;
