-- OAR's types, one a line: a type may have a comma (timesharing=user,name). Until now none had.
UPDATE campaign_clusters SET job_types = replace(job_types, ',', E'\n') WHERE job_types LIKE '%,%';
COMMENT ON COLUMN campaign_clusters.job_types IS 'OAR''s types, one a line';
