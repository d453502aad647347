-- Arrays that a web server before a cluster's OAR refuses, because the request is too large.
ALTER TABLE campaign_clusters ADD COLUMN array_most integer CHECK (array_most > 0);
COMMENT ON COLUMN campaign_clusters.array_most IS 'most jobs of an array: half of those of an array whose request was too large; null: as the cluster''s array_size';
