-- How a pair's ratio came to be: its last change, by what the predictor saw of the jobs that the cycle before had submitted.
ALTER TABLE forecasts
  ADD COLUMN changed_at timestamptz,
  ADD COLUMN ratio_before double precision,
  ADD COLUMN verdict text,
  ADD COLUMN seen_nsub integer,
  ADD COLUMN seen_offered double precision,
  ADD COLUMN seen_waiting integer,
  ADD COLUMN seen_free integer;
COMMENT ON COLUMN forecasts.changed_at IS 'of the ratio; null: it is the first one. What follows is of this change';
COMMENT ON COLUMN forecasts.verdict IS 'on the ratio before: too_big, too_small, right (another algorithm has another one)';
COMMENT ON COLUMN forecasts.seen_nsub IS 'jobs submitted in the cycle before';
COMMENT ON COLUMN forecasts.seen_offered IS 'free resources of its offer';
COMMENT ON COLUMN forecasts.seen_waiting IS 'jobs of the pair that waited';
COMMENT ON COLUMN forecasts.seen_free IS 'resources that were free';

ALTER TYPE pair_forecast ADD ATTRIBUTE verdict text, ADD ATTRIBUTE waiting integer, ADD ATTRIBUTE free integer;
