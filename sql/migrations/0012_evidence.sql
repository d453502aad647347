-- What became of each job: the folder of its evidence, how long its cluster does not know it, when its end was first seen.

ALTER TABLE launches
  ADD COLUMN login text,                                 -- of the user on the cluster, from the moment it is launching
  ADD COLUMN released_at timestamptz,                    -- its tasks may go elsewhere since then
  ADD COLUMN cleaned_at timestamptz;                     -- its folder was removed from the cluster

-- The launch in whose folder the attempt is claimed: its own, or the void one whose orphan may contend for the same attempt.
ALTER TABLE jobs
  ADD COLUMN fence bigint,                               -- null: its own launch
  ADD COLUMN absent_since timestamptz,                   -- its cluster does not list it since then
  ADD COLUMN over_since timestamptz,                     -- OAR calls it over since then, and its evidence is awaited
  ADD COLUMN launching_since timestamptz;                -- OAR is about to start it since then
ALTER TABLE returned_tasks ADD COLUMN fence bigint;      -- of the attempt, where it goes on

ALTER TABLE kill_requests DROP CONSTRAINT kill_requests_reason_check;
ALTER TABLE kill_requests ADD CONSTRAINT kill_requests_reason_check
  CHECK (reason IN ('cancelled', 'excess', 'waited_too_long', 'replica', 'preempted', 'impatient', 'overdue', 'late', 'lost'));
