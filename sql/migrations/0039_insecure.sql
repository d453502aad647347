-- An administrator's consent that the password of a cluster goes over http to another machine.
ALTER TABLE clusters ADD COLUMN insecure boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN clusters.insecure IS
  'its password may be sent in clear over http to another machine; false: it is not sent there, and the cluster is unreachable';

CREATE OR REPLACE VIEW cluster_rows AS
SELECT
  id, name, url, authentication, login, secret_file, identity_header, ca_file, certificate_file, key_file, verify_tls, power, flood,
  array_size, enabled, reachable, micros(unreachable_since) AS unreachable_since, micros(healthy_since) AS healthy_since, failed_polls,
  micros(next_probe_at) AS next_probe_at, last_error, max_resources, micros(resources_at) AS resources_at, memory_property,
  memory_unit_mb, memory_max_mb, cost, transfer_mb_s, micros(retired_at) AS retired_at, headroom, availability, load_property,
  utilized_resources, loaded_resources, micros(load_at) AS load_at, suspected_resources, absent_resources, dead_resources,
  micros(no_resources_since) AS no_resources_since, insecure
FROM clusters;
