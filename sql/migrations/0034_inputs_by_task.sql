-- Input files are brought to a cluster for the tasks that go there next, and only as far as these read them.

ALTER TABLE campaign_inputs
  ADD COLUMN first_task bigint NOT NULL DEFAULT 0,
  ADD COLUMN last_task bigint NOT NULL DEFAULT 9223372036854775806;
COMMENT ON COLUMN campaign_inputs.first_task IS
  'the first of the tasks that read the file, among those with which the campaign was submitted; the files are in this order';
COMMENT ON COLUMN campaign_inputs.last_task IS 'the last of them; smaller than the first: none reads it';

ALTER TABLE campaigns ADD COLUMN input_tasks bigint NOT NULL DEFAULT 0 CHECK (input_tasks >= 0);
COMMENT ON COLUMN campaigns.input_tasks IS
  'tasks for which it is recorded which input files they read: those with which it was submitted; any other task needs all files';

ALTER TABLE campaign_clusters
  ADD COLUMN inputs_there int8multirange NOT NULL DEFAULT '{}',
  ADD COLUMN inputs_lacking int8multirange,
  ADD COLUMN inputs_ahead bigint NOT NULL DEFAULT 0,
  ADD COLUMN inputs_missing bigint;
COMMENT ON COLUMN campaign_clusters.inputs_wanted IS 'tasks would go there whose input files are not there: they are to be brought';
COMMENT ON COLUMN campaign_clusters.inputs_ahead IS 'for so many of the tasks that go there next';
COMMENT ON COLUMN campaign_clusters.inputs_missing IS 'bytes of the pieces that these lack, as the runner found last; null: it has not looked';
COMMENT ON COLUMN campaign_clusters.inputs_sent IS 'pieces of input files that are there; the index is there before the first one';
COMMENT ON COLUMN campaign_clusters.inputs_there IS 'their numbers';
COMMENT ON COLUMN campaign_clusters.inputs_lacking IS 'tasks that lack files there, whatever their state; null: each task may';

-- Files that are on their way are sent from the first piece on: the index, which came last, comes first now.
UPDATE campaign_clusters SET inputs_sent = 0 WHERE inputs_sent > 0 AND inputs_at IS NULL;
UPDATE campaign_clusters SET inputs_there = int8multirange(int8range(0, inputs_sent)) WHERE inputs_sent > 0;
UPDATE campaign_clusters SET inputs_ahead = 1000 WHERE inputs_wanted;

-- The tasks whose input files are not all on a cluster, in the home where its jobs look for them; null: all files are there, or the campaign
-- has none.
CREATE FUNCTION lacking_inputs(campaign bigint, cluster bigint) RETURNS int8multirange LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN p.inputs_login IS DISTINCT FROM u.login THEN '{(,)}'::int8multirange
    WHEN p.inputs_at IS NULL THEN coalesce(p.inputs_lacking, '{(,)}'::int8multirange) END
  FROM campaigns c
  JOIN campaign_clusters p ON p.campaign_id = c.id AND p.cluster_id = cluster
  JOIN logins u ON u.campaign_id = c.id AND u.cluster_id = cluster
  WHERE c.id = campaign AND c.input_files <> ''
$$;

-- The tasks in a campaign's bag that go to a cluster next, as ranges: `most` of each kind at most.
CREATE FUNCTION next_tasks_for(campaign bigint, cluster bigint, most bigint) RETURNS int8multirange LANGUAGE sql STABLE AS $$
  SELECT coalesce(range_agg(tasks), '{}') FROM (
    SELECT int8range(c.next_task, least(c.total, c.next_task + most)) AS tasks FROM campaigns c
    WHERE c.id = campaign AND c.requests = 0 AND c.total - c.next_task - c.skipped > 0
    UNION ALL
    SELECT int8range(f.number, f.number, '[]') FROM request_bags b CROSS JOIN LATERAL (
      SELECT t.number FROM request_tasks t WHERE t.campaign_id = campaign AND t.request = b.request AND t.number >= b.next_task
      ORDER BY t.number LIMIT most) f
    WHERE b.campaign_id = campaign AND b.untaken > 0
    UNION ALL
    (SELECT int8range(r.number, r.number, '[]') FROM returned_tasks r
     WHERE r.campaign_id = campaign AND r.held_by IS NULL AND NOT is_script(r.number)
       AND (r.cluster_id IS NULL OR r.cluster_id = cluster OR have_one_home(r.cluster_id, cluster))
     ORDER BY r.number LIMIT most)) next
$$;

-- The number of tasks in a campaign's bag that a launch would find, and that are not among `lacking`; at most `most` of each kind are
-- counted. New tasks are taken in their order: none after the first that is lacking.
CREATE FUNCTION ready_tasks_of(campaign bigint, lacking int8multirange, most bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT
    coalesce((SELECT least(c.total - c.next_task - c.skipped, coalesce((
        SELECT min(greatest(coalesce(lower(l), 0), c.next_task)) FROM unnest(lacking) l WHERE l && int8range(c.next_task, NULL)), c.total) - c.next_task)
      FROM campaigns c WHERE c.id = campaign AND c.requests = 0), 0)
    + coalesce((SELECT sum(f.tasks) FROM request_bags b CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE NOT stopped) AS tasks FROM (
          SELECT bool_or(lacking @> t.number) OVER (ORDER BY t.number) AS stopped FROM request_tasks t
          WHERE t.campaign_id = campaign AND t.request = b.request AND t.number >= b.next_task ORDER BY t.number LIMIT most) counted) f
      WHERE b.campaign_id = campaign AND b.untaken > 0), 0)::bigint
    + (SELECT count(*) FROM (
        SELECT FROM returned_tasks r WHERE r.campaign_id = campaign AND r.held_by IS NULL AND NOT is_script(r.number)
          AND NOT lacking @> r.number LIMIT most) counted)
$$;

-- `shared`: pieces that a cluster with the same homes has for this login, and this one is not known to have.
DROP VIEW inputs_to_send;
DROP VIEW missing_inputs;
CREATE VIEW missing_inputs AS
  SELECT p.campaign_id, p.cluster_id, u.login, c.input_bytes, c.priority, own.sent, own.missing,
    (SELECT q.inputs_there FROM clusters k JOIN clusters h ON h.id <> k.id AND h.shared_home = k.shared_home
       JOIN campaign_clusters q ON q.campaign_id = p.campaign_id AND q.cluster_id = h.id AND q.inputs_login = u.login
       WHERE k.id = p.cluster_id AND (CASE WHEN q.inputs_sent = 0 THEN q.inputs_at IS NOT NULL AND own.sent = 0
         ELSE NOT q.inputs_there <@ own.there END)
       ORDER BY q.inputs_sent DESC, q.cluster_id LIMIT 1) AS shared
  FROM campaigns c
  JOIN campaign_clusters p ON p.campaign_id = c.id
  JOIN logins u ON u.campaign_id = p.campaign_id AND u.cluster_id = p.cluster_id
  CROSS JOIN LATERAL (
    SELECT CASE WHEN is_own THEN p.inputs_sent ELSE 0 END AS sent, CASE WHEN is_own THEN p.inputs_there ELSE '{}' END AS there,
      CASE WHEN is_own THEN p.inputs_missing END AS missing
    FROM (SELECT coalesce(p.inputs_login = u.login, false) AS is_own) o) own
  WHERE is_live(c.state) AND NOT c.sealed AND c.input_files <> '' AND (p.inputs_at IS NULL OR p.inputs_login <> u.login);

CREATE VIEW inputs_to_send AS
  SELECT m.*, p.inputs_ahead, c.user_name, p.inputs_served_at, k.shared_home FROM missing_inputs m
  JOIN campaigns c ON c.id = m.campaign_id AND c.state = 'in_treatment' AND c.waiting > 0
  JOIN campaign_clusters p ON p.campaign_id = m.campaign_id AND p.cluster_id = m.cluster_id AND p.max_jobs IS DISTINCT FROM 0
    AND p.inputs_wanted
  JOIN clusters k ON k.id = m.cluster_id AND k.enabled AND k.retired_at IS NULL AND k.reachable IS TRUE
  WHERE m.login ~ '^[A-Za-z0-9_]+$' AND NOT is_kept_waiting(m.campaign_id);
