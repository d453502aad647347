-- The states of a campaign's tasks, block by block, for a picture of a million of them.

CREATE FUNCTION task_block(number bigint) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT (number / 1000)::integer $$;

CREATE TABLE task_blocks (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  block integer NOT NULL CHECK (block >= 0),
  launching integer NOT NULL DEFAULT 0,
  submitted integer NOT NULL DEFAULT 0,
  running integer NOT NULL DEFAULT 0,
  done integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  cancelled integer NOT NULL DEFAULT 0,
  PRIMARY KEY (campaign_id, block)
) WITH (fillfactor = 50);
COMMENT ON TABLE task_blocks IS
  'tasks by state of each thousand of a campaign, task_block(number); the others of the block wait. No row: each of its tasks waits. Kept by the trigger count_tasks';

-- The blocks of a campaign, as its tasks are. Cost: O(tasks).
CREATE FUNCTION blocks_of(campaign bigint) RETURNS TABLE (block integer, launching integer, submitted integer, running integer, done integer,
  failed integer, cancelled integer) LANGUAGE sql STABLE AS $$
  SELECT task_block(number), (count(*) FILTER (WHERE state = 'launching'))::integer, (count(*) FILTER (WHERE state = 'submitted'))::integer,
    (count(*) FILTER (WHERE state = 'running'))::integer, (count(*) FILTER (WHERE state = 'done'))::integer,
    (count(*) FILTER (WHERE state = 'failed'))::integer, (count(*) FILTER (WHERE state = 'cancelled'))::integer
  FROM tasks WHERE campaign_id = campaign AND NOT is_script(number) AND state <> 'waiting' GROUP BY 1
$$;

INSERT INTO task_blocks (campaign_id, block, launching, submitted, running, done, failed, cancelled)
SELECT c.id, n.* FROM campaigns c CROSS JOIN LATERAL blocks_of(c.id) n;

-- The counters of a campaign and of its blocks follow the tasks of its bag, whatever statement changes them. The blocks are written with
-- the campaign's row locked, so that no two transactions lock them in different orders.
CREATE OR REPLACE FUNCTION count_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH moves AS MATERIALIZED (
    SELECT campaign_id, task_block(number) AS block,
      coalesce(sum(n) FILTER (WHERE state = 'waiting'), 0) AS waiting, coalesce(sum(n) FILTER (WHERE state = 'launching'), 0) AS launching,
      coalesce(sum(n) FILTER (WHERE state = 'submitted'), 0) AS submitted, coalesce(sum(n) FILTER (WHERE state = 'running'), 0) AS running,
      coalesce(sum(n) FILTER (WHERE state = 'done'), 0) AS done, coalesce(sum(n) FILTER (WHERE state = 'failed'), 0) AS failed,
      coalesce(sum(n) FILTER (WHERE state = 'cancelled'), 0) AS cancelled
    FROM (
      SELECT campaign_id, number, state, 1 AS n FROM after WHERE number >= 0
      UNION ALL SELECT campaign_id, number, state, -1 FROM before WHERE number >= 0) changed
    GROUP BY 1, 2),
  counted AS (
    UPDATE campaigns c SET
      waiting = c.waiting + d.waiting, launching = c.launching + d.launching, submitted = c.submitted + d.submitted,
      running = c.running + d.running, done = c.done + d.done, failed = c.failed + d.failed, cancelled = c.cancelled + d.cancelled
    FROM (
      SELECT campaign_id, sum(waiting) AS waiting, sum(launching) AS launching, sum(submitted) AS submitted, sum(running) AS running,
        sum(done) AS done, sum(failed) AS failed, sum(cancelled) AS cancelled
      FROM moves GROUP BY 1) d
    WHERE c.id = d.campaign_id
    RETURNING c.id)
  INSERT INTO task_blocks AS b (campaign_id, block, launching, submitted, running, done, failed, cancelled)
  SELECT m.campaign_id, m.block, m.launching, m.submitted, m.running, m.done, m.failed, m.cancelled
  FROM counted c JOIN moves m ON m.campaign_id = c.id
  WHERE (m.launching, m.submitted, m.running, m.done, m.failed, m.cancelled) <> (0, 0, 0, 0, 0, 0)
  ON CONFLICT (campaign_id, block) DO UPDATE SET
    launching = b.launching + EXCLUDED.launching, submitted = b.submitted + EXCLUDED.submitted, running = b.running + EXCLUDED.running,
    done = b.done + EXCLUDED.done, failed = b.failed + EXCLUDED.failed, cancelled = b.cancelled + EXCLUDED.cancelled;
  RETURN NULL;
END $$;
