-- Why a campaign does not end unless somebody acts. Asked of one campaign at a time, when nothing of it is in flight.

-- name: cannot_end.campaign
-- The facts from which the answer begins. `moves`: a task or a script is in flight, or nothing is left. `held`: its user paused it, or
-- holds all tasks that are left, which is waited for. `failed`: max_fails paused it.
SELECT
  NOT is_live(c.state) OR c.launching + c.submitted + c.running > 0
    OR (c.waiting = 0 AND NOT has_scripts_left(c.id))
    OR EXISTS (SELECT FROM tasks t WHERE t.campaign_id = c.id AND t.number < 0 AND is_in_flight(t.state)) AS moves,
  c.waiting > 0 AND (c.held >= c.waiting OR c.state = 'paused') AND NOT (c.state = 'paused' AND e.max_fails) AS held,
  c.state = 'paused' AND c.waiting > 0 AND e.max_fails AS failed,
  c.waiting
FROM campaigns c
CROSS JOIN LATERAL (SELECT EXISTS (
  SELECT FROM events e WHERE e.campaign_id = c.id AND e.code = 'MAX_FAILS' AND e.state = 'open') AS max_fails) e
WHERE c.id = @campaign

-- name: cannot_end.hoping
-- Whether a task of a campaign is in its bag, or waits for tasks alone that may still be done.
SELECT EXISTS (
  SELECT FROM tasks t
  WHERE t.campaign_id = @campaign AND t.number >= 0 AND t.state = 'waiting'
    AND NOT EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = t.campaign_id AND r.number = t.number AND r.held_by IS NOT NULL)
    AND (EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = t.campaign_id AND r.number = t.number)
      OR NOT EXISTS (SELECT FROM withheld_tasks w WHERE w.campaign_id = t.campaign_id AND w.number = t.number) AND NOT EXISTS (
        SELECT FROM dependencies d
        LEFT JOIN tasks o ON o.campaign_id = d.on_campaign AND o.number = t.number
        WHERE d.campaign_id = t.campaign_id AND d.kind = 'after_each' AND d.met_at IS NULL
          AND (o.state IS NULL OR o.state IN ('failed', 'cancelled'))))) AS some

-- name: cannot_end.ready
-- Whether a task of a campaign is in its bag, or waits for no other any more.
SELECT EXISTS (
  SELECT FROM tasks t
  WHERE t.campaign_id = @campaign AND t.number >= 0 AND t.state = 'waiting'
    AND NOT EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = t.campaign_id AND r.number = t.number AND r.held_by IS NOT NULL)
    AND (EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = t.campaign_id AND r.number = t.number)
      OR NOT (awaits_task(t.campaign_id, t.number)
        OR EXISTS (SELECT FROM withheld_tasks w WHERE w.campaign_id = t.campaign_id AND w.number = t.number)))) AS some

-- name: cannot_end.clusters
-- A campaign's clusters. `shut`: why none of its tasks starts there before somebody acts; null: one may. Tasks that are bound to the cluster
-- need not heed the JDL's max_jobs of 0. `bound`: whether some are. `epilogue`: whether its epilogue there is due.
SELECT
  k.name,
  coalesce(
    s.shut,
    CASE
      WHEN p.prologue <> '' AND p.prepared AND ps.state = 'failed' THEN 'prologue_failed'
      WHEN p.max_jobs = 0 AND NOT b.bound THEN 'off'
      WHEN c.type = 'test' AND p.concluded > 0 THEN 'test_given'
    END,
    CASE WHEN d.reason = 'no_token' THEN 'token_' || (d.figures ->> 'token') ELSE d.reason END) AS shut,
  s.shut IN ('disabled', 'no_account') AND (coalesce(es.state = 'waiting', false)
    OR (p.epilogue <> '' AND p.epilogue_due AND p.last_start_at IS NOT NULL)) AS epilogue,
  b.bound
FROM campaigns c
JOIN campaign_clusters p ON p.campaign_id = c.id
JOIN clusters k ON k.id = p.cluster_id
JOIN logins u ON u.campaign_id = p.campaign_id AND u.cluster_id = p.cluster_id
CROSS JOIN LATERAL (SELECT CASE
  WHEN k.retired_at IS NOT NULL THEN 'retired'
  WHEN NOT k.enabled THEN 'disabled'
  WHEN u.login !~ '^[A-Za-z0-9_]+$' THEN 'no_account' END AS shut) s
CROSS JOIN LATERAL (SELECT EXISTS (
  SELECT FROM returned_tasks r WHERE r.campaign_id = c.id AND r.cluster_id = k.id AND r.number >= 0 AND r.held_by IS NULL) AS bound) b
LEFT JOIN decisions d ON d.campaign_id = c.id AND d.cluster_id = k.id AND (
  d.reason IN ('too_big', 'no_task_fits', 'few_match', 'no_token')
  OR (d.reason = 'limit_reached' AND ((d.figures->>'limit_most')::float8 = 0 OR NOT (d.figures->>'fits_one_job')::boolean))
  OR (d.reason = 'kept_for_others' AND (d.figures->>'leaves_too_few')::boolean))
LEFT JOIN tasks ps ON ps.campaign_id = c.id AND ps.number = prologue_on(k.id)
LEFT JOIN tasks es ON es.campaign_id = c.id AND es.number = epilogue_on(k.id)
WHERE c.id = @campaign ORDER BY k.name

-- name: cannot_end.bound
-- Whether each task of a campaign that waits, and is not held, is in its bag, bound to one of these clusters, and to no home that another one shares.
SELECT c.waiting - c.held = (
    SELECT count(*) FROM returned_tasks r JOIN clusters k ON k.id = r.cluster_id AND k.name = ANY (@shut::text[])
    WHERE r.campaign_id = c.id AND r.number >= 0 AND r.held_by IS NULL AND (r.fence IS NOT NULL OR NOT EXISTS (
      SELECT FROM campaign_clusters p JOIN clusters h ON h.id = p.cluster_id AND h.shared_home = k.shared_home
      WHERE p.campaign_id = c.id AND h.name <> ALL (@shut)))) AS whole
FROM campaigns c WHERE c.id = @campaign
