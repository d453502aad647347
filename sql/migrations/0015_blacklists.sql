-- Brakes that a person sets.
ALTER TABLE brakes ADD COLUMN set_by text;
COMMENT ON COLUMN brakes.set_by IS
  'the user who set it by hand (gridevents --blacklist-cluster); null: the grid itself, which lifts it when jobs succeed again';
