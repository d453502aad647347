-- The figures of the database for GET /metrics. No query reads rows of tasks, of jobs or of campaigns that are over: counters are read.

-- name: metrics.grid
-- The lease, the schema, the size of the database, the last cycles, and the tasks of the campaigns in treatment or paused.
SELECT
  micros(clock_timestamp()) AS now,
  coalesce(e.holder, '') AS holder,
  e.term,
  coalesce(e.expires_at >= clock_timestamp(), false) AS held,
  CASE WHEN isfinite(e.expires_at) THEN micros(e.expires_at) END AS expires_at,
  micros(e.taken_at) AS taken_at,
  (SELECT max(number) FROM schema_migrations) AS schema_number,
  pg_database_size(current_database()) AS bytes,
  (SELECT micros(started_at) FROM cycles ORDER BY id DESC LIMIT 1) AS cycle_began,
  micros(y.ended_at) AS cycle_ended,
  extract(epoch FROM y.ended_at - y.started_at)::double precision AS cycle_seconds,
  c.in_treatment,
  c.paused,
  c.waiting,
  c.launching,
  c.submitted,
  c.running,
  c.done,
  c.failed,
  c.cancelled
FROM (
  SELECT
    count(*) FILTER (WHERE state = 'in_treatment') AS in_treatment,
    count(*) FILTER (WHERE state = 'paused') AS paused,
    coalesce(sum(waiting), 0)::bigint AS waiting,
    coalesce(sum(launching), 0)::bigint AS launching,
    coalesce(sum(submitted), 0)::bigint AS submitted,
    coalesce(sum(running), 0)::bigint AS running,
    coalesce(sum(done), 0)::bigint AS done,
    coalesce(sum(failed), 0)::bigint AS failed,
    coalesce(sum(cancelled), 0)::bigint AS cancelled
  FROM campaigns WHERE state IN ('in_treatment', 'paused')) c
LEFT JOIN lease e ON true
LEFT JOIN (SELECT started_at, ended_at FROM cycles WHERE ended_at IS NOT NULL ORDER BY id DESC LIMIT 1) y ON true

-- name: metrics.clusters
-- Each cluster with its newest status, its jobs by state, and its launches of unknown fate.
SELECT
  k.name,
  k.enabled,
  k.reachable,
  micros(k.unreachable_since) AS unreachable_since,
  k.suspected_resources + k.absent_resources + k.dead_resources AS down,
  micros(s.time) AS time,
  s.max_resources,
  s.free,
  s.used,
  s.our_running,
  s.our_waiting,
  s.stress,
  coalesce(j.launching, 0) AS launching,
  coalesce(j.waiting, 0) AS waiting,
  coalesce(j.running, 0) AS running,
  coalesce(j.unknown, 0) AS unknown,
  coalesce(l.launches, 0) AS unknown_launches,
  micros(l.since) AS unknown_since,
  coalesce(b.brakes, 0) AS brakes
FROM clusters k
LEFT JOIN LATERAL (SELECT * FROM gridstatus s WHERE s.cluster_id = k.id ORDER BY s.time DESC LIMIT 1) s ON true
LEFT JOIN (
  SELECT cluster_id, sum(launching) AS launching, sum(waiting) AS waiting, sum(running) AS running, sum(unknown) AS unknown
  FROM campaign_clusters WHERE active GROUP BY cluster_id) j ON j.cluster_id = k.id
LEFT JOIN (
  SELECT cluster_id, count(*) AS launches, min(unknown_at) AS since
  FROM launches WHERE state = 'unknown' GROUP BY cluster_id) l ON l.cluster_id = k.id
LEFT JOIN (
  SELECT cluster_id, count(*) AS brakes
  FROM brakes WHERE campaign_id IS NULL AND expires_at > clock_timestamp() GROUP BY cluster_id) b ON b.cluster_id = k.id
WHERE k.retired_at IS NULL
ORDER BY k.name

-- name: metrics.events
-- The open events, by code.
SELECT code, count(*) AS events FROM events WHERE state = 'open' GROUP BY code ORDER BY code

-- name: metrics.brakes
-- The brakes, by what they brake and by who set them.
SELECT
  CASE WHEN campaign_id IS NULL THEN 'cluster' WHEN cluster_id IS NULL THEN 'campaign' ELSE 'pair' END AS target,
  set_by IS NOT NULL AS by_hand,
  count(*) AS brakes
FROM brakes WHERE expires_at > clock_timestamp()
GROUP BY 1, 2 ORDER BY 1, 2

-- name: metrics.totals
-- The totals of the grid, and of its clusters.
SELECT t.kind, k.name AS cluster, t.name, t.result, t.times, t.amount, array_to_string(t.buckets, ' ') AS buckets, micros(t.last_at) AS last_at
FROM totals t LEFT JOIN clusters k ON k.id = t.cluster_id
WHERE t.cluster_id = 0 OR k.retired_at IS NULL
ORDER BY t.kind, k.name, t.name, t.result
