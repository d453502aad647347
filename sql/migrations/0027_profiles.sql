-- What tasks take of processors and memory, where their node can tell it (document 003).
ALTER TABLE jobs
  ADD COLUMN cpu_s double precision CHECK (cpu_s >= 0),     -- seconds of the processors that its task had; null: unknown
  ADD COLUMN peak_memory_mb integer CHECK (peak_memory_mb >= 0); -- the most memory that its task took, in MB; null: unknown

ALTER TABLE campaign_clusters
  ADD COLUMN cpu_jobs bigint NOT NULL DEFAULT 0,            -- jobs done for which cpu_s and their duration are known
  ADD COLUMN cpu_s double precision NOT NULL DEFAULT 0,     -- of these, in all
  ADD COLUMN cpu_wall_s double precision NOT NULL DEFAULT 0, -- seconds that the commands of these took, in all
  ADD COLUMN memory_jobs bigint NOT NULL DEFAULT 0,         -- jobs done whose memory is known
  ADD COLUMN peak_memory_mb integer;                        -- the most memory that one of these took, in MB; null: unknown
