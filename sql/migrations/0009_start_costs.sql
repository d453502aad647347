-- What a start costs: of some jobs of OAR with one task each, how long their commands took, as the wrapper noted it, and for how long the
-- jobs held their resources.
ALTER TABLE campaign_clusters
  ADD COLUMN measured integer NOT NULL DEFAULT 0,
  ADD COLUMN command_s double precision NOT NULL DEFAULT 0,
  ADD COLUMN held_s double precision NOT NULL DEFAULT 0;
