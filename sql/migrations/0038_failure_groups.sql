-- The failed tasks of a campaign, grouped by how and where their last jobs ended and by a line of their stderr.

CREATE TABLE failure_groups (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL REFERENCES clusters,
  ending text NOT NULL,
  exit_status integer,
  pattern text NOT NULL,
  stderr_line text NOT NULL,
  tasks integer NOT NULL DEFAULT 0
) WITH (fillfactor = 80);
COMMENT ON TABLE failure_groups IS 'failed tasks of a campaign that failed alike. Kept by the trigger count_tasks';
COMMENT ON COLUMN failure_groups.exit_status IS 'a wait status; null: its command did not end the job';
COMMENT ON COLUMN failure_groups.pattern IS 'the lines of stderr, with # for numbers, addresses and digests; empty: none is known, or the campaign has too many different ones';
COMMENT ON COLUMN failure_groups.stderr_line IS 'the line of its first task';
CREATE UNIQUE INDEX failure_groups_alike ON failure_groups (campaign_id, cluster_id, ending, coalesce(exit_status, -1), pattern);

ALTER TABLE tasks ADD failure bigint;
COMMENT ON COLUMN tasks.failure IS 'while it is failed: its group of failure_groups; null: it is not, or no job of it has failed';
CREATE INDEX tasks_failed_alike ON tasks (failure, number) WHERE failure IS NOT NULL;

-- A line without what differs from task to task.
CREATE FUNCTION failure_pattern(line text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT regexp_replace(line, '0[xX][0-9a-fA-F]+|\y[0-9a-f]{8,}\y|[0-9]+', '#', 'g')
$$;

-- The group of a failure, which is made if there is none. A campaign has at most 200 groups with a pattern; what is more goes without.
-- The caller has locked the campaign.
CREATE FUNCTION failure_group(campaign bigint, cluster bigint, ended text, status integer, alike text, line text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  found_id bigint;
BEGIN
  SELECT id INTO found_id FROM failure_groups
  WHERE campaign_id = campaign AND cluster_id = cluster AND ending = ended AND coalesce(exit_status, -1) = coalesce(status, -1)
    AND pattern = alike;
  IF found_id IS NOT NULL THEN
    RETURN found_id;
  END IF;
  IF alike <> '' AND (SELECT count(*) FROM failure_groups WHERE campaign_id = campaign AND pattern <> '') >= 200 THEN
    RETURN failure_group(campaign, cluster, ended, status, '', '');
  END IF;
  INSERT INTO failure_groups (campaign_id, cluster_id, ending, exit_status, pattern, stderr_line)
  VALUES (campaign, cluster, ended, status, alike, line) RETURNING id INTO found_id;
  RETURN found_id;
END $$;

-- The status of a job that its command ended.
CREATE FUNCTION failure_status(ended text, status integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN ended IN ('task_error', 'rerun_first', 'rerun_last') THEN status END
$$;

-- The tasks that have failed so far, by their last jobs.
WITH last AS MATERIALIZED (
  SELECT t.campaign_id, t.number, j.cluster_id, j.ending, failure_status(j.ending, j.exit_status) AS exit_status
  FROM tasks t
  CROSS JOIN LATERAL (SELECT * FROM jobs j WHERE j.campaign_id = t.campaign_id AND j.task = t.number ORDER BY j.id DESC LIMIT 1) j
  WHERE t.state = 'failed' AND t.number >= 0 AND j.ending IS NOT NULL),
made AS (
  INSERT INTO failure_groups (campaign_id, cluster_id, ending, exit_status, pattern, stderr_line, tasks)
  SELECT campaign_id, cluster_id, ending, exit_status, '', '', count(*) FROM last GROUP BY 1, 2, 3, 4
  RETURNING id, campaign_id, cluster_id, ending, exit_status)
UPDATE tasks t SET failure = m.id
FROM last l JOIN made m ON (m.campaign_id, m.cluster_id, m.ending) = (l.campaign_id, l.cluster_id, l.ending)
  AND m.exit_status IS NOT DISTINCT FROM l.exit_status
WHERE t.campaign_id = l.campaign_id AND t.number = l.number;

-- The counters of a campaign, of its blocks and of its groups of failures follow the tasks of its bag, whatever statement changes them. Blocks
-- and groups are written with the campaign's row locked, so that no two transactions lock them in different orders.
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
  failures AS MATERIALIZED (
    SELECT campaign_id, failure, sum(n) AS tasks
    FROM (
      SELECT campaign_id, failure, 1 AS n FROM after WHERE state = 'failed' AND failure IS NOT NULL
      UNION ALL SELECT campaign_id, failure, -1 FROM before WHERE state = 'failed' AND failure IS NOT NULL) changed
    GROUP BY 1, 2 HAVING sum(n) <> 0),
  counted AS (
    UPDATE campaigns c SET
      waiting = c.waiting + d.waiting, launching = c.launching + d.launching, submitted = c.submitted + d.submitted,
      running = c.running + d.running, done = c.done + d.done, failed = c.failed + d.failed, cancelled = c.cancelled + d.cancelled
    FROM (
      SELECT campaign_id, sum(waiting) AS waiting, sum(launching) AS launching, sum(submitted) AS submitted, sum(running) AS running,
        sum(done) AS done, sum(failed) AS failed, sum(cancelled) AS cancelled
      FROM moves GROUP BY 1) d
    WHERE c.id = d.campaign_id
    RETURNING c.id),
  grouped AS (
    UPDATE failure_groups g SET tasks = g.tasks + f.tasks FROM counted c JOIN failures f ON f.campaign_id = c.id
    WHERE g.id = f.failure AND g.campaign_id = c.id)
  INSERT INTO task_blocks AS b (campaign_id, block, launching, submitted, running, done, failed, cancelled)
  SELECT m.campaign_id, m.block, m.launching, m.submitted, m.running, m.done, m.failed, m.cancelled
  FROM counted c JOIN moves m ON m.campaign_id = c.id
  WHERE (m.launching, m.submitted, m.running, m.done, m.failed, m.cancelled) <> (0, 0, 0, 0, 0, 0)
  ON CONFLICT (campaign_id, block) DO UPDATE SET
    launching = b.launching + EXCLUDED.launching, submitted = b.submitted + EXCLUDED.submitted, running = b.running + EXCLUDED.running,
    done = b.done + EXCLUDED.done, failed = b.failed + EXCLUDED.failed, cancelled = b.cancelled + EXCLUDED.cancelled;
  RETURN NULL;
END $$;
