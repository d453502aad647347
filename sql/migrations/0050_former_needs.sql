-- Jobs that are under way when a campaign's needs are edited hold until they end what they were planned with.

ALTER TABLE launches ADD COLUMN needs jsonb;
COMMENT ON COLUMN launches.needs IS 'consumables that each of its tasks holds, as the campaign''s needs were before an edit; null: as they are';
CREATE INDEX launches_of_former_needs ON launches (campaign_id, cluster_id) WHERE needs IS NOT NULL;

-- How much of a consumable the live jobs of a pair hold.
CREATE FUNCTION held_by(campaign campaigns, pair campaign_clusters, consumable text) RETURNS double precision LANGUAGE sql STABLE AS $$
  SELECT live_jobs(pair) * held_of(campaign, pair, consumable)
    + CASE WHEN campaign.dimensional_grouping THEN greatest(1, floor(job_width(pair))) ELSE 1 END * coalesce((
      SELECT sum(f.jobs * (coalesce((l.needs ->> consumable)::double precision, 0)
        - coalesce((campaign.jdl -> 'needs' ->> consumable)::double precision, 0)))
      FROM launches l
      CROSS JOIN LATERAL (
        SELECT count(*) AS jobs FROM jobs j WHERE j.launch_id = l.id AND is_live(j.state) AND NOT j.pooled) f
      WHERE l.campaign_id = campaign.id AND l.cluster_id = pair.cluster_id AND l.needs IS NOT NULL), 0)
$$;
