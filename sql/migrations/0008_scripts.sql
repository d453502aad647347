-- Scripts: the prologue and the epilogue of a campaign on a cluster (docs/architecture/scripts.md). A script is a task with a reserved,
-- negative number. No row of it exists before it is needed.

-- What the JDL asks. An empty text: the JDL has no such script.
ALTER TABLE campaign_clusters
  ADD COLUMN prologue text NOT NULL DEFAULT '',          -- bash; macros expanded
  ADD COLUMN prologue_walltime_s integer,                -- null: as a task's
  ADD COLUMN epilogue text NOT NULL DEFAULT '',          -- bash; macros expanded
  ADD COLUMN epilogue_walltime_s integer,                -- null: as a task's
  -- Kept by the trigger count_new_jobs. A job of the prologue was planned, and none of the epilogue since.
  ADD COLUMN prepared boolean NOT NULL DEFAULT false,
  -- A job was planned, and none of the epilogue since.
  ADD COLUMN epilogue_due boolean NOT NULL DEFAULT false;
CREATE INDEX campaign_clusters_scripts ON campaign_clusters (campaign_id, cluster_id) WHERE prologue <> '' OR epilogue <> '';
CREATE INDEX campaign_clusters_epilogue_due ON campaign_clusters (campaign_id, cluster_id) WHERE epilogue_due;

-- The script that the launch's only job carries out; null: its jobs carry out tasks of the bag.
ALTER TABLE launches ADD COLUMN script text CHECK (script IN ('prologue', 'epilogue'));

-- The numbers of scripts, as lib/grid/script.hpp has them: the prologue of cluster 3 is -5, its epilogue -6.
CREATE FUNCTION prologue_on(cluster bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 1 - 2 * cluster $$;
CREATE FUNCTION epilogue_on(cluster bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT -2 * cluster $$;
CREATE FUNCTION is_script(task bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT task < 0 $$;
CREATE FUNCTION is_epilogue(task bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT task < 0 AND task % 2 = 0 $$;
CREATE FUNCTION cluster_of_script(task bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT (1 - task) / 2 $$;
CREATE INDEX returned_tasks_scripts ON returned_tasks (campaign_id, number) WHERE number < 0;

-- Whether a script of the campaign is under way, or an epilogue is to be run: on clusters in use, where something of the campaign started.
CREATE FUNCTION has_scripts_left(campaign bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id AND k.retired_at IS NULL
    WHERE p.campaign_id = campaign AND p.epilogue_due AND p.last_start_at IS NOT NULL)
  OR EXISTS (
    SELECT FROM tasks t JOIN clusters k ON k.id = cluster_of_script(t.number) AND k.retired_at IS NULL
    WHERE t.campaign_id = campaign AND t.number < 0 AND (is_in_flight(t.state) OR (t.state = 'waiting' AND is_epilogue(t.number))))
$$;

-- The counters of a campaign are of the tasks of its bag.
CREATE OR REPLACE FUNCTION count_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE campaigns c SET
    waiting = c.waiting + d.waiting, launching = c.launching + d.launching, submitted = c.submitted + d.submitted,
    running = c.running + d.running, done = c.done + d.done, failed = c.failed + d.failed, cancelled = c.cancelled + d.cancelled
  FROM (
    SELECT campaign_id,
      sum(n) FILTER (WHERE state = 'waiting') AS waiting, sum(n) FILTER (WHERE state = 'launching') AS launching,
      sum(n) FILTER (WHERE state = 'submitted') AS submitted, sum(n) FILTER (WHERE state = 'running') AS running,
      sum(n) FILTER (WHERE state = 'done') AS done, sum(n) FILTER (WHERE state = 'failed') AS failed,
      sum(n) FILTER (WHERE state = 'cancelled') AS cancelled
    FROM (
      SELECT campaign_id, state, sum(n) AS n FROM (
        SELECT campaign_id, state, 1 AS n FROM after WHERE number >= 0
        UNION ALL SELECT campaign_id, state, -1 FROM before WHERE number >= 0) moves
      GROUP BY campaign_id, state
      -- Every state is present, so that no sum is null.
      UNION ALL SELECT DISTINCT after.campaign_id, s.state, 0 FROM after, unnest(enum_range(NULL::task_state)) AS s(state)) all_states
    GROUP BY campaign_id) d
  WHERE c.id = d.campaign_id;
  RETURN NULL;
END $$;

-- As before; a new job also changes which scripts its pair needs.
CREATE OR REPLACE FUNCTION count_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE campaign_clusters p SET
      launching = p.launching + d.n,
      active = true,
      prepared = CASE WHEN d.epilogue THEN false WHEN d.prologue THEN true ELSE p.prepared END,
      epilogue_due = NOT d.epilogue AND p.epilogue <> ''
    FROM (
      SELECT campaign_id, cluster_id, count(*) AS n, bool_or(is_epilogue(task)) AS epilogue, bool_or(is_script(task)) AS prologue
      FROM after WHERE NOT pooled GROUP BY 1, 2) d
    WHERE p.campaign_id = d.campaign_id AND p.cluster_id = d.cluster_id;
    RETURN NULL;
  END IF;
  UPDATE campaign_clusters p SET
    launching = p.launching + d.launching, waiting = p.waiting + d.waiting, running = p.running + d.running, unknown = p.unknown + d.unknown
  FROM (
    SELECT campaign_id, cluster_id,
      coalesce(sum(n) FILTER (WHERE state IN ('planned', 'launching')), 0) AS launching,
      coalesce(sum(n) FILTER (WHERE state = 'remote_waiting'), 0) AS waiting,
      coalesce(sum(n) FILTER (WHERE state = 'running'), 0) AS running,
      coalesce(sum(n) FILTER (WHERE state = 'unknown'), 0) AS unknown
    FROM (SELECT campaign_id, cluster_id, state, 1 AS n FROM after
          UNION ALL SELECT campaign_id, cluster_id, state, -1 FROM before) moves
    GROUP BY 1, 2) d
  WHERE p.campaign_id = d.campaign_id AND p.cluster_id = d.cluster_id
    AND (d.launching, d.waiting, d.running, d.unknown) <> (0, 0, 0, 0);
  RETURN NULL;
END $$;
