-- The forecasts of a campaign's end that are kept, to be compared with its end: predictor/algorithms/history.hpp says which.
CREATE TABLE forecast_history (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  made_at timestamptz NOT NULL,
  end_at timestamptz NOT NULL,
  end_earliest timestamptz,                              -- the end is between these two in 8 of 10 cases; null: as in campaign_forecasts
  end_latest timestamptz,
  method text NOT NULL,                                  -- as in campaign_forecasts
  PRIMARY KEY (campaign_id, made_at)
);
