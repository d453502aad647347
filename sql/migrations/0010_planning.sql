-- What a cycle of the metascheduler reads and compares: of pairs that wait for their first job one row a campaign, of decisions one number.

-- In floating point: the instants of this century come back to the microsecond, several times as fast as by decimals.
CREATE OR REPLACE FUNCTION micros(t timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT (date_part('epoch', t) * 1000000)::bigint $$;

-- There is more to know of the pair than what its JDL asks: it had a job, or has a forecast of its own. Until the campaign is over and
-- its claims on the cluster are removed.
ALTER TABLE campaign_clusters ADD COLUMN active boolean NOT NULL DEFAULT true;
ALTER TABLE campaign_clusters ALTER COLUMN active SET DEFAULT false;
UPDATE campaign_clusters SET active = false WHERE cleaned_at IS NOT NULL;
CREATE INDEX campaign_clusters_active ON campaign_clusters (campaign_id, cluster_id) WHERE active;

CREATE OR REPLACE FUNCTION count_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE campaign_clusters p SET launching = p.launching + d.n, active = true
    FROM (SELECT campaign_id, cluster_id, count(*) AS n FROM after GROUP BY 1, 2) d
    WHERE p.campaign_id = d.campaign_id AND p.cluster_id = d.cluster_id;
    RETURN NULL;
  END IF;
  UPDATE campaign_clusters p SET
    launching = p.launching + d.launching, waiting = p.waiting + d.waiting, running = p.running + d.running, unknown = p.unknown + d.unknown
  FROM (
    SELECT campaign_id, cluster_id,
      coalesce(sum(n) FILTER (WHERE state IN ('planned', 'launching')), 0) AS launching,
      coalesce(sum(n) FILTER (WHERE state = 'remote_waiting'), 0) AS waiting,
      coalesce(sum(n) FILTER (WHERE state = 'running'), 0) AS running,
      coalesce(sum(n) FILTER (WHERE state = 'unknown'), 0) AS unknown
    FROM (SELECT campaign_id, cluster_id, state, 1 AS n FROM after
          UNION ALL SELECT campaign_id, cluster_id, state, -1 FROM before) moves
    GROUP BY 1, 2) d
  WHERE p.campaign_id = d.campaign_id AND p.cluster_id = d.cluster_id
    AND (d.launching, d.waiting, d.running, d.unknown) <> (0, 0, 0, 0);
  RETURN NULL;
END $$;

-- What its JDL asks of each cluster, as campaign_clusters says it: "cluster:priority:resources:walltime:most jobs", apart by spaces; or
-- the cluster alone, where the rest is as before it.
ALTER TABLE campaigns ADD COLUMN asked text NOT NULL DEFAULT '';
CREATE FUNCTION asked_of(campaign bigint) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(string_agg(CASE WHEN wishes = before THEN cluster_id::text ELSE cluster_id || ':' || wishes END, ' ' ORDER BY cluster_id), '')
  FROM (SELECT cluster_id, wishes, lag(wishes) OVER (ORDER BY cluster_id) AS before
        FROM (SELECT cluster_id, format('%s:%s:%s:%s', priority, resources_per_job, walltime_s, max_jobs) AS wishes
              FROM campaign_clusters WHERE campaign_id = campaign) w) b
$$;
UPDATE campaigns SET asked = asked_of(id);
CREATE FUNCTION note_asked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE campaigns SET asked = asked_of(id) WHERE id = NEW.campaign_id;
  RETURN NULL;
END $$;
CREATE TRIGGER note_asked AFTER INSERT OR UPDATE OF priority, resources_per_job, walltime_s, max_jobs ON campaign_clusters
  FOR EACH ROW EXECUTE FUNCTION note_asked();

-- The campaigns that have decisions, and what their figures were.
CREATE TABLE decided (
  campaign_id bigint PRIMARY KEY REFERENCES campaigns ON DELETE CASCADE,
  digest bigint NOT NULL
);
INSERT INTO decided SELECT DISTINCT campaign_id, 0 FROM decisions;
