-- Users' own limits on submissions, in place of the configuration's.

-- name: user_limits.of
-- A user's own limits, and the number of their campaigns in treatment or paused.
SELECT l.max_campaigns, l.max_tasks, l.max_submission,
  (SELECT count(*) FROM campaigns c WHERE c.user_name = @user AND is_live(c.state)) AS campaigns
FROM (SELECT 1) one LEFT JOIN user_limits l ON l.user_name = @user

-- name: user_limits.all
-- All users' own limits, by name.
SELECT user_name, max_campaigns, max_tasks, max_submission, changed_by, micros(changed_at) AS changed_at FROM user_limits ORDER BY user_name

-- name: user_limits.set
-- Sets a user's limits; null: the configuration's. @submission: in bytes.
INSERT INTO user_limits (user_name, max_campaigns, max_tasks, max_submission, changed_by, changed_at)
VALUES (@user, @campaigns, @tasks, @submission, @author, instant(@now))
ON CONFLICT (user_name) DO UPDATE SET
  max_campaigns = EXCLUDED.max_campaigns,
  max_tasks = EXCLUDED.max_tasks,
  max_submission = EXCLUDED.max_submission,
  changed_by = EXCLUDED.changed_by,
  changed_at = EXCLUDED.changed_at

-- name: user_limits.forget
-- Deletes a user's own limits: the configuration's apply again.
DELETE FROM user_limits WHERE user_name = @user
