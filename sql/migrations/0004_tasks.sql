-- Single tasks that their user cancels, and the most tasks of a campaign that may fail.

-- Cancelled tasks ahead of the cursor. It stays 0 in a campaign whose tasks have different requests: there they leave request_tasks, and
-- next_task counts them.
ALTER TABLE campaigns ADD COLUMN skipped bigint NOT NULL DEFAULT 0 CHECK (skipped >= 0);
-- Most tasks that may fail before the campaign is paused: a number, or, below 1, a part of its tasks; null: any number.
ALTER TABLE campaigns ADD COLUMN max_fails double precision GENERATED ALWAYS AS ((jdl ->> 'max_fails')::double precision) STORED;
-- Failed tasks that max_fails does not count: they had failed when the campaign was last resumed.
ALTER TABLE campaigns ADD COLUMN forgiven bigint NOT NULL DEFAULT 0 CHECK (forgiven >= 0);

-- Its user cancelled it while it had a live job: the job is killed, and the task goes back to no bag.
ALTER TABLE tasks ADD COLUMN cancelling boolean NOT NULL DEFAULT false;
CREATE INDEX tasks_cancelling ON tasks (campaign_id, number) WHERE cancelling;

-- task_cancelled: the job of one cancelled task. (cancelled: all jobs of a cancelled campaign, whose arrays are deleted whole.)
ALTER TABLE kill_requests DROP CONSTRAINT kill_requests_reason_check;
ALTER TABLE kill_requests ADD CONSTRAINT kill_requests_reason_check CHECK (reason IN
  ('cancelled', 'task_cancelled', 'excess', 'waited_too_long', 'replica', 'preempted', 'impatient', 'overdue', 'late', 'lost'));

-- The next waiting tasks from a number on, where cancelled ones are among them. The index is the only plan, as the statistics of a new bag
-- are missing. Volatile: it sees what was committed before it is called, as the caller has just waited for the campaign's lock.
CREATE FUNCTION next_untaken(campaign bigint, first bigint, most bigint) RETURNS SETOF bigint LANGUAGE sql VOLATILE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
  AS $$ SELECT number FROM tasks WHERE campaign_id = campaign AND number >= first AND state = 'waiting' ORDER BY number LIMIT most $$;

-- Most tasks of a campaign that may fail before it is paused; null: any number.
CREATE FUNCTION fails_allowed(campaign campaigns) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN campaign.max_fails < 1 THEN floor(campaign.max_fails * campaign.total + 1e-9) ELSE campaign.max_fails END
$$;
