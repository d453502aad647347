-- Admission rules, and the lists that they see.

-- name: rules.all
-- Every rule, in order.
SELECT id, name, position, text, enabled, created_by, micros(created_at) AS created_at, changed_by, micros(changed_at) AS changed_at
FROM admission_rules ORDER BY position

-- name: rules.lock
-- One change of their order at a time, until the end of the transaction; who only reads is not held up.
LOCK TABLE admission_rules IN SHARE ROW EXCLUSIVE MODE

-- name: rules.make_room
-- The rules from a position on move one further, so that it is free.
UPDATE admission_rules SET position = position + 1 WHERE position >= @position

-- name: rules.close_gap
-- The rules behind a position move one up.
UPDATE admission_rules SET position = position - 1 WHERE position > @position

-- name: rules.add
-- A new rule at a free position; no row when the name is taken.
INSERT INTO admission_rules (name, position, text, enabled, created_by, created_at, changed_by, changed_at)
VALUES (@name, @position, @text, @enabled, @author, instant(@now), @author, instant(@now)) ON CONFLICT (name) DO NOTHING
RETURNING id

-- name: rules.edit
-- All of a rule but its position.
UPDATE admission_rules SET name = @name, text = @text, enabled = @enabled, changed_by = @author, changed_at = instant(@now) WHERE id = @rule

-- name: rules.move
-- A rule to another position, those between make way.
UPDATE admission_rules SET position = CASE WHEN id = @rule THEN @to::int WHEN @to::int < @from::int THEN position + 1 ELSE position - 1 END
WHERE position BETWEEN least(@from::int, @to::int) AND greatest(@from::int, @to::int)

-- name: rules.remove
-- Its position is free then.
DELETE FROM admission_rules WHERE id = @rule

-- name: rules.normal_users
-- Who may submit normal jobs, and where.
SELECT u.user_name, c.name AS cluster_name
FROM normal_users u LEFT JOIN clusters c ON c.id = u.cluster_id ORDER BY u.user_name, c.name NULLS FIRST

-- name: rules.allow_normal
-- @cluster: null: everywhere.
INSERT INTO normal_users (user_name, cluster_id, listed_by, listed_at) VALUES (@user, @cluster, @author, instant(@now))
ON CONFLICT DO NOTHING

-- name: rules.forbid_normal
-- @cluster: null: everywhere.
DELETE FROM normal_users WHERE user_name = @user AND (@cluster::bigint IS NULL OR cluster_id = @cluster) RETURNING user_name
