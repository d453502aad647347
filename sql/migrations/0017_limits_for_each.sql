-- Limits on nodes, limits for each user, project or campaign, and limits that do not count the jobs of clusters that are silent.

ALTER TABLE limits DROP CONSTRAINT limits_kind_check;
ALTER TABLE limits
  ADD CONSTRAINT limits_kind_check
    CHECK (kind IN ('running_jobs', 'waiting_jobs', 'nodes', 'resources', 'resource_seconds', 'consumable')),
  ADD COLUMN each_of text CHECK (each_of IN ('user', 'project', 'campaign')),
  ADD COLUMN silent_s integer CHECK (silent_s > 0),
  ADD CONSTRAINT limits_each_names_none CHECK (CASE each_of
    WHEN 'user' THEN user_name IS NULL WHEN 'project' THEN project IS NULL WHEN 'campaign' THEN campaign_id IS NULL ELSE true END),
  ADD CONSTRAINT limits_silent_counts_now CHECK (silent_s IS NULL OR kind <> 'resource_seconds');
COMMENT ON COLUMN limits.each_of IS 'it holds each of these by itself, but for those that another limit of its kind and target names; null: all together';
COMMENT ON COLUMN limits.silent_s IS 'jobs of a cluster that has not answered for so long do not count; null: they do';

DROP INDEX limits_target;
CREATE UNIQUE INDEX limits_target ON limits (kind, coalesce(consumable, ''), coalesce(user_name, ''), coalesce(group_name, ''),
  coalesce(project, ''), coalesce(campaign_id, 0), coalesce(cluster_id, 0), coalesce(each_of, ''));

-- Nodes of one job: those of its request, or as few as hold its resources.
CREATE FUNCTION job_nodes(pair campaign_clusters) RETURNS double precision LANGUAGE sql STABLE AS $$
  SELECT coalesce(pair.nodes_per_job::double precision,
    (SELECT greatest(1, ceil(job_width(pair) / nullif(k.max_node_resources, 0))) FROM clusters k WHERE k.id = pair.cluster_id), 1)
$$;
