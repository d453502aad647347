-- Jobs that OAR sent again although their first run noted its end: the second one is deleted.

ALTER TABLE kill_requests DROP CONSTRAINT kill_requests_reason_check;
ALTER TABLE kill_requests ADD CONSTRAINT kill_requests_reason_check CHECK (reason IN
  ('cancelled', 'task_cancelled', 'excess', 'waited_too_long', 'replica', 'preempted', 'impatient', 'overdue', 'late', 'lost', 'resent'));
-- Requests whose jobs are over (kills_after_the_end).
CREATE INDEX kill_requests_resent ON kill_requests (requested_at) WHERE reason = 'resent';

DROP FUNCTION is_lost_and_killed(jobs, kill_requests);

-- Whether something of a job that is over is still to be deleted, for a day and three times at most: the job itself, if it was declared
-- lost and may go on on its cluster; the job that OAR may have submitted in its place (resent).
CREATE FUNCTION is_killed_after_its_end(job jobs, kill kill_requests) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT is_live(job.state) AND job.remote_id IS NOT NULL AND kill.sends < 3 AND kill.requested_at > now() - interval '1 day'
    AND (kill.reason = 'resent' OR (kill.reason = 'lost' AND job.ending = 'lost'))
$$;
