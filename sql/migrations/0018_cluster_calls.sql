-- Clusters that say by themselves that jobs there have begun or ended.

CREATE TABLE cluster_calls (
  cluster_id bigint PRIMARY KEY REFERENCES clusters ON DELETE CASCADE,
  called_at timestamptz NOT NULL,
  answered_at timestamptz
);
COMMENT ON COLUMN cluster_calls.answered_at IS 'when the last poll began that answers the calls before it; null: none has';
