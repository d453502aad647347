-- Totals that only grow, for GET /metrics: each row is a sum since the row was made, and no prune takes anything of it. The rows are
-- bounded by the clusters, the modules, and the words of our own states; no user, campaign or path is in them.
--
--   kind      cluster  name             result                     times, amount, buckets
--   request   yes      method           class of the status        requests, seconds, latencies
--   turn               module           how it ended               turns, seconds, durations
--   cycle                                                          cycles, seconds, durations
--   ending    yes      task or script   jobs.ending                jobs
--   use       yes                       useful, failed, lost       jobs, resource-seconds
--   resource  yes                       free, ours, local, down    polls, resource-seconds
--   kill      yes      reason                                      requests
--   campaign                            submitted, or a state      campaigns
CREATE TABLE totals (
    kind text NOT NULL,
    cluster_id bigint NOT NULL DEFAULT 0,
    name text NOT NULL DEFAULT '',
    result text NOT NULL DEFAULT '',
    times bigint NOT NULL DEFAULT 0,
    amount double precision NOT NULL DEFAULT 0,
    buckets bigint[],
    last_at timestamp with time zone,
    PRIMARY KEY (kind, cluster_id, name, result)
) WITH (fillfactor = 50);

-- The sums of two lists of numbers, place by place; null is a list of zeros.
CREATE FUNCTION summed(one bigint[], other bigint[]) RETURNS bigint[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg(coalesce(a, 0) + coalesce(b, 0) ORDER BY place)
  FROM unnest(one, other) WITH ORDINALITY AS u(a, b, place)
$$;

-- Since when the lease has its term.
ALTER TABLE lease ADD COLUMN taken_at timestamp with time zone;

CREATE FUNCTION note_term() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.taken_at := clock_timestamp();
  RETURN NEW;
END $$;

CREATE TRIGGER note_term BEFORE UPDATE OF term ON lease FOR EACH ROW WHEN (NEW.term <> OLD.term) EXECUTE FUNCTION note_term();

-- As in 0001, and the totals of the jobs that ended.
CREATE OR REPLACE FUNCTION account_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH ended AS MATERIALIZED (
    SELECT a.ended_at, c.user_name, c.project, a.cluster_id, a.campaign_id, a.task, a.pooled, a.ending, use_of(a.ending) AS use,
      CASE WHEN a.pooled THEN a.ending = 'done' ELSE a.started_at IS NOT NULL END AS counts,
      greatest(0, extract(epoch FROM a.ended_at - a.started_at)) * coalesce(a.resources, known_width(p), 1) AS seconds,
      CASE WHEN c.checkpoint_cost_s IS NULL OR is_script(a.task) THEN 0
        ELSE saved_seconds(a.ending, a.started_at, a.checkpointed_at, a.ended_at) * coalesce(a.resources, known_width(p), 1) END AS saved
    FROM after a
    JOIN campaigns c ON c.id = a.campaign_id
    JOIN campaign_clusters p ON p.campaign_id = a.campaign_id AND p.cluster_id = a.cluster_id
    WHERE a.ended_at IS NOT NULL AND a.id NOT IN (SELECT id FROM before WHERE ended_at IS NOT NULL)),
  used AS (
    INSERT INTO usage AS u (day, user_name, project, cluster_id, campaign_id, resource_seconds, useful_seconds, failed_seconds,
      lost_seconds, jobs, failed_jobs, lost_jobs, tasks)
    SELECT (e.ended_at AT TIME ZONE 'UTC')::date, e.user_name, e.project, e.cluster_id, e.campaign_id,
      coalesce(sum(e.seconds) FILTER (WHERE NOT e.pooled), 0),
      coalesce(sum(CASE WHEN e.use = 'useful' THEN e.seconds ELSE e.saved END) FILTER (WHERE NOT e.pooled), 0),
      coalesce(sum(e.seconds - e.saved) FILTER (WHERE NOT e.pooled AND e.use = 'failed'), 0),
      coalesce(sum(e.seconds - e.saved) FILTER (WHERE NOT e.pooled AND e.use = 'lost'), 0),
      count(*) FILTER (WHERE NOT e.pooled),
      count(*) FILTER (WHERE NOT e.pooled AND e.use = 'failed'),
      count(*) FILTER (WHERE NOT e.pooled AND e.use = 'lost'),
      count(*) FILTER (WHERE e.use = 'useful' AND NOT is_script(e.task))
    FROM ended e
    WHERE e.counts
    GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (day, user_name, project, cluster_id, campaign_id) DO UPDATE SET
      resource_seconds = u.resource_seconds + EXCLUDED.resource_seconds,
      useful_seconds = u.useful_seconds + EXCLUDED.useful_seconds,
      failed_seconds = u.failed_seconds + EXCLUDED.failed_seconds,
      lost_seconds = u.lost_seconds + EXCLUDED.lost_seconds,
      jobs = u.jobs + EXCLUDED.jobs,
      failed_jobs = u.failed_jobs + EXCLUDED.failed_jobs,
      lost_jobs = u.lost_jobs + EXCLUDED.lost_jobs,
      tasks = u.tasks + EXCLUDED.tasks)
  INSERT INTO totals AS t (kind, cluster_id, name, result, times, amount)
  SELECT kind, cluster_id, name, result, sum(times), sum(amount)
  FROM (
    SELECT 'ending' AS kind, e.cluster_id, CASE WHEN is_script(e.task) THEN 'script' ELSE 'task' END AS name,
      coalesce(e.ending, '') AS result, 1 AS times, 0 AS amount
    FROM ended e
    UNION ALL
    SELECT 'use', e.cluster_id, '', e.use, 1, CASE WHEN e.use = 'useful' THEN e.seconds ELSE e.seconds - e.saved END
    FROM ended e WHERE e.counts AND NOT e.pooled
    UNION ALL
    SELECT 'use', e.cluster_id, '', 'useful', 0, e.saved FROM ended e WHERE e.counts AND NOT e.pooled AND e.use <> 'useful' AND e.saved > 0
  ) sums
  GROUP BY kind, cluster_id, name, result
  ORDER BY kind, cluster_id, name, result
  ON CONFLICT (kind, cluster_id, name, result) DO UPDATE SET times = t.times + EXCLUDED.times, amount = t.amount + EXCLUDED.amount;
  RETURN NULL;
END $$;

CREATE FUNCTION total_kills() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO totals AS t (kind, cluster_id, name, times)
  SELECT 'kill', j.cluster_id, a.reason, count(*) FROM added a JOIN jobs j ON j.id = a.job_id GROUP BY 2, 3 ORDER BY 2, 3
  ON CONFLICT (kind, cluster_id, name, result) DO UPDATE SET times = t.times + EXCLUDED.times;
  RETURN NULL;
END $$;

CREATE TRIGGER total_kills AFTER INSERT ON kill_requests REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION total_kills();

-- The resources that a poll found count for the time since the poll before it, unless that was long ago: nobody knows what was free meanwhile.
CREATE FUNCTION total_resources() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO totals AS t (kind, cluster_id, result, times, amount)
  SELECT 'resource', NEW.cluster_id, v.state, 1, greatest(v.resources, 0) * s.seconds
  FROM (SELECT extract(epoch FROM NEW.time - b.time) AS seconds FROM gridstatus b
        WHERE b.cluster_id = NEW.cluster_id AND b.time < NEW.time ORDER BY b.time DESC LIMIT 1) s
  CROSS JOIN (SELECT suspected_resources + absent_resources + dead_resources AS down FROM clusters WHERE id = NEW.cluster_id) k
  CROSS JOIN LATERAL (VALUES ('down', k.down), ('free', NEW.free), ('local', NEW.used - NEW.our_running), ('ours', NEW.our_running))
    AS v(state, resources)
  WHERE NEW.reachable AND s.seconds <= 600
  ORDER BY v.state
  ON CONFLICT (kind, cluster_id, name, result) DO UPDATE SET times = t.times + EXCLUDED.times, amount = t.amount + EXCLUDED.amount;
  RETURN NULL;
END $$;

CREATE TRIGGER total_resources AFTER INSERT ON gridstatus FOR EACH ROW EXECUTE FUNCTION total_resources();

-- At the end of the transaction: a submission of a million tasks must not keep the others waiting for this row.
CREATE FUNCTION total_campaigns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO totals AS t (kind, result, times) VALUES ('campaign', CASE TG_OP WHEN 'INSERT' THEN 'submitted' ELSE NEW.state::text END, 1)
  ON CONFLICT (kind, cluster_id, name, result) DO UPDATE SET times = t.times + 1;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER total_new_campaigns AFTER INSERT ON campaigns DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION total_campaigns();
CREATE CONSTRAINT TRIGGER total_over_campaigns AFTER UPDATE OF state ON campaigns DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.state <> NEW.state AND is_over(NEW.state)) EXECUTE FUNCTION total_campaigns();

CREATE FUNCTION forget_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM totals WHERE cluster_id = OLD.id;
  RETURN NULL;
END $$;

CREATE TRIGGER forget_totals AFTER DELETE ON clusters FOR EACH ROW EXECUTE FUNCTION forget_totals();
