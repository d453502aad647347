-- Admission rules, and the lists that they see.

-- name: rules.all
-- Every rule, in order.
SELECT id, name, position, text, enabled, created_by, micros(created_at) AS created_at, changed_by, micros(changed_at) AS changed_at
FROM admission_rules ORDER BY position

-- name: rules.lock
-- One change of their order at a time, until the end of the transaction; who only reads is not held up.
LOCK TABLE admission_rules IN SHARE ROW EXCLUSIVE MODE

-- name: rules.make_room
-- The rules from a position on move one further, so that it is free. $1 position.
UPDATE admission_rules SET position = position + 1 WHERE position >= $1

-- name: rules.close_gap
-- The rules behind a position move one up. $1 position.
UPDATE admission_rules SET position = position - 1 WHERE position > $1

-- name: rules.add
-- A new rule at a free position; no row when the name is taken. $1 name, $2 position, $3 text, $4 enabled, $5 who, $6 now.
INSERT INTO admission_rules (name, position, text, enabled, created_by, created_at, changed_by, changed_at)
VALUES ($1, $2, $3, $4, $5, instant($6), $5, instant($6)) ON CONFLICT (name) DO NOTHING
RETURNING id

-- name: rules.edit
-- $1 id, $2 name, $3 text, $4 enabled, $5 who, $6 now.
UPDATE admission_rules SET name = $2, text = $3, enabled = $4, changed_by = $5, changed_at = instant($6) WHERE id = $1

-- name: rules.move
-- A rule to another position, those between make way. $1 id, $2 from, $3 to.
UPDATE admission_rules SET position = CASE WHEN id = $1 THEN $3::int WHEN $3::int < $2::int THEN position + 1 ELSE position - 1 END
WHERE position BETWEEN least($2::int, $3::int) AND greatest($2::int, $3::int)

-- name: rules.remove
-- $1 id.
DELETE FROM admission_rules WHERE id = $1

-- name: rules.normal_users
-- Who may submit normal jobs, and where.
SELECT u.user_name, c.name AS cluster_name FROM normal_users u LEFT JOIN clusters c ON c.id = u.cluster_id ORDER BY u.user_name, c.name NULLS FIRST

-- name: rules.allow_normal
-- $1 user, $2 cluster or null, $3 who, $4 now.
INSERT INTO normal_users (user_name, cluster_id, listed_by, listed_at) VALUES ($1, $2, $3, instant($4)) ON CONFLICT DO NOTHING

-- name: rules.forbid_normal
-- $1 user, $2 cluster; null: everywhere.
DELETE FROM normal_users WHERE user_name = $1 AND ($2::bigint IS NULL OR cluster_id = $2) RETURNING 1
