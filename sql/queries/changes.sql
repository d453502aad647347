-- Changes of submitted campaigns: tasks that are appended, edits of the JDL. Both lock the campaign's row before those of its pairs, as the
-- planner does.

-- name: changes.campaign
-- A submitted campaign, as changes need it.
SELECT user_name, state, type, jdl::text AS jdl, total, requests, sealed FROM campaigns WHERE id = @campaign AND purged_at IS NULL

-- name: changes.lock_appends
-- Waits until no other transaction appends to the campaign. Its row stays free while tasks are written: planning goes on.
SELECT pg_advisory_xact_lock(@campaign::bigint) AS taken

-- name: changes.append
-- Adds the tasks from number @first on, which are all written, to the bag; a terminated campaign is in treatment again. No row when it is
-- cancelled, sealed or removed. @input_mb: mean input of the new tasks; null: no task has another than before.
UPDATE campaigns SET
  total = total + @tasks::bigint,
  waiting = waiting + @tasks,
  input_mb = coalesce((coalesce(input_mb, 0) * total + @input_mb::double precision * @tasks) / (total + @tasks), input_mb),
  state = CASE state WHEN 'terminated' THEN 'in_treatment' ELSE state END,
  ended_at = NULL
WHERE id = @campaign AND total = @first AND state IN ('in_treatment', 'paused', 'terminated') AND NOT sealed
RETURNING id

-- name: changes.requests
-- The requests of a campaign's tasks, as each cluster understands them.
SELECT k.name AS cluster, q.request, q.shape, q.resources, q.memory_mb, q.walltime_s
FROM campaign_requests q JOIN clusters k ON k.id = q.cluster_id
WHERE q.campaign_id = @campaign

-- name: changes.edit
-- Replaces the name and the JDL @before of a campaign that is live, or has failed tasks to be retried; the submitted JDL is kept. No row when
-- it is neither, or its JDL was changed meanwhile.
UPDATE campaigns SET submitted_jdl = coalesce(submitted_jdl, jdl), name = @name, jdl = @jdl::jsonb
WHERE id = @campaign AND jdl = @before::jsonb AND (is_live(state) OR (state = 'terminated' AND failed > 0 AND NOT sealed))
RETURNING id

-- name: changes.keep_needs
-- Has the jobs that were sent before an edit of the JDL @before hold what they did, if it changed the needs.
UPDATE launches l SET needs = coalesce(@before::jsonb -> 'needs', '{}')
FROM campaigns c
WHERE c.id = @campaign AND (c.jdl -> 'needs') IS DISTINCT FROM (@before::jsonb -> 'needs')
  AND l.campaign_id = c.id AND l.needs IS NULL AND l.state <> 'planned'
  AND EXISTS (SELECT FROM jobs j WHERE j.launch_id = l.id AND is_live(j.state))

-- name: changes.planned_walltimes
-- Gives the launches that are planned and not begun the walltime of the edited JDL, as planning.launch does. Those of expressions keep
-- theirs.
UPDATE launches l SET walltime_s = n.walltime_s
FROM (
  SELECT w.id, least(greatest(p.walltime_s, max(t.walltime_s)), coalesce(p.max_walltime_s, p.walltime_s)) AS walltime_s
  FROM launches w
  JOIN campaign_clusters p ON p.campaign_id = w.campaign_id AND p.cluster_id = w.cluster_id
  JOIN jobs j ON j.launch_id = w.id
  JOIN tasks t ON t.campaign_id = w.campaign_id AND t.number = j.task
  WHERE w.campaign_id = @campaign AND w.state = 'planned' AND w.request IS NULL
  GROUP BY w.id, p.walltime_s, p.max_walltime_s) n
WHERE l.id = n.id AND l.state = 'planned'

-- name: changes.record
-- Records a change. @edits: a JSON array.
INSERT INTO campaign_changes (campaign_id, changed_by, changed_at, edits, first_task, tasks, idempotency_key, digest)
VALUES (@campaign, @author, instant(@now), @edits::jsonb, @first, @tasks, @key, @digest)

-- name: changes.find_append
-- The tasks that were appended to the campaign under this key.
SELECT first_task, tasks, digest FROM campaign_changes WHERE campaign_id = @campaign AND idempotency_key = @key

-- name: changes.list
-- The last changes of a campaign, the newest first.
SELECT changed_by, micros(changed_at) AS changed_at, edits::text AS edits, first_task, tasks
FROM campaign_changes WHERE campaign_id = @campaign ORDER BY id DESC LIMIT @limit
