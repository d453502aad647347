-- The properties that an administrator wants the resources of all jobs on a cluster to have.

ALTER TABLE clusters
  ADD COLUMN properties text NOT NULL DEFAULT '';        -- as OAR's SQL condition, beside those that a campaign requests there

-- Two of OAR's conditions as one that holds where both do; '' is none.
CREATE FUNCTION both_properties(one text, other text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN one = '' THEN other WHEN other = '' THEN one ELSE '(' || one || ') AND (' || other || ')' END
$$;

DROP TRIGGER note_act ON clusters;
CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE OF name, enabled, retired_at, url, api, authentication, login, secret_file,
  identity_header, ca_file, certificate_file, key_file, homes, verify_tls, power, cost, transfer_mb_s, flood, array_size, memory_property,
  memory_unit_mb, memory_max_mb, headroom, availability, load_property, properties
  ON clusters FOR EACH ROW EXECUTE FUNCTION note_act('cluster', 'name');
