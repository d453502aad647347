-- Sites of Grid'5000, whose API is a dialect of its own.
ALTER TABLE clusters DROP CONSTRAINT clusters_api_check;
ALTER TABLE clusters ADD CONSTRAINT clusters_api_check CHECK (api IN ('oar2', 'oar3', 'g5k'));
