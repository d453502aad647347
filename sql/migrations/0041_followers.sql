-- Task i of a campaign that comes after another one task by task follows task i of that one to the cluster where it ran: its files are in
-- the home there.

-- Clusters of one name here have their users' homes in common, as an administrator declares; null: the cluster shares its homes with none.
ALTER TABLE clusters ADD COLUMN shared_home text CHECK (shared_home ~ '^[A-Za-z0-9_]{1,64}$');

-- Whether the tasks of the campaign follow their predecessors: it has after_each, and its JDL does not let them run on any cluster.
ALTER TABLE campaigns ADD COLUMN follows boolean
  GENERATED ALWAYS AS (jdl ? 'after_each' AND coalesce(jdl ->> 'after_each_cluster', 'same') <> 'any') STORED;

-- Whether the task waits for cluster_id because a task that it comes after ran there.
ALTER TABLE returned_tasks ADD COLUMN follows boolean NOT NULL DEFAULT false;
CREATE INDEX returned_tasks_followers ON returned_tasks (cluster_id) WHERE follows;

CREATE OR REPLACE VIEW cluster_rows AS
SELECT
  id, name, url, authentication, login, secret_file, identity_header, ca_file, certificate_file, key_file, verify_tls, power, flood,
  array_size, enabled, reachable, micros(unreachable_since) AS unreachable_since, micros(healthy_since) AS healthy_since, failed_polls,
  micros(next_probe_at) AS next_probe_at, last_error, max_resources, micros(resources_at) AS resources_at, memory_property,
  memory_unit_mb, memory_max_mb, cost, transfer_mb_s, micros(retired_at) AS retired_at, headroom, availability, load_property,
  utilized_resources, loaded_resources, micros(load_at) AS load_at, suspected_resources, absent_resources, dead_resources,
  micros(no_resources_since) AS no_resources_since, insecure, shared_home
FROM clusters;

-- The cluster that a task of a campaign with `follows` waits for: where the job ran that counts for the task it comes after, or, if the
-- campaign does not have that cluster, another one with the same homes. Null: any. The task comes after none, all clusters of the campaign
-- have these homes, or none of them has. Of several predecessors on different clusters, that of the oldest campaign counts.
CREATE FUNCTION home_of(campaign bigint, task bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT home.id
  FROM dependencies d
  CROSS JOIN LATERAL (
    SELECT j.cluster_id FROM jobs j LEFT JOIN tasks o ON o.campaign_id = j.campaign_id AND o.number = j.task
    WHERE j.campaign_id = d.on_campaign AND j.task = home_of.task AND j.ending = 'done'
    ORDER BY (j.attempt = o.attempt) DESC NULLS LAST, j.id DESC LIMIT 1) ran
  JOIN clusters k ON k.id = ran.cluster_id
  CROSS JOIN LATERAL (
    SELECT h.id FROM campaign_clusters p JOIN clusters h ON h.id = p.cluster_id AND h.retired_at IS NULL
    WHERE p.campaign_id = d.campaign_id AND (h.id = k.id OR h.shared_home = k.shared_home)
    ORDER BY h.enabled DESC, h.id = k.id DESC, h.id LIMIT 1) home
  WHERE d.campaign_id = home_of.campaign AND d.kind = 'after_each'
    AND EXISTS (
      SELECT FROM campaign_clusters p JOIN clusters h ON h.id = p.cluster_id AND h.retired_at IS NULL
      WHERE p.campaign_id = d.campaign_id AND (h.shared_home = k.shared_home) IS NOT TRUE AND h.id <> k.id)
  ORDER BY d.on_campaign LIMIT 1
$$;

-- Whoever puts a task into the bag, or frees it from its cluster: it follows its predecessor.
CREATE FUNCTION follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.follows := false;
  IF NOT is_script(NEW.number) AND EXISTS (SELECT FROM campaigns WHERE id = NEW.campaign_id AND follows) THEN
    NEW.cluster_id := home_of(NEW.campaign_id, NEW.number);
    NEW.follows := NEW.cluster_id IS NOT NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER follow_when_returned BEFORE INSERT ON returned_tasks FOR EACH ROW WHEN (NEW.cluster_id IS NULL) EXECUTE FUNCTION follow();
CREATE TRIGGER follow_when_freed BEFORE UPDATE OF cluster_id ON returned_tasks FOR EACH ROW WHEN (NEW.cluster_id IS NULL)
  EXECUTE FUNCTION follow();

-- Whether tasks of a campaign are put into its bag one by one: they wait for others, or for the cluster of those.
CREATE FUNCTION is_fed(campaign bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM dependencies d JOIN campaigns c ON c.id = d.campaign_id
    WHERE d.campaign_id = campaign AND d.kind = 'after_each' AND (d.met_at IS NULL OR c.follows))
$$;
