-- How many resources a GPU, a processor or another level of a cluster's hierarchy has, so that a request for whole ones counts as what it
-- holds before a job of it ran (the text of grid::LevelSizes).
ALTER TABLE clusters ADD COLUMN level_sizes text NOT NULL DEFAULT '';
COMMENT ON COLUMN clusters.level_sizes IS
  'resources of each value of a property, of those that best-effort jobs get: "gpu 4x8" is 8 GPUs with 4 each; after a bar by node';
