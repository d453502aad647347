-- What the end of a task sets free is put into the bags of other campaigns in a turn of its own, a part at a time. The transaction that ends
-- the task only notes its number, however many campaigns wait for it.

-- The tasks that are done of campaigns for which others wait task by task. A campaign's rows are written under the lock of its own row, so
-- that they become visible in the order of their places.
CREATE TABLE freed_tasks (
  on_campaign bigint NOT NULL,
  place bigint GENERATED ALWAYS AS IDENTITY,
  number bigint NOT NULL,
  PRIMARY KEY (on_campaign, place)
);

ALTER TABLE dependencies
  ADD COLUMN released_to bigint NOT NULL DEFAULT 0,  -- place in freed_tasks: what is beyond was not looked at
  ADD COLUMN scan_at bigint NOT NULL DEFAULT 0,      -- tasks from this number on, below scan_to, are looked at first: they may be done already
  ADD COLUMN scan_to bigint NOT NULL DEFAULT 0,
  ADD COLUMN looked_at timestamptz,                  -- when it was looked at last: others come first
  ADD COLUMN released_at timestamptz;                -- null: there may be tasks to release, now or later
UPDATE dependencies SET released_at = met_at;
CREATE INDEX dependencies_to_release ON dependencies (on_campaign, released_to) WHERE kind = 'after_each' AND released_at IS NULL;

-- Whether a task of a campaign waits for one of another that is not done.
CREATE FUNCTION awaits_task(campaign bigint, task bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM dependencies d
    WHERE d.campaign_id = campaign AND d.kind = 'after_each' AND d.met_at IS NULL
      AND NOT EXISTS (SELECT FROM tasks o WHERE o.campaign_id = d.on_campaign AND o.number = task AND o.state = 'done'))
$$;

-- Whether a dependency task by task keeps a task out of the bag: it waits for one, or was not released yet.
CREATE OR REPLACE FUNCTION is_held(campaign bigint, task bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT awaits_task(campaign, task) OR EXISTS (
    SELECT FROM dependencies d
    WHERE d.campaign_id = campaign AND d.kind = 'after_each' AND d.released_at IS NULL
      AND ((task >= d.scan_at AND task < d.scan_to) OR EXISTS (
        SELECT FROM freed_tasks f WHERE f.on_campaign = d.on_campaign AND f.place > d.released_to AND f.number = task)))
$$;

-- Notes the tasks that are done and for which others may wait. Without such dependencies it costs one look into an index. It runs after
-- count_tasks, which has locked the campaigns whose tasks changed: a campaign that is submitted meanwhile has locked them before, or looks
-- for what is done now.
CREATE OR REPLACE FUNCTION release_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM dependencies WHERE met_at IS NULL AND kind = 'after_each') THEN RETURN NULL; END IF;
  INSERT INTO freed_tasks (on_campaign, number)
  SELECT a.campaign_id, a.number FROM after a
  WHERE a.state = 'done' AND NOT is_script(a.number)
    AND EXISTS (SELECT FROM dependencies d WHERE d.on_campaign = a.campaign_id AND d.met_at IS NULL AND d.kind = 'after_each');
  RETURN NULL;
END $$;

-- The first campaign in treatment or paused, of the same user, that waits for this one; null: none does. Those of others do not keep a user
-- from deleting what is over.
CREATE OR REPLACE FUNCTION awaited_by(campaign bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT min(d.campaign_id) FROM dependencies d
  JOIN campaigns c ON c.id = d.on_campaign
  JOIN campaigns w ON w.id = d.campaign_id AND is_live(w.state) AND w.user_name = c.user_name
  WHERE d.on_campaign = campaign AND d.met_at IS NULL
$$;
