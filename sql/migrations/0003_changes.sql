-- A row is one change of a submitted campaign: tasks that were appended, keys of its JDL that were edited, or both when an admission rule
-- edited it as tasks were appended.
CREATE TABLE campaign_changes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  changed_by text NOT NULL,
  changed_at timestamptz NOT NULL,
  edits jsonb NOT NULL DEFAULT '[]',                     -- of the JDL: {"path", "before", "after"} each; a side that is null: no such key
  first_task bigint,                                     -- number of the first appended task; null: none was appended
  tasks bigint NOT NULL DEFAULT 0 CHECK (tasks >= 0),    -- that were appended
  idempotency_key text,                                  -- the user's own, so that an append can be repeated; null: none was given
  digest bigint,                                         -- of what was sent under the key; null: there is no key
  CHECK ((first_task IS NULL) = (tasks = 0)),
  CHECK ((idempotency_key IS NULL) = (digest IS NULL))
);
CREATE INDEX campaign_changes_campaign ON campaign_changes (campaign_id, id);
CREATE UNIQUE INDEX campaign_changes_key ON campaign_changes (campaign_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
