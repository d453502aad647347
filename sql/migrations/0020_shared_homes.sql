-- Clusters that have their users' homes in common (clusters.shared_home) share checkpoints, files of earlier tasks and input files.

CREATE FUNCTION have_one_home(one bigint, other bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT one = other OR EXISTS (SELECT FROM clusters a JOIN clusters b ON b.shared_home = a.shared_home WHERE a.id = one AND b.id = other)
$$;

-- Another cluster that the campaign uses, and that has the homes of this one; null: there is none.
CREATE FUNCTION sharer_of(campaign bigint, cluster bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT h.id FROM clusters k
  JOIN clusters h ON h.id <> k.id AND h.shared_home = k.shared_home AND h.enabled AND h.retired_at IS NULL
  JOIN campaign_clusters p ON p.campaign_id = campaign AND p.cluster_id = h.id AND p.max_jobs IS DISTINCT FROM 0
  WHERE k.id = cluster ORDER BY h.id LIMIT 1
$$;

-- The pairs with input files that are not all there, with the login whose home is to have them. `there`: none of
-- them was sent, and another cluster with the same homes has all of them for this login.
CREATE OR REPLACE VIEW missing_inputs AS
  SELECT p.campaign_id, p.cluster_id, u.login, c.input_bytes, c.priority,
    CASE WHEN p.inputs_login = u.login THEN p.inputs_sent ELSE 0 END AS sent,
    NOT (p.inputs_login = u.login AND p.inputs_sent > 0) IS TRUE AND EXISTS (
      SELECT FROM clusters k JOIN clusters h ON h.id <> k.id AND h.shared_home = k.shared_home
      JOIN campaign_clusters q ON q.campaign_id = p.campaign_id AND q.cluster_id = h.id
      WHERE k.id = p.cluster_id AND q.inputs_at IS NOT NULL AND q.inputs_login = u.login) AS there
  FROM campaigns c
  JOIN campaign_clusters p ON p.campaign_id = c.id
  JOIN logins u ON u.campaign_id = p.campaign_id AND u.cluster_id = p.cluster_id
  WHERE is_live(c.state) AND NOT c.sealed AND c.input_files <> '' AND (p.inputs_at IS NULL OR p.inputs_login <> u.login);

DROP VIEW inputs_to_send;
CREATE VIEW inputs_to_send AS
  SELECT m.*, c.user_name, p.inputs_served_at, k.shared_home FROM missing_inputs m
  JOIN campaigns c ON c.id = m.campaign_id AND c.state = 'in_treatment' AND c.waiting > 0
  JOIN campaign_clusters p ON p.campaign_id = m.campaign_id AND p.cluster_id = m.cluster_id AND p.max_jobs IS DISTINCT FROM 0
    AND p.inputs_wanted
  JOIN clusters k ON k.id = m.cluster_id AND k.enabled AND k.retired_at IS NULL AND k.reachable IS TRUE
  WHERE m.login ~ '^[A-Za-z0-9_]+$' AND NOT is_kept_waiting(m.campaign_id);
