-- Tasks that a user holds: they wait outside of the bag, and keep their places in it, until a user releases them.

ALTER TABLE campaigns ADD COLUMN held bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN campaigns.held IS 'of its waiting tasks, those that a user holds';

ALTER TABLE returned_tasks
  ADD COLUMN held_by text,
  ADD COLUMN held_at timestamptz,
  ADD COLUMN outside boolean NOT NULL DEFAULT false,
  ADD CHECK ((held_by IS NULL) = (held_at IS NULL)),
  ADD CHECK (NOT outside OR held_by IS NOT NULL);
COMMENT ON COLUMN returned_tasks.held_by IS
  'the user who holds the task: it is not in the bag, and may be ahead of the cursor, which passes it; null: nobody does';
COMMENT ON COLUMN returned_tasks.held_at IS 'since when';
COMMENT ON COLUMN returned_tasks.outside IS 'of a held task: it waits for tasks of other campaigns, too, and comes into the bag as these free it';

-- The planner reads what is in the bag, however many tasks are held.
DROP INDEX returned_tasks_order;
CREATE INDEX returned_tasks_order ON returned_tasks (campaign_id, request, cluster_id, priority DESC, number) WHERE held_by IS NULL;
CREATE INDEX returned_tasks_held ON returned_tasks (campaign_id, held_at) WHERE held_by IS NOT NULL;

-- Tasks ahead of the cursor are in no row of returned_tasks, unless they are held.
CREATE OR REPLACE FUNCTION next_untaken(campaign bigint, first bigint, most bigint) RETURNS SETOF bigint LANGUAGE sql
  SET enable_seqscan TO 'off' SET enable_bitmapscan TO 'off' SET enable_sort TO 'off' AS $$
  SELECT number FROM tasks t WHERE campaign_id = campaign AND number >= first AND state = 'waiting'
    AND NOT EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = campaign AND r.number = t.number)
  ORDER BY number LIMIT most
$$;

CREATE OR REPLACE FUNCTION is_kept_waiting(campaign bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM dependencies d WHERE d.campaign_id = campaign AND d.met_at IS NULL AND d.kind <> 'after_each')
    OR (EXISTS (SELECT FROM dependencies d WHERE d.campaign_id = campaign AND d.met_at IS NULL AND d.kind = 'after_each')
      AND NOT EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = campaign AND r.held_by IS NULL AND NOT is_script(r.number)))
$$;

-- Held tasks that are cancelled, or whose late job is adopted, are held no more. Other changes of the column count by themselves.
CREATE FUNCTION count_unheld() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM gone WHERE held_by IS NOT NULL) THEN
    PERFORM FROM campaigns WHERE id IN (SELECT campaign_id FROM gone WHERE held_by IS NOT NULL) ORDER BY id FOR NO KEY UPDATE;
    UPDATE campaigns c SET held = c.held - g.tasks
    FROM (SELECT campaign_id, count(*) AS tasks FROM gone WHERE held_by IS NOT NULL GROUP BY 1) g WHERE c.id = g.campaign_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER count_unheld AFTER DELETE ON returned_tasks REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_unheld();

DROP TRIGGER note_progress ON campaigns;
CREATE TRIGGER note_progress AFTER UPDATE OF total, waiting, launching, submitted, running, done, failed, cancelled, held ON campaigns
  FOR EACH ROW
  WHEN ((OLD.total, OLD.waiting, OLD.launching, OLD.submitted, OLD.running, OLD.done, OLD.failed, OLD.cancelled, OLD.held) <>
        (NEW.total, NEW.waiting, NEW.launching, NEW.submitted, NEW.running, NEW.done, NEW.failed, NEW.cancelled, NEW.held))
  EXECUTE FUNCTION note_progress();
