-- The audit: each act of a user or an administrator that changes something, with who, from where, when, before and after.

CREATE TABLE audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  acted_at timestamptz NOT NULL,
  actor text NOT NULL,      -- the user, or the PostgreSQL role of one who acts by SQL
  origin text NOT NULL,     -- `gridctl on HOST`, `unix`, an address; `sql`
  act text NOT NULL,        -- `limit set`, `campaign paused`; INSERT, UPDATE or DELETE by SQL
  subject text NOT NULL,    -- `cluster alpha`
  campaign_id bigint,       -- without a reference: the audit outlives campaigns
  before jsonb,             -- what differs; null: it was not there
  after jsonb               -- what differs; null: it is not there any more
);
CREATE INDEX audit_acted_at ON audit (acted_at);
CREATE INDEX audit_of_campaign ON audit (campaign_id, id) WHERE campaign_id IS NOT NULL;

-- The actor of this connection (store::act_as). Empty: a module, or somebody by SQL.
CREATE FUNCTION acting() RETURNS text STABLE LANGUAGE sql AS
$$ SELECT nullif(current_setting('gleaner.actor', true), '') $$;

-- Writes a changed row into the audit. Arguments: what the row is, and the columns that name it.
CREATE FUNCTION note_act() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was jsonb;
  becomes jsonb;
  row_now jsonb;
  named text := TG_ARGV[0];
BEGIN
  IF TG_OP <> 'INSERT' THEN was := jsonb_strip_nulls(to_jsonb(old)); END IF;
  IF TG_OP <> 'DELETE' THEN becomes := jsonb_strip_nulls(to_jsonb(new)); END IF;
  row_now := coalesce(becomes, was);
  FOR i IN 1 .. TG_NARGS - 1 LOOP named := concat_ws(' ', named, row_now ->> TG_ARGV[i]); END LOOP;
  IF row_now ? 'cluster_id' THEN
    named := named || ' on ' || coalesce((SELECT k.name FROM clusters k WHERE k.id = (row_now ->> 'cluster_id')::bigint), row_now ->> 'cluster_id');
  END IF;
  IF TG_OP = 'UPDATE' THEN
    SELECT coalesce(jsonb_object_agg(b.key, b.value) FILTER (WHERE becomes -> b.key IS DISTINCT FROM b.value), '{}'),
      coalesce((SELECT jsonb_object_agg(a.key, a.value) FILTER (WHERE was -> a.key IS DISTINCT FROM a.value) FROM jsonb_each(becomes) a), '{}')
      INTO was, becomes FROM jsonb_each(was) b;
    IF was = '{}' AND becomes = '{}' THEN RETURN NULL; END IF;
  END IF;
  INSERT INTO audit (acted_at, actor, origin, act, subject, campaign_id, before, after)
  VALUES (now(), coalesce(acting(), session_user), CASE WHEN acting() IS NULL THEN 'sql' ELSE current_setting('gleaner.origin') END,
    CASE WHEN acting() IS NULL THEN TG_OP ELSE current_setting('gleaner.act') END,
    named, (row_now ->> 'campaign_id')::bigint, was, becomes);
  RETURN NULL;
END $$;

-- What administrators declare is noted whoever changes it, also by SQL.
CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON admission_rules FOR EACH ROW EXECUTE FUNCTION note_act('rule', 'name');
CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON affinities FOR EACH ROW EXECUTE FUNCTION note_act('affinity of', 'user_name');
CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE OF name, enabled, retired_at, url, authentication, login, secret_file, identity_header,
  ca_file, certificate_file, key_file, verify_tls, power, cost, transfer_mb_s, flood, array_size, memory_property, memory_unit_mb, memory_max_mb
  ON clusters FOR EACH ROW EXECUTE FUNCTION note_act('cluster', 'name');
CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON limits FOR EACH ROW WHEN (pg_trigger_depth() = 0)
  EXECUTE FUNCTION note_act('limit', 'id', 'kind');
CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON normal_users FOR EACH ROW EXECUTE FUNCTION note_act('normal jobs of', 'user_name');
CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON shares FOR EACH ROW EXECUTE FUNCTION note_act('share of', 'kind', 'name');
CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON user_limits FOR EACH ROW EXECUTE FUNCTION note_act('limits of', 'user_name');
CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON user_mappings FOR EACH ROW EXECUTE FUNCTION note_act('login of', 'user_name');
CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON user_priorities FOR EACH ROW
  EXECUTE FUNCTION note_act('priority of', 'user_name');
CREATE TRIGGER note_act AFTER INSERT ON declarations FOR EACH ROW EXECUTE FUNCTION note_act('declaration', 'what', 'subject');

-- Modules open and close events and brakes in every cycle; only what a person does to them is noted. Rows that go with their campaign or
-- cluster are noted with it.
CREATE TRIGGER note_act AFTER UPDATE OF state ON events FOR EACH ROW WHEN (acting() IS NOT NULL AND pg_trigger_depth() = 0)
  EXECUTE FUNCTION note_act('event', 'id', 'code');
CREATE TRIGGER note_act AFTER INSERT OR DELETE ON brakes FOR EACH ROW WHEN (acting() IS NOT NULL AND pg_trigger_depth() = 0)
  EXECUTE FUNCTION note_act('brake');
