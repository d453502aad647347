-- What one user orders of a million tasks, in pieces.

-- SINK events of clusters that swallowed more than one turn can mark.
CREATE TABLE unmarked_ends (
  event bigint PRIMARY KEY REFERENCES events ON DELETE CASCADE,
  bound_s double precision NOT NULL,
  before timestamptz NOT NULL,
  before_job bigint NOT NULL,
  tried_at timestamptz NOT NULL
);
COMMENT ON TABLE unmarked_ends IS 'SINK events whose older ends are still to be marked as swallowed: those in a row, from (before, before_job) back, that took less than bound_s.';

-- The tasks of a bag in the order in which they are taken from it.
CREATE INDEX returned_tasks_order ON returned_tasks (campaign_id, request, cluster_id, priority DESC, number);
