-- The last job of a campaign that a cluster did not begin: jobs that were planned before it do not show that it can begin others.

ALTER TABLE campaign_clusters ADD COLUMN last_unbegun bigint; -- the job that never began, of those the one planned last; null: none
