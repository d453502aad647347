-- A decision stores the figures of its reason; its sentence is rendered when it is read. The rows that are there keep their sentences as
-- their only figure, and the next cycle writes all decisions anew, because no digest is theirs any more.
ALTER TABLE decisions ADD COLUMN figures jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(figures) = 'object');
UPDATE decisions SET figures = jsonb_build_object('sentence', sentence), digest = 0;
ALTER TABLE decisions ALTER COLUMN figures DROP DEFAULT, DROP COLUMN sentence;
COMMENT ON COLUMN decisions.figures IS
  'the figures of the reason, by the catalogue in lib/decisions/catalogue.hpp; of a row from before the migration: its sentence';
COMMENT ON COLUMN decisions.digest IS 'of all other columns but since, to compare rows without reading the figures';
UPDATE decided SET digest = 0;
