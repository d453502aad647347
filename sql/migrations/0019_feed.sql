-- The feed: what changes, in an order that a reader can go on from. Streams of the API read it (GET /v1/events?after=ID).

CREATE TABLE feed (
  xact bigint NOT NULL,               -- id of the transaction that wrote the row; readers take rows below the oldest one still in progress
  id bigint GENERATED ALWAYS AS IDENTITY,
  noted_at timestamptz NOT NULL,
  kind text NOT NULL CHECK (kind IN ('campaign', 'progress', 'event', 'cluster')),
  change text NOT NULL,               -- the state that a campaign entered; `counts`; `opened`, `again` or `closed`; `cluster`
  subject bigint NOT NULL,            -- id of the campaign, event or cluster, without a reference: it may be deleted before its changes
  campaign_id bigint,                 -- null: of no campaign
  PRIMARY KEY (xact, id)
);
CREATE INDEX feed_noted_at ON feed (noted_at);
-- Counts and repetitions are frequent, and only the newest matters: each subject has one such row, which moves to the end of the feed.
CREATE UNIQUE INDEX feed_newest ON feed (kind, subject) WHERE change IN ('counts', 'again');

ALTER TABLE grid ADD COLUMN feed_from bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN grid.feed_from IS 'transactions below this id may have rows of the feed that were pruned: readers that are not beyond them begin anew';

-- Adds a change to the feed, and wakes its readers up when the transaction commits. A transaction adds counts and repetitions once.
CREATE FUNCTION note_change(of_kind text, how text, of_subject bigint, campaign bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  writer bigint := pg_current_xact_id()::text::bigint;
BEGIN
  IF how IN ('counts', 'again') THEN
    INSERT INTO feed AS f (xact, noted_at, kind, change, subject, campaign_id)
    VALUES (writer, clock_timestamp(), of_kind, how, of_subject, campaign)
    ON CONFLICT (kind, subject) WHERE change IN ('counts', 'again')
    DO UPDATE SET xact = EXCLUDED.xact, id = DEFAULT, noted_at = EXCLUDED.noted_at WHERE f.xact <> EXCLUDED.xact;
  ELSE
    INSERT INTO feed (xact, noted_at, kind, change, subject, campaign_id)
    VALUES (writer, clock_timestamp(), of_kind, how, of_subject, campaign);
  END IF;
  PERFORM pg_notify('gleaner_feed', '');
END $$;

CREATE FUNCTION note_campaign() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_change('campaign', NEW.state::text, NEW.id, NEW.id);
  RETURN NULL;
END $$;

CREATE FUNCTION note_progress() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_change('progress', 'counts', NEW.id, NEW.id);
  RETURN NULL;
END $$;

CREATE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_change('event',
    CASE WHEN NEW.state = 'closed' THEN 'closed' WHEN TG_ARGV[0] = 'new' OR OLD.state = 'closed' THEN 'opened' ELSE 'again' END,
    NEW.id, NEW.campaign_id);
  RETURN NULL;
END $$;

CREATE FUNCTION note_cluster() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_change('cluster', 'cluster', NEW.id, NULL);
  RETURN NULL;
END $$;

-- Whoever changes a row is covered, also by SQL. Only rows whose change is shown cost something: statements on tasks change one row of
-- campaigns each, however many tasks they are about.
CREATE TRIGGER note_new_campaign AFTER INSERT ON campaigns FOR EACH ROW EXECUTE FUNCTION note_campaign();
CREATE TRIGGER note_state AFTER UPDATE OF state ON campaigns FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION note_campaign();
CREATE TRIGGER note_progress AFTER UPDATE OF total, waiting, launching, submitted, running, done, failed, cancelled ON campaigns FOR EACH ROW
  WHEN ((OLD.total, OLD.waiting, OLD.launching, OLD.submitted, OLD.running, OLD.done, OLD.failed, OLD.cancelled) <>
        (NEW.total, NEW.waiting, NEW.launching, NEW.submitted, NEW.running, NEW.done, NEW.failed, NEW.cancelled))
  EXECUTE FUNCTION note_progress();
CREATE TRIGGER note_new_event AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION note_event('new');
CREATE TRIGGER note_event AFTER UPDATE OF state, occurrences ON events FOR EACH ROW
  WHEN (OLD.state <> NEW.state OR OLD.occurrences <> NEW.occurrences) EXECUTE FUNCTION note_event('changed');
CREATE TRIGGER note_new_cluster AFTER INSERT ON clusters FOR EACH ROW EXECUTE FUNCTION note_cluster();
CREATE TRIGGER note_cluster AFTER UPDATE OF enabled, reachable, retired_at ON clusters FOR EACH ROW
  WHEN (OLD.enabled <> NEW.enabled OR OLD.reachable IS DISTINCT FROM NEW.reachable OR OLD.retired_at IS DISTINCT FROM NEW.retired_at)
  EXECUTE FUNCTION note_cluster();
