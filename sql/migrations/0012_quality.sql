-- How good the plans were (document 003: "control the effectiveness of scheduling decisions"). Each job of OAR that was planned for a task is
-- counted once it is over, on the day of its end; so is each forecast of a campaign's end, once the campaign ended. The rows are bounded by
-- the days, the clusters and our own words. lib/grid/quality.hpp has the same definitions for gridsim.

ALTER TYPE pair_forecast ADD ATTRIBUTE algorithm text;

-- The algorithm of the predictor that computed the ratio; empty: the first ratio, which is of the campaign's request.
ALTER TABLE forecasts ADD COLUMN algorithm text NOT NULL DEFAULT '';
-- The one whose ratio was used when the launch was planned.
ALTER TABLE launches ADD COLUMN algorithm text NOT NULL DEFAULT '';
-- When it last came back from its end: forecasts from before did not know of the tasks that were added or given back.
ALTER TABLE campaigns ADD COLUMN reopened_at timestamp with time zone;

-- A row: the plans whose jobs ended on one day (UTC), on one cluster, by the ratios of one algorithm, of campaigns of one type. The day 1970-01-01
-- has all earlier days (gridctl prune). Seconds are those of resources, but for wait_s.
CREATE TABLE plan_quality (
  day date NOT NULL,
  cluster_id bigint NOT NULL,
  algorithm text NOT NULL,
  type text NOT NULL,                                    -- campaigns.type
  -- Jobs by their fate (fate_of); their sum is the planned ones.
  done bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,                      -- by their task
  walltime bigint NOT NULL DEFAULT 0,
  preempted bigint NOT NULL DEFAULT 0,                   -- gave way to a local job
  killed bigint NOT NULL DEFAULT 0,                      -- by us, while they ran
  taken_back bigint NOT NULL DEFAULT 0,                  -- by us, before they ran
  unsent bigint NOT NULL DEFAULT 0,                      -- OAR has not got them
  lost bigint NOT NULL DEFAULT 0,                        -- by the cluster, or by hand
  started bigint NOT NULL DEFAULT 0,
  waited bigint NOT NULL DEFAULT 0,                      -- of those started, later than is_prompt allows
  wait_s double precision NOT NULL DEFAULT 0,            -- from when they were sent to their start, or to their end if they never started
  held_s double precision NOT NULL DEFAULT 0,
  wasted_s double precision NOT NULL DEFAULT 0,          -- as usage.lost_seconds
  -- Cycles of pairs in which a ratio was put to the test, and what the next cycle found.
  turns bigint NOT NULL DEFAULT 0,
  too_big bigint NOT NULL DEFAULT 0,                     -- more jobs waited than the flood allows
  too_small bigint NOT NULL DEFAULT 0,                   -- resources stayed free, that another job would have had
  offered double precision NOT NULL DEFAULT 0,           -- resources
  sent bigint NOT NULL DEFAULT 0,                        -- jobs
  left_waiting bigint NOT NULL DEFAULT 0,                -- of these jobs
  left_free double precision NOT NULL DEFAULT 0,         -- of these resources, where the ratio was too small
  PRIMARY KEY (day, cluster_id, algorithm, type)
) WITH (fillfactor = 50);

-- A row: the kept forecasts of the ends of campaigns that ended on one day, by one method, on one cluster; 0: on several ones.
CREATE TABLE forecast_quality (
  day date NOT NULL,
  cluster_id bigint NOT NULL,
  method text NOT NULL,                                  -- forecast_history.method
  forecasts bigint NOT NULL DEFAULT 0,
  within bigint NOT NULL DEFAULT 0,                      -- the end was in the interval that holds 8 of 10
  early bigint NOT NULL DEFAULT 0,                       -- the end came later than was said
  error_s double precision NOT NULL DEFAULT 0,           -- seconds between the forecast and the end
  error_parts double precision NOT NULL DEFAULT 0,       -- the same, as a part of the time that was left; at least a minute counts as left
  PRIMARY KEY (day, cluster_id, method)
) WITH (fillfactor = 50);

CREATE FUNCTION fate_of(ending text, began boolean) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN ending IN ('done', 'walltime', 'preempted') THEN ending
    WHEN ending IN ('task_error', 'rerun_first', 'rerun_last', 'bad_request') THEN 'failed'
    WHEN ending = 'killed_by_us' THEN CASE WHEN began THEN 'killed' ELSE 'taken_back' END
    WHEN ending = 'never_submitted' THEN 'unsent'
    ELSE 'lost' END
$$;

-- Whether a job started as soon as a cluster starts jobs that fit (kSettling in lib/grid/flood.hpp). Stable, as + of a timestamp with time zone
-- is: PostgreSQL calls an immutable one for each row.
CREATE FUNCTION is_prompt(submitted_at timestamp with time zone, started_at timestamp with time zone) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(started_at <= submitted_at + interval '15 seconds', true)
$$;

-- The jobs of OAR that were planned for tasks and are over, as plan_quality counts them.
CREATE FUNCTION judged(job jobs) RETURNS TABLE (
  day date, cluster_id bigint, algorithm text, type text, fate text, started boolean, waited boolean, wait_s double precision,
  held_s double precision, wasted_s double precision) LANGUAGE sql STABLE AS $$
  SELECT
    (job.ended_at AT TIME ZONE 'UTC')::date,
    job.cluster_id,
    l.algorithm,
    c.type,
    fate_of(job.ending, job.started_at IS NOT NULL),
    job.started_at IS NOT NULL,
    NOT is_prompt(job.submitted_at, job.started_at),
    coalesce(greatest(0, extract(epoch FROM coalesce(job.started_at, job.ended_at) - job.submitted_at)), 0),
    h.seconds,
    CASE WHEN use_of(job.ending) = 'lost' THEN h.seconds - CASE
      WHEN c.checkpoint_cost_s IS NULL THEN 0
      ELSE saved_seconds(job.ending, job.started_at, job.checkpointed_at, job.ended_at) * h.width END ELSE 0 END
  FROM launches l
  JOIN campaigns c ON c.id = job.campaign_id
  JOIN campaign_clusters p ON p.campaign_id = job.campaign_id AND p.cluster_id = job.cluster_id
  CROSS JOIN LATERAL (SELECT coalesce(job.resources, known_width(p), 1) AS width) w
  CROSS JOIN LATERAL (
    SELECT w.width, coalesce(greatest(0, extract(epoch FROM job.ended_at - job.started_at)), 0) * w.width AS seconds) h
  WHERE l.id = job.launch_id AND job.ended_at IS NOT NULL AND NOT job.pooled AND NOT is_script(job.task)
$$;

-- Adds the jobs that are over; those whose end was withdrawn or changed are taken out as they were.
CREATE FUNCTION count_plans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM after WHERE ended_at IS NOT NULL) AND NOT EXISTS (SELECT FROM before WHERE ended_at IS NOT NULL) THEN
    RETURN NULL;
  END IF;
  WITH moved AS MATERIALIZED (
    SELECT j.day, j.cluster_id, j.algorithm, j.type, j.fate, j.started, j.waited, sum(j.times) AS times,
      sum(j.times * j.wait_s) AS wait_s, sum(j.times * j.held_s) AS held_s, sum(j.times * j.wasted_s) AS wasted_s
    FROM (
      SELECT 1 AS times, v.* FROM after a CROSS JOIN LATERAL judged(ROW(a.*)::jobs) v
      UNION ALL
      SELECT -1, v.* FROM before b CROSS JOIN LATERAL judged(ROW(b.*)::jobs) v) j
    GROUP BY 1, 2, 3, 4, 5, 6, 7),
  counted AS (
    INSERT INTO plan_quality AS q (day, cluster_id, algorithm, type, done, failed, walltime, preempted, killed, taken_back, unsent, lost,
      started, waited, wait_s, held_s, wasted_s)
    SELECT m.day, m.cluster_id, m.algorithm, m.type,
      coalesce(sum(m.times) FILTER (WHERE m.fate = 'done'), 0),
      coalesce(sum(m.times) FILTER (WHERE m.fate = 'failed'), 0),
      coalesce(sum(m.times) FILTER (WHERE m.fate = 'walltime'), 0),
      coalesce(sum(m.times) FILTER (WHERE m.fate = 'preempted'), 0),
      coalesce(sum(m.times) FILTER (WHERE m.fate = 'killed'), 0),
      coalesce(sum(m.times) FILTER (WHERE m.fate = 'taken_back'), 0),
      coalesce(sum(m.times) FILTER (WHERE m.fate = 'unsent'), 0),
      coalesce(sum(m.times) FILTER (WHERE m.fate = 'lost'), 0),
      coalesce(sum(m.times) FILTER (WHERE m.started), 0),
      coalesce(sum(m.times) FILTER (WHERE m.started AND m.waited), 0),
      sum(m.wait_s), sum(m.held_s), sum(m.wasted_s)
    FROM moved m
    GROUP BY 1, 2, 3, 4
    ORDER BY 1, 2, 3, 4
    ON CONFLICT (day, cluster_id, algorithm, type) DO UPDATE SET
      done = q.done + EXCLUDED.done,
      failed = q.failed + EXCLUDED.failed,
      walltime = q.walltime + EXCLUDED.walltime,
      preempted = q.preempted + EXCLUDED.preempted,
      killed = q.killed + EXCLUDED.killed,
      taken_back = q.taken_back + EXCLUDED.taken_back,
      unsent = q.unsent + EXCLUDED.unsent,
      lost = q.lost + EXCLUDED.lost,
      started = q.started + EXCLUDED.started,
      waited = q.waited + EXCLUDED.waited,
      wait_s = q.wait_s + EXCLUDED.wait_s,
      held_s = q.held_s + EXCLUDED.held_s,
      wasted_s = q.wasted_s + EXCLUDED.wasted_s)
  -- The totals only grow: an end that is withdrawn stays counted there.
  INSERT INTO totals AS t (kind, cluster_id, name, result, times, amount)
  SELECT s.kind, s.cluster_id, s.algorithm, s.result, sum(s.times), sum(s.amount)
  FROM (
    SELECT 'plan' AS kind, m.cluster_id, m.algorithm, m.fate AS result, m.times, m.held_s AS amount FROM moved m
    UNION ALL
    SELECT 'start', m.cluster_id, m.algorithm, CASE WHEN m.waited THEN 'waited' ELSE 'prompt' END, m.times, m.wait_s
    FROM moved m WHERE m.started) s
  GROUP BY 1, 2, 3, 4
  HAVING sum(s.times) > 0
  ORDER BY 1, 2, 3, 4
  ON CONFLICT (kind, cluster_id, name, result) DO UPDATE SET
    times = t.times + EXCLUDED.times,
    amount = t.amount + greatest(EXCLUDED.amount, 0);
  RETURN NULL;
END $$;

CREATE TRIGGER count_plans AFTER UPDATE ON jobs REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION count_plans();

CREATE FUNCTION note_algorithm() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.algorithm := coalesce(
    (SELECT f.algorithm FROM forecasts f WHERE f.campaign_id = NEW.campaign_id AND f.cluster_id = NEW.cluster_id), '');
  RETURN NEW;
END $$;

CREATE TRIGGER note_algorithm BEFORE INSERT ON launches FOR EACH ROW EXECUTE FUNCTION note_algorithm();

CREATE FUNCTION note_reopened() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.reopened_at := clock_timestamp();
  RETURN NEW;
END $$;

CREATE TRIGGER note_reopened BEFORE UPDATE OF state ON campaigns FOR EACH ROW
  WHEN (is_over(OLD.state) AND NOT is_over(NEW.state)) EXECUTE FUNCTION note_reopened();

-- At the end of the transaction, as total_campaigns: others end at the same time.
CREATE FUNCTION judge_forecasts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH places AS (
    SELECT CASE WHEN count(*) = 1 THEN min(p.cluster_id) ELSE 0 END AS cluster_id
    FROM campaign_clusters p WHERE p.campaign_id = NEW.id AND p.concluded > 0),
  judged AS MATERIALIZED (
    SELECT
      (NEW.ended_at AT TIME ZONE 'UTC')::date AS day,
      p.cluster_id,
      h.method,
      count(*) AS forecasts,
      count(*) FILTER (WHERE NEW.ended_at BETWEEN h.end_earliest AND h.end_latest) AS within,
      count(*) FILTER (WHERE NEW.ended_at > h.end_at) AS early,
      sum(abs(extract(epoch FROM NEW.ended_at - h.end_at)))::double precision AS error_s,
      sum(abs(extract(epoch FROM NEW.ended_at - h.end_at)) / greatest(60, extract(epoch FROM NEW.ended_at - h.made_at)))::double precision
        AS error_parts
    FROM forecast_history h CROSS JOIN places p
    WHERE h.campaign_id = NEW.id AND h.made_at < NEW.ended_at AND h.made_at > coalesce(NEW.reopened_at, '-infinity')
    GROUP BY 1, 2, 3
    ORDER BY 1, 2, 3),
  counted AS (
    INSERT INTO forecast_quality AS q SELECT * FROM judged
    ON CONFLICT (day, cluster_id, method) DO UPDATE SET
      forecasts = q.forecasts + EXCLUDED.forecasts,
      within = q.within + EXCLUDED.within,
      early = q.early + EXCLUDED.early,
      error_s = q.error_s + EXCLUDED.error_s,
      error_parts = q.error_parts + EXCLUDED.error_parts)
  INSERT INTO totals AS t (kind, cluster_id, name, result, times, amount)
  SELECT 'forecast', 0, s.method, s.result, sum(s.times), sum(s.amount)
  FROM (
    SELECT j.method, 'within' AS result, j.within AS times, 0 AS amount FROM judged j
    UNION ALL SELECT j.method, 'outside', j.forecasts - j.within, 0 FROM judged j
    UNION ALL SELECT j.method, 'error', j.forecasts, j.error_s FROM judged j) s
  GROUP BY 3, 4
  ORDER BY 3, 4
  ON CONFLICT (kind, cluster_id, name, result) DO UPDATE SET times = t.times + EXCLUDED.times, amount = t.amount + EXCLUDED.amount;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER judge_forecasts AFTER UPDATE OF state ON campaigns DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.state <> NEW.state AND NEW.state = 'terminated' AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION judge_forecasts();

CREATE OR REPLACE FUNCTION forget_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM totals WHERE cluster_id = OLD.id;
  DELETE FROM plan_quality WHERE cluster_id = OLD.id;
  DELETE FROM forecast_quality WHERE cluster_id = OLD.id;
  RETURN NULL;
END $$;

-- The jobs that are over already.
INSERT INTO plan_quality (day, cluster_id, algorithm, type, done, failed, walltime, preempted, killed, taken_back, unsent, lost, started, waited,
  wait_s, held_s, wasted_s)
SELECT v.day, v.cluster_id, v.algorithm, v.type,
  count(*) FILTER (WHERE v.fate = 'done'),
  count(*) FILTER (WHERE v.fate = 'failed'),
  count(*) FILTER (WHERE v.fate = 'walltime'),
  count(*) FILTER (WHERE v.fate = 'preempted'),
  count(*) FILTER (WHERE v.fate = 'killed'),
  count(*) FILTER (WHERE v.fate = 'taken_back'),
  count(*) FILTER (WHERE v.fate = 'unsent'),
  count(*) FILTER (WHERE v.fate = 'lost'),
  count(*) FILTER (WHERE v.started),
  count(*) FILTER (WHERE v.started AND v.waited),
  sum(v.wait_s), sum(v.held_s), sum(v.wasted_s)
FROM jobs j CROSS JOIN LATERAL judged(j) v
GROUP BY 1, 2, 3, 4;
