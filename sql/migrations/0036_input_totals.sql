-- How much is in the spool of input files, without adding up its contents for each upload.

CREATE TABLE input_totals (
  user_name text PRIMARY KEY,         -- '': all users together, a content of several once
  bytes bigint NOT NULL,
  contents bigint NOT NULL
);
CREATE INDEX inputs_used ON inputs (used_at);

INSERT INTO input_totals SELECT user_name, sum(bytes), count(*) FROM inputs GROUP BY user_name;
INSERT INTO input_totals SELECT '', coalesce(sum(bytes), 0), count(*) FROM (SELECT DISTINCT sha256, bytes FROM inputs) contents;

CREATE FUNCTION add_to_input_totals(of_user text, more_bytes bigint, more_contents bigint) RETURNS void LANGUAGE sql AS $$
  INSERT INTO input_totals AS t VALUES (of_user, more_bytes, more_contents)
  ON CONFLICT (user_name) DO UPDATE SET bytes = t.bytes + EXCLUDED.bytes, contents = t.contents + EXCLUDED.contents
$$;

-- Whoever adds contents holds the lock of the spool (inputs.lock), so that two users' first ones of the same content follow each other.
CREATE FUNCTION count_new_inputs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_to_input_totals(a.user_name, sum(a.bytes)::bigint, count(*)) FROM added a GROUP BY a.user_name ORDER BY a.user_name;
  PERFORM add_to_input_totals('', sum(n.bytes)::bigint, count(*)) FROM (SELECT DISTINCT sha256, bytes FROM added) n
  WHERE NOT EXISTS (
    SELECT FROM inputs i WHERE i.sha256 = n.sha256 AND NOT EXISTS (
      SELECT FROM added a WHERE a.user_name = i.user_name AND a.sha256 = i.sha256))
  HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE FUNCTION count_gone_inputs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_to_input_totals(g.user_name, -sum(g.bytes)::bigint, -count(*)) FROM gone g GROUP BY g.user_name ORDER BY g.user_name;
  PERFORM add_to_input_totals('', -sum(n.bytes)::bigint, -count(*)) FROM (SELECT DISTINCT sha256, bytes FROM gone) n
  WHERE NOT EXISTS (SELECT FROM inputs i WHERE i.sha256 = n.sha256)
  HAVING count(*) > 0;
  DELETE FROM input_totals WHERE contents = 0 AND user_name <> '';
  RETURN NULL;
END $$;
CREATE TRIGGER count_new_inputs AFTER INSERT ON inputs REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_inputs();
CREATE TRIGGER count_gone_inputs AFTER DELETE ON inputs REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_gone_inputs();
