-- The programs of jobs in homes on clusters.

-- name: programs.of
-- Those that were put, or tried to be, on a cluster.
SELECT login, sha256, micros(tried_at) AS tried_at, micros(put_at) AS put_at, micros(inline_until) AS inline_until, why
FROM job_programs WHERE cluster_id = @cluster ORDER BY login, put_at, sha256

-- name: programs.note_try
-- Records that one is looked for, or put, from now on.
INSERT INTO job_programs (cluster_id, login, sha256, tried_at) VALUES (@cluster, @login, @sha256, instant(@now))
ON CONFLICT (cluster_id, login, sha256) DO UPDATE SET tried_at = EXCLUDED.tried_at

-- name: programs.note_put
-- Records that one is there. One that was known to be there stays so from the same time on, unless it was written now.
UPDATE job_programs SET
  put_at = CASE WHEN @written THEN instant(@now) ELSE coalesce(put_at, instant(@now)) END,
  failures = 0,
  inline_until = NULL,
  why = ''
WHERE cluster_id = @cluster AND login = @login AND sha256 = @sha256

-- name: programs.note_failure
-- Records that one is not there. It is tried again after a time that doubles each time, from @first_s to @most_s seconds.
UPDATE job_programs SET
  put_at = NULL,
  inline_until = instant(@now) + least(@most_s, @first_s * 2 ^ least(failures, 30)) * interval '1 second',
  failures = failures + 1,
  why = @why
WHERE cluster_id = @cluster AND login = @login AND sha256 = @sha256

-- name: programs.doubt
-- A job of this launch called a program and could not begin. It is put again; at the second time since @again_since, jobs do without it
-- until @inline_until. No row where it is known already: the launch was sent before the program was put again.
UPDATE job_programs p SET
  put_at = NULL,
  inline_until = CASE WHEN doubted_at > instant(@again_since) THEN instant(@inline_until) END,
  doubted_at = instant(@now),
  why = @why
FROM launches l
WHERE l.id = @launch AND l.cluster_id = p.cluster_id AND l.launching_at > p.put_at
  AND p.cluster_id = @cluster AND p.login = @login AND p.sha256 = @sha256
RETURNING inline_until IS NOT NULL AS given_up
