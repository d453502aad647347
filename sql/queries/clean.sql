-- Files of campaigns on the clusters, and their removal.

-- name: clean.campaigns
-- Ended campaigns that left claims and files on a cluster, if nothing of theirs can still appear there: one row for each login that they
-- had there, or with login null if they never sent a job or an input file. The first few of those that were not tried since @tried_before,
-- the one that was tried longest ago first: homes that do not answer would be at the head for ever. @quiet_since: since then no launch
-- became void, and no job ended that OAR may start late. The folder may be that of jobs of other clusters, with whose homes this one has its
-- own in common: it stays until nothing can appear on any of them.
WITH sharers AS (
  SELECT h.id FROM clusters k JOIN clusters h ON h.id <> k.id AND h.shared_home = k.shared_home WHERE k.id = @cluster),
ended AS (
  SELECT p.campaign_id, u.login, p.inputs_login, p.clean_tried_at
  FROM campaign_clusters p
  JOIN campaigns c ON c.id = p.campaign_id AND is_over(c.state) AND c.ended_at < instant(@ended_before)
  JOIN logins u ON u.campaign_id = p.campaign_id AND u.cluster_id = p.cluster_id
  WHERE p.cluster_id = @cluster AND coalesce(p.clean_tried_at < instant(@tried_before), true) AND p.cleaned_at IS NULL AND live_jobs(p) = 0
    AND NOT EXISTS (SELECT FROM jobs j WHERE j.campaign_id = p.campaign_id AND j.cluster_id = p.cluster_id AND is_live(j.state))
    AND NOT has_scripts_left(p.campaign_id)
    AND NOT EXISTS (SELECT FROM launches l WHERE l.campaign_id = p.campaign_id AND l.cluster_id = p.cluster_id
                      AND (is_open(l.state) OR (l.state = 'void' AND l.tag IS NOT NULL AND l.settled_at > instant(@quiet_since))))
    AND NOT EXISTS (SELECT FROM jobs j WHERE j.campaign_id = p.campaign_id AND j.cluster_id = p.cluster_id AND may_start_late(j)
                      AND j.ended_at > instant(@quiet_since) AND is_attempt_open(j))
    AND NOT EXISTS (
      SELECT FROM sharers h JOIN campaign_clusters q ON q.campaign_id = p.campaign_id AND q.cluster_id = h.id
      WHERE live_jobs(q) > 0
        OR EXISTS (SELECT FROM launches l WHERE l.campaign_id = q.campaign_id AND l.cluster_id = h.id
                     AND (is_open(l.state) OR (l.state = 'void' AND l.tag IS NOT NULL AND l.settled_at > instant(@quiet_since))))
        OR EXISTS (SELECT FROM jobs j WHERE j.campaign_id = q.campaign_id AND j.cluster_id = h.id AND may_start_late(j)
                     AND j.ended_at > instant(@quiet_since) AND is_attempt_open(j)))
  ORDER BY p.clean_tried_at NULLS FIRST, p.campaign_id LIMIT 20)
SELECT e.campaign_id, l.login
FROM ended e
LEFT JOIN LATERAL (SELECT DISTINCT coalesce(l.login, e.login) AS login FROM launches l
                   WHERE l.campaign_id = e.campaign_id AND l.cluster_id = @cluster AND l.tag IS NOT NULL
                   UNION SELECT e.inputs_login WHERE e.inputs_login IS NOT NULL) l ON true
ORDER BY e.clean_tried_at NULLS FIRST, e.campaign_id, l.login

-- name: clean.note_tried
-- Records that the removal of the files of these campaigns on a cluster was tried, whatever came of it.
UPDATE campaign_clusters SET clean_tried_at = instant(@now)
WHERE cluster_id = @cluster AND campaign_id = ANY (@campaigns::bigint[]) AND cleaned_at IS NULL

-- name: clean.note_cleaned
-- Records that no file of a campaign is left on a cluster. No row when the campaign is live again, or has a live job there. A prologue that
-- waits there, and runs if tasks are appended, has a new attempt: the claim that would have shown that the old one began is gone. So has one
-- on a cluster with the same homes, where the input files are gone, too.
WITH homes AS (
  SELECT h.id FROM clusters k JOIN clusters h ON h.id = k.id OR h.shared_home = k.shared_home WHERE k.id = @cluster),
ended AS (
  SELECT id FROM campaigns WHERE id = @campaign AND is_over(state)
    AND NOT EXISTS (SELECT FROM jobs j WHERE j.campaign_id = @campaign AND j.cluster_id = @cluster AND is_live(j.state)) FOR SHARE),
folders AS (
  UPDATE launches SET cleaned_at = instant(@now)
  WHERE campaign_id = (SELECT id FROM ended) AND cluster_id = @cluster AND cleaned_at IS NULL AND tag IS NOT NULL),
prologues AS (
  UPDATE tasks t SET attempt = next_attempt(t), uncounted = next_attempt(t)
  WHERE campaign_id = (SELECT id FROM ended) AND number = ANY (ARRAY(SELECT prologue_on(id) FROM homes)) AND state = 'waiting'),
unfenced AS (
  UPDATE returned_tasks SET fence = NULL
  WHERE campaign_id = (SELECT id FROM ended) AND number = ANY (ARRAY(SELECT prologue_on(id) FROM homes)) AND fence IS NOT NULL),
inputs AS (
  UPDATE campaign_clusters SET inputs_sent = 0, inputs_there = '{}', inputs_lacking = NULL, inputs_missing = NULL, inputs_at = NULL
  WHERE campaign_id = (SELECT id FROM ended) AND cluster_id <> @cluster AND cluster_id = ANY (ARRAY(SELECT id FROM homes)))
UPDATE campaign_clusters SET cleaned_at = instant(@now), clean_tried_at = NULL, active = false, inputs_login = NULL, inputs_sent = 0,
  inputs_there = '{}', inputs_lacking = NULL, inputs_missing = NULL, inputs_at = NULL, inputs_wanted = false
WHERE campaign_id = (SELECT id FROM ended) AND cluster_id = @cluster
RETURNING campaign_id

-- name: clean.is_over
-- Whether a campaign has ended, and no task of it was given back since.
SELECT EXISTS (SELECT FROM campaigns WHERE id = @campaign AND is_over(state)) AS is_over

-- name: clean.crowded_folders
-- The folders of the campaigns that have more files on a cluster than files_target allows, the oldest of each first; of the campaigns the
-- one that was tried longest ago. `attempts`: of tasks
-- that are not settled; `never_began_at`: of the last job that OAR may start late, if it ended after @quiet_since.
WITH uncleaned AS (
  SELECT l.campaign_id, l.id, l.state, l.login, l.settled_at, l.pool_s IS NOT NULL AS pool, coalesce(l.files, 2 * l.jobs) AS files
  FROM launches l WHERE l.cluster_id = @cluster AND l.cleaned_at IS NULL AND l.tag IS NOT NULL),
crowded AS (
  SELECT p.campaign_id, sum(u.files) AS files, files_target(live_jobs(p)) AS target, n.login, p.clean_tried_at
  FROM uncleaned u
  JOIN campaign_clusters p ON p.campaign_id = u.campaign_id AND p.cluster_id = @cluster
  JOIN logins n ON n.campaign_id = p.campaign_id AND n.cluster_id = p.cluster_id
  GROUP BY p.campaign_id, p.cluster_id, n.login, p.clean_tried_at
  HAVING sum(u.files) > files_target(live_jobs(p))),
used AS (
  SELECT id, count(*) AS attempts
  FROM (SELECT coalesce(fence, launch_id) AS id FROM jobs
        WHERE cluster_id = @cluster AND is_live(state)
        -- The list of a pool is in its launch's folder, wherever its tasks are claimed.
        UNION ALL SELECT launch_id FROM jobs WHERE cluster_id = @cluster AND is_live(state) AND pooled AND fence IS NOT NULL
        UNION ALL SELECT fence FROM returned_tasks WHERE cluster_id = @cluster AND fence IS NOT NULL) claims
  GROUP BY id),
idle AS (
  SELECT coalesce(j.fence, j.launch_id) AS id, max(j.ended_at) AS at FROM crowded c JOIN jobs j ON j.campaign_id = c.campaign_id
  WHERE j.cluster_id = @cluster AND may_start_late(j) AND j.ended_at > instant(@quiet_since) AND is_attempt_open(j) GROUP BY 1)
SELECT
  u.campaign_id,
  u.id,
  u.state,
  coalesce(u.login, c.login) AS login,
  micros(u.settled_at) AS settled_at,
  micros(i.at) AS never_began_at,
  coalesce(used.attempts, 0) AS attempts,
  u.pool,
  u.files,
  c.files AS all_files,
  c.target
FROM crowded c
JOIN uncleaned u ON u.campaign_id = c.campaign_id
LEFT JOIN used ON used.id = u.id
LEFT JOIN idle i ON i.id = u.id
ORDER BY c.clean_tried_at NULLS FIRST, u.campaign_id, u.id LIMIT 10000

-- name: clean.attempts_in
-- The attempts of unsettled tasks that are claimed in the folder of a launch.
SELECT task, attempt FROM jobs
WHERE cluster_id = @cluster AND coalesce(fence, launch_id) = @launch AND is_live(state)
UNION
SELECT r.number, t.attempt FROM returned_tasks r JOIN tasks t ON t.campaign_id = r.campaign_id AND t.number = r.number
WHERE r.fence = @launch

-- name: clean.note_folder_removed
-- Records that the folder of a launch was removed.
UPDATE launches SET cleaned_at = instant(@now), files = 0 WHERE id = @launch

-- name: clean.note_files
-- Records the greatest number of files that a folder may hold.
UPDATE launches SET files = @files WHERE id = @launch
