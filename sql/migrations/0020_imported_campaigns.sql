-- Campaigns that were brought out of another system. They are known for good, also when they were purged or pruned here, so that a repeated
-- import brings none a second time.
CREATE TABLE imported_campaigns (
  source text NOT NULL,               -- `cigri`
  source_id bigint NOT NULL,          -- its number there
  submitted_at timestamptz NOT NULL,  -- there: a system that was made anew counts from 1 again
  campaign_id bigint NOT NULL,        -- here; without a reference, as it outlives the campaign
  tasks bigint NOT NULL,
  left_out bigint NOT NULL,           -- tasks that were neither done there nor brought
  PRIMARY KEY (source, source_id, submitted_at)
);
