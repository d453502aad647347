-- Whether the jobs of a pool carry out several tasks at a time.
ALTER TABLE campaigns ADD COLUMN dimensional_grouping boolean
  GENERATED ALWAYS AS (coalesce((jdl ->> 'dimensional_grouping')::boolean, false)) STORED;
COMMENT ON COLUMN campaigns.dimensional_grouping IS
  'the jobs of its pools carry out as many tasks side by side as they have cores on one node';
