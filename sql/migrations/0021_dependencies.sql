-- Dependencies: campaigns that wait for others.

CREATE TABLE dependencies (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  on_campaign bigint NOT NULL,        -- the one that it waits for; without a reference, as it may be deleted
  kind text NOT NULL CHECK (kind IN ('after', 'after_any_end', 'after_each')),
  met_at timestamptz,                 -- null: it still keeps the campaign, or tasks of it, waiting. Once met, it stays met
  PRIMARY KEY (campaign_id, on_campaign)
);
CREATE INDEX dependencies_open ON dependencies (on_campaign, campaign_id) WHERE met_at IS NULL;

-- Whether a campaign in this state meets a dependency of this kind.
CREATE FUNCTION meets(campaign campaigns, kind text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE kind WHEN 'after_any_end' THEN is_over(campaign.state)
    ELSE campaign.state = 'terminated' AND campaign.done = campaign.total END
$$;

-- Whoever ends a campaign meets the dependencies on it, in the same transaction.
CREATE FUNCTION meet_dependencies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE dependencies SET met_at = clock_timestamp()
  WHERE on_campaign = NEW.id AND met_at IS NULL AND meets(NEW, kind);
  RETURN NULL;
END $$;
CREATE TRIGGER meet_dependencies AFTER UPDATE OF state ON campaigns FOR EACH ROW
  WHEN (OLD.state <> NEW.state AND is_over(NEW.state)) EXECUTE FUNCTION meet_dependencies();

-- Whether the task of a campaign is held by a dependency task by task: one that it waits for is not done.
CREATE FUNCTION is_held(campaign bigint, task bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM dependencies d
    WHERE d.campaign_id = campaign AND d.kind = 'after_each' AND d.met_at IS NULL
      AND NOT EXISTS (SELECT FROM tasks o WHERE o.campaign_id = d.on_campaign AND o.number = task AND o.state = 'done'))
$$;

-- Puts tasks into the bag when the ones that they wait for are done. Without such dependencies it costs one look into an index. It runs
-- after count_tasks, which has locked the campaigns whose tasks changed: a campaign that is submitted meanwhile has locked them before, or
-- sees what is done now.
CREATE FUNCTION release_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  held bigint[];
BEGIN
  IF NOT EXISTS (SELECT FROM dependencies WHERE met_at IS NULL AND kind = 'after_each') THEN RETURN NULL; END IF;
  SELECT array_agg(DISTINCT d.campaign_id ORDER BY d.campaign_id) INTO held
  FROM after a JOIN dependencies d ON d.on_campaign = a.campaign_id AND d.met_at IS NULL AND d.kind = 'after_each'
  WHERE a.state = 'done';
  IF held IS NULL THEN RETURN NULL; END IF;
  -- Nobody cancels their tasks meanwhile.
  PERFORM FROM campaigns WHERE id = ANY (held) ORDER BY id FOR NO KEY UPDATE;
  INSERT INTO returned_tasks (campaign_id, number, request, returned_at)
  SELECT t.campaign_id, t.number, t.request, clock_timestamp()
  FROM after a
  JOIN dependencies d ON d.on_campaign = a.campaign_id AND d.met_at IS NULL AND d.kind = 'after_each'
  JOIN campaigns w ON w.id = d.campaign_id AND is_live(w.state)
  JOIN tasks t ON t.campaign_id = d.campaign_id AND t.number = a.number AND t.state = 'waiting'
  WHERE a.state = 'done' AND NOT is_script(a.number) AND NOT is_held(t.campaign_id, t.number)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER release_tasks AFTER UPDATE ON tasks REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION release_tasks();

-- Whether other campaigns keep all tasks of a campaign waiting.
CREATE FUNCTION is_kept_waiting(campaign bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM dependencies d WHERE d.campaign_id = campaign AND d.met_at IS NULL AND d.kind <> 'after_each')
    OR (EXISTS (SELECT FROM dependencies d WHERE d.campaign_id = campaign AND d.met_at IS NULL AND d.kind = 'after_each')
      AND NOT EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = campaign AND NOT is_script(r.number)))
$$;

-- The first campaign in treatment or paused that waits for this one; null: none does.
CREATE FUNCTION awaited_by(campaign bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT min(d.campaign_id) FROM dependencies d JOIN campaigns w ON w.id = d.campaign_id AND is_live(w.state)
  WHERE d.on_campaign = campaign AND d.met_at IS NULL
$$;
