-- The waste that each algorithm of the job ratio would have made on a pair: with predictor_algorithm = auto, the pair takes the one that wasted
-- least.

CREATE TABLE algorithm_trials (
  campaign_id bigint NOT NULL,
  cluster_id bigint NOT NULL,
  algorithm text NOT NULL,
  job_ratio double precision NOT NULL,  -- jobs per resource, that it has learnt
  waste double precision NOT NULL,      -- resources, those of each cycle counting a tenth less in each later one
  PRIMARY KEY (campaign_id, cluster_id, algorithm),
  FOREIGN KEY (campaign_id, cluster_id) REFERENCES campaign_clusters ON DELETE CASCADE
);
COMMENT ON TABLE algorithm_trials IS 'where each pair has an algorithm of the job ratio of its own: what each of them has learnt, and would have wasted';

CREATE TYPE algorithm_trial AS (
  campaign_id bigint,
  cluster_id bigint,
  algorithm text,
  job_ratio double precision,
  waste double precision
);
