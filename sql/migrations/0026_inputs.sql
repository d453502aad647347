-- Input files of campaigns (docs/architecture/inputs.md). Their contents are in a folder of gridapi's (input_spool), named by their SHA-256.

-- What users have uploaded. A user names only contents of their own.
CREATE TABLE inputs (
  user_name text NOT NULL,
  sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  bytes bigint NOT NULL CHECK (bytes >= 0),
  used_at timestamptz NOT NULL,       -- when it was uploaded, or last asked for
  PRIMARY KEY (user_name, sha256)
);
CREATE INDEX inputs_contents ON inputs (sha256, bytes);

-- The files of a campaign, in the order in which they stand on the clusters.
CREATE TABLE campaign_inputs (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  place integer NOT NULL,             -- from 0, by path
  path text NOT NULL,
  sha256 text NOT NULL,
  bytes bigint NOT NULL CHECK (bytes >= 0),
  begin bigint NOT NULL CHECK (begin >= 0), -- of its first byte, among those of all files
  PRIMARY KEY (campaign_id, place)
);
CREATE INDEX campaign_inputs_contents ON campaign_inputs (sha256);

ALTER TABLE campaigns
  ADD COLUMN input_files text NOT NULL DEFAULT '',      -- patterns, one a line; empty: it has no input files
  ADD COLUMN input_bytes bigint NOT NULL DEFAULT 0;     -- of all its input files

ALTER TABLE campaign_clusters
  ADD COLUMN inputs_login text,                         -- in whose home the input files are brought; null: nothing was sent
  ADD COLUMN inputs_sent bigint NOT NULL DEFAULT 0 CHECK (inputs_sent >= 0), -- pieces that are there
  ADD COLUMN inputs_at timestamptz;                     -- since when all is there; null: something is missing

-- MB/s at which input files reached the cluster lately; null: none did.
ALTER TABLE clusters ADD COLUMN measured_mb_s double precision CHECK (measured_mb_s > 0);

-- The pairs with input files that are not all there, with the login whose home is to have them.
CREATE VIEW missing_inputs AS
  SELECT p.campaign_id, p.cluster_id, u.login, c.input_bytes, c.priority,
    CASE WHEN p.inputs_login = u.login THEN p.inputs_sent ELSE 0 END AS sent
  FROM campaigns c
  JOIN campaign_clusters p ON p.campaign_id = c.id
  JOIN logins u ON u.campaign_id = p.campaign_id AND u.cluster_id = p.cluster_id
  WHERE is_live(c.state) AND NOT c.sealed AND c.input_files <> '' AND (p.inputs_at IS NULL OR p.inputs_login <> u.login);

-- Those that the runner brings: tasks wait for them, and the cluster may get jobs.
CREATE VIEW inputs_to_send AS
  SELECT m.* FROM missing_inputs m
  JOIN campaigns c ON c.id = m.campaign_id AND c.state = 'in_treatment' AND c.waiting > 0
  JOIN campaign_clusters p ON p.campaign_id = m.campaign_id AND p.cluster_id = m.cluster_id AND p.max_jobs IS DISTINCT FROM 0
  JOIN clusters k ON k.id = m.cluster_id AND k.enabled AND k.retired_at IS NULL AND k.reachable IS TRUE
  WHERE m.login ~ '^[A-Za-z0-9_]+$' AND NOT is_kept_waiting(m.campaign_id);
