-- Resources of a cluster that are held back for a wide job, from one plan to the next.
CREATE TABLE reservations (
  cluster_id bigint PRIMARY KEY REFERENCES clusters ON DELETE CASCADE,
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  begins_at timestamptz NOT NULL,     -- when the job starts at the latest, by the forecasts of when it was made
  made_at timestamptz NOT NULL
);
CREATE INDEX reservations_of_campaigns ON reservations (campaign_id);
