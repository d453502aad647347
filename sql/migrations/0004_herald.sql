-- Subscriptions of users and administrators to messages, and the outbox of the messages (herald).

-- A row is one subscription: which events are sent to whom, and where.
CREATE TABLE subscriptions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_name text NOT NULL,                               -- who subscribed; empty: the configuration did
  audience text NOT NULL CHECK (audience IN ('user', 'administrators', 'everybody')),
  channel text NOT NULL CHECK (channel IN ('mail', 'webhook', 'command')),
  address text NOT NULL,                                 -- of mail, or a URL; empty: the program that the configuration names
  form text NOT NULL DEFAULT 'json' CHECK (form IN ('json', 'text')),
  severity smallint NOT NULL CHECK (severity BETWEEN 1 AND 3), -- the least: 1 low, 2 medium, 3 high
  quiet_from smallint CHECK (quiet_from BETWEEN 0 AND 1439), -- minute of the day; null: there are no quiet hours
  quiet_to smallint CHECK (quiet_to BETWEEN 0 AND 1439),
  zone text NOT NULL DEFAULT 'UTC',                      -- the time zone of its quiet hours
  secret text NOT NULL DEFAULT '',                       -- the key of a webhook's signatures
  created_at timestamptz NOT NULL,
  tested_at timestamptz,                                 -- when a test message was last asked for; null: never
  CHECK ((quiet_from IS NULL) = (quiet_to IS NULL)),
  CHECK (quiet_from <> quiet_to)
);
CREATE UNIQUE INDEX subscriptions_target ON subscriptions (user_name, audience, channel, address);

-- A row is one event to report, as it happened. Triggers write it in the transaction of the event, and the herald takes it into messages.
-- There are only inserts, so that no transaction waits for another one's, or for the herald.
CREATE TABLE notices (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  what text NOT NULL,                                    -- the code of an event, CAMPAIGN_TERMINATED, CAMPAIGN_CANCELLED, FIRST_FAILURE or BRAKE
  change text NOT NULL CHECK (change IN ('opened', 'closed')),
  severity smallint NOT NULL,
  campaign_id bigint,                                    -- null: it concerns the whole grid. Without references: it outlives its subject
  cluster_id bigint,
  event_id bigint,
  message text NOT NULL,
  noted_at timestamptz NOT NULL
);

-- A row is an open event of the grid that was reported, so that its end is reported too.
CREATE TABLE told_events (event_id bigint PRIMARY KEY REFERENCES events ON DELETE CASCADE);

-- A row is one message to one destination. While it gathers, what happens is added to it (message_lines). Then its content is fixed.
CREATE TABLE messages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uid uuid NOT NULL DEFAULT gen_random_uuid(),           -- by which its receiver recognizes a repetition
  subscription_id bigint NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
  about bigint NOT NULL,                                 -- the campaign; 0: the grid, or several campaigns
  state text NOT NULL CHECK (state IN ('gathering', 'ready', 'sending', 'sent', 'failed')),
  severity smallint NOT NULL,
  created_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,                           -- when it stops gathering
  fixed_at timestamptz,                                  -- when it did
  content jsonb,                                         -- null: it gathers
  next_at timestamptz,                                   -- not sent before
  sending_at timestamptz,                                -- when it was last noted as being sent
  attempts integer NOT NULL DEFAULT 0,
  doubts integer NOT NULL DEFAULT 0,                     -- of its attempts, those whose outcome is unknown: each may have arrived
  settled_at timestamptz,                                -- when it was sent, or given up
  error text NOT NULL DEFAULT ''                         -- of the last attempt
);
CREATE UNIQUE INDEX messages_gathering ON messages (subscription_id, about) WHERE state = 'gathering';
CREATE INDEX messages_open ON messages (subscription_id, about) WHERE state IN ('gathering', 'ready', 'sending');
CREATE INDEX messages_of ON messages (subscription_id, id);
CREATE INDEX messages_settled ON messages (settled_at) WHERE state IN ('sent', 'failed');

-- A row is what happened once or several times, in a message that gathers.
CREATE TABLE message_lines (
  message_id bigint NOT NULL REFERENCES messages ON DELETE CASCADE,
  what text NOT NULL,
  change text NOT NULL,
  cluster_id bigint NOT NULL,                            -- 0: none
  severity smallint NOT NULL,
  times bigint NOT NULL,
  campaigns bigint NOT NULL,                             -- that it concerns, as far as they were gathered together; 0: none
  campaign_id bigint,                                    -- one of them
  event_id bigint,                                       -- the last event
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  message text NOT NULL,                                 -- of the last one
  PRIMARY KEY (message_id, what, change, cluster_id)
);

-- 3: also for those who want few messages; 1: only for those who want all.
CREATE FUNCTION severity_of(what text) RETURNS smallint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN what IN ('CAMPAIGN_TERMINATED', 'FIRST_FAILURE', 'MAX_FAILS', 'PROLOGUE_FAILED', 'EPILOGUE_FAILED', 'SINK', 'CANNOT_PLAN',
      'AWAITS_IN_VAIN', 'CLUSTER_UNREACHABLE', 'NOT_CONDUCTED', 'DATABASE_UNAVAILABLE', 'DATABASE_RESTORED', 'DATABASE_NEARLY_FULL',
      'ADMISSION_RULE')
      OR what LIKE 'LAW\_BROKEN\_%' OR what LIKE 'MODULE\_FAILED\_%' THEN 3
    WHEN what IN ('CAMPAIGN_CANCELLED', 'TASK_ERROR', 'TASKS_RELEASED', 'JOBS_RENAMED', 'REPAIRED', 'UNDER_STRESS', 'LOAD_UNKNOWN',
      'POOL_REFUSED', 'ARRAY_TOO_LARGE', 'LAUNCH_LOST') THEN 1
    ELSE 2
  END::smallint
$$;
CREATE FUNCTION severity_word(severity smallint) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT (ARRAY['low', 'medium', 'high'])[severity] $$;

-- The end of a subscription's quiet hours, if the instant is in them; else the instant. A time zone that PostgreSQL no longer knows has no
-- quiet hours: its message is sent.
CREATE FUNCTION after_quiet(at timestamptz, quiet_from smallint, quiet_to smallint, zone text) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
DECLARE
  here timestamp;
  minute integer;
BEGIN
  IF quiet_from IS NULL THEN RETURN at; END IF;
  here := at AT TIME ZONE zone;
  minute := extract(hour FROM here)::integer * 60 + extract(minute FROM here)::integer;
  IF NOT (CASE WHEN quiet_from < quiet_to THEN minute >= quiet_from AND minute < quiet_to ELSE minute >= quiet_from OR minute < quiet_to END) THEN
    RETURN at;
  END IF;
  RETURN (date_trunc('day', here) + quiet_to * interval '1 minute' + CASE WHEN minute >= quiet_to THEN interval '1 day' ELSE interval '0' END)
    AT TIME ZONE zone;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN at;
END $$;

-- Writes a notice. While nobody has subscribed, or no herald has taken notices for 30 days, it writes none.
CREATE FUNCTION add_notice(of_what text, how text, of_campaign bigint, of_cluster bigint, of_event bigint, text_of text, at timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM subscriptions)
    AND coalesce((SELECT n.noted_at FROM notices n ORDER BY n.id LIMIT 1), now()) > now() - interval '30 days' THEN
    INSERT INTO notices (what, change, severity, campaign_id, cluster_id, event_id, message, noted_at)
    VALUES (of_what, how, severity_of(of_what), of_campaign, of_cluster, of_event, left(text_of, 300), at);
  END IF;
END $$;

CREATE FUNCTION tell_campaign() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state <> NEW.state AND is_over(NEW.state) THEN
    PERFORM add_notice('CAMPAIGN_' || upper(NEW.state::text), 'opened', NEW.id, NULL, NULL, '', coalesce(NEW.ended_at, now()));
  END IF;
  IF OLD.failed = 0 AND NEW.failed > 0 THEN
    PERFORM add_notice('FIRST_FAILURE', 'opened', NEW.id, NULL, NULL, '', now());
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION tell_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_notice(NEW.code, CASE NEW.state WHEN 'open' THEN 'opened' ELSE 'closed' END, NEW.campaign_id, NEW.cluster_id, NEW.id, NEW.message,
    CASE NEW.state WHEN 'open' THEN NEW.opened_at ELSE coalesce(NEW.closed_at, now()) END);
  RETURN NULL;
END $$;
CREATE FUNCTION tell_brake() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_notice('BRAKE', 'opened', NEW.campaign_id, NEW.cluster_id, NULL, NEW.reason, NEW.created_at);
  RETURN NULL;
END $$;
CREATE TRIGGER tell_campaign AFTER UPDATE OF state, failed ON campaigns FOR EACH ROW
  WHEN (OLD.state <> NEW.state OR (OLD.failed = 0 AND NEW.failed > 0)) EXECUTE FUNCTION tell_campaign();
CREATE TRIGGER tell_new_event AFTER INSERT ON events FOR EACH ROW WHEN (NEW.state = 'open') EXECUTE FUNCTION tell_event();
-- The end of a campaign is reported, and not that of its events.
CREATE TRIGGER tell_event AFTER UPDATE OF state ON events FOR EACH ROW
  WHEN (OLD.state = 'open' AND NEW.state = 'closed' AND NEW.campaign_id IS NULL) EXECUTE FUNCTION tell_event();
-- A brake that somebody sets has its event, BLACKLISTED.
CREATE TRIGGER tell_brake AFTER INSERT OR UPDATE OF created_at ON brakes FOR EACH ROW WHEN (NEW.set_by IS NULL) EXECUTE FUNCTION tell_brake();
