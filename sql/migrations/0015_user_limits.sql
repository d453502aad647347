-- What one user may submit, where the configuration's limits are not meant for them.

CREATE TABLE user_limits (
  user_name      text PRIMARY KEY CHECK (user_name <> ''),
  max_campaigns  integer CHECK (max_campaigns >= 0),   -- in treatment or paused
  max_tasks      bigint CHECK (max_tasks >= 0),        -- of one campaign
  max_submission bigint CHECK (max_submission >= 0),   -- bytes of one submission
  changed_by     text NOT NULL,
  changed_at     timestamptz NOT NULL,
  CHECK (num_nonnulls(max_campaigns, max_tasks, max_submission) > 0)
);
