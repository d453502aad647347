-- Consumables: licences and the like, which all clusters share; and limits by unix group.

ALTER TABLE limits
  DROP CONSTRAINT limits_kind_check,
  ADD COLUMN consumable text CHECK (consumable <> ''),
  ADD COLUMN group_name text CHECK (group_name <> ''),
  ADD CONSTRAINT limits_kind_check CHECK (kind IN ('running_jobs', 'waiting_jobs', 'resources', 'resource_seconds', 'consumable')),
  ADD CONSTRAINT limits_names_consumable CHECK ((kind = 'consumable') = (consumable IS NOT NULL));
COMMENT ON COLUMN limits.consumable IS 'the one that is counted, of the kind `consumable`; campaigns may need those that a limit names';
COMMENT ON COLUMN limits.group_name IS 'a unix group: the limit is on the campaigns whose user was in it at the submission; null: any';
DROP INDEX limits_target;
CREATE UNIQUE INDEX limits_target ON limits
  (kind, coalesce(consumable, ''), coalesce(user_name, ''), coalesce(group_name, ''), coalesce(project, ''), coalesce(campaign_id, 0),
   coalesce(cluster_id, 0));

-- What each task of a campaign needs, as `gpu=2 matlab=1`; null: nothing.
CREATE FUNCTION needs_text(needs jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(key || '=' || value, ' ' ORDER BY key COLLATE "C") FROM jsonb_each_text(needs)
$$;
ALTER TABLE campaigns
  ADD COLUMN needs text GENERATED ALWAYS AS (needs_text(jdl -> 'needs')) STORED,
  ADD COLUMN groups text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN campaigns.needs IS 'consumables that each task needs, as `gpu=2 matlab=1`; null: none';
COMMENT ON COLUMN campaigns.groups IS 'unix groups of its user at the submission, on the machine of gridapi';

-- How much of a consumable each live job of a pair holds: one that carries out tasks side by side holds it for each of them.
CREATE FUNCTION held_of(campaign campaigns, pair campaign_clusters, consumable text) RETURNS double precision LANGUAGE sql STABLE AS $$
  SELECT coalesce((campaign.jdl -> 'needs' ->> consumable)::double precision, 0)
    * CASE WHEN campaign.dimensional_grouping THEN greatest(1, floor(job_width(pair))) ELSE 1 END
$$;
