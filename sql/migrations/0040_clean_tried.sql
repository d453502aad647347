-- Campaigns whose files are to be removed take turns: those that were tried longest ago come first.
ALTER TABLE campaign_clusters ADD COLUMN clean_tried_at timestamptz;
COMMENT ON COLUMN campaign_clusters.clean_tried_at IS
  'when the removal of its files there was tried last, and some stayed; null: it was not tried, or none stayed';
