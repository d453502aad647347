-- Attempts that max_attempts does not count: we took the job back before it began, or somebody had the failed task tried again.
ALTER TABLE tasks ADD COLUMN uncounted integer NOT NULL DEFAULT 0 CHECK (uncounted >= 0);
