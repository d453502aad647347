-- Calls of clusters: OAR's server says that jobs there have begun or ended.

-- name: calls.note
-- Notes a call of a cluster.
INSERT INTO cluster_calls AS c (cluster_id, called_at) VALUES (@cluster, instant(@now))
ON CONFLICT (cluster_id) DO UPDATE SET called_at = greatest(c.called_at, EXCLUDED.called_at)

-- name: calls.all
-- When each cluster that has ever called did so last, whether a poll has answered that, and when each cluster was polled last. Nothing where
-- none calls.
SELECT
  k.id AS cluster_id,
  micros(c.called_at) AS called_at,
  coalesce(c.answered_at < c.called_at, c.called_at IS NOT NULL) AS waits,
  micros((SELECT max(s.time) FROM gridstatus s WHERE s.cluster_id = k.id AND s.reachable)) AS polled_at
FROM clusters k LEFT JOIN cluster_calls c ON c.cluster_id = k.id
WHERE k.retired_at IS NULL AND EXISTS (SELECT FROM cluster_calls)

-- name: calls.answer
-- Has the poll that began at @began answer the calls of a cluster before it. A row: it called again since.
WITH answered AS (
  UPDATE cluster_calls SET answered_at = instant(@began)
  WHERE cluster_id = @cluster AND (answered_at IS NULL OR answered_at < called_at) RETURNING cluster_id, answered_at < called_at AS waits)
SELECT cluster_id FROM answered WHERE waits

-- name: calls.notify
-- Has the conductor begin a cycle for the calls, when the transaction commits.
NOTIFY gleaner_call
