-- Totals that only grow (sql/migrations/0006_totals.sql); triggers keep the others.

-- name: totals.add
-- Adds to totals.
INSERT INTO totals AS t (kind, cluster_id, name, result, times, amount, buckets, last_at)
SELECT g.kind, g.cluster_id, g.name, g.result, g.times, g.amount, g.buckets, instant(@now) FROM unnest(@more::addend[]) AS g
ORDER BY g.kind, g.cluster_id, g.name, g.result
ON CONFLICT (kind, cluster_id, name, result) DO UPDATE SET
  times = t.times + EXCLUDED.times,
  amount = t.amount + EXCLUDED.amount,
  buckets = summed(t.buckets, EXCLUDED.buckets),
  last_at = EXCLUDED.last_at
