-- What a job holds on the nodes of its cluster, and what OAR would give there to jobs of the grid.
ALTER TABLE campaign_clusters ADD COLUMN nodes_per_job integer CHECK (nodes_per_job > 0);
COMMENT ON COLUMN campaign_clusters.nodes_per_job IS
  'nodes of one job; with resources_per_job it takes so many of their cores in all, else they are whole; null: the request names no nodes';

ALTER TABLE clusters
  ADD COLUMN min_node_resources integer GENERATED ALWAYS AS ((substring(node_sizes FROM '([0-9]+)x[0-9]+$'))::integer) STORED;
COMMENT ON COLUMN clusters.min_node_resources IS 'of the smallest node';
ALTER TABLE clusters
  ADD COLUMN reserved_resources integer NOT NULL DEFAULT 0 CHECK (reserved_resources >= 0),
  ADD COLUMN reserved_free integer NOT NULL DEFAULT 0 CHECK (reserved_free >= 0),
  ADD COLUMN other_resources integer NOT NULL DEFAULT 0 CHECK (other_resources >= 0),
  ADD COLUMN reserved_sizes text NOT NULL DEFAULT '',
  ADD COLUMN free_nodes text NOT NULL DEFAULT '',
  ADD COLUMN reserved_free_nodes text NOT NULL DEFAULT '',
  ADD COLUMN node_memory text NOT NULL DEFAULT '';
COMMENT ON COLUMN clusters.node_memory IS
  'memory of the nodes, by their resources, as memory_property states it: "16:192 8:64"; an empty text: not known';
COMMENT ON COLUMN clusters.reserved_resources IS 'usable ones that OAR gives to no best-effort job; not in max_resources';
COMMENT ON COLUMN clusters.reserved_free IS 'of these, held by no job when the status was read';
COMMENT ON COLUMN clusters.other_resources IS 'those that are no cores (licences, disks, networks), in any state';
COMMENT ON COLUMN clusters.reserved_sizes IS 'as node_sizes, of what OAR gives to no best-effort job, in any state';
COMMENT ON COLUMN clusters.reserved_free_nodes IS 'as free_nodes, of what OAR gives to no best-effort job';
COMMENT ON COLUMN clusters.free_nodes IS
  'nodes by their free resources, as node_sizes, of those that best-effort jobs get; "none": no node has any; an empty text: not known';

-- As campaigns.asked of 0001_schema.sql; nodes and best_effort (1 or 0) are new.
CREATE OR REPLACE FUNCTION asked_of(campaign bigint) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    string_agg(CASE WHEN wishes = before THEN cluster_id::text ELSE cluster_id || ':' || wishes END, ' ' ORDER BY cluster_id), '')
  FROM (SELECT cluster_id, wishes, lag(wishes) OVER (ORDER BY cluster_id) AS before
        FROM (SELECT cluster_id,
                format('%s:%s:%s:%s:%s:%s', priority, resources_per_job, walltime_s, max_jobs, nodes_per_job, best_effort::integer) AS wishes
              FROM campaign_clusters WHERE campaign_id = campaign) w) b
$$;
DROP TRIGGER note_asked ON campaign_clusters;
CREATE TRIGGER note_asked AFTER INSERT OR UPDATE OF priority, resources_per_job, walltime_s, max_jobs, nodes_per_job, best_effort
  ON campaign_clusters FOR EACH ROW EXECUTE FUNCTION note_asked();

-- Resources of one job of a pair: as its JDL states them, else those of its whole nodes if all nodes have one size.
CREATE FUNCTION requested_width(pair campaign_clusters) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT coalesce(pair.resources_per_job,
    (SELECT least(10000000, pair.nodes_per_job::bigint * k.max_node_resources)::integer FROM clusters k
     WHERE k.id = pair.cluster_id AND k.max_node_resources = k.min_node_resources AND pair.nodes_per_job IS NOT NULL))
$$;
CREATE OR REPLACE FUNCTION known_width(pair campaign_clusters) RETURNS double precision LANGUAGE sql STABLE AS $$
  SELECT coalesce(requested_width(pair)::double precision, pair.resources_sum::double precision / nullif(pair.resources_jobs, 0))
$$;
CREATE OR REPLACE FUNCTION job_width(pair campaign_clusters) RETURNS double precision LANGUAGE sql STABLE AS $$
  SELECT coalesce(known_width(pair),
    (SELECT 1 / nullif(f.job_ratio, 0) FROM forecasts f JOIN campaigns c ON c.id = f.campaign_id AND c.requests > 0
     WHERE f.campaign_id = pair.campaign_id AND f.cluster_id = pair.cluster_id),
    (SELECT k.max_node_resources * coalesce(pair.nodes_per_job, 1)::double precision FROM clusters k WHERE k.id = pair.cluster_id), 1)
$$;

-- Of requests of before, those of one level of nodes; others count as they did.
UPDATE campaign_clusters p SET nodes_per_job =
  (substring(p.resources FROM '^(?:\{[^}]*\})? */?(?:nodes|host|network_address)=([1-9][0-9]{0,6})(?:/|$)'))::integer
FROM campaigns c WHERE c.id = p.campaign_id AND is_live(c.state) AND p.resources !~ '\+';
UPDATE campaigns SET asked = asked_of(id) WHERE is_live(state);
