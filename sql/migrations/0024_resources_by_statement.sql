-- The totals of resources are written once for each cluster and statement. Row by row, each update read all versions of the same row that
-- the transaction had written before, so 50 000 rows took minutes.

DROP TRIGGER total_resources ON gridstatus;

CREATE OR REPLACE FUNCTION total_resources() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO totals AS t (kind, cluster_id, result, times, amount)
  SELECT 'resource', a.cluster_id, v.state, count(*), sum(greatest(v.resources, 0) * s.seconds)
  FROM added a
  JOIN LATERAL (SELECT extract(epoch FROM a.time - b.time) AS seconds FROM gridstatus b
                WHERE b.cluster_id = a.cluster_id AND b.time < a.time ORDER BY b.time DESC LIMIT 1) s ON s.seconds <= 600
  JOIN LATERAL (SELECT suspected_resources + absent_resources + dead_resources AS down FROM clusters WHERE id = a.cluster_id) k ON true
  CROSS JOIN LATERAL (VALUES ('down', k.down), ('free', a.free), ('local', a.used - a.our_running), ('ours', a.our_running))
    AS v(state, resources)
  WHERE a.reachable
  GROUP BY a.cluster_id, v.state
  ORDER BY a.cluster_id, v.state
  ON CONFLICT (kind, cluster_id, name, result) DO UPDATE SET times = t.times + EXCLUDED.times, amount = t.amount + EXCLUDED.amount;
  RETURN NULL;
END $$;

CREATE TRIGGER total_resources AFTER INSERT ON gridstatus REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION total_resources();
