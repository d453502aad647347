-- Resources of clusters that administrators keep for some campaigns, and when each user submitted a campaign for the first time.

-- A keep is for the campaigns that match all columns that are set.
CREATE TABLE keeps (
  name text PRIMARY KEY CHECK (name <> ''),
  cluster_id bigint NOT NULL REFERENCES clusters ON DELETE CASCADE,
  resources integer CHECK (resources > 0),
  percent double precision CHECK (percent > 0 AND percent <= 100), -- of the cluster's resources
  user_name text CHECK (user_name <> ''),
  group_name text CHECK (group_name <> ''),
  project text CHECK (project <> ''),
  campaign_id bigint REFERENCES campaigns ON DELETE CASCADE,
  campaign_type text CHECK (campaign_type IN ('default', 'test')),
  new_users_s bigint CHECK (new_users_s > 0),            -- for users whose first campaign was submitted less long ago
  from_s integer CHECK (from_s >= 0 AND from_s < 86400), -- of each day, from midnight UTC; null: all day
  to_s integer CHECK (to_s > 0 AND to_s <= 86400),       -- before from_s: past midnight
  begins_at timestamptz,
  ends_at timestamptz,
  CHECK (num_nonnulls(resources, percent) = 1),
  CHECK (num_nonnulls(user_name, group_name, project, campaign_id, campaign_type, new_users_s) > 0),
  CHECK (num_nonnulls(from_s, to_s) <> 1 AND from_s <> to_s),
  CHECK (begins_at < ends_at)
);
CREATE INDEX keeps_cluster ON keeps (cluster_id);
CREATE INDEX keeps_campaign ON keeps (campaign_id) WHERE campaign_id IS NOT NULL;

CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON keeps FOR EACH ROW WHEN (pg_trigger_depth() = 0)
  EXECUTE FUNCTION note_act('keep', 'name');

-- It outlives the campaigns: a user whose campaigns were pruned is not new.
CREATE TABLE first_campaigns (
  user_name text PRIMARY KEY,
  submitted_at timestamptz NOT NULL
);
INSERT INTO first_campaigns (user_name, submitted_at)
SELECT user_name, min(at) FROM (
  SELECT user_name, submitted_at AS at FROM campaigns
  UNION ALL SELECT user_name, day::timestamp AT TIME ZONE 'UTC' FROM usage) known
WHERE user_name IS NOT NULL GROUP BY user_name;

CREATE FUNCTION note_first_campaign() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO first_campaigns AS f (user_name, submitted_at) VALUES (NEW.user_name, NEW.submitted_at)
  ON CONFLICT (user_name) DO UPDATE SET submitted_at = EXCLUDED.submitted_at WHERE f.submitted_at > EXCLUDED.submitted_at;
  RETURN NULL;
END $$;
CREATE TRIGGER note_first_campaign AFTER INSERT ON campaigns FOR EACH ROW EXECUTE FUNCTION note_first_campaign();
