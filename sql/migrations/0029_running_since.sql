-- How long a job ran by our polls, for an end that OAR dates before its start: such a job counted as one of 0 s.
ALTER TABLE jobs ADD COLUMN running_since timestamptz;
COMMENT ON COLUMN jobs.running_since IS 'when a poll first saw it run; null: none did';
