-- What a campaign still needs of a cluster, and of a campaign before it, when these leave or come back.

-- A campaign of the same user for which this one has to stay: it waits for this one, or has tasks that find their files by its jobs.
CREATE OR REPLACE FUNCTION awaited_by(campaign bigint) RETURNS bigint
    LANGUAGE sql STABLE
    AS $$
  SELECT min(d.campaign_id) FROM dependencies d
  JOIN campaigns c ON c.id = d.on_campaign
  JOIN campaigns w ON w.id = d.campaign_id AND is_live(w.state) AND w.user_name = c.user_name
  WHERE d.on_campaign = campaign AND (d.met_at IS NULL OR (d.kind = 'after_each' AND w.follows AND w.waiting > 0))
$$;

-- Among clusters that share their homes, the one that the campaign uses: max_jobs of 0 is `off`.
CREATE OR REPLACE FUNCTION bind_followers(of_campaigns bigint[], numbers bigint[]) RETURNS void
    LANGUAGE sql
    AS $$
  WITH homes AS MATERIALIZED (
    SELECT c.id AS campaign_id, k.id AS ran_on, home.id
    FROM campaigns c
    CROSS JOIN clusters k
    CROSS JOIN LATERAL (
      SELECT h.id FROM campaign_clusters p JOIN clusters h ON h.id = p.cluster_id AND h.retired_at IS NULL
      WHERE p.campaign_id = c.id AND (h.id = k.id OR h.shared_home = k.shared_home)
      ORDER BY p.max_jobs IS NOT DISTINCT FROM 0, h.enabled DESC, h.id = k.id DESC, h.id LIMIT 1) home
    WHERE c.id = ANY (of_campaigns) AND c.follows
      AND EXISTS (
        SELECT FROM campaign_clusters p JOIN clusters h ON h.id = p.cluster_id
        WHERE p.campaign_id = c.id AND (h.shared_home = k.shared_home) IS NOT TRUE AND h.id <> k.id))
  UPDATE returned_tasks r SET cluster_id = b.home, follows = b.home IS NOT NULL
  FROM (
    SELECT f.campaign_id, f.number, (
      SELECT h.id
      FROM dependencies d
      CROSS JOIN LATERAL (
        SELECT j.cluster_id FROM jobs j LEFT JOIN tasks o ON o.campaign_id = j.campaign_id AND o.number = j.task
        WHERE j.campaign_id = d.on_campaign AND j.task = f.number AND j.ending = 'done'
        ORDER BY (j.attempt = o.attempt) DESC NULLS LAST, j.id DESC LIMIT 1) ran
      JOIN homes h ON h.campaign_id = d.campaign_id AND h.ran_on = ran.cluster_id
      WHERE d.campaign_id = f.campaign_id AND d.kind = 'after_each'
      ORDER BY d.on_campaign LIMIT 1) AS home
    FROM unnest(of_campaigns, numbers) AS f(campaign_id, number)) b
  WHERE r.campaign_id = b.campaign_id AND r.number = b.number AND (b.home IS NOT NULL OR r.follows)
$$;

-- Whether prologues or epilogues are still to run or under way. None begins when the campaign is over, also where a cluster comes back that
-- was retired before.
CREATE OR REPLACE FUNCTION has_scripts_left(campaign bigint) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT NOT EXISTS (SELECT FROM campaigns c WHERE c.id = campaign AND c.state = 'terminated') AND (EXISTS (
    SELECT FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id AND k.retired_at IS NULL
    WHERE p.campaign_id = campaign AND p.epilogue_due AND p.last_start_at IS NOT NULL)
  OR EXISTS (
    SELECT FROM tasks t JOIN clusters k ON k.id = cluster_of_script(t.number) AND k.retired_at IS NULL
    WHERE t.campaign_id = campaign AND t.number < 0 AND (is_in_flight(t.state) OR (t.state = 'waiting' AND is_epilogue(t.number)))))
$$;
