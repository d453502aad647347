-- Clusters and their status.

-- name: clusters.all
-- Every cluster, by name.
SELECT * FROM cluster_rows ORDER BY name

-- name: clusters.logins_for_nodes
-- The login to ask for what jobs hold of each node, of the clusters where a live campaign names nodes, or where resources are reserved or
-- no cores, so that the resources of a job may be others than those that are offered; or where nodes may sleep. @all: of every cluster, as
-- the placement packs nodes.
SELECT w.cluster_id, u.login
FROM (
  SELECT p.cluster_id FROM campaigns c JOIN campaign_clusters p ON p.campaign_id = c.id
  WHERE is_live(c.state) AND p.nodes_per_job IS NOT NULL
  UNION SELECT id FROM clusters WHERE reserved_resources > 0 OR other_resources > 0 OR wake_minutes > 0 OR @all::boolean) w
CROSS JOIN LATERAL (
  SELECT l.login FROM campaign_clusters p JOIN logins l ON l.campaign_id = p.campaign_id AND l.cluster_id = p.cluster_id
  WHERE p.cluster_id = w.cluster_id AND l.login ~ '^[A-Za-z0-9_]+$'
  ORDER BY p.campaign_id DESC LIMIT 1) u

-- name: clusters.find
-- One cluster.
SELECT * FROM cluster_rows WHERE name = @name

-- name: clusters.add
-- Adds a cluster.
INSERT INTO clusters (name, url, api, homes, authentication, login, secret_file, identity_header, ca_file, certificate_file, key_file, verify_tls,
  insecure, flood, array_size, headroom, availability, load_property, enabled, memory_property, memory_unit_mb, memory_max_mb, shared_home)
VALUES (@name, @url, @api, @homes, @authentication, @login, @secret_file, @identity_header, @ca_file, @certificate_file, @key_file, @verify_tls,
  @insecure, @flood, @array_size, @headroom, @availability, @load_property, @enabled, @memory_property, @memory_unit_mb, @memory_max_mb,
  @shared_home)
RETURNING id

-- name: clusters.declare
-- The facts that administrators declare of a cluster: @declared is a JSON object of their columns.
UPDATE clusters SET (power, cost, transfer_mb_s, wake_minutes, file_server_mb_s) = (
  SELECT power, cost, transfer_mb_s, wake_minutes, file_server_mb_s FROM jsonb_populate_record(NULL::clusters, @declared::jsonb))
WHERE id = @cluster

-- name: clusters.edit
-- Edits how a cluster is reached and used. The state of its API is reset, so that the cluster is asked at once.
UPDATE clusters SET
  url = @url,
  api = @api,
  homes = @homes,
  authentication = @authentication,
  login = @login,
  secret_file = @secret_file,
  identity_header = @identity_header,
  ca_file = @ca_file,
  certificate_file = @certificate_file,
  key_file = @key_file,
  verify_tls = @verify_tls,
  insecure = @insecure,
  flood = @flood,
  array_size = @array_size,
  headroom = @headroom,
  availability = @availability,
  load_property = @load_property,
  enabled = @enabled,
  memory_property = @memory_property,
  memory_unit_mb = @memory_unit_mb,
  memory_max_mb = @memory_max_mb,
  shared_home = @shared_home,
  next_probe_at = NULL,
  resources_at = NULL
WHERE id = @cluster

-- name: clusters.remove
-- Removes a cluster that no campaign names.
DELETE FROM clusters c WHERE id = @cluster AND NOT EXISTS (SELECT FROM campaign_clusters p WHERE p.cluster_id = c.id) RETURNING id

-- name: clusters.map_user
-- Sets the login of a user on a cluster.
INSERT INTO user_mappings (user_name, cluster_id, login) VALUES (@user, @cluster, @login)
ON CONFLICT (user_name, cluster_id) DO UPDATE SET login = EXCLUDED.login

-- name: clusters.unmap_user
-- Deletes the login of a user on a cluster.
DELETE FROM user_mappings WHERE user_name = @user AND cluster_id = @cluster RETURNING login

-- name: clusters.user_mappings
-- All logins that differ from the users' names.
SELECT m.user_name, k.name AS cluster, m.login FROM user_mappings m JOIN clusters k ON k.id = m.cluster_id ORDER BY m.user_name, k.name

-- name: clusters.record_status
-- Stores a snapshot of a cluster as its newest. If the clock was set back, snapshots of the future are deleted.
WITH future AS (DELETE FROM gridstatus WHERE cluster_id = @cluster AND time > instant(@time))
INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms,
  stress, response_ms)
VALUES (@cluster, instant(@time), @max_resources, @free, @used, @used_besteffort, @our_running, @our_waiting, @reachable, @api_latency_ms,
  @stress, @response_ms)
ON CONFLICT (cluster_id, time) DO NOTHING

-- name: clusters.record_reached
-- Records that the cluster's API answered all requests.
UPDATE clusters SET
  reachable = true,
  unreachable_since = NULL,
  failed_polls = 0,
  next_probe_at = NULL,
  last_error = NULL,
  healthy_since = CASE WHEN reachable IS TRUE THEN healthy_since ELSE instant(@now) END
WHERE id = @cluster AND (reachable IS NOT TRUE OR failed_polls > 0)

-- name: clusters.record_resources
-- Records the number of usable resources, those out of use, and the sizes of the nodes (the text of grid::NodeSizes).
UPDATE clusters SET
  max_resources = @resources,
  suspected_resources = @suspected,
  absent_resources = @absent,
  dead_resources = @dead,
  reserved_resources = @reserved,
  other_resources = @others,
  no_resources_since = CASE WHEN @resources = 0 THEN coalesce(no_resources_since, instant(@now)) END,
  resources_at = instant(@now),
  node_sizes = @node_sizes,
  reserved_sizes = @reserved_sizes,
  level_sizes = @level_sizes,
  node_memory = coalesce(@node_memory, node_memory)
WHERE id = @cluster

-- name: clusters.record_free_nodes
-- Records what jobs leave of the nodes (columns free_nodes, reserved_free_nodes and reserved_free).
UPDATE clusters SET free_nodes = @free_nodes, reserved_free_nodes = @reserved_free_nodes, reserved_free = @reserved_free
WHERE id = @cluster
  AND (free_nodes <> @free_nodes OR reserved_free_nodes <> @reserved_free_nodes OR reserved_free <> @reserved_free)

-- name: clusters.record_reservations
-- Records the advance reservations of OAR that have not begun, unless they are as before.
UPDATE clusters SET advance_reservations = @reservations WHERE id = @cluster AND advance_reservations <> @reservations

-- name: clusters.reservations
-- The advance reservations of OAR that were read last.
SELECT advance_reservations FROM clusters WHERE id = @cluster

-- name: clusters.record_named_nodes
-- Records the usable nodes of a cluster, unless they are as before.
INSERT INTO named_nodes AS n (cluster_id, nodes, open_sizes, empty_sizes, asleep_sizes, longest_name)
VALUES (@cluster, @nodes, @open_sizes, @empty_sizes, @asleep_sizes, @longest_name)
ON CONFLICT (cluster_id) DO UPDATE SET
  nodes = @nodes,
  open_sizes = @open_sizes,
  empty_sizes = @empty_sizes,
  asleep_sizes = @asleep_sizes,
  longest_name = @longest_name
WHERE n.nodes <> @nodes

-- name: clusters.named_nodes
-- The usable nodes of a cluster, as they were recorded last.
SELECT nodes FROM named_nodes WHERE cluster_id = @cluster

-- name: clusters.reread_resources
-- The next poll reads the cluster's resources, however new the known ones are.
UPDATE clusters SET resources_at = NULL WHERE id = @cluster

-- name: clusters.record_load
-- Records the resources that the load of their nodes keeps busy, and those of them for which no job accounts. Null: not read.
UPDATE clusters SET utilized_resources = @utilized, loaded_resources = @loaded, load_at = instant(@now)
WHERE id = @cluster AND (@now::bigint IS NOT NULL OR load_at IS NOT NULL)

-- name: clusters.login_to_ask
-- The login of the newest campaign on a cluster that OAR takes: it answers some questions to nobody but users.
SELECT u.login FROM campaign_clusters p
JOIN logins u ON u.campaign_id = p.campaign_id AND u.cluster_id = p.cluster_id
WHERE p.cluster_id = @cluster AND u.login ~ '^[A-Za-z0-9_]+$'
ORDER BY p.campaign_id DESC LIMIT 1

-- name: clusters.proven_ends
-- The last ends of a cluster's jobs: all, those that files of the job prove, and those of jobs that left no file.
SELECT
  count(*) AS ended,
  count(*) FILTER (WHERE ending IN ('done', 'task_error', 'rerun_first', 'rerun_last', 'duplicate')) AS proven,
  count(*) FILTER (WHERE ending = 'never_began') AS unproven
FROM (SELECT ending FROM jobs WHERE cluster_id = @cluster AND ending IS NOT NULL ORDER BY id DESC LIMIT 1000) last

-- name: clusters.node_sizes
-- The sizes of each cluster's nodes and of their parts, and their memory; what OAR gives to no best-effort job.
SELECT id, node_sizes, node_memory, reserved_sizes, reserved_resources, level_sizes FROM clusters

-- name: clusters.record_unreachable
-- Records that the cluster's API failed, and returns the number of failures since it was last reached. A cluster with an open launch is
-- asked again sooner.
UPDATE clusters SET
  reachable = false,
  unreachable_since = coalesce(unreachable_since, instant(@now)),
  healthy_since = NULL,
  failed_polls = failed_polls + 1,
  last_error = @error,
  next_probe_at = CASE WHEN EXISTS (SELECT FROM launches l WHERE l.cluster_id = clusters.id AND l.state IN ('launching', 'unknown'))
    THEN least(instant(@retry_at), instant(@now) + interval '8 seconds') ELSE instant(@retry_at) END
WHERE id = @cluster
RETURNING failed_polls

-- name: clusters.with_launches
-- Reachable clusters with launches to make, or to search for, or to which input files are to be brought, or whose jobs are to be read after
-- a restore. Where files are wanted, inputs.to_send decides which: its view takes tens of milliseconds to plan.
SELECT * FROM cluster_rows c WHERE reachable IS TRUE AND retired_at IS NULL AND (
  EXISTS (SELECT FROM launches l WHERE l.cluster_id = c.id
    AND (is_open(l.state) OR (l.state = 'void' AND l.tag IS NOT NULL AND l.settled_at > instant(@void_since))))
  OR EXISTS (SELECT FROM campaign_clusters p JOIN campaigns g ON g.id = p.campaign_id AND g.state = 'in_treatment' AND g.waiting > 0
             WHERE p.cluster_id = c.id AND p.inputs_wanted AND p.max_jobs IS DISTINCT FROM 0 AND c.enabled
               AND (p.inputs_at IS NULL OR p.inputs_login <> coalesce(
                 (SELECT m.login FROM user_mappings m WHERE m.user_name = g.user_name AND m.cluster_id = p.cluster_id), g.user_name)))
  OR EXISTS (SELECT FROM clusters r WHERE r.id = c.id AND r.recover_from IS NOT NULL))
ORDER BY name

-- name: clusters.to_wipe
-- Reachable clusters with waiting jobs of ours, jobs to kill, running jobs that get signals for checkpoints, remaining files of campaigns
-- that ended before @ended_before, or a live campaign with more files than files_target allows.
SELECT * FROM cluster_rows c WHERE reachable IS TRUE AND retired_at IS NULL AND (
  EXISTS (SELECT FROM jobs j WHERE j.cluster_id = c.id AND j.state = 'remote_waiting')
  OR EXISTS (SELECT FROM kill_requests k JOIN jobs j ON j.id = k.job_id WHERE j.cluster_id = c.id AND is_live(j.state)
             AND (is_remote(j.state) OR (j.state = 'pooled' AND k.sent_at IS NULL)))
  OR EXISTS (SELECT FROM campaigns g JOIN campaign_clusters p ON p.campaign_id = g.id AND p.cluster_id = c.id AND p.running > 0
    WHERE g.checkpoint_cost_s IS NOT NULL AND is_live(g.state))
  OR EXISTS (SELECT FROM kill_requests k JOIN jobs j ON j.id = k.job_id
    WHERE k.reason IN ('lost', 'resent') AND j.cluster_id = c.id AND is_killed_after_its_end(j, k))
  OR EXISTS (SELECT FROM campaign_clusters p JOIN campaigns g ON g.id = p.campaign_id AND g.ended_at < instant(@ended_before)
             WHERE p.cluster_id = c.id AND p.cleaned_at IS NULL AND is_over(g.state))
  OR EXISTS (SELECT FROM launches l JOIN campaign_clusters p ON p.campaign_id = l.campaign_id AND p.cluster_id = l.cluster_id
             WHERE l.cluster_id = c.id AND l.cleaned_at IS NULL AND l.tag IS NOT NULL
             GROUP BY p.campaign_id, p.cluster_id HAVING sum(coalesce(l.files, 2 * l.jobs)) > files_target(live_jobs(p))))
ORDER BY name
