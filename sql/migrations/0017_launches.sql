-- What is known of a launch whose answer was lost, and of the files that jobs leave on their clusters.

ALTER TABLE launches
  ADD COLUMN unknown_at timestamptz,                     -- its fate is unknown since then
  ADD COLUMN files integer;                              -- that its folder holds at most; null: two for each job
UPDATE launches SET unknown_at = launching_at WHERE state = 'unknown';
UPDATE launches l SET cleaned_at = p.cleaned_at FROM campaign_clusters p
WHERE p.campaign_id = l.campaign_id AND p.cluster_id = l.cluster_id AND p.cleaned_at IS NOT NULL;

-- The folders of launches that are still on a cluster.
CREATE INDEX launches_uncleaned ON launches (cluster_id, campaign_id, id) WHERE cleaned_at IS NULL AND tag IS NOT NULL;
-- Tasks that wait for their cluster, as a job of a void launch may still run them there.
CREATE INDEX returned_tasks_fenced ON returned_tasks (fence) WHERE fence IS NOT NULL;
-- A job that is over, and that OAR may start late: it never began, or it was deleted while it had resources, and its node may be late to
-- hear of that, or OAR ran it again, and the first run may begin.
CREATE FUNCTION may_start_late(job jobs) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT job.ending = 'never_began' OR (job.ending IN ('killed_by_us', 'killed_elsewhere') AND job.started_at IS NOT NULL) OR job.resubmissions > 0
$$;
CREATE INDEX jobs_start_late ON jobs (campaign_id, ended_at)
  WHERE ending = 'never_began' OR (ending IN ('killed_by_us', 'killed_elsewhere') AND started_at IS NOT NULL) OR resubmissions > 0;
-- Whether the attempt of such a job went on after it. Most deleted jobs had begun and spent theirs: nobody else contends for those claims.
CREATE FUNCTION is_attempt_open(job jobs) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT job.ending = 'never_began' OR EXISTS (
    SELECT FROM jobs o WHERE o.campaign_id = job.campaign_id AND o.task = job.task AND o.attempt = job.attempt AND o.id <> job.id)
$$;

-- How many files a campaign may have on a cluster where it has so many live jobs, before those of settled tasks are removed: half of the
-- 10 for each live job, and 1000, that it never exceeds.
CREATE FUNCTION files_target(live_jobs integer) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 5 * live_jobs::bigint + 500 $$;
