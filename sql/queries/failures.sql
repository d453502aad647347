-- Failed tasks by groups that failed alike.

-- name: failures.forget_empty
-- Removes the groups without tasks of the campaigns of these jobs that have as many as a campaign may have (failure_group).
DELETE FROM failure_groups g
WHERE g.tasks = 0 AND g.campaign_id IN (SELECT j.campaign_id FROM jobs j WHERE j.id = ANY (@jobs::bigint[]))
  AND (SELECT count(*) FROM failure_groups o WHERE o.campaign_id = g.campaign_id AND o.pattern <> '') >= 200

-- name: failures.note
-- Groups the tasks that these jobs have failed, by their ends and by the lines of stderr that they left; '': none.
-- The caller has settled them, so that it has locked their campaigns.
WITH failed AS MATERIALIZED (
  SELECT t.campaign_id, t.number, j.cluster_id, j.ending, failure_status(j.ending, j.exit_status) AS exit_status,
    failure_pattern(g.line) AS pattern, g.line
  FROM unnest(@jobs::bigint[], @lines::text[]) AS g(job, line)
  JOIN jobs j ON j.id = g.job
  JOIN tasks t ON t.campaign_id = j.campaign_id AND t.number = j.task AND t.number >= 0 AND t.state = 'failed'
  WHERE j.ending IS NOT NULL),
alike AS MATERIALIZED (
  SELECT k.*, failure_group(k.campaign_id, k.cluster_id, k.ending, k.exit_status, k.pattern, k.line) AS id
  FROM (
    SELECT DISTINCT ON (campaign_id, cluster_id, ending, exit_status, pattern) * FROM failed
    ORDER BY campaign_id, cluster_id, ending, exit_status, pattern, number) k)
UPDATE tasks t SET failure = a.id
FROM failed f JOIN alike a ON (a.campaign_id, a.cluster_id, a.ending, a.pattern) = (f.campaign_id, f.cluster_id, f.ending, f.pattern)
  AND a.exit_status IS NOT DISTINCT FROM f.exit_status
WHERE t.campaign_id = f.campaign_id AND t.number = f.number

-- name: failures.list
-- The groups of a campaign that have tasks, the largest first, each with its first tasks. Those have no other filter than their group, so that
-- PostgreSQL reads them in the order of tasks_failed_alike, also where it takes the failed tasks for few.
SELECT g.id, g.cluster_id, k.name AS cluster, g.ending, g.exit_status, g.pattern, g.stderr_line, g.tasks, f.numbers
FROM failure_groups g
JOIN clusters k ON k.id = g.cluster_id
CROSS JOIN LATERAL (
  SELECT coalesce(string_agg(s.number::text, ',' ORDER BY s.number), '') AS numbers
  FROM (SELECT t.number FROM tasks t WHERE t.failure = g.id ORDER BY t.number LIMIT 5) s) f
WHERE g.campaign_id = @campaign AND g.tasks > 0
ORDER BY g.tasks DESC, g.id LIMIT 1000

-- name: failures.lock
-- Locks a campaign: none of its tasks fails, or is tried again, until the transaction ends.
SELECT failed FROM campaigns WHERE id = @campaign FOR UPDATE

-- name: failures.count
-- The failed tasks of a group. No row: the campaign has none of this id.
SELECT tasks FROM failure_groups WHERE id = @failure AND campaign_id = @campaign
