-- Forecasts with their intervals: a time is between its earliest and its latest in 8 of 10 cases. All of the campaign, on each of its rows.
ALTER TABLE forecasts
  ADD COLUMN end_earliest timestamptz,
  ADD COLUMN end_latest timestamptz,
  ADD COLUMN start_at timestamptz,                       -- of the first job, while none has started
  ADD COLUMN start_earliest timestamptz,
  ADD COLUMN start_latest timestamptz;
