-- Admission rules, and the lists that they read.

-- name: rules.all
-- Every rule, in order.
SELECT id, name, position, text, enabled, created_by, micros(created_at) AS created_at, changed_by, micros(changed_at) AS changed_at
FROM admission_rules ORDER BY position

-- name: rules.lock
-- Allows one change of the rules' order at a time, until the end of the transaction. Readers are not blocked.
LOCK TABLE admission_rules IN SHARE ROW EXCLUSIVE MODE

-- name: rules.make_room
-- Moves the rules from @position on by one, so that it is free.
UPDATE admission_rules SET position = position + 1 WHERE position >= @position

-- name: rules.close_gap
-- Moves the rules after @position up by one.
UPDATE admission_rules SET position = position - 1 WHERE position > @position

-- name: rules.add
-- Adds a rule at a free position; no row when the name is taken.
INSERT INTO admission_rules (name, position, text, enabled, created_by, created_at, changed_by, changed_at)
VALUES (@name, @position, @text, @enabled, @author, instant(@now), @author, instant(@now)) ON CONFLICT (name) DO NOTHING
RETURNING id

-- name: rules.edit
-- Edits a rule, except its position.
UPDATE admission_rules SET name = @name, text = @text, enabled = @enabled, changed_by = @author, changed_at = instant(@now) WHERE id = @rule

-- name: rules.move
-- Moves a rule to another position, and shifts those between.
UPDATE admission_rules SET position = CASE WHEN id = @rule THEN @to::int WHEN @to::int < @from::int THEN position + 1 ELSE position - 1 END
WHERE position BETWEEN least(@from::int, @to::int) AND greatest(@from::int, @to::int)

-- name: rules.remove
-- Removes a rule. Its position is free afterwards.
DELETE FROM admission_rules WHERE id = @rule

-- name: rules.normal_users
-- The users who may submit normal jobs, and where.
SELECT u.user_name, c.name AS cluster_name
FROM normal_users u LEFT JOIN clusters c ON c.id = u.cluster_id ORDER BY u.user_name, c.name NULLS FIRST

-- name: rules.allow_normal
-- Allows a user normal jobs. @cluster: null: everywhere.
INSERT INTO normal_users (user_name, cluster_id, listed_by, listed_at) VALUES (@user, @cluster, @author, instant(@now))
ON CONFLICT DO NOTHING

-- name: rules.forbid_normal
-- Withdraws a user's permission for normal jobs. @cluster: null: everywhere.
DELETE FROM normal_users WHERE user_name = @user AND (@cluster::bigint IS NULL OR cluster_id = @cluster) RETURNING user_name
