-- Resources that are available: what no job holds, what no load keeps busy, or what is neither.
ALTER TABLE clusters
  ADD COLUMN availability text CHECK (availability IN ('dedicated', 'utilized', 'combined')),
  ADD COLUMN load_property text CHECK (load_property ~ '^[A-Za-z0-9_]*$'),
  ADD COLUMN utilized_resources integer CHECK (utilized_resources >= 0),
  ADD COLUMN loaded_resources integer CHECK (loaded_resources >= 0),
 ADD COLUMN load_at timestamptz;
COMMENT ON COLUMN clusters.availability IS 'the availability policy; null: the configuration''s';
COMMENT ON COLUMN clusters.load_property IS
  'property of OAR''s resources that states how many resources of their node are busy; empty: there is none; null: the configuration''s';
COMMENT ON COLUMN clusters.utilized_resources IS 'busy by that load, when the resources were read last; null: not read';
COMMENT ON COLUMN clusters.loaded_resources IS 'of these, those for which no job accounts; null: not read';
COMMENT ON COLUMN clusters.load_at IS 'when that load was read; null: not read';

CREATE OR REPLACE VIEW cluster_rows AS
SELECT
  id, name, url, authentication, login, secret_file, identity_header, ca_file, certificate_file, key_file, verify_tls, power, flood,
  array_size, enabled, reachable, micros(unreachable_since) AS unreachable_since, micros(healthy_since) AS healthy_since, failed_polls,
  micros(next_probe_at) AS next_probe_at, last_error, max_resources, micros(resources_at) AS resources_at, memory_property,
  memory_unit_mb, memory_max_mb, cost, transfer_mb_s, micros(retired_at) AS retired_at, headroom, availability, load_property,
  utilized_resources, loaded_resources, micros(load_at) AS load_at
FROM clusters;

DROP TRIGGER note_act ON clusters;
CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE OF name, enabled, retired_at, url, authentication, login, secret_file, identity_header,
  ca_file, certificate_file, key_file, verify_tls, power, cost, transfer_mb_s, flood, array_size, memory_property, memory_unit_mb,
  memory_max_mb, headroom, availability, load_property
  ON clusters FOR EACH ROW EXECUTE FUNCTION note_act('cluster', 'name');
