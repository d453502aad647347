-- Numbers that tasks give to the tasks which come after them: the JDL's keys `gives` and `given`.

ALTER TABLE campaigns
  ADD COLUMN gives boolean GENERATED ALWAYS AS (jdl ? 'gives') STORED, -- whether its tasks may give numbers to others
  -- Whether its tasks' requests are computed from what others gave, when they are put into the bag.
  ADD COLUMN takes_given boolean GENERATED ALWAYS AS (jdl ? 'given') STORED;

-- A row is what the job that did a task gave. It counts while the task is done by that attempt.
CREATE TABLE task_gives (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  number bigint NOT NULL,                                -- of the task
  attempt integer NOT NULL,
  given text NOT NULL CHECK (given <> '' AND octet_length(given) <= 150), -- name=number,… as the job noted it
  PRIMARY KEY (campaign_id, number)
);

-- A row is a task that is not put into the bag because its request cannot be computed from what was given.
CREATE TABLE withheld_tasks (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  number bigint NOT NULL,
  why text NOT NULL,
  forgiven boolean NOT NULL DEFAULT false,               -- its user wants the JDL's own numbers in place of what was given
  PRIMARY KEY (campaign_id, number)
);

-- Whether tasks of a campaign are put into its bag one by one: they wait for others, for the cluster of those, or for what those gave.
CREATE OR REPLACE FUNCTION is_fed(campaign bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM dependencies d JOIN campaigns c ON c.id = d.campaign_id
    WHERE d.campaign_id = campaign AND d.kind = 'after_each' AND (d.met_at IS NULL OR c.follows OR c.takes_given))
$$;

-- Whether a dependency task by task keeps a task out of the bag: it waits for one, was not released yet, or is withheld.
CREATE OR REPLACE FUNCTION is_held(campaign bigint, task bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT awaits_task(campaign, task) OR EXISTS (
    SELECT FROM dependencies d
    WHERE d.campaign_id = campaign AND d.kind = 'after_each' AND d.released_at IS NULL
      AND ((task >= d.scan_at AND task < d.scan_to) OR EXISTS (
        SELECT FROM freed_tasks f WHERE f.on_campaign = d.on_campaign AND f.place > d.released_to AND f.number = task)))
    OR EXISTS (SELECT FROM withheld_tasks w WHERE w.campaign_id = campaign AND w.number = task)
$$;
