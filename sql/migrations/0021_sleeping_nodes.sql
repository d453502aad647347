-- Nodes that may sleep while they have no job: what waking one must be worth, the names of a cluster's nodes, and those that the jobs of a
-- launch leave empty.

ALTER TABLE clusters ADD COLUMN wake_minutes double precision NOT NULL DEFAULT 0 CHECK (wake_minutes >= 0);
COMMENT ON COLUMN clusters.wake_minutes IS
  'minutes of work for each of a sleeping node''s cores that make the grid wake it; 0: a node that sleeps is as good as another one';

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
  wake_minutes
FROM clusters;

DROP TRIGGER note_act ON clusters;
CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE OF name, enabled, retired_at, url, api, authentication, login, secret_file,
  identity_header, ca_file, certificate_file, key_file, homes, verify_tls, power, cost, transfer_mb_s, flood, array_size, memory_property,
  memory_unit_mb, memory_max_mb, headroom, availability, load_property, shared_home, properties, wake_minutes
  ON clusters FOR EACH ROW EXECUTE FUNCTION note_act('cluster', 'name');

-- The usable nodes of a cluster, where the grid leaves some empty. One row for a cluster, as thousands of nodes are read and written
-- together.
CREATE TABLE named_nodes (
  cluster_id bigint PRIMARY KEY REFERENCES clusters ON DELETE CASCADE,
  nodes text NOT NULL,                                    -- the text of grid::NamedNodes
  open_sizes text NOT NULL,                               -- of nodes with jobs (the text of grid::NodeSizes)
  empty_sizes text NOT NULL,                              -- of awake ones without
  asleep_sizes text NOT NULL,
  longest_name integer NOT NULL
);

ALTER TABLE launches ADD COLUMN leaves text NOT NULL DEFAULT '';
COMMENT ON COLUMN launches.leaves IS
  'nodes that its jobs leave empty, by their sizes: "16x3" is three nodes of 16 resources, those that sleep first; empty: none';
