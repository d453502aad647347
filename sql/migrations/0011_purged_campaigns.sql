-- Campaigns that their users had deleted before that could be: nobody sees them any more, and they go when their files are gone.

ALTER TABLE campaigns
  ADD COLUMN purged_at timestamptz;                      -- when its user had it deleted; null: its user keeps it

CREATE INDEX campaigns_purged ON campaigns (purged_at) WHERE purged_at IS NOT NULL;
