-- The bytes that tasks read and write, and what the file server of a cluster bears.

ALTER TABLE clusters ADD COLUMN file_server_mb_s double precision NOT NULL DEFAULT 0 CHECK (file_server_mb_s >= 0);
COMMENT ON COLUMN clusters.file_server_mb_s IS
  'MB/s that its file server bears, reads and writes together, of all our jobs; 0: not known, and nothing is limited by it';

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
  homes,
  wake_minutes,
  file_server_mb_s
FROM clusters;

DROP TRIGGER note_act ON clusters;
CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE OF name, enabled, retired_at, url, api, authentication, login, secret_file,
  identity_header, ca_file, certificate_file, key_file, homes, verify_tls, power, cost, transfer_mb_s, flood, array_size, memory_property,
  memory_unit_mb, memory_max_mb, headroom, availability, load_property, shared_home, properties, wake_minutes,
  file_server_mb_s
  ON clusters FOR EACH ROW EXECUTE FUNCTION note_act('cluster', 'name');

ALTER TABLE jobs ADD COLUMN io_mb double precision CHECK (io_mb >= 0);
COMMENT ON COLUMN jobs.io_mb IS 'MB that its task read from file systems and wrote to them; null: unknown';

ALTER TABLE campaign_clusters
  ADD COLUMN io_jobs bigint NOT NULL DEFAULT 0,
  ADD COLUMN io_mb double precision NOT NULL DEFAULT 0,
  ADD COLUMN io_wall_s double precision NOT NULL DEFAULT 0;
COMMENT ON COLUMN campaign_clusters.io_jobs IS 'jobs done for which io_mb and their duration are known';
COMMENT ON COLUMN campaign_clusters.io_mb IS 'of these, in all';
COMMENT ON COLUMN campaign_clusters.io_wall_s IS 'seconds that the commands of these took, in all';

ALTER TYPE verdict ADD ATTRIBUTE io double precision;
