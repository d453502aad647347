-- Resources that stay free for local jobs, where the headroom is `auto`.

-- name: headroom.watch
-- The last watched poll of a cluster, and the demand of one hour of the day.
SELECT micros(w.polled_at) AS polled_at, micros(w.last_start) AS last_start, coalesce(d.seconds, 0) AS seconds,
  coalesce(d.arrivals, '') AS arrivals
FROM (VALUES (@cluster::bigint)) AS c (id)
LEFT JOIN learnt_headroom w ON w.cluster_id = c.id
LEFT JOIN local_demand d ON d.cluster_id = c.id AND d.hour = @hour::integer

-- name: headroom.note_poll
-- Records a poll.
INSERT INTO learnt_headroom (cluster_id, polled_at, last_start) VALUES (@cluster, instant(@polled_at), instant(@last_start))
ON CONFLICT (cluster_id) DO UPDATE SET polled_at = EXCLUDED.polled_at, last_start = EXCLUDED.last_start

-- name: headroom.note_demand
-- Stores the demand of one hour of the day.
INSERT INTO local_demand (cluster_id, hour, seconds, arrivals) VALUES (@cluster, @hour, @seconds, @arrivals)
ON CONFLICT (cluster_id, hour) DO UPDATE SET seconds = EXCLUDED.seconds, arrivals = EXCLUDED.arrivals

-- name: headroom.demands
-- The demands of the clusters whose headroom is `auto`, and what they keep free until now. @headroom: the configuration's, for clusters
-- without a value of their own.
SELECT d.cluster_id, d.hour, d.seconds, d.arrivals, h.resources
FROM local_demand d JOIN clusters c ON c.id = d.cluster_id LEFT JOIN learnt_headroom h ON h.cluster_id = c.id
WHERE coalesce(c.headroom, @headroom::text) = 'auto' AND c.enabled
ORDER BY d.cluster_id, d.hour

-- name: headroom.learn
-- Stores the resources to keep free.
INSERT INTO learnt_headroom (cluster_id, resources) VALUES (@cluster, @resources)
ON CONFLICT (cluster_id) DO UPDATE SET resources = EXCLUDED.resources WHERE learnt_headroom.resources <> EXCLUDED.resources
