-- What is forecast of a whole campaign has a table of its own; `forecasts` keeps what is of one campaign on one cluster.

CREATE TABLE campaign_forecasts (
  campaign_id bigint PRIMARY KEY REFERENCES campaigns ON DELETE CASCADE,
  made_at timestamptz NOT NULL,                          -- in the last cycle that forecast it
  method text NOT NULL,                                  -- what it rests on: throughput, average, history, walltime; none: no forecast
  end_at timestamptz,                                    -- null while nothing is known, as all that follow
  end_earliest timestamptz,                              -- the end is between these two in 8 of 10 cases
  end_latest timestamptz,
  start_at timestamptz,                                  -- of the first job, while none has started
  start_earliest timestamptz,
  start_latest timestamptz
);
-- Each row of a campaign had it; the newest is the one that was still kept up. 'requests' marked first job ratios.
INSERT INTO campaign_forecasts
SELECT DISTINCT ON (campaign_id) campaign_id, time, method, end_at, end_earliest, end_latest, start_at, start_earliest, start_latest
FROM forecasts WHERE method NOT IN ('', 'requests') ORDER BY campaign_id, time DESC;

ALTER TABLE forecasts
  DROP COLUMN time,
  DROP COLUMN mean,
  DROP COLUMN stddev,
  DROP COLUMN method,
  DROP COLUMN end_at,
  DROP COLUMN end_earliest,
  DROP COLUMN end_latest,
  DROP COLUMN start_at,
  DROP COLUMN start_earliest,
  DROP COLUMN start_latest;
