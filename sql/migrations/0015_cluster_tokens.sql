-- Users' tokens for clusters that want one of each user, clusters for which the site's key signs, and events about a user.

ALTER TABLE clusters DROP CONSTRAINT clusters_authentication_check;
ALTER TABLE clusters ADD CONSTRAINT clusters_authentication_check
  CHECK (authentication IN ('none', 'basic', 'certificate', 'token', 'signed'));

-- A row is the token of a user for a cluster, sealed by a key that is not in the database, and bound to both.
CREATE TABLE cluster_tokens (
  user_name text NOT NULL,
  cluster_id bigint NOT NULL REFERENCES clusters ON DELETE CASCADE,
  login text NOT NULL,                                   -- as whom the cluster knows who has it: its claim `user`
  sealed text NOT NULL,                                  -- lib/secrets
  key_name text NOT NULL,                                -- of the key that opens it
  fingerprint text NOT NULL,                             -- by which its user recognizes it
  given_at timestamptz NOT NULL,                         -- by its user
  renewed_at timestamptz,                                -- when the cluster last gave it in place of another; null: its user gave it
  expires_at timestamptz,                                -- its claim `exp`; null: it has none
  taken_at timestamptz,                                  -- when its cluster last took it; null: never yet
  refused_at timestamptz,                                -- when its cluster refused it, if that was since
  unreadable text NOT NULL DEFAULT '',                   -- why the modules cannot open it; empty: they can
  renewal_at timestamptz,                                -- when a renewal was last tried
  renewal_error text NOT NULL DEFAULT '',                -- why it failed; empty: it did not
  warned smallint NOT NULL DEFAULT 0 CHECK (warned BETWEEN 0 AND 3), -- its user was warned: 1 a week before its end, 2 a day before, 3 at it
  PRIMARY KEY (user_name, cluster_id)
);
CREATE INDEX cluster_tokens_cluster ON cluster_tokens (cluster_id);

-- An event about a user, who alone sees it, and a cluster.
ALTER TABLE events ADD COLUMN user_name text;
ALTER TABLE events ADD CONSTRAINT events_user_check CHECK (user_name IS NULL OR campaign_id IS NULL);
DROP INDEX events_open;
CREATE UNIQUE INDEX events_open ON events (code, coalesce(campaign_id, 0), coalesce(cluster_id, 0), coalesce(user_name, '')) WHERE state = 'open';
CREATE INDEX events_user ON events (user_name, id) WHERE user_name IS NOT NULL;

CREATE OR REPLACE VIEW event_rows AS
SELECT
  e.id,
  e.code,
  e.state,
  e.campaign_id,
  e.cluster_id,
  k.name AS cluster,
  e.job_id,
  e.occurrences,
  micros(e.opened_at) AS opened_at,
  micros(e.last_at) AS last_at,
  micros(e.closed_at) AS closed_at,
  e.message,
  e.output,
  coalesce(c.user_name, e.user_name) AS user_name
FROM events e
LEFT JOIN campaigns c ON c.id = e.campaign_id
LEFT JOIN clusters k ON k.id = e.cluster_id;

-- Streams of changes have events of campaigns and of the grid.
DROP TRIGGER note_new_event ON events;
DROP TRIGGER note_event ON events;
CREATE TRIGGER note_new_event AFTER INSERT ON events FOR EACH ROW WHEN (NEW.user_name IS NULL) EXECUTE FUNCTION note_event('new');
CREATE TRIGGER note_event AFTER UPDATE OF state, occurrences ON events FOR EACH ROW
  WHEN (NEW.user_name IS NULL AND (OLD.state <> NEW.state OR OLD.occurrences <> NEW.occurrences)) EXECUTE FUNCTION note_event('changed');

-- Notices of them are for their user.
ALTER TABLE notices ADD COLUMN user_name text;           -- null: of a campaign, or of the grid
DROP FUNCTION add_notice;
CREATE FUNCTION add_notice(of_what text, how text, of_campaign bigint, of_cluster bigint, of_event bigint, text_of text, at timestamptz,
  of_user text DEFAULT NULL)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM subscriptions)
    AND coalesce((SELECT n.noted_at FROM notices n ORDER BY n.id LIMIT 1), now()) > now() - interval '30 days' THEN
    INSERT INTO notices (what, change, severity, campaign_id, cluster_id, event_id, message, noted_at, user_name)
    VALUES (of_what, how, severity_of(of_what), of_campaign, of_cluster, of_event, left(text_of, 300), at, of_user);
  END IF;
END $$;
CREATE OR REPLACE FUNCTION tell_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_notice(NEW.code, CASE NEW.state WHEN 'open' THEN 'opened' ELSE 'closed' END, NEW.campaign_id, NEW.cluster_id, NEW.id, NEW.message,
    CASE NEW.state WHEN 'open' THEN NEW.opened_at ELSE coalesce(NEW.closed_at, now()) END, NEW.user_name);
  RETURN NULL;
END $$;
-- The end of such an event is not reported: its user has just given another token.
DROP TRIGGER tell_event ON events;
CREATE TRIGGER tell_event AFTER UPDATE OF state ON events FOR EACH ROW
  WHEN (OLD.state = 'open' AND NEW.state = 'closed' AND NEW.campaign_id IS NULL AND NEW.user_name IS NULL) EXECUTE FUNCTION tell_event();

CREATE OR REPLACE FUNCTION severity_of(what text) RETURNS smallint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN what IN ('CAMPAIGN_TERMINATED', 'FIRST_FAILURE', 'MAX_FAILS', 'PROLOGUE_FAILED', 'EPILOGUE_FAILED', 'SINK', 'CANNOT_PLAN',
      'AWAITS_IN_VAIN', 'CLUSTER_UNREACHABLE', 'NOT_CONDUCTED', 'DATABASE_UNAVAILABLE', 'DATABASE_RESTORED', 'DATABASE_NEARLY_FULL',
      'ADMISSION_RULE', 'TOKEN_ENDS_IN_A_WEEK', 'TOKEN_ENDS_IN_A_DAY', 'TOKEN_ENDED', 'TOKEN_REFUSED', 'TOKENS_UNREADABLE',
      'SIGNING_KEY_REFUSED')
      OR what LIKE 'LAW\_BROKEN\_%' OR what LIKE 'MODULE\_FAILED\_%' THEN 3
    WHEN what IN ('CAMPAIGN_CANCELLED', 'TASK_ERROR', 'TASKS_RELEASED', 'JOBS_RENAMED', 'REPAIRED', 'UNDER_STRESS', 'LOAD_UNKNOWN',
      'POOL_REFUSED', 'ARRAY_TOO_LARGE', 'LAUNCH_LOST') THEN 1
    ELSE 2
  END::smallint
$$;

-- When a token is to be renewed: some days before the end of one that its user gave, and after half of the time of one that the cluster gave.
CREATE FUNCTION renewal_due(expires timestamptz, renewed timestamptz, days double precision) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT expires - least(days * interval '1 day', CASE WHEN renewed IS NULL THEN days * interval '1 day' ELSE (expires - renewed) / 2 END)
$$;
