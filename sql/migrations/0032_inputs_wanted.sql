ALTER TABLE campaign_clusters
  ADD COLUMN inputs_wanted boolean NOT NULL DEFAULT false, -- a plan had tasks for this cluster that need its input files there
  ADD COLUMN inputs_served_at timestamptz;                 -- when pieces were sent there last; null: never

UPDATE campaign_clusters SET inputs_wanted = true WHERE inputs_login IS NOT NULL;

CREATE INDEX campaign_clusters_inputs_served ON campaign_clusters (cluster_id, campaign_id) WHERE inputs_served_at IS NOT NULL;

-- Those that the runner brings: tasks wait for them, a plan had some for the cluster, and it may get jobs.
DROP VIEW inputs_to_send;
CREATE VIEW inputs_to_send AS
  SELECT m.*, c.user_name, p.inputs_served_at FROM missing_inputs m
  JOIN campaigns c ON c.id = m.campaign_id AND c.state = 'in_treatment' AND c.waiting > 0
  JOIN campaign_clusters p ON p.campaign_id = m.campaign_id AND p.cluster_id = m.cluster_id AND p.max_jobs IS DISTINCT FROM 0
    AND p.inputs_wanted
  JOIN clusters k ON k.id = m.cluster_id AND k.enabled AND k.retired_at IS NULL AND k.reachable IS TRUE
  WHERE m.login ~ '^[A-Za-z0-9_]+$' AND NOT is_kept_waiting(m.campaign_id);
