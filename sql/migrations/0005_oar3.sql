-- Clusters of OAR 3: the dialect of their API, where its users have their homes, and authentication by tokens.

ALTER TABLE clusters
  ADD COLUMN api text NOT NULL DEFAULT 'oar2' CHECK (api IN ('oar2', 'oar3')), -- the dialect of its REST API
  ADD COLUMN homes text NOT NULL DEFAULT '/home/%u' CHECK (homes ~ '^/[A-Za-z0-9_./%-]*$'); -- of its users, for an API that does not know
                                                         -- `~`: %u is the user

ALTER TABLE clusters DROP CONSTRAINT clusters_authentication_check;
ALTER TABLE clusters ADD CONSTRAINT clusters_authentication_check
  CHECK (authentication IN ('none', 'basic', 'certificate', 'token'));

-- Clusters as lib/store/clusters.cpp reads them.
CREATE OR REPLACE VIEW cluster_rows AS
SELECT
  id,
  name,
  url,
  authentication,
  login,
  secret_file,
  identity_header,
  ca_file,
  certificate_file,
  key_file,
  verify_tls,
  power,
  flood,
  array_size,
  enabled,
  reachable,
  micros(unreachable_since) AS unreachable_since,
  micros(healthy_since) AS healthy_since,
  failed_polls,
  micros(next_probe_at) AS next_probe_at,
  last_error,
  max_resources,
  micros(resources_at) AS resources_at,
  memory_property,
  memory_unit_mb,
  memory_max_mb,
  cost,
  transfer_mb_s,
  micros(retired_at) AS retired_at,
  headroom,
  availability,
  load_property,
  utilized_resources,
  loaded_resources,
  micros(load_at) AS load_at,
  suspected_resources,
  absent_resources,
  dead_resources,
  micros(no_resources_since) AS no_resources_since,
  insecure,
  shared_home,
  api,
  homes
FROM clusters;

DROP TRIGGER note_act ON clusters;
CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE OF name, enabled, retired_at, url, api, authentication, login, secret_file,
  identity_header, ca_file, certificate_file, key_file, homes, verify_tls, power, cost, transfer_mb_s, flood, array_size, memory_property,
  memory_unit_mb, memory_max_mb, headroom, availability, load_property
  ON clusters FOR EACH ROW EXECUTE FUNCTION note_act('cluster', 'name');
