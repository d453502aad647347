-- How good the plans were (sql/migrations/0007_quality.sql; lib/grid/quality.hpp).

-- name: quality.plans
-- The plans of jobs that ended on the days from @from to @to (UTC) on each cluster (on one, if @cluster is not null), by algorithm and type.
SELECT
  coalesce(k.name, q.cluster_id::text) AS cluster,
  q.algorithm,
  q.type,
  sum(q.done)::bigint AS done,
  sum(q.failed)::bigint AS failed,
  sum(q.walltime)::bigint AS walltime,
  sum(q.preempted)::bigint AS preempted,
  sum(q.killed)::bigint AS killed,
  sum(q.taken_back)::bigint AS taken_back,
  sum(q.unsent)::bigint AS unsent,
  sum(q.lost)::bigint AS lost,
  sum(q.started)::bigint AS started,
  sum(q.waited)::bigint AS waited,
  sum(q.wait_s) AS wait_s,
  sum(q.held_s) AS held_s,
  sum(q.wasted_s) AS wasted_s,
  sum(q.turns)::bigint AS turns,
  sum(q.too_big)::bigint AS too_big,
  sum(q.too_small)::bigint AS too_small,
  sum(q.offered) AS offered,
  sum(q.sent)::bigint AS sent,
  sum(q.left_waiting)::bigint AS left_waiting,
  sum(q.left_free) AS left_free
FROM plan_quality q LEFT JOIN clusters k ON k.id = q.cluster_id
WHERE q.day >= (instant(@from) AT TIME ZONE 'UTC')::date AND q.day <= (instant(@to) AT TIME ZONE 'UTC')::date
  AND (@cluster::text IS NULL OR k.name = @cluster)
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3

-- name: quality.forecasts
-- The forecasts of campaigns that ended on these days, by cluster (null: on several ones) and method.
SELECT
  CASE WHEN q.cluster_id <> 0 THEN coalesce(k.name, q.cluster_id::text) END AS cluster,
  q.method,
  sum(q.forecasts)::bigint AS forecasts,
  sum(q.within)::bigint AS within,
  sum(q.early)::bigint AS early,
  sum(q.error_s) AS error_s,
  sum(q.error_parts) AS error_parts
FROM forecast_quality q LEFT JOIN clusters k ON k.id = q.cluster_id
WHERE q.day >= (instant(@from) AT TIME ZONE 'UTC')::date AND q.day <= (instant(@to) AT TIME ZONE 'UTC')::date
  AND (@cluster::text IS NULL OR k.name = @cluster)
GROUP BY 1, 2 ORDER BY 1 NULLS LAST, 2

-- name: quality.note_ratios
-- Adds what became of the ratios by which the last cycle sent jobs, a pair each, before the new ratios are written.
WITH seen AS MATERIALIZED (
  SELECT (instant(@now) AT TIME ZONE 'UTC')::date AS day, g.cluster_id, f.algorithm, c.type, g.verdict, g.offered, g.sent, g.left_waiting,
    g.left_free
  FROM unnest(
    @campaigns::bigint[],
    @clusters::bigint[],
    @verdicts::text[],
    @offered::double precision[],
    @sent::bigint[],
    @left_waiting::bigint[],
    @left_free::double precision[]) AS g(campaign_id, cluster_id, verdict, offered, sent, left_waiting, left_free)
  JOIN campaigns c ON c.id = g.campaign_id
  JOIN forecasts f ON f.campaign_id = g.campaign_id AND f.cluster_id = g.cluster_id),
counted AS (
  INSERT INTO plan_quality AS q (day, cluster_id, algorithm, type, turns, too_big, too_small, offered, sent, left_waiting, left_free)
  SELECT day, cluster_id, algorithm, type, count(*), count(*) FILTER (WHERE verdict = 'too_big'),
    count(*) FILTER (WHERE verdict = 'too_small'), sum(offered), sum(sent), sum(left_waiting), sum(left_free)
  FROM seen
  GROUP BY 1, 2, 3, 4
  ORDER BY 1, 2, 3, 4
  ON CONFLICT (day, cluster_id, algorithm, type) DO UPDATE SET
    turns = q.turns + EXCLUDED.turns,
    too_big = q.too_big + EXCLUDED.too_big,
    too_small = q.too_small + EXCLUDED.too_small,
    offered = q.offered + EXCLUDED.offered,
    sent = q.sent + EXCLUDED.sent,
    left_waiting = q.left_waiting + EXCLUDED.left_waiting,
    left_free = q.left_free + EXCLUDED.left_free)
INSERT INTO totals AS t (kind, cluster_id, name, result, times)
SELECT 'ratio', cluster_id, algorithm, verdict, count(*) FROM seen GROUP BY 2, 3, 4 ORDER BY 2, 3, 4
ON CONFLICT (kind, cluster_id, name, result) DO UPDATE SET times = t.times + EXCLUDED.times
