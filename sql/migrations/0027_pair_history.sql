-- A row is what was sent to a cluster, and what it did, when a forecast of the campaign's end was kept.
CREATE TABLE pair_history (
  campaign_id bigint NOT NULL,
  made_at timestamptz NOT NULL,
  cluster_id bigint NOT NULL,
  job_ratio double precision NOT NULL,                   -- jobs per resource, as in forecasts, like all that follow
  algorithm text NOT NULL,
  throughput double precision NOT NULL,                  -- jobs a second
  nsub integer NOT NULL,                                 -- jobs submitted in the cycle before
  running integer NOT NULL,                              -- jobs
  PRIMARY KEY (campaign_id, made_at, cluster_id),
  FOREIGN KEY (campaign_id, made_at) REFERENCES forecast_history ON DELETE CASCADE
);
