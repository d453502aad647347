-- The schema, as the migrations make it. Generated: after a new migration run tools/schema, and change nothing here by hand.

CREATE TYPE addend AS (
	kind text,
	cluster_id bigint,
	name text,
	result text,
	times bigint,
	amount double precision,
	buckets bigint[]
);

CREATE TYPE algorithm_trial AS (
	campaign_id bigint,
	cluster_id bigint,
	algorithm text,
	job_ratio double precision,
	waste double precision
);

CREATE TYPE campaign_forecast AS (
	campaign_id bigint,
	method text,
	end_at bigint,
	end_earliest bigint,
	end_latest bigint,
	start_at bigint,
	start_earliest bigint,
	start_latest bigint,
	kept boolean
);

CREATE TYPE campaign_state AS ENUM (
    'in_treatment',
    'paused',
    'terminated',
    'cancelled'
);

CREATE TYPE changed_decision AS (
	campaign_id bigint,
	cluster_id bigint,
	stage text,
	reason text,
	figures jsonb,
	jobs integer,
	digest bigint,
	subject text
);

CREATE TYPE cluster_request AS (
	cluster text,
	request smallint,
	shape smallint,
	resources text,
	resources_per_job integer,
	memory_mb bigint,
	walltime_s integer
);

CREATE TYPE job_state AS ENUM (
    'planned',
    'launching',
    'remote_waiting',
    'running',
    'terminated',
    'error',
    'killed',
    'unknown',
    'pooled'
);

CREATE TYPE launch_state AS ENUM (
    'planned',
    'launching',
    'accepted',
    'refused',
    'unknown',
    'void'
);

CREATE TYPE pair_forecast AS (
	campaign_id bigint,
	cluster_id bigint,
	job_ratio double precision,
	throughput double precision,
	algorithm text,
	verdict text,
	waiting integer,
	free integer
);

CREATE TYPE pair_requests AS (
	clusters bigint[],
	priority integer,
	resources_per_job integer,
	walltime integer,
	max_jobs integer,
	nodes_per_job integer,
	best_effort boolean
);

CREATE TYPE task_state AS ENUM (
    'waiting',
    'launching',
    'submitted',
    'running',
    'done',
    'failed',
    'cancelled'
);

CREATE TYPE verdict AS (
	id bigint,
	leaves job_state,
	state job_state,
	ending text,
	exit_status integer,
	started_at bigint,
	ended_at bigint,
	checkpointed_at bigint,
	resources integer,
	message text,
	failure integer,
	moves boolean,
	task_leaves task_state,
	attempt_leaves integer,
	task_state task_state,
	attempt integer,
	charge integer,
	counted boolean,
	priority integer,
	bound boolean,
	kept boolean,
	walltime_s integer,
	duration double precision,
	run_ending text,
	command double precision,
	wall double precision,
	cpu double precision,
	peak integer,
	io double precision
);

CREATE FUNCTION account_usage() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION acting() RETURNS text
    LANGUAGE sql STABLE
    AS $$ SELECT nullif(current_setting('gleaner.actor', true), '') $$;

CREATE FUNCTION add_notice(of_what text, how text, of_campaign bigint, of_cluster bigint, of_event bigint, text_of text, at timestamp with time zone, of_user text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF EXISTS (SELECT FROM subscriptions)
    AND coalesce((SELECT n.noted_at FROM notices n ORDER BY n.id LIMIT 1), now()) > now() - interval '30 days' THEN
    INSERT INTO notices (what, change, severity, campaign_id, cluster_id, event_id, message, noted_at, user_name)
    VALUES (of_what, how, severity_of(of_what), of_campaign, of_cluster, of_event, left(text_of, 300), at, of_user);
  END IF;
END $$;

CREATE FUNCTION add_to_input_totals(of_user text, more_bytes bigint, more_contents bigint) RETURNS void
    LANGUAGE sql
    AS $$
  INSERT INTO input_totals AS t VALUES (of_user, more_bytes, more_contents)
  ON CONFLICT (user_name) DO UPDATE SET bytes = t.bytes + EXCLUDED.bytes, contents = t.contents + EXCLUDED.contents
$$;

CREATE FUNCTION after_quiet(at timestamp with time zone, quiet_from smallint, quiet_to smallint, zone text) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE
    AS $$
DECLARE
  here timestamp;
  minute integer;
BEGIN
  IF quiet_from IS NULL THEN RETURN at; END IF;
  here := at AT TIME ZONE zone;
  minute := extract(hour FROM here)::integer * 60 + extract(minute FROM here)::integer;
  IF NOT (CASE WHEN quiet_from < quiet_to THEN minute >= quiet_from AND minute < quiet_to ELSE minute >= quiet_from OR minute < quiet_to END) THEN
    RETURN at;
  END IF;
  RETURN (date_trunc('day', here) + quiet_to * interval '1 minute' + CASE WHEN minute >= quiet_to THEN interval '1 day' ELSE interval '0' END)
    AT TIME ZONE zone;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN at;
END $$;

CREATE FUNCTION awaited_by(campaign bigint) RETURNS bigint
    LANGUAGE sql STABLE
    AS $$
  SELECT min(d.campaign_id) FROM dependencies d
  JOIN campaigns c ON c.id = d.on_campaign
  JOIN campaigns w ON w.id = d.campaign_id AND is_live(w.state) AND w.user_name = c.user_name
  WHERE d.on_campaign = campaign AND (d.met_at IS NULL OR (d.kind = 'after_each' AND w.follows AND w.waiting > 0))
$$;

CREATE FUNCTION awaits_task(campaign bigint, task bigint) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT EXISTS (
    SELECT FROM dependencies d
    WHERE d.campaign_id = campaign AND d.kind = 'after_each' AND d.met_at IS NULL
      AND NOT EXISTS (SELECT FROM tasks o WHERE o.campaign_id = d.on_campaign AND o.number = task AND o.state = 'done'))
$$;

CREATE FUNCTION bind_followers(of_campaigns bigint[], numbers bigint[]) RETURNS void
    LANGUAGE sql
    AS $$
  WITH homes AS MATERIALIZED (
    SELECT c.id AS campaign_id, k.id AS ran_on, home.id
    FROM campaigns c
    CROSS JOIN clusters k
    CROSS JOIN LATERAL (
      SELECT h.id FROM campaign_clusters p JOIN clusters h ON h.id = p.cluster_id AND h.retired_at IS NULL
      WHERE p.campaign_id = c.id AND (h.id = k.id OR h.shared_home = k.shared_home)
      ORDER BY p.max_jobs IS NOT DISTINCT FROM 0, h.enabled DESC, h.id = k.id DESC, h.id LIMIT 1) home
    WHERE c.id = ANY (of_campaigns) AND c.follows
      AND EXISTS (
        SELECT FROM campaign_clusters p JOIN clusters h ON h.id = p.cluster_id
        WHERE p.campaign_id = c.id AND (h.shared_home = k.shared_home) IS NOT TRUE AND h.id <> k.id))
  UPDATE returned_tasks r SET cluster_id = b.home, follows = b.home IS NOT NULL
  FROM (
    SELECT f.campaign_id, f.number, (
      SELECT h.id
      FROM dependencies d
      CROSS JOIN LATERAL (
        SELECT j.cluster_id FROM jobs j LEFT JOIN tasks o ON o.campaign_id = j.campaign_id AND o.number = j.task
        WHERE j.campaign_id = d.on_campaign AND j.task = f.number AND j.ending = 'done'
        ORDER BY (j.attempt = o.attempt) DESC NULLS LAST, j.id DESC LIMIT 1) ran
      JOIN homes h ON h.campaign_id = d.campaign_id AND h.ran_on = ran.cluster_id
      WHERE d.campaign_id = f.campaign_id AND d.kind = 'after_each'
      ORDER BY d.on_campaign LIMIT 1) AS home
    FROM unnest(of_campaigns, numbers) AS f(campaign_id, number)) b
  WHERE r.campaign_id = b.campaign_id AND r.number = b.number AND (b.home IS NOT NULL OR r.follows)
$$;

CREATE FUNCTION blocks_of(campaign bigint) RETURNS TABLE(block integer, launching integer, submitted integer, running integer, done integer, failed integer, cancelled integer)
    LANGUAGE sql STABLE
    AS $$
  SELECT task_block(number), (count(*) FILTER (WHERE state = 'launching'))::integer, (count(*) FILTER (WHERE state = 'submitted'))::integer,
    (count(*) FILTER (WHERE state = 'running'))::integer, (count(*) FILTER (WHERE state = 'done'))::integer,
    (count(*) FILTER (WHERE state = 'failed'))::integer, (count(*) FILTER (WHERE state = 'cancelled'))::integer
  FROM tasks WHERE campaign_id = campaign AND NOT is_script(number) AND state <> 'waiting' GROUP BY 1
$$;

CREATE FUNCTION both_properties(one text, other text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT CASE WHEN one = '' THEN other WHEN other = '' THEN one ELSE '(' || one || ') AND (' || other || ')' END
$$;

CREATE FUNCTION bucket_seconds(bucket smallint) RETURNS double precision
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT 1.1::double precision ^ bucket $$;

CREATE TABLE jobs (
    id bigint NOT NULL,
    launch_id bigint NOT NULL,
    campaign_id bigint NOT NULL,
    cluster_id bigint NOT NULL,
    task bigint NOT NULL,
    attempt integer NOT NULL,
    fence bigint,
    state job_state DEFAULT 'planned'::job_state NOT NULL,
    pooled boolean DEFAULT false NOT NULL,
    remote_id bigint,
    resources integer,
    resubmissions integer DEFAULT 0 NOT NULL,
    submitted_at timestamp with time zone,
    launching_since timestamp with time zone,
    started_at timestamp with time zone,
    signalled_at timestamp with time zone,
    checkpointed_at timestamp with time zone,
    absent_since timestamp with time zone,
    over_since timestamp with time zone,
    ended_at timestamp with time zone,
    ending text,
    run_ending text,
    exit_status integer,
    message text,
    cpu_s double precision,
    peak_memory_mb integer,
    sink bigint,
    claimed_at timestamp with time zone,
    command_over boolean DEFAULT false NOT NULL,
    running_since timestamp with time zone,
    io_mb double precision,
    CONSTRAINT jobs_check CHECK ((pooled OR (state <> 'pooled'::job_state))),
    CONSTRAINT jobs_cpu_s_check CHECK ((cpu_s >= (0)::double precision)),
    CONSTRAINT jobs_io_mb_check CHECK ((io_mb >= (0)::double precision)),
    CONSTRAINT jobs_peak_memory_mb_check CHECK ((peak_memory_mb >= 0))
)
WITH (fillfactor='80');

COMMENT ON COLUMN jobs.claimed_at IS 'of a pooled job whose campaign allows replicas: when a carrier was first seen to carry it out; null: none was';

COMMENT ON COLUMN jobs.command_over IS 'of a carrier whose campaign allows replicas: its own task is over by its files, and it goes on with pooled ones';

COMMENT ON COLUMN jobs.running_since IS 'when a poll first saw it run; null: none did';

COMMENT ON COLUMN jobs.io_mb IS 'MB that its task read from file systems and wrote to them; null: unknown';

CREATE FUNCTION carries_awaited(job jobs) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT EXISTS (SELECT FROM jobs p JOIN tasks t ON t.campaign_id = p.campaign_id AND t.number = p.task AND is_awaited(t, p.attempt)
    WHERE p.launch_id = job.launch_id AND p.remote_id = job.remote_id AND p.state = 'pooled')
$$;

CREATE FUNCTION cluster_of_script(task bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT (1 - task) / 2 $$;

CREATE FUNCTION count_gone_inputs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM add_to_input_totals(g.user_name, -sum(g.bytes)::bigint, -count(*)) FROM gone g GROUP BY g.user_name ORDER BY g.user_name;
  PERFORM add_to_input_totals('', -sum(n.bytes)::bigint, -count(*)) FROM (SELECT DISTINCT sha256, bytes FROM gone) n
  WHERE NOT EXISTS (SELECT FROM inputs i WHERE i.sha256 = n.sha256)
  HAVING count(*) > 0;
  DELETE FROM input_totals WHERE contents = 0 AND user_name <> '';
  RETURN NULL;
END $$;

CREATE FUNCTION count_jobs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE campaign_clusters p SET
      launching = p.launching + d.n,
      active = true,
      prepared = CASE WHEN d.epilogue THEN false WHEN d.prologue THEN true ELSE p.prepared END,
      epilogue_due = NOT d.epilogue AND p.epilogue <> ''
    FROM (
      SELECT campaign_id, cluster_id, count(*) AS n, bool_or(is_epilogue(task)) AS epilogue, bool_or(is_script(task)) AS prologue
      FROM after WHERE NOT pooled GROUP BY 1, 2) d
    WHERE p.campaign_id = d.campaign_id AND p.cluster_id = d.cluster_id;
    RETURN NULL;
  END IF;
  UPDATE campaign_clusters p SET
    launching = p.launching + d.launching, waiting = p.waiting + d.waiting, running = p.running + d.running, unknown = p.unknown + d.unknown
  FROM (
    SELECT campaign_id, cluster_id,
      coalesce(sum(n) FILTER (WHERE state IN ('planned', 'launching')), 0) AS launching,
      coalesce(sum(n) FILTER (WHERE state = 'remote_waiting'), 0) AS waiting,
      coalesce(sum(n) FILTER (WHERE state = 'running'), 0) AS running,
      coalesce(sum(n) FILTER (WHERE state = 'unknown'), 0) AS unknown
    FROM (SELECT campaign_id, cluster_id, state, 1 AS n FROM after
          UNION ALL SELECT campaign_id, cluster_id, state, -1 FROM before) moves
    GROUP BY 1, 2) d
  WHERE p.campaign_id = d.campaign_id AND p.cluster_id = d.cluster_id
    AND (d.launching, d.waiting, d.running, d.unknown) <> (0, 0, 0, 0);
  RETURN NULL;
END $$;

CREATE FUNCTION count_new_inputs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM add_to_input_totals(a.user_name, sum(a.bytes)::bigint, count(*)) FROM added a GROUP BY a.user_name ORDER BY a.user_name;
  PERFORM add_to_input_totals('', sum(n.bytes)::bigint, count(*)) FROM (SELECT DISTINCT sha256, bytes FROM added) n
  WHERE NOT EXISTS (
    SELECT FROM inputs i WHERE i.sha256 = n.sha256 AND NOT EXISTS (
      SELECT FROM added a WHERE a.user_name = i.user_name AND a.sha256 = i.sha256))
  HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION count_plans() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION count_tasks() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  WITH moves AS MATERIALIZED (
    SELECT campaign_id, task_block(number) AS block,
      coalesce(sum(n) FILTER (WHERE state = 'waiting'), 0) AS waiting, coalesce(sum(n) FILTER (WHERE state = 'launching'), 0) AS launching,
      coalesce(sum(n) FILTER (WHERE state = 'submitted'), 0) AS submitted, coalesce(sum(n) FILTER (WHERE state = 'running'), 0) AS running,
      coalesce(sum(n) FILTER (WHERE state = 'done'), 0) AS done, coalesce(sum(n) FILTER (WHERE state = 'failed'), 0) AS failed,
      coalesce(sum(n) FILTER (WHERE state = 'cancelled'), 0) AS cancelled
    FROM (
      SELECT campaign_id, number, state, 1 AS n FROM after WHERE number >= 0
      UNION ALL SELECT campaign_id, number, state, -1 FROM before WHERE number >= 0) changed
    GROUP BY 1, 2),
  failures AS MATERIALIZED (
    SELECT campaign_id, failure, sum(n) AS tasks
    FROM (
      SELECT campaign_id, failure, 1 AS n FROM after WHERE state = 'failed' AND failure IS NOT NULL
      UNION ALL SELECT campaign_id, failure, -1 FROM before WHERE state = 'failed' AND failure IS NOT NULL) changed
    GROUP BY 1, 2 HAVING sum(n) <> 0),
  counted AS (
    UPDATE campaigns c SET
      waiting = c.waiting + d.waiting, launching = c.launching + d.launching, submitted = c.submitted + d.submitted,
      running = c.running + d.running, done = c.done + d.done, failed = c.failed + d.failed, cancelled = c.cancelled + d.cancelled
    FROM (
      SELECT campaign_id, sum(waiting) AS waiting, sum(launching) AS launching, sum(submitted) AS submitted, sum(running) AS running,
        sum(done) AS done, sum(failed) AS failed, sum(cancelled) AS cancelled
      FROM moves GROUP BY 1) d
    WHERE c.id = d.campaign_id
    RETURNING c.id),
  grouped AS (
    UPDATE failure_groups g SET tasks = g.tasks + f.tasks FROM counted c JOIN failures f ON f.campaign_id = c.id
    WHERE g.id = f.failure AND g.campaign_id = c.id)
  INSERT INTO task_blocks AS b (campaign_id, block, launching, submitted, running, done, failed, cancelled)
  SELECT m.campaign_id, m.block, m.launching, m.submitted, m.running, m.done, m.failed, m.cancelled
  FROM counted c JOIN moves m ON m.campaign_id = c.id
  WHERE (m.launching, m.submitted, m.running, m.done, m.failed, m.cancelled) <> (0, 0, 0, 0, 0, 0)
  ON CONFLICT (campaign_id, block) DO UPDATE SET
    launching = b.launching + EXCLUDED.launching, submitted = b.submitted + EXCLUDED.submitted, running = b.running + EXCLUDED.running,
    done = b.done + EXCLUDED.done, failed = b.failed + EXCLUDED.failed, cancelled = b.cancelled + EXCLUDED.cancelled;
  RETURN NULL;
END $$;

CREATE FUNCTION count_unheld() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF EXISTS (SELECT FROM gone WHERE held_by IS NOT NULL) THEN
    PERFORM FROM campaigns WHERE id IN (SELECT campaign_id FROM gone WHERE held_by IS NOT NULL) ORDER BY id FOR NO KEY UPDATE;
    UPDATE campaigns c SET held = c.held - g.tasks
    FROM (SELECT campaign_id, count(*) AS tasks FROM gone WHERE held_by IS NOT NULL GROUP BY 1) g WHERE c.id = g.campaign_id;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION database_identity() RETURNS text
    LANGUAGE sql STABLE
    AS $$
  SELECT format('%s.%s.%s.%s',
    (SELECT system_identifier FROM pg_control_system()),
    substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
    (SELECT oid FROM pg_database WHERE datname = current_database()),
    to_regclass('epochs')::oid)
$$;

CREATE FUNCTION duration_bucket(seconds double precision) RETURNS smallint
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT ceil(ln(greatest(seconds, 1)) / ln(1.1::double precision))::smallint $$;

CREATE TABLE decision_history (
    campaign_id bigint NOT NULL,
    cluster_id bigint NOT NULL,
    change bigint NOT NULL,
    level smallint DEFAULT 0 NOT NULL,
    since timestamp with time zone NOT NULL,
    until timestamp with time zone NOT NULL,
    lasted interval NOT NULL,
    reason text NOT NULL,
    subject text NOT NULL,
    CONSTRAINT decision_history_change_check CHECK ((change > 0)),
    CONSTRAINT decision_history_check CHECK (((since < until) AND (lasted > '00:00:00'::interval) AND (lasted <= (until - since))))
);

COMMENT ON TABLE decision_history IS 'past reasons of each pair; of long ago summed up, by the trigger thin_decision_history';

COMMENT ON COLUMN decision_history.cluster_id IS '0: the whole campaign';

COMMENT ON COLUMN decision_history.change IS 'number of the change of the pair that ended it, from 1; of a sum that of its last one';

COMMENT ON COLUMN decision_history.level IS '0: the reason held from since until until; above: a row for each reason that the pair had in that time, summed up';

COMMENT ON COLUMN decision_history.lasted IS 'of a sum less than from since until until, where other reasons, or none, held too';

CREATE TABLE decisions (
    campaign_id bigint NOT NULL,
    cluster_id bigint NOT NULL,
    stage text NOT NULL,
    reason text NOT NULL,
    jobs integer NOT NULL,
    since timestamp with time zone NOT NULL,
    digest bigint DEFAULT 0 NOT NULL,
    figures jsonb NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    stands_since timestamp with time zone,
    CONSTRAINT decisions_figures_check CHECK ((jsonb_typeof(figures) = 'object'::text))
);

COMMENT ON COLUMN decisions.digest IS 'of all other columns but since, to compare rows without reading the figures';

COMMENT ON COLUMN decisions.figures IS 'the figures of the reason, by the catalogue in lib/decisions/catalogue.hpp; of a row from before the migration: its sentence';

COMMENT ON COLUMN decisions.subject IS 'the thing that the reason is about, where it distinguishes two of a kind: a limit, a campaign, the bound of a launch';

COMMENT ON COLUMN decisions.stands_since IS 'since when reason and subject are these; null: since `since`';

CREATE FUNCTION ended_reason(decision decisions, at timestamp with time zone) RETURNS SETOF decision_history
    LANGUAGE sql STABLE
    AS $$
  SELECT decision.campaign_id, decision.cluster_id, coalesce(last.change, 0) + 1, 0::smallint, began.at, ended_reason.at,
    ended_reason.at - began.at, decision.reason, decision.subject
  FROM (SELECT) one
  LEFT JOIN LATERAL (
    SELECT h.change, h.until FROM decision_history h
    WHERE h.campaign_id = decision.campaign_id AND h.cluster_id = decision.cluster_id ORDER BY h.change DESC LIMIT 1) last ON true
  CROSS JOIN LATERAL (
    SELECT greatest(coalesce(decision.stands_since, decision.since), last.until) AS at) began
  WHERE decision.reason <> 'standing' AND began.at < ended_reason.at
$$;

CREATE FUNCTION epilogue_on(cluster bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT -2 * cluster $$;

CREATE FUNCTION needs_text(needs jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT string_agg(key || '=' || value, ' ' ORDER BY key COLLATE "C") FROM jsonb_each_text(needs)
$$;

CREATE TABLE campaigns (
    id bigint NOT NULL,
    user_name text NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    state campaign_state DEFAULT 'in_treatment'::campaign_state NOT NULL,
    sealed boolean DEFAULT false NOT NULL,
    submitted_at timestamp with time zone NOT NULL,
    first_start_at timestamp with time zone,
    ended_at timestamp with time zone,
    idempotency_key text,
    request_digest bigint,
    groups text[] DEFAULT '{}'::text[] NOT NULL,
    jdl jsonb NOT NULL,
    submitted_jdl jsonb,
    priority integer GENERATED ALWAYS AS (COALESCE(((jdl ->> 'campaign_priority'::text))::integer, 4)) STORED,
    project text GENERATED ALWAYS AS (COALESCE((jdl ->> 'project'::text), ''::text)) STORED,
    scheduler text GENERATED ALWAYS AS ((jdl ->> 'scheduler'::text)) STORED,
    min_duration_s double precision GENERATED ALWAYS AS (((jdl ->> 'min_duration'::text))::double precision) STORED,
    max_attempts integer GENERATED ALWAYS AS (((jdl ->> 'max_attempts'::text))::integer) STORED,
    retries integer GENERATED ALWAYS AS (((jdl ->> 'retries'::text))::integer) STORED,
    retry_on jsonb GENERATED ALWAYS AS ((jdl -> 'retry_on'::text)) STORED,
    max_fails double precision GENERATED ALWAYS AS (((jdl ->> 'max_fails'::text))::double precision) STORED,
    temporal_grouping text GENERATED ALWAYS AS (COALESCE((jdl ->> 'temporal_grouping'::text), 'false'::text)) STORED,
    dimensional_grouping boolean GENERATED ALWAYS AS (COALESCE(((jdl ->> 'dimensional_grouping'::text))::boolean, false)) STORED,
    placeholders boolean GENERATED ALWAYS AS (COALESCE(((jdl ->> 'placeholders'::text))::boolean, false)) STORED,
    params_shell boolean GENERATED ALWAYS AS (COALESCE(((jdl ->> 'params_shell'::text))::boolean, false)) STORED,
    needs text GENERATED ALWAYS AS (needs_text((jdl -> 'needs'::text))) STORED,
    checkpoint_signal text GENERATED ALWAYS AS (((jdl -> 'checkpoint'::text) ->> 'signal'::text)) STORED,
    checkpoint_period_s integer GENERATED ALWAYS AS (
CASE
    WHEN (((jdl -> 'checkpoint'::text) ->> 'period'::text) <> 'auto'::text) THEN (((jdl -> 'checkpoint'::text) ->> 'period'::text))::integer
    ELSE NULL::integer
END) STORED,
    checkpoint_cost_s integer GENERATED ALWAYS AS ((((jdl -> 'checkpoint'::text) ->> 'cost'::text))::integer) STORED,
    follows boolean GENERATED ALWAYS AS (((jdl ? 'after_each'::text) AND (COALESCE((jdl ->> 'after_each_cluster'::text), 'same'::text) <> 'any'::text))) STORED,
    total bigint DEFAULT 0 NOT NULL,
    next_task bigint DEFAULT 0 NOT NULL,
    skipped bigint DEFAULT 0 NOT NULL,
    requests smallint DEFAULT 0 NOT NULL,
    input_mb double precision,
    input_files text DEFAULT ''::text NOT NULL,
    input_bytes bigint DEFAULT 0 NOT NULL,
    waiting bigint DEFAULT 0 NOT NULL,
    launching bigint DEFAULT 0 NOT NULL,
    submitted bigint DEFAULT 0 NOT NULL,
    running bigint DEFAULT 0 NOT NULL,
    done bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    cancelled bigint DEFAULT 0 NOT NULL,
    forgiven bigint DEFAULT 0 NOT NULL,
    requested text DEFAULT '{}'::text NOT NULL,
    purged_at timestamp with time zone,
    reopened_at timestamp with time zone,
    gives boolean GENERATED ALWAYS AS ((jdl ? 'gives'::text)) STORED,
    takes_given boolean GENERATED ALWAYS AS ((jdl ? 'given'::text)) STORED,
    held bigint DEFAULT 0 NOT NULL,
    replicas boolean GENERATED ALWAYS AS (((COALESCE((jdl ->> 'replicas'::text), ''::text) = 'allowed'::text) OR (COALESCE((jdl ->> 'scheduler'::text), ''::text) = 'finalize'::text))) STORED NOT NULL,
    input_tasks bigint DEFAULT 0 NOT NULL,
    CONSTRAINT campaigns_forgiven_check CHECK ((forgiven >= 0)),
    CONSTRAINT campaigns_input_tasks_check CHECK ((input_tasks >= 0)),
    CONSTRAINT campaigns_skipped_check CHECK ((skipped >= 0)),
    CONSTRAINT campaigns_total_check CHECK ((total >= 0)),
    CONSTRAINT campaigns_type_check CHECK ((type = ANY (ARRAY['default'::text, 'test'::text])))
);

COMMENT ON COLUMN campaigns.request_digest IS 'of the request that submitted the campaign under its key, parameters included; null: it had no key, or is of an earlier version';

COMMENT ON COLUMN campaigns.groups IS 'unix groups of its user at the submission, on the machine of gridapi';

COMMENT ON COLUMN campaigns.retries IS 'how often a task that failed by its own fault runs again; null: as configured';

COMMENT ON COLUMN campaigns.retry_on IS 'an array of the exit statuses after which it does; null: any';

COMMENT ON COLUMN campaigns.dimensional_grouping IS 'the jobs of its pools carry out as many tasks side by side as they have cores on one node';

COMMENT ON COLUMN campaigns.placeholders IS 'braces of exec_file stand for words of the parameter, {1} for the first; false: the words follow the command';

COMMENT ON COLUMN campaigns.params_shell IS 'parameters are shell text, which the shell of the task expands';

COMMENT ON COLUMN campaigns.needs IS 'consumables that each task needs, as `gpu=2 matlab=1`; null: none';

COMMENT ON COLUMN campaigns.checkpoint_signal IS 'the signal that its tasks get, without SIG; null: they write no checkpoints';

COMMENT ON COLUMN campaigns.checkpoint_period_s IS 'seconds from one checkpoint to the next; null: as the rate of interruptions requires';

COMMENT ON COLUMN campaigns.checkpoint_cost_s IS 'seconds that a task takes to write one; null: they write none';

COMMENT ON COLUMN campaigns.held IS 'of its waiting tasks, those that a user holds';

COMMENT ON COLUMN campaigns.replicas IS 'whether a running task may get a replica';

COMMENT ON COLUMN campaigns.input_tasks IS 'tasks for which it is recorded which input files they read: those with which it was submitted; any other task needs all files';

CREATE FUNCTION fails_allowed(campaign campaigns) RETURNS double precision
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT CASE WHEN campaign.max_fails < 1 THEN floor(campaign.max_fails * campaign.total + 1e-9) ELSE campaign.max_fails END
$$;

CREATE FUNCTION failure_group(campaign bigint, cluster bigint, ended text, status integer, alike text, line text) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
  found_id bigint;
BEGIN
  SELECT id INTO found_id FROM failure_groups
  WHERE campaign_id = campaign AND cluster_id = cluster AND ending = ended AND coalesce(exit_status, -1) = coalesce(status, -1)
    AND pattern = alike;
  IF found_id IS NOT NULL THEN
    RETURN found_id;
  END IF;
  IF alike <> '' AND (SELECT count(*) FROM failure_groups WHERE campaign_id = campaign AND pattern <> '') >= 200 THEN
    RETURN failure_group(campaign, cluster, ended, status, '', '');
  END IF;
  INSERT INTO failure_groups (campaign_id, cluster_id, ending, exit_status, pattern, stderr_line)
  VALUES (campaign, cluster, ended, status, alike, line) RETURNING id INTO found_id;
  RETURN found_id;
END $$;

CREATE FUNCTION failure_pattern(line text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT regexp_replace(line, '0[xX][0-9a-fA-F]+|\y[0-9a-f]{8,}\y|[0-9]+', '#', 'g')
$$;

CREATE FUNCTION failure_status(ended text, status integer) RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT CASE WHEN ended IN ('task_error', 'rerun_first', 'rerun_last') THEN status END
$$;

CREATE FUNCTION fate_of(ending text, began boolean) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT CASE
    WHEN ending IN ('done', 'walltime', 'preempted') THEN ending
    WHEN ending IN ('task_error', 'rerun_first', 'rerun_last', 'bad_request') THEN 'failed'
    WHEN ending = 'killed_by_us' THEN CASE WHEN began THEN 'killed' ELSE 'taken_back' END
    WHEN ending = 'never_submitted' THEN 'unsent'
    ELSE 'lost' END
$$;

CREATE FUNCTION files_target(live_jobs integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT 5 * live_jobs::bigint + 500 $$;

CREATE FUNCTION follow_freed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  of_campaigns bigint[];
  numbers bigint[];
BEGIN
  SELECT array_agg(a.campaign_id), array_agg(a.number) INTO of_campaigns, numbers
  FROM after a
  JOIN before b ON b.campaign_id = a.campaign_id AND b.number = a.number
  JOIN campaigns c ON c.id = a.campaign_id
  WHERE a.cluster_id IS NULL AND NOT is_script(a.number) AND (c.follows OR a.follows) AND (a.follows OR NOT b.follows);
  IF of_campaigns IS NOT NULL THEN PERFORM bind_followers(of_campaigns, numbers); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION follow_returned() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  of_campaigns bigint[];
  numbers bigint[];
BEGIN
  SELECT array_agg(a.campaign_id), array_agg(a.number) INTO of_campaigns, numbers
  FROM after a JOIN campaigns c ON c.id = a.campaign_id AND c.follows WHERE a.cluster_id IS NULL AND NOT is_script(a.number);
  IF of_campaigns IS NOT NULL THEN PERFORM bind_followers(of_campaigns, numbers); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION forget_totals() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  DELETE FROM totals WHERE cluster_id = OLD.id;
  DELETE FROM plan_quality WHERE cluster_id = OLD.id;
  DELETE FROM forecast_quality WHERE cluster_id = OLD.id;
  RETURN NULL;
END $$;

CREATE TABLE returned_tasks (
    campaign_id bigint NOT NULL,
    number bigint NOT NULL,
    request smallint,
    priority integer DEFAULT 10 NOT NULL,
    cluster_id bigint,
    follows boolean DEFAULT false NOT NULL,
    fence bigint,
    returned_at timestamp with time zone NOT NULL,
    held_by text,
    held_at timestamp with time zone,
    outside boolean DEFAULT false NOT NULL,
    CONSTRAINT returned_tasks_check CHECK (((held_by IS NULL) = (held_at IS NULL))),
    CONSTRAINT returned_tasks_check1 CHECK (((NOT outside) OR (held_by IS NOT NULL)))
);

COMMENT ON COLUMN returned_tasks.held_by IS 'the user who holds the task: it is not in the bag, and may be ahead of the cursor, which passes it; null: nobody does';

COMMENT ON COLUMN returned_tasks.held_at IS 'since when';

COMMENT ON COLUMN returned_tasks.outside IS 'of a held task: it waits for tasks of other campaigns, too, and comes into the bag as these free it';

CREATE FUNCTION goes_before_new(returned returned_tasks) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT returned.priority >= 10 $$;

CREATE FUNCTION has_scripts_left(campaign bigint) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT NOT EXISTS (SELECT FROM campaigns c WHERE c.id = campaign AND c.state = 'terminated') AND (EXISTS (
    SELECT FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id AND k.retired_at IS NULL
    WHERE p.campaign_id = campaign AND p.epilogue_due AND p.last_start_at IS NOT NULL)
  OR EXISTS (
    SELECT FROM tasks t JOIN clusters k ON k.id = cluster_of_script(t.number) AND k.retired_at IS NULL
    WHERE t.campaign_id = campaign AND t.number < 0 AND (is_in_flight(t.state) OR (t.state = 'waiting' AND is_epilogue(t.number)))))
$$;

CREATE FUNCTION have_one_home(one bigint, other bigint) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT one = other OR EXISTS (SELECT FROM clusters a JOIN clusters b ON b.shared_home = a.shared_home WHERE a.id = one AND b.id = other)
$$;

CREATE TABLE campaign_clusters (
    campaign_id bigint NOT NULL,
    cluster_id bigint NOT NULL,
    priority integer DEFAULT 1 NOT NULL,
    exec_file text NOT NULL,
    exec_directory text NOT NULL,
    resources text NOT NULL,
    resources_per_job integer,
    nodes_per_job integer,
    walltime_s integer NOT NULL,
    max_walltime_s integer,
    properties text DEFAULT ''::text NOT NULL,
    project text DEFAULT ''::text NOT NULL,
    job_types text DEFAULT ''::text NOT NULL,
    best_effort boolean DEFAULT true NOT NULL,
    max_jobs integer,
    output_directory text DEFAULT ''::text NOT NULL,
    output_files text DEFAULT ''::text NOT NULL,
    prologue text DEFAULT ''::text NOT NULL,
    prologue_walltime_s integer,
    epilogue text DEFAULT ''::text NOT NULL,
    epilogue_walltime_s integer,
    matching_resources integer,
    matching_at timestamp with time zone,
    array_most integer,
    inputs_wanted boolean DEFAULT false NOT NULL,
    inputs_login text,
    inputs_sent bigint DEFAULT 0 NOT NULL,
    inputs_served_at timestamp with time zone,
    inputs_at timestamp with time zone,
    prepared boolean DEFAULT false NOT NULL,
    epilogue_due boolean DEFAULT false NOT NULL,
    active boolean DEFAULT false NOT NULL,
    launching integer DEFAULT 0 NOT NULL,
    waiting integer DEFAULT 0 NOT NULL,
    running integer DEFAULT 0 NOT NULL,
    unknown integer DEFAULT 0 NOT NULL,
    concluded bigint DEFAULT 0 NOT NULL,
    done bigint DEFAULT 0 NOT NULL,
    duration_sum double precision DEFAULT 0 NOT NULL,
    duration_squares double precision DEFAULT 0 NOT NULL,
    resources_sum bigint DEFAULT 0 NOT NULL,
    resources_jobs bigint DEFAULT 0 NOT NULL,
    last_start_at timestamp with time zone,
    last_accept_at timestamp with time zone,
    interruptions bigint DEFAULT 0 NOT NULL,
    exposed_s double precision DEFAULT 0 NOT NULL,
    failures_in_a_row integer DEFAULT 0 NOT NULL,
    last_failure_at timestamp with time zone,
    failed_since_done integer DEFAULT 0 NOT NULL,
    suspected boolean DEFAULT false NOT NULL,
    measured integer DEFAULT 0 NOT NULL,
    command_s double precision DEFAULT 0 NOT NULL,
    held_s double precision DEFAULT 0 NOT NULL,
    cpu_jobs bigint DEFAULT 0 NOT NULL,
    cpu_s double precision DEFAULT 0 NOT NULL,
    cpu_wall_s double precision DEFAULT 0 NOT NULL,
    memory_jobs bigint DEFAULT 0 NOT NULL,
    peak_memory_mb integer,
    clean_tried_at timestamp with time zone,
    cleaned_at timestamp with time zone,
    last_unbegun bigint,
    io_jobs bigint DEFAULT 0 NOT NULL,
    io_mb double precision DEFAULT 0 NOT NULL,
    io_wall_s double precision DEFAULT 0 NOT NULL,
    inputs_there int8multirange DEFAULT '{}'::int8multirange NOT NULL,
    inputs_lacking int8multirange,
    inputs_ahead bigint DEFAULT 0 NOT NULL,
    inputs_missing bigint,
    ended bigint DEFAULT 0 NOT NULL,
    CONSTRAINT campaign_clusters_array_most_check CHECK ((array_most > 0)),
    CONSTRAINT campaign_clusters_inputs_sent_check CHECK ((inputs_sent >= 0)),
    CONSTRAINT campaign_clusters_nodes_per_job_check CHECK ((nodes_per_job > 0))
);

COMMENT ON COLUMN campaign_clusters.nodes_per_job IS 'nodes of one job; with resources_per_job it takes so many of their cores in all, else they are whole; null: the request names no nodes';

COMMENT ON COLUMN campaign_clusters.job_types IS 'OAR''s types, one a line';

COMMENT ON COLUMN campaign_clusters.array_most IS 'most jobs of an array: half of those of an array whose request was too large; null: as the cluster''s array_size';

COMMENT ON COLUMN campaign_clusters.inputs_wanted IS 'tasks would go there whose input files are not there: they are to be brought';

COMMENT ON COLUMN campaign_clusters.inputs_sent IS 'pieces of input files that are there; the index is there before the first one';

COMMENT ON COLUMN campaign_clusters.clean_tried_at IS 'when the removal of its files there was tried last, and some stayed; null: it was not tried, or none stayed';

COMMENT ON COLUMN campaign_clusters.io_jobs IS 'jobs done for which io_mb and their duration are known';

COMMENT ON COLUMN campaign_clusters.io_mb IS 'of these, in all';

COMMENT ON COLUMN campaign_clusters.io_wall_s IS 'seconds that the commands of these took, in all';

COMMENT ON COLUMN campaign_clusters.inputs_there IS 'their numbers';

COMMENT ON COLUMN campaign_clusters.inputs_lacking IS 'tasks that lack files there, whatever their state; null: each task may';

COMMENT ON COLUMN campaign_clusters.inputs_ahead IS 'for so many of the tasks that go there next';

COMMENT ON COLUMN campaign_clusters.inputs_missing IS 'bytes of the pieces that these lack, as the runner found last; null: it has not looked';

COMMENT ON COLUMN campaign_clusters.ended IS 'jobs that carried out an attempt of a task, done or not';

CREATE FUNCTION held_by(campaign campaigns, pair campaign_clusters, consumable text) RETURNS double precision
    LANGUAGE sql STABLE
    AS $$
  SELECT live_jobs(pair) * held_of(campaign, pair, consumable)
    + CASE WHEN campaign.dimensional_grouping THEN greatest(1, floor(job_width(pair))) ELSE 1 END * coalesce((
      SELECT sum(f.jobs * (coalesce((l.needs ->> consumable)::double precision, 0)
        - coalesce((campaign.jdl -> 'needs' ->> consumable)::double precision, 0)))
      FROM launches l
      CROSS JOIN LATERAL (
        SELECT count(*) AS jobs FROM jobs j WHERE j.launch_id = l.id AND is_live(j.state) AND NOT j.pooled) f
      WHERE l.campaign_id = campaign.id AND l.cluster_id = pair.cluster_id AND l.needs IS NOT NULL), 0)
$$;

CREATE FUNCTION held_of(campaign campaigns, pair campaign_clusters, consumable text) RETURNS double precision
    LANGUAGE sql STABLE
    AS $$
  SELECT coalesce((campaign.jdl -> 'needs' ->> consumable)::double precision, 0)
    * CASE WHEN campaign.dimensional_grouping THEN greatest(1, floor(job_width(pair))) ELSE 1 END
$$;

CREATE FUNCTION history_level(change bigint, latest bigint) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  SELECT CASE
    WHEN last_of_sum(change, 5::smallint) <= latest - 131072 THEN 5
    WHEN last_of_sum(change, 4::smallint) <= latest - 16384 THEN 4
    WHEN last_of_sum(change, 3::smallint) <= latest - 2048 THEN 3
    WHEN last_of_sum(change, 2::smallint) <= latest - 256 THEN 2
    WHEN last_of_sum(change, 1::smallint) <= latest - 32 THEN 1
    ELSE 0 END::smallint
$$;

CREATE FUNCTION instant(micros bigint) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    AS $$ SELECT 'epoch'::timestamptz + micros * interval '1 microsecond' $$;

CREATE FUNCTION is_attempt(ending text, pooled boolean, started_at timestamp with time zone) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT CASE WHEN pooled THEN use_of(coalesce(ending, '')) <> 'lost' ELSE started_at IS NOT NULL END
$$;

CREATE FUNCTION is_attempt_open(job jobs) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT job.ending = 'never_began' OR EXISTS (
    SELECT FROM jobs o WHERE o.campaign_id = job.campaign_id AND o.task = job.task AND o.attempt = job.attempt AND o.id <> job.id)
$$;

CREATE TABLE tasks (
    campaign_id bigint NOT NULL,
    number bigint NOT NULL,
    form "char" DEFAULT 'l'::"char" NOT NULL,
    parameter text NOT NULL,
    request smallint,
    walltime_s integer,
    state task_state DEFAULT 'waiting'::task_state NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    replica integer,
    replica_lives boolean DEFAULT false NOT NULL,
    charged integer DEFAULT 0 NOT NULL,
    uncounted integer DEFAULT 0 NOT NULL,
    cancelling boolean DEFAULT false NOT NULL,
    failure bigint,
    CONSTRAINT tasks_uncounted_check CHECK ((uncounted >= 0))
)
WITH (fillfactor='90', autovacuum_vacuum_scale_factor='0.05');

COMMENT ON COLUMN tasks.failure IS 'while it is failed: its group of failure_groups; null: it is not, or no job of it has failed';

CREATE FUNCTION is_awaited(task tasks, job_attempt integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT is_in_flight(task.state) AND is_copy(task, job_attempt)
$$;

CREATE FUNCTION is_copy(task tasks, job_attempt integer) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT job_attempt = task.attempt OR (task.replica_lives AND job_attempt = task.replica) $$;

CREATE FUNCTION is_epilogue(task bigint) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT task < 0 AND task % 2 = 0 $$;

CREATE FUNCTION is_fed(campaign bigint) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT EXISTS (
    SELECT FROM dependencies d JOIN campaigns c ON c.id = d.campaign_id
    WHERE d.campaign_id = campaign AND d.kind = 'after_each' AND (d.met_at IS NULL OR c.follows OR c.takes_given))
$$;

CREATE FUNCTION is_held(campaign bigint, task bigint) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT awaits_task(campaign, task) OR EXISTS (
    SELECT FROM dependencies d
    WHERE d.campaign_id = campaign AND d.kind = 'after_each' AND d.released_at IS NULL
      AND ((task >= d.scan_at AND task < d.scan_to) OR EXISTS (
        SELECT FROM freed_tasks f WHERE f.on_campaign = d.on_campaign AND f.place > d.released_to AND f.number = task)))
    OR EXISTS (SELECT FROM withheld_tasks w WHERE w.campaign_id = campaign AND w.number = task)
$$;

CREATE FUNCTION is_in_flight(state task_state) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT state IN ('launching', 'submitted', 'running') $$;

CREATE FUNCTION is_kept_waiting(campaign bigint) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT EXISTS (SELECT FROM dependencies d WHERE d.campaign_id = campaign AND d.met_at IS NULL AND d.kind <> 'after_each')
    OR (EXISTS (SELECT FROM dependencies d WHERE d.campaign_id = campaign AND d.met_at IS NULL AND d.kind = 'after_each')
      AND NOT EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = campaign AND r.held_by IS NULL AND NOT is_script(r.number)))
$$;

CREATE TABLE kill_requests (
    job_id bigint NOT NULL,
    reason text NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    sends integer DEFAULT 0 NOT NULL,
    CONSTRAINT kill_requests_reason_check CHECK ((reason = ANY (ARRAY['cancelled'::text, 'task_cancelled'::text, 'excess'::text, 'waited_too_long'::text, 'replica'::text, 'preempted'::text, 'impatient'::text, 'overdue'::text, 'late'::text, 'lost'::text, 'resent'::text])))
);

CREATE FUNCTION is_killed_after_its_end(job jobs, kill kill_requests) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT NOT is_live(job.state) AND job.remote_id IS NOT NULL AND kill.sends < 3 AND kill.requested_at > now() - interval '1 day'
    AND (kill.reason = 'resent' OR (kill.reason = 'lost' AND job.ending = 'lost'))
$$;

CREATE FUNCTION is_live(state campaign_state) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT state IN ('in_treatment', 'paused') $$;

CREATE FUNCTION is_live(state job_state) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT state IN ('planned', 'launching', 'remote_waiting', 'running', 'unknown', 'pooled') $$;

CREATE FUNCTION is_open(state job_state) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT state IN ('planned', 'launching', 'unknown') $$;

CREATE FUNCTION is_open(state launch_state) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT state IN ('planned', 'launching', 'unknown') $$;

CREATE FUNCTION is_over(state campaign_state) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT state IN ('terminated', 'cancelled') $$;

CREATE FUNCTION is_prompt(submitted_at timestamp with time zone, started_at timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT coalesce(started_at <= submitted_at + interval '15 seconds', true)
$$;

CREATE FUNCTION is_remote(state job_state) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT state IN ('remote_waiting', 'running') $$;

CREATE FUNCTION is_script(task bigint) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT task < 0 $$;

CREATE FUNCTION is_unfound(job jobs) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT job.state = 'error' AND NOT job.pooled AND (job.ending = 'never_submitted' OR (job.ending = 'lost' AND job.remote_id IS NULL))
$$;

CREATE FUNCTION job_nodes(pair campaign_clusters) RETURNS double precision
    LANGUAGE sql STABLE
    AS $$
  SELECT coalesce(pair.nodes_per_job::double precision,
    (SELECT greatest(1, ceil(job_width(pair) / nullif(k.max_node_resources, 0))) FROM clusters k WHERE k.id = pair.cluster_id), 1)
$$;

CREATE FUNCTION job_width(pair campaign_clusters) RETURNS double precision
    LANGUAGE sql STABLE
    AS $$
  SELECT coalesce(known_width(pair),
    (SELECT 1 / nullif(f.job_ratio, 0) FROM forecasts f JOIN campaigns c ON c.id = f.campaign_id AND c.requests > 0
     WHERE f.campaign_id = pair.campaign_id AND f.cluster_id = pair.cluster_id),
    (SELECT k.max_node_resources * coalesce(pair.nodes_per_job, 1)::double precision FROM clusters k WHERE k.id = pair.cluster_id), 1)
$$;

CREATE FUNCTION judge_forecasts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION judged(job jobs) RETURNS TABLE(day date, cluster_id bigint, algorithm text, type text, fate text, started boolean, waited boolean, wait_s double precision, held_s double precision, wasted_s double precision)
    LANGUAGE sql STABLE
    AS $$
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

CREATE FUNCTION known_width(pair campaign_clusters) RETURNS double precision
    LANGUAGE sql STABLE
    AS $$
  SELECT coalesce(requested_width(pair)::double precision, pair.resources_sum::double precision / nullif(pair.resources_jobs, 0))
$$;

CREATE FUNCTION lacking_inputs(campaign bigint, cluster bigint) RETURNS int8multirange
    LANGUAGE sql STABLE
    AS $$
  SELECT CASE
    WHEN p.inputs_login IS DISTINCT FROM u.login THEN '{(,)}'::int8multirange
    WHEN p.inputs_at IS NULL THEN coalesce(p.inputs_lacking, '{(,)}'::int8multirange) END
  FROM campaigns c
  JOIN campaign_clusters p ON p.campaign_id = c.id AND p.cluster_id = cluster
  JOIN logins u ON u.campaign_id = c.id AND u.cluster_id = cluster
  WHERE c.id = campaign AND c.input_files <> ''
$$;

CREATE FUNCTION last_of_sum(change bigint, level smallint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  SELECT (change + (2::bigint << 3 * level) - 1) / (2::bigint << 3 * level) * (2::bigint << 3 * level)
$$;

CREATE FUNCTION launches_as(campaign bigint, cluster bigint, login text) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT EXISTS (SELECT FROM logins u WHERE u.campaign_id = campaign AND u.cluster_id = cluster AND u.login = launches_as.login)
    OR EXISTS (SELECT FROM launches l WHERE l.campaign_id = campaign AND l.cluster_id = cluster AND l.login = launches_as.login)
$$;

CREATE FUNCTION live_jobs(pair campaign_clusters) RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT pair.launching + pair.waiting + pair.running + pair.unknown $$;

CREATE FUNCTION may_start_late(job jobs) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT job.ending = 'never_began' OR (job.ending IN ('killed_by_us', 'killed_elsewhere') AND job.started_at IS NOT NULL) OR job.resubmissions > 0
$$;

CREATE FUNCTION meet_dependencies() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  UPDATE dependencies SET met_at = clock_timestamp()
  WHERE on_campaign = NEW.id AND met_at IS NULL AND meets(NEW, kind);
  RETURN NULL;
END $$;

CREATE FUNCTION meets(campaign campaigns, kind text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT CASE kind WHEN 'after_any_end' THEN is_over(campaign.state)
    ELSE campaign.state = 'terminated' AND campaign.done = campaign.total END
$$;

CREATE FUNCTION micros(t timestamp with time zone) RETURNS bigint
    LANGUAGE sql STABLE
    AS $$ SELECT (date_part('epoch', t) * 1000000)::bigint $$;

CREATE FUNCTION next_attempt(task tasks) RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT greatest(task.attempt, task.replica) + 1 $$;

CREATE FUNCTION next_tasks_for(campaign bigint, cluster bigint, most bigint) RETURNS int8multirange
    LANGUAGE sql STABLE
    AS $$
  SELECT coalesce(range_agg(tasks), '{}') FROM (
    SELECT int8range(c.next_task, least(c.total, c.next_task + most)) AS tasks FROM campaigns c
    WHERE c.id = campaign AND c.requests = 0 AND c.total - c.next_task - c.skipped > 0
    UNION ALL
    SELECT int8range(f.number, f.number, '[]') FROM request_bags b CROSS JOIN LATERAL (
      SELECT t.number FROM request_tasks t WHERE t.campaign_id = campaign AND t.request = b.request AND t.number >= b.next_task
      ORDER BY t.number LIMIT most) f
    WHERE b.campaign_id = campaign AND b.untaken > 0
    UNION ALL
    (SELECT int8range(r.number, r.number, '[]') FROM returned_tasks r
     WHERE r.campaign_id = campaign AND r.held_by IS NULL AND NOT is_script(r.number)
       AND (r.cluster_id IS NULL OR r.cluster_id = cluster OR have_one_home(r.cluster_id, cluster))
     ORDER BY r.number LIMIT most)) next
$$;

CREATE FUNCTION next_untaken(campaign bigint, first bigint, past bigint, most bigint) RETURNS SETOF bigint
    LANGUAGE sql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
  SELECT number FROM tasks t WHERE campaign_id = campaign AND number >= first AND number < past AND state = 'waiting'
    AND NOT EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = campaign AND r.number = t.number)
  ORDER BY number LIMIT most
$$;

CREATE FUNCTION note_act() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  was jsonb;
  becomes jsonb;
  row_now jsonb;
  named text := TG_ARGV[0];
BEGIN
  IF TG_OP <> 'INSERT' THEN was := jsonb_strip_nulls(to_jsonb(old)); END IF;
  IF TG_OP <> 'DELETE' THEN becomes := jsonb_strip_nulls(to_jsonb(new)); END IF;
  row_now := coalesce(becomes, was);
  FOR i IN 1 .. TG_NARGS - 1 LOOP named := concat_ws(' ', named, row_now ->> TG_ARGV[i]); END LOOP;
  IF row_now ? 'cluster_id' THEN
    named := named || ' on ' || coalesce((SELECT k.name FROM clusters k WHERE k.id = (row_now ->> 'cluster_id')::bigint), row_now ->> 'cluster_id');
  END IF;
  IF TG_OP = 'UPDATE' THEN
    SELECT coalesce(jsonb_object_agg(b.key, b.value) FILTER (WHERE becomes -> b.key IS DISTINCT FROM b.value), '{}'),
      coalesce((SELECT jsonb_object_agg(a.key, a.value) FILTER (WHERE was -> a.key IS DISTINCT FROM a.value) FROM jsonb_each(becomes) a), '{}')
      INTO was, becomes FROM jsonb_each(was) b;
    IF was = '{}' AND becomes = '{}' THEN RETURN NULL; END IF;
  END IF;
  INSERT INTO audit (acted_at, actor, origin, act, subject, campaign_id, before, after)
  VALUES (now(), coalesce(acting(), session_user), CASE WHEN acting() IS NULL THEN 'sql' ELSE current_setting('gleaner.origin') END,
    CASE WHEN acting() IS NULL THEN TG_OP ELSE current_setting('gleaner.act') END,
    named, (row_now ->> 'campaign_id')::bigint, was, becomes);
  RETURN NULL;
END $$;

CREATE FUNCTION note_algorithm() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  NEW.algorithm := coalesce(
    (SELECT f.algorithm FROM forecasts f WHERE f.campaign_id = NEW.campaign_id AND f.cluster_id = NEW.cluster_id), '');
  RETURN NEW;
END $$;

CREATE FUNCTION note_campaign() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM note_change('campaign', NEW.state::text, NEW.id, NEW.id);
  RETURN NULL;
END $$;

CREATE FUNCTION note_change(of_kind text, how text, of_subject bigint, campaign bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
  writer bigint := pg_current_xact_id()::text::bigint;
BEGIN
  IF how IN ('counts', 'again') THEN
    INSERT INTO feed AS f (xact, noted_at, kind, change, subject, campaign_id)
    VALUES (writer, clock_timestamp(), of_kind, how, of_subject, campaign)
    ON CONFLICT (kind, subject) WHERE change IN ('counts', 'again')
    DO UPDATE SET xact = EXCLUDED.xact, id = DEFAULT, noted_at = EXCLUDED.noted_at WHERE f.xact <> EXCLUDED.xact;
  ELSE
    INSERT INTO feed (xact, noted_at, kind, change, subject, campaign_id)
    VALUES (writer, clock_timestamp(), of_kind, how, of_subject, campaign);
  END IF;
  PERFORM pg_notify('gleaner_feed', '');
END $$;

CREATE FUNCTION note_cluster() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM note_change('cluster', 'cluster', NEW.id, NULL);
  RETURN NULL;
END $$;

CREATE FUNCTION note_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM note_change('event',
    CASE WHEN NEW.state = 'closed' THEN 'closed' WHEN TG_ARGV[0] = 'new' OR OLD.state = 'closed' THEN 'opened' ELSE 'again' END,
    NEW.id, NEW.campaign_id);
  RETURN NULL;
END $$;

CREATE FUNCTION note_failure() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  NEW.last_failure_at := clock_timestamp();
  RETURN NEW;
END $$;

CREATE FUNCTION note_first_campaign() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO first_campaigns AS f (user_name, submitted_at) VALUES (NEW.user_name, NEW.submitted_at)
  ON CONFLICT (user_name) DO UPDATE SET submitted_at = EXCLUDED.submitted_at WHERE f.submitted_at > EXCLUDED.submitted_at;
  RETURN NULL;
END $$;

CREATE FUNCTION note_progress() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM note_change('progress', 'counts', NEW.id, NEW.id);
  RETURN NULL;
END $$;

CREATE FUNCTION note_reopened() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  NEW.reopened_at := clock_timestamp();
  RETURN NEW;
END $$;

CREATE FUNCTION note_requested() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  UPDATE campaigns SET requested = requested_of(id)::text WHERE id = NEW.campaign_id;
  RETURN NULL;
END $$;

CREATE FUNCTION note_term() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  NEW.taken_at := clock_timestamp();
  RETURN NEW;
END $$;

CREATE FUNCTION prologue_on(cluster bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT 1 - 2 * cluster $$;

CREATE FUNCTION ready_tasks_of(campaign bigint, lacking int8multirange, most bigint) RETURNS bigint
    LANGUAGE sql STABLE
    AS $$
  SELECT
    coalesce((SELECT least(c.total - c.next_task - c.skipped, coalesce((
        SELECT min(greatest(coalesce(lower(l), 0), c.next_task)) FROM unnest(lacking) l WHERE l && int8range(c.next_task, NULL)), c.total) - c.next_task)
      FROM campaigns c WHERE c.id = campaign AND c.requests = 0), 0)
    + coalesce((SELECT sum(f.tasks) FROM request_bags b CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE NOT stopped) AS tasks FROM (
          SELECT bool_or(lacking @> t.number) OVER (ORDER BY t.number) AS stopped FROM request_tasks t
          WHERE t.campaign_id = campaign AND t.request = b.request AND t.number >= b.next_task ORDER BY t.number LIMIT most) counted) f
      WHERE b.campaign_id = campaign AND b.untaken > 0), 0)::bigint
    + (SELECT count(*) FROM (
        SELECT FROM returned_tasks r WHERE r.campaign_id = campaign AND r.held_by IS NULL AND NOT is_script(r.number)
          AND NOT lacking @> r.number LIMIT most) counted)
$$;

CREATE FUNCTION release_tasks() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM dependencies WHERE met_at IS NULL AND kind = 'after_each') THEN RETURN NULL; END IF;
  INSERT INTO freed_tasks (on_campaign, number)
  SELECT a.campaign_id, a.number FROM after a
  WHERE a.state = 'done' AND NOT is_script(a.number)
    AND EXISTS (SELECT FROM dependencies d WHERE d.on_campaign = a.campaign_id AND d.met_at IS NULL AND d.kind = 'after_each');
  RETURN NULL;
END $$;

CREATE FUNCTION renewal_due(expires timestamp with time zone, renewed timestamp with time zone, days double precision) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT expires - least(days * interval '1 day', CASE WHEN renewed IS NULL THEN days * interval '1 day' ELSE (expires - renewed) / 2 END)
$$;

CREATE FUNCTION requested_of(campaign bigint) RETURNS pair_requests[]
    LANGUAGE sql STABLE
    AS $$
  SELECT coalesce(
    array_agg((clusters, priority, resources_per_job, walltime_s, max_jobs, nodes_per_job, best_effort)::pair_requests ORDER BY clusters), '{}')
  FROM (SELECT array_agg(cluster_id ORDER BY cluster_id) AS clusters, priority, resources_per_job, walltime_s, max_jobs, nodes_per_job, best_effort
        FROM campaign_clusters WHERE campaign_id = campaign
        GROUP BY priority, resources_per_job, walltime_s, max_jobs, nodes_per_job, best_effort) g
$$;

CREATE FUNCTION requested_width(pair campaign_clusters) RETURNS integer
    LANGUAGE sql STABLE
    AS $$
  SELECT coalesce(pair.resources_per_job,
    (SELECT least(10000000, pair.nodes_per_job::bigint * k.max_node_resources)::integer FROM clusters k
     WHERE k.id = pair.cluster_id AND k.max_node_resources = k.min_node_resources AND pair.nodes_per_job IS NOT NULL))
$$;

CREATE FUNCTION saved_seconds(ending text, started_at timestamp with time zone, checkpointed_at timestamp with time zone, ended_at timestamp with time zone) RETURNS double precision
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT coalesce(greatest(0, extract(epoch FROM CASE
    WHEN ending IN ('done', 'task_error', 'bad_request') THEN NULL
    WHEN ending = 'rerun_first' THEN ended_at
    WHEN checkpointed_at IS NOT NULL THEN least(checkpointed_at, ended_at) END - started_at)), 0)::double precision
$$;

CREATE FUNCTION severity_of(what text) RETURNS smallint
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT CASE
    WHEN what IN ('CAMPAIGN_TERMINATED', 'FIRST_FAILURE', 'MAX_FAILS', 'PROLOGUE_FAILED', 'EPILOGUE_FAILED', 'SINK', 'CANNOT_PLAN',
      'AWAITS_IN_VAIN', 'CLUSTER_UNREACHABLE', 'NOT_CONDUCTED', 'DATABASE_UNAVAILABLE', 'DATABASE_RESTORED', 'DATABASE_NEARLY_FULL',
      'ADMISSION_RULE', 'TOKEN_ENDS_IN_A_WEEK', 'TOKEN_ENDS_IN_A_DAY', 'TOKEN_ENDED', 'TOKEN_REFUSED', 'TOKENS_UNREADABLE',
      'SIGNING_KEY_REFUSED')
      OR what LIKE 'LAW\_BROKEN\_%' OR what LIKE 'MODULE\_FAILED\_%' THEN 3
    WHEN what IN ('CAMPAIGN_CANCELLED', 'TASK_ERROR', 'TASKS_RELEASED', 'JOBS_RENAMED', 'REPAIRED', 'UNDER_STRESS', 'LOAD_UNKNOWN',
      'POOL_REFUSED', 'ARRAY_TOO_LARGE', 'LAUNCH_LOST') THEN 1
    ELSE 2
  END::smallint
$$;

CREATE FUNCTION severity_word(severity smallint) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT (ARRAY['low', 'medium', 'high'])[severity] $$;

CREATE FUNCTION sharer_of(campaign bigint, cluster bigint) RETURNS bigint
    LANGUAGE sql STABLE
    AS $$
  SELECT h.id FROM clusters k
  JOIN clusters h ON h.id <> k.id AND h.shared_home = k.shared_home AND h.enabled AND h.retired_at IS NULL
  JOIN campaign_clusters p ON p.campaign_id = campaign AND p.cluster_id = h.id AND p.max_jobs IS DISTINCT FROM 0
  WHERE k.id = cluster ORDER BY h.id LIMIT 1
$$;

CREATE FUNCTION still_holds(decision decisions, at timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT decision.reason NOT IN ('campaign_braked', 'pair_braked', 'cluster_braked') OR EXISTS (
    SELECT FROM brakes b
    WHERE b.expires_at > at
      AND b.campaign_id IS NOT DISTINCT FROM CASE WHEN decision.reason <> 'cluster_braked' THEN decision.campaign_id END
      AND b.cluster_id IS NOT DISTINCT FROM CASE WHEN decision.reason <> 'campaign_braked' THEN decision.cluster_id END)
$$;

CREATE FUNCTION summed(one bigint[], other bigint[]) RETURNS bigint[]
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT array_agg(coalesce(a, 0) + coalesce(b, 0) ORDER BY place)
  FROM unnest(one, other) WITH ORDINALITY AS u(a, b, place)
$$;

CREATE FUNCTION task_block(number bigint) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT (number / 1000)::integer $$;

CREATE FUNCTION tell_brake() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM add_notice('BRAKE', 'opened', NEW.campaign_id, NEW.cluster_id, NULL, NEW.reason, NEW.created_at);
  RETURN NULL;
END $$;

CREATE FUNCTION tell_campaign() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF OLD.state <> NEW.state AND is_over(NEW.state) THEN
    PERFORM add_notice('CAMPAIGN_' || upper(NEW.state::text), 'opened', NEW.id, NULL, NULL, '', coalesce(NEW.ended_at, now()));
  END IF;
  IF OLD.failed = 0 AND NEW.failed > 0 THEN
    PERFORM add_notice('FIRST_FAILURE', 'opened', NEW.id, NULL, NULL, '', now());
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION tell_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM add_notice(NEW.code, CASE NEW.state WHEN 'open' THEN 'opened' ELSE 'closed' END, NEW.campaign_id, NEW.cluster_id, NEW.id, NEW.message,
    CASE NEW.state WHEN 'open' THEN NEW.opened_at ELSE coalesce(NEW.closed_at, now()) END, NEW.user_name);
  RETURN NULL;
END $$;

CREATE FUNCTION thin_decision_history() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM added WHERE level = 0 AND change > 32 AND (change + campaign_id + cluster_id) % 16 = 0) THEN
    RETURN NULL;
  END IF;
  WITH due AS (
    SELECT campaign_id, cluster_id, change FROM added WHERE level = 0 AND change > 32 AND (change + campaign_id + cluster_id) % 16 = 0),
  old AS (
    DELETE FROM decision_history h USING due d
    WHERE h.campaign_id = d.campaign_id AND h.cluster_id = d.cluster_id AND h.change <= d.change - 32
      AND h.level < history_level(h.change, d.change)
    RETURNING h.*, history_level(h.change, d.change) AS next)
  INSERT INTO decision_history (campaign_id, cluster_id, change, level, since, until, lasted, reason, subject)
  SELECT campaign_id, cluster_id, last_of_sum(change, next), next, min(min(since)) OVER sum_of, max(max(until)) OVER sum_of, sum(lasted),
    reason, subject
  FROM old GROUP BY campaign_id, cluster_id, last_of_sum(change, next), next, reason, subject
  WINDOW sum_of AS (PARTITION BY campaign_id, cluster_id, last_of_sum(change, next), next);
  RETURN NULL;
END $$;

CREATE FUNCTION total_campaigns() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO totals AS t (kind, result, times) VALUES ('campaign', CASE TG_OP WHEN 'INSERT' THEN 'submitted' ELSE NEW.state::text END, 1)
  ON CONFLICT (kind, cluster_id, name, result) DO UPDATE SET times = t.times + 1;
  RETURN NULL;
END $$;

CREATE FUNCTION total_kills() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO totals AS t (kind, cluster_id, name, times)
  SELECT 'kill', j.cluster_id, a.reason, count(*) FROM added a JOIN jobs j ON j.id = a.job_id GROUP BY 2, 3 ORDER BY 2, 3
  ON CONFLICT (kind, cluster_id, name, result) DO UPDATE SET times = t.times + EXCLUDED.times;
  RETURN NULL;
END $$;

CREATE FUNCTION total_resources() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION use_of(ending text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT CASE WHEN ending = 'done' THEN 'useful'
              WHEN ending IN ('task_error', 'rerun_first', 'rerun_last', 'walltime', 'bad_request') THEN 'failed'
              ELSE 'lost' END
$$;

CREATE TABLE admission_rules (
    id bigint NOT NULL,
    name text NOT NULL,
    "position" integer NOT NULL,
    text text NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    created_by text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_by text NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT admission_rules_name_check CHECK ((name <> ''::text))
);

ALTER TABLE admission_rules ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME admission_rules_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE affinities (
    user_name text NOT NULL,
    cluster_id bigint NOT NULL
);

CREATE TABLE algorithm_trials (
    campaign_id bigint NOT NULL,
    cluster_id bigint NOT NULL,
    algorithm text NOT NULL,
    job_ratio double precision NOT NULL,
    waste double precision NOT NULL
);

COMMENT ON TABLE algorithm_trials IS 'where each pair has an algorithm of the job ratio of its own: what each of them has learnt, and would have wasted';

CREATE TABLE audit (
    id bigint NOT NULL,
    acted_at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    origin text NOT NULL,
    act text NOT NULL,
    subject text NOT NULL,
    campaign_id bigint,
    before jsonb,
    after jsonb
);

ALTER TABLE audit ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME audit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE brakes (
    id bigint NOT NULL,
    campaign_id bigint,
    cluster_id bigint,
    reason text NOT NULL,
    level integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    set_by text,
    CONSTRAINT brakes_check CHECK (((campaign_id IS NOT NULL) OR (cluster_id IS NOT NULL)))
);

COMMENT ON COLUMN brakes.set_by IS 'the user who set it by hand (gridevents --blacklist-cluster); null: the grid itself, which lifts it when jobs succeed again';

ALTER TABLE brakes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME brakes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE campaign_changes (
    id bigint NOT NULL,
    campaign_id bigint NOT NULL,
    changed_by text NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    edits jsonb DEFAULT '[]'::jsonb NOT NULL,
    first_task bigint,
    tasks bigint DEFAULT 0 NOT NULL,
    idempotency_key text,
    digest bigint,
    CONSTRAINT campaign_changes_check CHECK (((first_task IS NULL) = (tasks = 0))),
    CONSTRAINT campaign_changes_check1 CHECK (((idempotency_key IS NULL) = (digest IS NULL))),
    CONSTRAINT campaign_changes_tasks_check CHECK ((tasks >= 0))
);

ALTER TABLE campaign_changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME campaign_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE campaign_forecasts (
    campaign_id bigint NOT NULL,
    made_at timestamp with time zone NOT NULL,
    method text NOT NULL,
    end_at timestamp with time zone,
    end_earliest timestamp with time zone,
    end_latest timestamp with time zone,
    start_at timestamp with time zone,
    start_earliest timestamp with time zone,
    start_latest timestamp with time zone
);

CREATE TABLE campaign_inputs (
    campaign_id bigint NOT NULL,
    place integer NOT NULL,
    path text NOT NULL,
    sha256 text NOT NULL,
    bytes bigint NOT NULL,
    begin bigint NOT NULL,
    mode integer DEFAULT 292 NOT NULL,
    first_task bigint DEFAULT 0 NOT NULL,
    last_task bigint DEFAULT '9223372036854775806'::bigint NOT NULL,
    CONSTRAINT campaign_inputs_begin_check CHECK ((begin >= 0)),
    CONSTRAINT campaign_inputs_bytes_check CHECK ((bytes >= 0)),
    CONSTRAINT campaign_inputs_mode_check CHECK ((((mode >= 0) AND (mode <= 365)) AND ((mode & 146) = 0)))
);

COMMENT ON COLUMN campaign_inputs.first_task IS 'the first of the tasks that read the file, among those with which the campaign was submitted; the files are in this order';

COMMENT ON COLUMN campaign_inputs.last_task IS 'the last of them; smaller than the first: none reads it';

CREATE TABLE campaign_order (
    is_only boolean DEFAULT true NOT NULL,
    campaign_order text NOT NULL,
    classes jsonb NOT NULL,
    campaigns bigint[] NOT NULL,
    campaign_classes integer[] NOT NULL,
    places bigint NOT NULL,
    digest bigint NOT NULL,
    since timestamp with time zone NOT NULL,
    CONSTRAINT campaign_order_check CHECK ((cardinality(campaign_classes) = cardinality(campaigns))),
    CONSTRAINT campaign_order_classes_check CHECK ((jsonb_typeof(classes) = 'array'::text)),
    CONSTRAINT campaign_order_is_only_check CHECK (is_only)
);

COMMENT ON TABLE campaign_order IS 'in which order the latest plan served the campaigns';

COMMENT ON COLUMN campaign_order.campaign_order IS 'the key of the configuration';

COMMENT ON COLUMN campaign_order.classes IS 'each an object; all campaigns of one go before those of the next';

COMMENT ON COLUMN campaign_order.campaigns IS 'the first at the head, 10000 at most; one twice: first on clusters of affinity, then on the others';

COMMENT ON COLUMN campaign_order.campaign_classes IS 'the class of each, by its place in classes, from 1';

COMMENT ON COLUMN campaign_order.places IS 'of all campaigns of the plan';

COMMENT ON COLUMN campaign_order.digest IS 'of all that comes before it';

CREATE TABLE campaign_requests (
    campaign_id bigint NOT NULL,
    cluster_id bigint NOT NULL,
    request smallint NOT NULL,
    shape smallint NOT NULL,
    resources text NOT NULL,
    resources_per_job integer,
    memory_mb bigint,
    walltime_s integer NOT NULL
);

ALTER TABLE campaigns ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME campaigns_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE launches (
    id bigint NOT NULL,
    campaign_id bigint NOT NULL,
    cluster_id bigint NOT NULL,
    state launch_state DEFAULT 'planned'::launch_state NOT NULL,
    term bigint NOT NULL,
    jobs integer NOT NULL,
    resources double precision NOT NULL,
    script text,
    pool_s integer,
    beside bigint,
    needs jsonb,
    request text,
    memory_mb bigint,
    walltime_s integer,
    tag text,
    login text,
    planned_at timestamp with time zone NOT NULL,
    launching_at timestamp with time zone,
    settled_at timestamp with time zone,
    array_id bigint,
    error text,
    unknown_at timestamp with time zone,
    looks integer DEFAULT 0 NOT NULL,
    last_look_at timestamp with time zone,
    released_at timestamp with time zone,
    files integer,
    cleaned_at timestamp with time zone,
    algorithm text DEFAULT ''::text NOT NULL,
    leaves text DEFAULT ''::text NOT NULL,
    read_at timestamp with time zone,
    CONSTRAINT launches_pool_s_check CHECK ((pool_s > 0)),
    CONSTRAINT launches_script_check CHECK ((script = ANY (ARRAY['prologue'::text, 'epilogue'::text])))
);

COMMENT ON COLUMN launches.beside IS 'the job of the task of which this launch is a replica on the same cluster: it goes to another node; null: of none';

COMMENT ON COLUMN launches.needs IS 'consumables that each of its tasks holds, as the campaign''s needs were before an edit; null: as they are';

COMMENT ON COLUMN launches.leaves IS 'nodes that its jobs leave empty, by their sizes: "16x3" is three nodes of 16 resources, those that sleep first; empty: none';

COMMENT ON COLUMN launches.read_at IS 'of a pool whose campaign allows replicas: when all of its files were last read; null: it has none, or they were not';

CREATE VIEW carried_out AS
 SELECT j.id,
    j.campaign_id,
    j.cluster_id,
    j.task,
    j.attempt,
    j.id AS oar_job,
    j.started_at AS began_at,
        CASE
            WHEN (l.pool_s IS NOT NULL) THEN l.read_at
            ELSE NULL::timestamp with time zone
        END AS seen_at
   FROM (jobs j
     JOIN launches l ON ((l.id = j.launch_id)))
  WHERE ((j.state = 'running'::job_state) AND (NOT j.command_over) AND ((l.pool_s IS NULL) OR (l.read_at >= (j.started_at + '00:00:10'::interval))))
UNION ALL
 SELECT j.id,
    j.campaign_id,
    j.cluster_id,
    j.task,
    j.attempt,
    c.id AS oar_job,
    j.claimed_at AS began_at,
    l.read_at AS seen_at
   FROM ((jobs j
     JOIN launches l ON (((l.id = j.launch_id) AND (l.read_at >= (j.claimed_at + '00:00:10'::interval)))))
     JOIN jobs c ON (((c.launch_id = j.launch_id) AND (c.remote_id = j.remote_id) AND (NOT c.pooled) AND (c.state = 'running'::job_state))))
  WHERE ((j.state = 'pooled'::job_state) AND (j.claimed_at IS NOT NULL));

CREATE TABLE cluster_calls (
    cluster_id bigint NOT NULL,
    called_at timestamp with time zone NOT NULL,
    answered_at timestamp with time zone
);

COMMENT ON COLUMN cluster_calls.answered_at IS 'when the last poll began that answers the calls before it; null: none has';

CREATE TABLE clusters (
    id bigint NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    retired_at timestamp with time zone,
    url text NOT NULL,
    authentication text DEFAULT 'none'::text NOT NULL,
    login text DEFAULT ''::text NOT NULL,
    secret_file text DEFAULT ''::text NOT NULL,
    identity_header text DEFAULT 'X_REMOTE_IDENT'::text NOT NULL,
    ca_file text DEFAULT ''::text NOT NULL,
    certificate_file text DEFAULT ''::text NOT NULL,
    key_file text DEFAULT ''::text NOT NULL,
    verify_tls boolean DEFAULT true NOT NULL,
    insecure boolean DEFAULT false NOT NULL,
    power double precision DEFAULT 1 NOT NULL,
    cost double precision DEFAULT 0 NOT NULL,
    transfer_mb_s double precision DEFAULT 0 NOT NULL,
    flood double precision,
    array_size integer,
    headroom text,
    availability text,
    load_property text,
    shared_home text,
    memory_property text DEFAULT ''::text NOT NULL,
    memory_unit_mb integer DEFAULT 1 NOT NULL,
    memory_max_mb bigint,
    node_memory text DEFAULT ''::text NOT NULL,
    max_resources integer DEFAULT 0 NOT NULL,
    node_sizes text DEFAULT ''::text NOT NULL,
    max_node_resources integer GENERATED ALWAYS AS ((NULLIF(split_part(node_sizes, 'x'::text, 1), ''::text))::integer) STORED,
    min_node_resources integer GENERATED ALWAYS AS (("substring"(node_sizes, '([0-9]+)x[0-9]+$'::text))::integer) STORED,
    free_nodes text DEFAULT ''::text NOT NULL,
    reserved_resources integer DEFAULT 0 NOT NULL,
    reserved_free integer DEFAULT 0 NOT NULL,
    reserved_sizes text DEFAULT ''::text NOT NULL,
    reserved_free_nodes text DEFAULT ''::text NOT NULL,
    other_resources integer DEFAULT 0 NOT NULL,
    resources_at timestamp with time zone,
    utilized_resources integer,
    loaded_resources integer,
    load_at timestamp with time zone,
    suspected_resources integer DEFAULT 0 NOT NULL,
    absent_resources integer DEFAULT 0 NOT NULL,
    dead_resources integer DEFAULT 0 NOT NULL,
    no_resources_since timestamp with time zone,
    reachable boolean,
    unreachable_since timestamp with time zone,
    healthy_since timestamp with time zone,
    failed_polls integer DEFAULT 0 NOT NULL,
    next_probe_at timestamp with time zone,
    last_error text,
    measured_mb_s double precision,
    recover_from timestamp with time zone,
    api text DEFAULT 'oar2'::text NOT NULL,
    homes text DEFAULT '/home/%u'::text NOT NULL,
    properties text DEFAULT ''::text NOT NULL,
    level_sizes text DEFAULT ''::text NOT NULL,
    wake_minutes double precision DEFAULT 0 NOT NULL,
    file_server_mb_s double precision DEFAULT 0 NOT NULL,
    advance_reservations text DEFAULT ''::text NOT NULL,
    CONSTRAINT clusters_absent_resources_check CHECK ((absent_resources >= 0)),
    CONSTRAINT clusters_api_check CHECK ((api = ANY (ARRAY['oar2'::text, 'oar3'::text, 'g5k'::text]))),
    CONSTRAINT clusters_array_size_check CHECK ((array_size > 0)),
    CONSTRAINT clusters_authentication_check CHECK ((authentication = ANY (ARRAY['none'::text, 'basic'::text, 'certificate'::text, 'token'::text, 'signed'::text]))),
    CONSTRAINT clusters_availability_check CHECK ((availability = ANY (ARRAY['dedicated'::text, 'utilized'::text, 'combined'::text]))),
    CONSTRAINT clusters_cost_check CHECK ((cost >= (0)::double precision)),
    CONSTRAINT clusters_dead_resources_check CHECK ((dead_resources >= 0)),
    CONSTRAINT clusters_file_server_mb_s_check CHECK ((file_server_mb_s >= (0)::double precision)),
    CONSTRAINT clusters_flood_check CHECK ((flood >= (0)::double precision)),
    CONSTRAINT clusters_headroom_check CHECK ((headroom ~ '^(auto|[0-9]{1,7}|[0-9.]{1,20}%)$'::text)),
    CONSTRAINT clusters_homes_check CHECK ((homes ~ '^/[A-Za-z0-9_./%-]*$'::text)),
    CONSTRAINT clusters_load_property_check CHECK ((load_property ~ '^[A-Za-z0-9_]*$'::text)),
    CONSTRAINT clusters_loaded_resources_check CHECK ((loaded_resources >= 0)),
    CONSTRAINT clusters_measured_mb_s_check CHECK ((measured_mb_s > (0)::double precision)),
    CONSTRAINT clusters_memory_max_mb_check CHECK ((memory_max_mb > 0)),
    CONSTRAINT clusters_memory_unit_mb_check CHECK ((memory_unit_mb > 0)),
    CONSTRAINT clusters_other_resources_check CHECK ((other_resources >= 0)),
    CONSTRAINT clusters_power_check CHECK ((power > (0)::double precision)),
    CONSTRAINT clusters_reserved_free_check CHECK ((reserved_free >= 0)),
    CONSTRAINT clusters_reserved_resources_check CHECK ((reserved_resources >= 0)),
    CONSTRAINT clusters_shared_home_check CHECK ((shared_home ~ '^[A-Za-z0-9_]{1,64}$'::text)),
    CONSTRAINT clusters_suspected_resources_check CHECK ((suspected_resources >= 0)),
    CONSTRAINT clusters_transfer_mb_s_check CHECK ((transfer_mb_s >= (0)::double precision)),
    CONSTRAINT clusters_utilized_resources_check CHECK ((utilized_resources >= 0)),
    CONSTRAINT clusters_wake_minutes_check CHECK ((wake_minutes >= (0)::double precision))
);

COMMENT ON COLUMN clusters.insecure IS 'its password may be sent in clear over http to another machine; false: it is not sent there, and the cluster is unreachable';

COMMENT ON COLUMN clusters.headroom IS 'resources that the grid leaves free for local jobs: a number, a part such as 5%, or auto; null: the configuration''s';

COMMENT ON COLUMN clusters.availability IS 'the availability policy; null: the configuration''s';

COMMENT ON COLUMN clusters.load_property IS 'property of OAR''s resources that states how many resources of their node are busy; empty: there is none; null: the configuration''s';

COMMENT ON COLUMN clusters.node_memory IS 'memory of the nodes, by their resources, as memory_property states it: "16:192 8:64"; an empty text: not known';

COMMENT ON COLUMN clusters.min_node_resources IS 'of the smallest node';

COMMENT ON COLUMN clusters.free_nodes IS 'nodes by their free resources, as node_sizes, of those that best-effort jobs get; "none": no node has any; an empty text: not known';

COMMENT ON COLUMN clusters.reserved_resources IS 'usable ones that OAR gives to no best-effort job; not in max_resources';

COMMENT ON COLUMN clusters.reserved_free IS 'of these, held by no job when the status was read';

COMMENT ON COLUMN clusters.reserved_sizes IS 'as node_sizes, of what OAR gives to no best-effort job, in any state';

COMMENT ON COLUMN clusters.reserved_free_nodes IS 'as free_nodes, of what OAR gives to no best-effort job';

COMMENT ON COLUMN clusters.other_resources IS 'those that are no cores (licences, disks, networks), in any state';

COMMENT ON COLUMN clusters.utilized_resources IS 'busy by that load, when the resources were read last; null: not read';

COMMENT ON COLUMN clusters.loaded_resources IS 'of these, those for which no job accounts; null: not read';

COMMENT ON COLUMN clusters.load_at IS 'when that load was read; null: not read';

COMMENT ON COLUMN clusters.suspected_resources IS 'of nodes of which OAR found a fault';

COMMENT ON COLUMN clusters.absent_resources IS 'of nodes that are down, and that OAR does not wake for a job';

COMMENT ON COLUMN clusters.dead_resources IS 'of nodes that the site''s administrators took out';

COMMENT ON COLUMN clusters.no_resources_since IS 'since when no resource can be used; null: some can, or the resources were never read';

COMMENT ON COLUMN clusters.recover_from IS 'jobs that were submitted there from this time on may be unknown, as the database was restored, and nothing is planned before they are read; null: all are known';

COMMENT ON COLUMN clusters.level_sizes IS 'resources of each value of a property, of those that best-effort jobs get: "gpu 4x8" is 8 GPUs with 4 each; after a bar by node';

COMMENT ON COLUMN clusters.wake_minutes IS 'minutes of work for each of a sleeping node''s cores that make the grid wake it; 0: a node that sleeps is as good as another one';

COMMENT ON COLUMN clusters.file_server_mb_s IS 'MB/s that its file server bears, reads and writes together, of all our jobs; 0: not known, and nothing is limited by it';

COMMENT ON COLUMN clusters.advance_reservations IS 'the advance reservations of OAR that had not begun when they were read, the soonest first: begin-endxresources, in seconds since 1970; an empty text: none is known';

CREATE VIEW cluster_rows AS
 SELECT clusters.id,
    clusters.name,
    clusters.url,
    clusters.authentication,
    clusters.login,
    clusters.secret_file,
    clusters.identity_header,
    clusters.ca_file,
    clusters.certificate_file,
    clusters.key_file,
    clusters.verify_tls,
    clusters.power,
    clusters.flood,
    clusters.array_size,
    clusters.enabled,
    clusters.reachable,
    micros(clusters.unreachable_since) AS unreachable_since,
    micros(clusters.healthy_since) AS healthy_since,
    clusters.failed_polls,
    micros(clusters.next_probe_at) AS next_probe_at,
    clusters.last_error,
    clusters.max_resources,
    micros(clusters.resources_at) AS resources_at,
    clusters.memory_property,
    clusters.memory_unit_mb,
    clusters.memory_max_mb,
    clusters.cost,
    clusters.transfer_mb_s,
    micros(clusters.retired_at) AS retired_at,
    clusters.headroom,
    clusters.availability,
    clusters.load_property,
    clusters.utilized_resources,
    clusters.loaded_resources,
    micros(clusters.load_at) AS load_at,
    clusters.suspected_resources,
    clusters.absent_resources,
    clusters.dead_resources,
    micros(clusters.no_resources_since) AS no_resources_since,
    clusters.insecure,
    clusters.shared_home,
    clusters.api,
    clusters.homes,
    clusters.wake_minutes,
    clusters.file_server_mb_s
   FROM clusters;

CREATE TABLE cluster_stress (
    cluster_id bigint NOT NULL,
    judged_at timestamp with time zone,
    usual_stress double precision,
    calm_latency_ms double precision,
    stressed_polls integer DEFAULT 0 NOT NULL,
    slow_polls integer DEFAULT 0 NOT NULL,
    job_limit integer,
    signal text DEFAULT 'none'::text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    limited_at timestamp with time zone,
    changed_at timestamp with time zone,
    trial_at timestamp with time zone,
    CONSTRAINT cluster_stress_job_limit_check CHECK ((job_limit >= 1)),
    CONSTRAINT cluster_stress_signal_check CHECK ((signal = ANY (ARRAY['none'::text, 'stress_factor'::text, 'latency'::text, 'durations'::text])))
);

CREATE TABLE cluster_tokens (
    user_name text NOT NULL,
    cluster_id bigint NOT NULL,
    login text NOT NULL,
    sealed text NOT NULL,
    key_name text NOT NULL,
    fingerprint text NOT NULL,
    given_at timestamp with time zone NOT NULL,
    renewed_at timestamp with time zone,
    expires_at timestamp with time zone,
    taken_at timestamp with time zone,
    refused_at timestamp with time zone,
    unreadable text DEFAULT ''::text NOT NULL,
    renewal_at timestamp with time zone,
    renewal_error text DEFAULT ''::text NOT NULL,
    warned smallint DEFAULT 0 NOT NULL,
    CONSTRAINT cluster_tokens_warned_check CHECK (((warned >= 0) AND (warned <= 3)))
);

ALTER TABLE clusters ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME clusters_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE completions (
    campaign_id bigint NOT NULL,
    cluster_id bigint NOT NULL,
    minute timestamp with time zone NOT NULL,
    jobs bigint NOT NULL
);

CREATE TABLE cycles (
    id bigint NOT NULL,
    term bigint NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    modules jsonb
);

ALTER TABLE cycles ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME cycles_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE decided (
    campaign_id bigint NOT NULL,
    digest bigint NOT NULL
);

CREATE TABLE declarations (
    id bigint NOT NULL,
    what text NOT NULL,
    subject text NOT NULL,
    declared_by text NOT NULL,
    declared_at timestamp with time zone NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    message text NOT NULL,
    CONSTRAINT declarations_what_check CHECK ((what = ANY (ARRAY['cluster_retired'::text, 'cluster_returned'::text, 'job_lost'::text, 'launch_lost'::text, 'repair'::text])))
);

ALTER TABLE declarations ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME declarations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE dependencies (
    campaign_id bigint NOT NULL,
    on_campaign bigint NOT NULL,
    kind text NOT NULL,
    met_at timestamp with time zone,
    released_to bigint DEFAULT 0 NOT NULL,
    scan_at bigint DEFAULT 0 NOT NULL,
    scan_to bigint DEFAULT 0 NOT NULL,
    looked_at timestamp with time zone,
    released_at timestamp with time zone,
    CONSTRAINT dependencies_kind_check CHECK ((kind = ANY (ARRAY['after'::text, 'after_any_end'::text, 'after_each'::text])))
);

CREATE TABLE duration_samples (
    job_id bigint NOT NULL,
    cluster_id bigint NOT NULL,
    campaign_id bigint NOT NULL,
    started_at timestamp with time zone NOT NULL,
    running integer NOT NULL,
    seconds double precision,
    done boolean DEFAULT false NOT NULL,
    CONSTRAINT duration_samples_running_check CHECK ((running >= 1))
);

CREATE TABLE durations (
    campaign_id bigint NOT NULL,
    cluster_id bigint NOT NULL,
    bucket smallint NOT NULL,
    jobs bigint NOT NULL
);

CREATE TABLE epochs (
    id bigint NOT NULL,
    token text DEFAULT substr(md5(((random())::text || (clock_timestamp())::text)), 1, 8) NOT NULL,
    first_campaign bigint NOT NULL,
    first_launch bigint NOT NULL,
    began_at timestamp with time zone NOT NULL,
    cause text NOT NULL
);

COMMENT ON TABLE epochs IS 'the epochs after the first one, whose token is that of the grid';

COMMENT ON COLUMN epochs.first_campaign IS 'the least id of a campaign that it gives; older campaigns keep the token of theirs';

COMMENT ON COLUMN epochs.first_launch IS 'the least id of a launch that it gives';

COMMENT ON COLUMN epochs.cause IS 'how the restore was noticed';

ALTER TABLE epochs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME epochs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE events (
    id bigint NOT NULL,
    code text NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    campaign_id bigint,
    cluster_id bigint,
    job_id bigint,
    occurrences bigint DEFAULT 1 NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    message text NOT NULL,
    output text DEFAULT ''::text NOT NULL,
    user_name text,
    CONSTRAINT events_state_check CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text]))),
    CONSTRAINT events_user_check CHECK (((user_name IS NULL) OR (campaign_id IS NULL)))
);

COMMENT ON COLUMN events.output IS 'the last lines of stderr that the event is about, for the campaign''s user and administrators alone; empty: none';

CREATE VIEW event_rows AS
 SELECT e.id,
    e.code,
    e.state,
    e.campaign_id,
    e.cluster_id,
    k.name AS cluster,
    e.job_id,
    e.occurrences,
    micros(e.opened_at) AS opened_at,
    micros(e.last_at) AS last_at,
    micros(e.closed_at) AS closed_at,
    e.message,
    e.output,
    COALESCE(c.user_name, e.user_name) AS user_name
   FROM ((events e
     LEFT JOIN campaigns c ON ((c.id = e.campaign_id)))
     LEFT JOIN clusters k ON ((k.id = e.cluster_id)));

ALTER TABLE events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE failure_groups (
    id bigint NOT NULL,
    campaign_id bigint NOT NULL,
    cluster_id bigint NOT NULL,
    ending text NOT NULL,
    exit_status integer,
    pattern text NOT NULL,
    stderr_line text NOT NULL,
    tasks integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='80');

COMMENT ON TABLE failure_groups IS 'failed tasks of a campaign that failed alike. Kept by the trigger count_tasks';

COMMENT ON COLUMN failure_groups.exit_status IS 'a wait status; null: its command did not end the job';

COMMENT ON COLUMN failure_groups.pattern IS 'the lines of stderr, with # for numbers, addresses and digests; empty: none is known, or the campaign has too many different ones';

COMMENT ON COLUMN failure_groups.stderr_line IS 'the line of its first task';

ALTER TABLE failure_groups ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME failure_groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE feed (
    xact bigint NOT NULL,
    id bigint NOT NULL,
    noted_at timestamp with time zone NOT NULL,
    kind text NOT NULL,
    change text NOT NULL,
    subject bigint NOT NULL,
    campaign_id bigint,
    CONSTRAINT feed_kind_check CHECK ((kind = ANY (ARRAY['campaign'::text, 'progress'::text, 'event'::text, 'cluster'::text])))
);

ALTER TABLE feed ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME feed_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE first_campaigns (
    user_name text NOT NULL,
    submitted_at timestamp with time zone NOT NULL
);

CREATE TABLE forecast_history (
    campaign_id bigint NOT NULL,
    made_at timestamp with time zone NOT NULL,
    end_at timestamp with time zone NOT NULL,
    end_earliest timestamp with time zone,
    end_latest timestamp with time zone,
    method text NOT NULL
);

CREATE TABLE forecast_quality (
    day date NOT NULL,
    cluster_id bigint NOT NULL,
    method text NOT NULL,
    forecasts bigint DEFAULT 0 NOT NULL,
    within bigint DEFAULT 0 NOT NULL,
    early bigint DEFAULT 0 NOT NULL,
    error_s double precision DEFAULT 0 NOT NULL,
    error_parts double precision DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE forecasts (
    campaign_id bigint NOT NULL,
    cluster_id bigint NOT NULL,
    job_ratio double precision NOT NULL,
    offered double precision DEFAULT 0 NOT NULL,
    nsub integer DEFAULT 0 NOT NULL,
    throughput double precision DEFAULT 0 NOT NULL,
    algorithm text DEFAULT ''::text NOT NULL,
    changed_at timestamp with time zone,
    ratio_before double precision,
    verdict text,
    seen_nsub integer,
    seen_offered double precision,
    seen_waiting integer,
    seen_free integer
);

COMMENT ON COLUMN forecasts.changed_at IS 'of the ratio; null: it is the first one. What follows is of this change';

COMMENT ON COLUMN forecasts.verdict IS 'on the ratio before: too_big, too_small, right (another algorithm has another one)';

COMMENT ON COLUMN forecasts.seen_nsub IS 'jobs submitted in the cycle before';

COMMENT ON COLUMN forecasts.seen_offered IS 'free resources of its offer';

COMMENT ON COLUMN forecasts.seen_waiting IS 'jobs of the pair that waited';

COMMENT ON COLUMN forecasts.seen_free IS 'resources that were free';

CREATE TABLE freed_tasks (
    on_campaign bigint NOT NULL,
    place bigint NOT NULL,
    number bigint NOT NULL
);

ALTER TABLE freed_tasks ALTER COLUMN place ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME freed_tasks_place_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE grid (
    one boolean DEFAULT true NOT NULL,
    token text DEFAULT substr(md5(((random())::text || (clock_timestamp())::text)), 1, 8) NOT NULL,
    checked_at timestamp with time zone,
    feed_from bigint DEFAULT 0 NOT NULL,
    database text,
    CONSTRAINT grid_one_check CHECK (one)
);

COMMENT ON COLUMN grid.feed_from IS 'transactions below this id may have rows of the feed that were pruned: readers that are not beyond them begin anew';

COMMENT ON COLUMN grid.database IS 'database_identity() when the current epoch began; null: not noted yet';

CREATE TABLE gridstatus (
    cluster_id bigint NOT NULL,
    "time" timestamp with time zone NOT NULL,
    max_resources integer NOT NULL,
    free integer NOT NULL,
    used integer NOT NULL,
    used_besteffort integer NOT NULL,
    our_running integer NOT NULL,
    our_waiting integer NOT NULL,
    reachable boolean NOT NULL,
    api_latency_ms integer NOT NULL,
    stress double precision,
    response_ms integer
);

CREATE TABLE group_priorities (
    group_name text NOT NULL,
    priority integer NOT NULL,
    CONSTRAINT group_priorities_group_name_check CHECK ((group_name <> ''::text)),
    CONSTRAINT group_priorities_priority_check CHECK (((priority >= 1) AND (priority <= 7)))
);

COMMENT ON TABLE group_priorities IS 'A row is the priority that administrators gave to the members of one unix group.';

CREATE TABLE imported_campaigns (
    source text NOT NULL,
    source_id bigint NOT NULL,
    submitted_at timestamp with time zone NOT NULL,
    campaign_id bigint NOT NULL,
    tasks bigint NOT NULL,
    left_out bigint NOT NULL
);

CREATE TABLE input_totals (
    user_name text NOT NULL,
    bytes bigint NOT NULL,
    contents bigint NOT NULL
);

CREATE TABLE inputs (
    user_name text NOT NULL,
    sha256 text NOT NULL,
    bytes bigint NOT NULL,
    used_at timestamp with time zone NOT NULL,
    CONSTRAINT inputs_bytes_check CHECK ((bytes >= 0)),
    CONSTRAINT inputs_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
);

CREATE TABLE user_mappings (
    user_name text NOT NULL,
    cluster_id bigint NOT NULL,
    login text NOT NULL
);

CREATE VIEW logins AS
 SELECT c.id AS campaign_id,
    k.id AS cluster_id,
    COALESCE(m.login, c.user_name) AS login
   FROM ((campaigns c
     CROSS JOIN clusters k)
     LEFT JOIN user_mappings m ON (((m.user_name = c.user_name) AND (m.cluster_id = k.id))));

CREATE VIEW missing_inputs AS
 SELECT p.campaign_id,
    p.cluster_id,
    u.login,
    c.input_bytes,
    c.priority,
    own.sent,
    own.missing,
    ( SELECT q.inputs_there
           FROM ((clusters k
             JOIN clusters h ON (((h.id <> k.id) AND (h.shared_home = k.shared_home))))
             JOIN campaign_clusters q ON (((q.campaign_id = p.campaign_id) AND (q.cluster_id = h.id) AND (q.inputs_login = u.login))))
          WHERE ((k.id = p.cluster_id) AND
                CASE
                    WHEN (q.inputs_sent = 0) THEN ((q.inputs_at IS NOT NULL) AND (own.sent = 0))
                    ELSE (NOT (q.inputs_there <@ own.there))
                END)
          ORDER BY q.inputs_sent DESC, q.cluster_id
         LIMIT 1) AS shared
   FROM (((campaigns c
     JOIN campaign_clusters p ON ((p.campaign_id = c.id)))
     JOIN logins u ON (((u.campaign_id = p.campaign_id) AND (u.cluster_id = p.cluster_id))))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN o.is_own THEN p.inputs_sent
                    ELSE (0)::bigint
                END AS sent,
                CASE
                    WHEN o.is_own THEN p.inputs_there
                    ELSE '{}'::int8multirange
                END AS there,
                CASE
                    WHEN o.is_own THEN p.inputs_missing
                    ELSE NULL::bigint
                END AS missing
           FROM ( SELECT COALESCE((p.inputs_login = u.login), false) AS is_own) o) own)
  WHERE (is_live(c.state) AND (NOT c.sealed) AND (c.input_files <> ''::text) AND ((p.inputs_at IS NULL) OR (p.inputs_login <> u.login)));

CREATE VIEW inputs_to_send AS
 SELECT m.campaign_id,
    m.cluster_id,
    m.login,
    m.input_bytes,
    m.priority,
    m.sent,
    m.missing,
    m.shared,
    p.inputs_ahead,
    c.user_name,
    p.inputs_served_at,
    k.shared_home
   FROM (((missing_inputs m
     JOIN campaigns c ON (((c.id = m.campaign_id) AND (c.state = 'in_treatment'::campaign_state) AND (c.waiting > 0))))
     JOIN campaign_clusters p ON (((p.campaign_id = m.campaign_id) AND (p.cluster_id = m.cluster_id) AND (p.max_jobs IS DISTINCT FROM 0) AND p.inputs_wanted)))
     JOIN clusters k ON (((k.id = m.cluster_id) AND k.enabled AND (k.retired_at IS NULL) AND (k.reachable IS TRUE))))
  WHERE ((m.login ~ '^[A-Za-z0-9_]+$'::text) AND (NOT is_kept_waiting(m.campaign_id)));

CREATE TABLE job_programs (
    cluster_id bigint NOT NULL,
    login text NOT NULL,
    sha256 text NOT NULL,
    tried_at timestamp with time zone NOT NULL,
    put_at timestamp with time zone,
    doubted_at timestamp with time zone,
    failures integer DEFAULT 0 NOT NULL,
    inline_until timestamp with time zone,
    why text DEFAULT ''::text NOT NULL,
    CONSTRAINT job_programs_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
);

ALTER TABLE jobs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE keeps (
    name text NOT NULL,
    cluster_id bigint NOT NULL,
    resources integer,
    percent double precision,
    user_name text,
    group_name text,
    project text,
    campaign_id bigint,
    campaign_type text,
    new_users_s bigint,
    from_s integer,
    to_s integer,
    begins_at timestamp with time zone,
    ends_at timestamp with time zone,
    CONSTRAINT keeps_campaign_type_check CHECK ((campaign_type = ANY (ARRAY['default'::text, 'test'::text]))),
    CONSTRAINT keeps_check CHECK ((num_nonnulls(resources, percent) = 1)),
    CONSTRAINT keeps_check1 CHECK ((num_nonnulls(user_name, group_name, project, campaign_id, campaign_type, new_users_s) > 0)),
    CONSTRAINT keeps_check2 CHECK (((num_nonnulls(from_s, to_s) <> 1) AND (from_s <> to_s))),
    CONSTRAINT keeps_check3 CHECK ((begins_at < ends_at)),
    CONSTRAINT keeps_from_s_check CHECK (((from_s >= 0) AND (from_s < 86400))),
    CONSTRAINT keeps_group_name_check CHECK ((group_name <> ''::text)),
    CONSTRAINT keeps_name_check CHECK ((name <> ''::text)),
    CONSTRAINT keeps_new_users_s_check CHECK ((new_users_s > 0)),
    CONSTRAINT keeps_percent_check CHECK (((percent > (0)::double precision) AND (percent <= (100)::double precision))),
    CONSTRAINT keeps_project_check CHECK ((project <> ''::text)),
    CONSTRAINT keeps_resources_check CHECK ((resources > 0)),
    CONSTRAINT keeps_to_s_check CHECK (((to_s > 0) AND (to_s <= 86400))),
    CONSTRAINT keeps_user_name_check CHECK ((user_name <> ''::text))
);

ALTER TABLE launches ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME launches_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE learnt_headroom (
    cluster_id bigint NOT NULL,
    polled_at timestamp with time zone,
    last_start timestamp with time zone,
    resources integer DEFAULT 0 NOT NULL,
    CONSTRAINT learnt_headroom_resources_check CHECK ((resources >= 0))
);

CREATE TABLE lease (
    one boolean DEFAULT true NOT NULL,
    term bigint DEFAULT 0 NOT NULL,
    holder text,
    expires_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    taken_at timestamp with time zone,
    CONSTRAINT lease_one_check CHECK (one)
);

CREATE TABLE limits (
    id bigint NOT NULL,
    kind text NOT NULL,
    most double precision NOT NULL,
    consumable text,
    user_name text,
    group_name text,
    project text,
    campaign_id bigint,
    cluster_id bigint,
    days integer DEFAULT 1 NOT NULL,
    each_of text,
    silent_s integer,
    CONSTRAINT limits_consumable_check CHECK ((consumable <> ''::text)),
    CONSTRAINT limits_days_check CHECK ((days >= 1)),
    CONSTRAINT limits_each_names_none CHECK (
CASE each_of
    WHEN 'user'::text THEN (user_name IS NULL)
    WHEN 'project'::text THEN (project IS NULL)
    WHEN 'campaign'::text THEN (campaign_id IS NULL)
    ELSE true
END),
    CONSTRAINT limits_each_of_check CHECK ((each_of = ANY (ARRAY['user'::text, 'project'::text, 'campaign'::text]))),
    CONSTRAINT limits_group_name_check CHECK ((group_name <> ''::text)),
    CONSTRAINT limits_kind_check CHECK ((kind = ANY (ARRAY['running_jobs'::text, 'waiting_jobs'::text, 'nodes'::text, 'resources'::text, 'resource_seconds'::text, 'consumable'::text]))),
    CONSTRAINT limits_most_check CHECK ((most >= (0)::double precision)),
    CONSTRAINT limits_names_consumable CHECK (((kind = 'consumable'::text) = (consumable IS NOT NULL))),
    CONSTRAINT limits_silent_counts_now CHECK (((silent_s IS NULL) OR (kind <> 'resource_seconds'::text))),
    CONSTRAINT limits_silent_s_check CHECK ((silent_s > 0))
);

COMMENT ON COLUMN limits.consumable IS 'the one that is counted, of the kind `consumable`; campaigns may need those that a limit names';

COMMENT ON COLUMN limits.group_name IS 'a unix group: the limit is on the campaigns whose user was in it at the submission; null: any';

COMMENT ON COLUMN limits.each_of IS 'it holds each of these by itself, but for those that another limit of its kind and target names; null: all together';

COMMENT ON COLUMN limits.silent_s IS 'jobs of a cluster that has not answered for so long do not count; null: they do';

ALTER TABLE limits ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME limits_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE local_demand (
    cluster_id bigint NOT NULL,
    hour smallint NOT NULL,
    seconds double precision NOT NULL,
    arrivals text NOT NULL,
    CONSTRAINT local_demand_hour_check CHECK (((hour >= 0) AND (hour <= 23))),
    CONSTRAINT local_demand_seconds_check CHECK ((seconds >= (0)::double precision))
);

CREATE TABLE message_lines (
    message_id bigint NOT NULL,
    what text NOT NULL,
    change text NOT NULL,
    cluster_id bigint NOT NULL,
    severity smallint NOT NULL,
    times bigint NOT NULL,
    campaigns bigint NOT NULL,
    campaign_id bigint,
    event_id bigint,
    first_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    message text NOT NULL
);

CREATE TABLE messages (
    id bigint NOT NULL,
    uid uuid DEFAULT gen_random_uuid() NOT NULL,
    subscription_id bigint NOT NULL,
    about bigint NOT NULL,
    state text NOT NULL,
    severity smallint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL,
    fixed_at timestamp with time zone,
    content jsonb,
    next_at timestamp with time zone,
    sending_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    doubts integer DEFAULT 0 NOT NULL,
    settled_at timestamp with time zone,
    error text DEFAULT ''::text NOT NULL,
    CONSTRAINT messages_state_check CHECK ((state = ANY (ARRAY['gathering'::text, 'ready'::text, 'sending'::text, 'sent'::text, 'failed'::text])))
);

ALTER TABLE messages ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME messages_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE named_nodes (
    cluster_id bigint NOT NULL,
    nodes text NOT NULL,
    open_sizes text NOT NULL,
    empty_sizes text NOT NULL,
    asleep_sizes text NOT NULL,
    longest_name integer NOT NULL
);

CREATE TABLE normal_users (
    user_name text NOT NULL,
    cluster_id bigint,
    listed_by text NOT NULL,
    listed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT normal_users_user_name_check CHECK ((user_name <> ''::text))
);

CREATE TABLE notices (
    id bigint NOT NULL,
    what text NOT NULL,
    change text NOT NULL,
    severity smallint NOT NULL,
    campaign_id bigint,
    cluster_id bigint,
    event_id bigint,
    message text NOT NULL,
    noted_at timestamp with time zone NOT NULL,
    user_name text,
    CONSTRAINT notices_change_check CHECK ((change = ANY (ARRAY['opened'::text, 'closed'::text])))
);

ALTER TABLE notices ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME notices_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE pair_history (
    campaign_id bigint NOT NULL,
    made_at timestamp with time zone NOT NULL,
    cluster_id bigint NOT NULL,
    job_ratio double precision NOT NULL,
    algorithm text NOT NULL,
    throughput double precision NOT NULL,
    nsub integer NOT NULL,
    running integer NOT NULL
);

CREATE TABLE plan_quality (
    day date NOT NULL,
    cluster_id bigint NOT NULL,
    algorithm text NOT NULL,
    type text NOT NULL,
    done bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    walltime bigint DEFAULT 0 NOT NULL,
    preempted bigint DEFAULT 0 NOT NULL,
    killed bigint DEFAULT 0 NOT NULL,
    taken_back bigint DEFAULT 0 NOT NULL,
    unsent bigint DEFAULT 0 NOT NULL,
    lost bigint DEFAULT 0 NOT NULL,
    started bigint DEFAULT 0 NOT NULL,
    waited bigint DEFAULT 0 NOT NULL,
    wait_s double precision DEFAULT 0 NOT NULL,
    held_s double precision DEFAULT 0 NOT NULL,
    wasted_s double precision DEFAULT 0 NOT NULL,
    turns bigint DEFAULT 0 NOT NULL,
    too_big bigint DEFAULT 0 NOT NULL,
    too_small bigint DEFAULT 0 NOT NULL,
    offered double precision DEFAULT 0 NOT NULL,
    sent bigint DEFAULT 0 NOT NULL,
    left_waiting bigint DEFAULT 0 NOT NULL,
    left_free double precision DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE project_priorities (
    project text NOT NULL,
    priority integer NOT NULL,
    CONSTRAINT project_priorities_priority_check CHECK (((priority >= 1) AND (priority <= 7))),
    CONSTRAINT project_priorities_project_check CHECK ((project <> ''::text))
);

COMMENT ON TABLE project_priorities IS 'A row is the priority that administrators gave to one project.';

CREATE TABLE request_bags (
    campaign_id bigint NOT NULL,
    request smallint NOT NULL,
    next_task bigint NOT NULL,
    untaken bigint NOT NULL
);

CREATE TABLE request_tasks (
    campaign_id bigint NOT NULL,
    request smallint NOT NULL,
    number bigint NOT NULL
);

CREATE TABLE reservations (
    cluster_id bigint NOT NULL,
    campaign_id bigint NOT NULL,
    begins_at timestamp with time zone NOT NULL,
    made_at timestamp with time zone NOT NULL
);

CREATE TABLE shares (
    id bigint NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    parent_id bigint,
    shares double precision NOT NULL,
    CONSTRAINT shares_kind_check CHECK ((kind = ANY (ARRAY['project'::text, 'group'::text, 'user'::text]))),
    CONSTRAINT shares_name_check CHECK ((name <> ''::text)),
    CONSTRAINT shares_shares_check CHECK ((shares >= (0)::double precision))
);

ALTER TABLE shares ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME shares_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE subscriptions (
    id bigint NOT NULL,
    user_name text NOT NULL,
    audience text NOT NULL,
    channel text NOT NULL,
    address text NOT NULL,
    form text DEFAULT 'json'::text NOT NULL,
    severity smallint NOT NULL,
    quiet_from smallint,
    quiet_to smallint,
    zone text DEFAULT 'UTC'::text NOT NULL,
    secret text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    tested_at timestamp with time zone,
    CONSTRAINT subscriptions_audience_check CHECK ((audience = ANY (ARRAY['user'::text, 'administrators'::text, 'everybody'::text]))),
    CONSTRAINT subscriptions_channel_check CHECK ((channel = ANY (ARRAY['mail'::text, 'webhook'::text, 'command'::text]))),
    CONSTRAINT subscriptions_check CHECK (((quiet_from IS NULL) = (quiet_to IS NULL))),
    CONSTRAINT subscriptions_check1 CHECK ((quiet_from <> quiet_to)),
    CONSTRAINT subscriptions_form_check CHECK ((form = ANY (ARRAY['json'::text, 'text'::text]))),
    CONSTRAINT subscriptions_quiet_from_check CHECK (((quiet_from >= 0) AND (quiet_from <= 1439))),
    CONSTRAINT subscriptions_quiet_to_check CHECK (((quiet_to >= 0) AND (quiet_to <= 1439))),
    CONSTRAINT subscriptions_severity_check CHECK (((severity >= 1) AND (severity <= 3)))
);

ALTER TABLE subscriptions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME subscriptions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE task_blocks (
    campaign_id bigint NOT NULL,
    block integer NOT NULL,
    launching integer DEFAULT 0 NOT NULL,
    submitted integer DEFAULT 0 NOT NULL,
    running integer DEFAULT 0 NOT NULL,
    done integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    cancelled integer DEFAULT 0 NOT NULL,
    CONSTRAINT task_blocks_block_check CHECK ((block >= 0))
)
WITH (fillfactor='50');

COMMENT ON TABLE task_blocks IS 'tasks by state of each thousand of a campaign, task_block(number); the others of the block wait. No row: each of its tasks waits. Kept by the trigger count_tasks';

CREATE TABLE task_gives (
    campaign_id bigint NOT NULL,
    number bigint NOT NULL,
    attempt integer NOT NULL,
    given text NOT NULL,
    CONSTRAINT task_gives_given_check CHECK (((given <> ''::text) AND (octet_length(given) <= 150)))
);

CREATE TABLE told_events (
    event_id bigint NOT NULL
);

CREATE TABLE totals (
    kind text NOT NULL,
    cluster_id bigint DEFAULT 0 NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    result text DEFAULT ''::text NOT NULL,
    times bigint DEFAULT 0 NOT NULL,
    amount double precision DEFAULT 0 NOT NULL,
    buckets bigint[],
    last_at timestamp with time zone
)
WITH (fillfactor='50');

CREATE TABLE unmarked_ends (
    event bigint NOT NULL,
    bound_s double precision NOT NULL,
    before timestamp with time zone NOT NULL,
    before_job bigint NOT NULL,
    tried_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE unmarked_ends IS 'SINK events whose older ends are still to be marked as swallowed: those in a row, from (before, before_job) back, that took less than bound_s.';

CREATE TABLE usage (
    day date NOT NULL,
    user_name text NOT NULL,
    project text NOT NULL,
    cluster_id bigint NOT NULL,
    campaign_id bigint DEFAULT 0 NOT NULL,
    resource_seconds double precision NOT NULL,
    useful_seconds double precision DEFAULT 0 NOT NULL,
    failed_seconds double precision DEFAULT 0 NOT NULL,
    lost_seconds double precision DEFAULT 0 NOT NULL,
    jobs bigint DEFAULT 0 NOT NULL,
    failed_jobs bigint DEFAULT 0 NOT NULL,
    lost_jobs bigint DEFAULT 0 NOT NULL,
    tasks bigint DEFAULT 0 NOT NULL
);

CREATE TABLE user_limits (
    user_name text NOT NULL,
    max_campaigns integer,
    max_tasks bigint,
    max_submission bigint,
    changed_by text NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT user_limits_check CHECK ((num_nonnulls(max_campaigns, max_tasks, max_submission) > 0)),
    CONSTRAINT user_limits_max_campaigns_check CHECK ((max_campaigns >= 0)),
    CONSTRAINT user_limits_max_submission_check CHECK ((max_submission >= 0)),
    CONSTRAINT user_limits_max_tasks_check CHECK ((max_tasks >= 0)),
    CONSTRAINT user_limits_user_name_check CHECK ((user_name <> ''::text))
);

CREATE TABLE user_priorities (
    user_name text NOT NULL,
    priority integer NOT NULL,
    CONSTRAINT user_priorities_priority_check CHECK (((priority >= 1) AND (priority <= 7)))
);

CREATE TABLE web_sessions (
    digest text NOT NULL,
    is_code boolean NOT NULL,
    user_name text NOT NULL,
    is_administrator boolean NOT NULL,
    begun_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT web_sessions_digest_check CHECK ((digest <> ''::text)),
    CONSTRAINT web_sessions_user_name_check CHECK ((user_name <> ''::text))
);

COMMENT ON TABLE web_sessions IS 'A row is a code with which somebody may sign in once, or the session of one browser. What a session may read, its user may; it changes nothing.';

COMMENT ON COLUMN web_sessions.digest IS 'SHA-256 of the code, or of the token in the cookie; neither is stored';

COMMENT ON COLUMN web_sessions.is_administrator IS 'the user''s rights when the code was given';

CREATE TABLE withheld_tasks (
    campaign_id bigint NOT NULL,
    number bigint NOT NULL,
    why text NOT NULL,
    forgiven boolean DEFAULT false NOT NULL
);

ALTER TABLE ONLY admission_rules
    ADD CONSTRAINT admission_rules_name_key UNIQUE (name);

ALTER TABLE ONLY admission_rules
    ADD CONSTRAINT admission_rules_pkey PRIMARY KEY (id);

ALTER TABLE ONLY admission_rules
    ADD CONSTRAINT admission_rules_position_key UNIQUE ("position") DEFERRABLE;

ALTER TABLE ONLY affinities
    ADD CONSTRAINT affinities_pkey PRIMARY KEY (user_name, cluster_id);

ALTER TABLE ONLY algorithm_trials
    ADD CONSTRAINT algorithm_trials_pkey PRIMARY KEY (campaign_id, cluster_id, algorithm);

ALTER TABLE ONLY audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);

ALTER TABLE ONLY brakes
    ADD CONSTRAINT brakes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY campaign_changes
    ADD CONSTRAINT campaign_changes_pkey PRIMARY KEY (id);

ALTER TABLE ONLY campaign_clusters
    ADD CONSTRAINT campaign_clusters_pkey PRIMARY KEY (campaign_id, cluster_id);

ALTER TABLE ONLY campaign_forecasts
    ADD CONSTRAINT campaign_forecasts_pkey PRIMARY KEY (campaign_id);

ALTER TABLE ONLY campaign_inputs
    ADD CONSTRAINT campaign_inputs_pkey PRIMARY KEY (campaign_id, place);

ALTER TABLE ONLY campaign_order
    ADD CONSTRAINT campaign_order_pkey PRIMARY KEY (is_only);

ALTER TABLE ONLY campaign_requests
    ADD CONSTRAINT campaign_requests_pkey PRIMARY KEY (campaign_id, cluster_id, request);

ALTER TABLE ONLY campaigns
    ADD CONSTRAINT campaigns_pkey PRIMARY KEY (id);

ALTER TABLE ONLY cluster_calls
    ADD CONSTRAINT cluster_calls_pkey PRIMARY KEY (cluster_id);

ALTER TABLE ONLY cluster_stress
    ADD CONSTRAINT cluster_stress_pkey PRIMARY KEY (cluster_id);

ALTER TABLE ONLY cluster_tokens
    ADD CONSTRAINT cluster_tokens_pkey PRIMARY KEY (user_name, cluster_id);

ALTER TABLE ONLY clusters
    ADD CONSTRAINT clusters_name_key UNIQUE (name);

ALTER TABLE ONLY clusters
    ADD CONSTRAINT clusters_pkey PRIMARY KEY (id);

ALTER TABLE ONLY completions
    ADD CONSTRAINT completions_pkey PRIMARY KEY (campaign_id, cluster_id, minute);

ALTER TABLE ONLY cycles
    ADD CONSTRAINT cycles_pkey PRIMARY KEY (id);

ALTER TABLE ONLY decided
    ADD CONSTRAINT decided_pkey PRIMARY KEY (campaign_id);

ALTER TABLE ONLY decision_history
    ADD CONSTRAINT decision_history_pkey PRIMARY KEY (campaign_id, cluster_id, change, reason, subject);

ALTER TABLE ONLY decisions
    ADD CONSTRAINT decisions_pkey PRIMARY KEY (campaign_id, cluster_id);

ALTER TABLE ONLY declarations
    ADD CONSTRAINT declarations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY dependencies
    ADD CONSTRAINT dependencies_pkey PRIMARY KEY (campaign_id, on_campaign);

ALTER TABLE ONLY duration_samples
    ADD CONSTRAINT duration_samples_pkey PRIMARY KEY (job_id);

ALTER TABLE ONLY durations
    ADD CONSTRAINT durations_pkey PRIMARY KEY (campaign_id, cluster_id, bucket);

ALTER TABLE ONLY epochs
    ADD CONSTRAINT epochs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY failure_groups
    ADD CONSTRAINT failure_groups_pkey PRIMARY KEY (id);

ALTER TABLE ONLY feed
    ADD CONSTRAINT feed_pkey PRIMARY KEY (xact, id);

ALTER TABLE ONLY first_campaigns
    ADD CONSTRAINT first_campaigns_pkey PRIMARY KEY (user_name);

ALTER TABLE ONLY forecast_history
    ADD CONSTRAINT forecast_history_pkey PRIMARY KEY (campaign_id, made_at);

ALTER TABLE ONLY forecast_quality
    ADD CONSTRAINT forecast_quality_pkey PRIMARY KEY (day, cluster_id, method);

ALTER TABLE ONLY forecasts
    ADD CONSTRAINT forecasts_pkey PRIMARY KEY (campaign_id, cluster_id);

ALTER TABLE ONLY freed_tasks
    ADD CONSTRAINT freed_tasks_pkey PRIMARY KEY (on_campaign, place);

ALTER TABLE ONLY grid
    ADD CONSTRAINT grid_pkey PRIMARY KEY (one);

ALTER TABLE ONLY gridstatus
    ADD CONSTRAINT gridstatus_pkey PRIMARY KEY (cluster_id, "time");

ALTER TABLE ONLY group_priorities
    ADD CONSTRAINT group_priorities_pkey PRIMARY KEY (group_name);

ALTER TABLE ONLY imported_campaigns
    ADD CONSTRAINT imported_campaigns_pkey PRIMARY KEY (source, source_id, submitted_at);

ALTER TABLE ONLY input_totals
    ADD CONSTRAINT input_totals_pkey PRIMARY KEY (user_name);

ALTER TABLE ONLY inputs
    ADD CONSTRAINT inputs_pkey PRIMARY KEY (user_name, sha256);

ALTER TABLE ONLY job_programs
    ADD CONSTRAINT job_programs_pkey PRIMARY KEY (cluster_id, login, sha256);

ALTER TABLE ONLY jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY keeps
    ADD CONSTRAINT keeps_pkey PRIMARY KEY (name);

ALTER TABLE ONLY kill_requests
    ADD CONSTRAINT kill_requests_pkey PRIMARY KEY (job_id);

ALTER TABLE ONLY launches
    ADD CONSTRAINT launches_pkey PRIMARY KEY (id);

ALTER TABLE ONLY launches
    ADD CONSTRAINT launches_tag_key UNIQUE (tag);

ALTER TABLE ONLY learnt_headroom
    ADD CONSTRAINT learnt_headroom_pkey PRIMARY KEY (cluster_id);

ALTER TABLE ONLY lease
    ADD CONSTRAINT lease_pkey PRIMARY KEY (one);

ALTER TABLE ONLY limits
    ADD CONSTRAINT limits_pkey PRIMARY KEY (id);

ALTER TABLE ONLY local_demand
    ADD CONSTRAINT local_demand_pkey PRIMARY KEY (cluster_id, hour);

ALTER TABLE ONLY message_lines
    ADD CONSTRAINT message_lines_pkey PRIMARY KEY (message_id, what, change, cluster_id);

ALTER TABLE ONLY messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (id);

ALTER TABLE ONLY named_nodes
    ADD CONSTRAINT named_nodes_pkey PRIMARY KEY (cluster_id);

ALTER TABLE ONLY notices
    ADD CONSTRAINT notices_pkey PRIMARY KEY (id);

ALTER TABLE ONLY pair_history
    ADD CONSTRAINT pair_history_pkey PRIMARY KEY (campaign_id, made_at, cluster_id);

ALTER TABLE ONLY plan_quality
    ADD CONSTRAINT plan_quality_pkey PRIMARY KEY (day, cluster_id, algorithm, type);

ALTER TABLE ONLY project_priorities
    ADD CONSTRAINT project_priorities_pkey PRIMARY KEY (project);

ALTER TABLE ONLY request_bags
    ADD CONSTRAINT request_bags_pkey PRIMARY KEY (campaign_id, request);

ALTER TABLE ONLY request_tasks
    ADD CONSTRAINT request_tasks_pkey PRIMARY KEY (campaign_id, request, number);

ALTER TABLE ONLY reservations
    ADD CONSTRAINT reservations_pkey PRIMARY KEY (cluster_id);

ALTER TABLE ONLY returned_tasks
    ADD CONSTRAINT returned_tasks_pkey PRIMARY KEY (campaign_id, number);

ALTER TABLE ONLY shares
    ADD CONSTRAINT shares_pkey PRIMARY KEY (id);

ALTER TABLE ONLY subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY task_blocks
    ADD CONSTRAINT task_blocks_pkey PRIMARY KEY (campaign_id, block);

ALTER TABLE ONLY task_gives
    ADD CONSTRAINT task_gives_pkey PRIMARY KEY (campaign_id, number);

ALTER TABLE ONLY tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (campaign_id, number);

ALTER TABLE ONLY told_events
    ADD CONSTRAINT told_events_pkey PRIMARY KEY (event_id);

ALTER TABLE ONLY totals
    ADD CONSTRAINT totals_pkey PRIMARY KEY (kind, cluster_id, name, result);

ALTER TABLE ONLY unmarked_ends
    ADD CONSTRAINT unmarked_ends_pkey PRIMARY KEY (event);

ALTER TABLE ONLY usage
    ADD CONSTRAINT usage_pkey PRIMARY KEY (day, user_name, project, cluster_id, campaign_id);

ALTER TABLE ONLY user_limits
    ADD CONSTRAINT user_limits_pkey PRIMARY KEY (user_name);

ALTER TABLE ONLY user_mappings
    ADD CONSTRAINT user_mappings_pkey PRIMARY KEY (user_name, cluster_id);

ALTER TABLE ONLY user_priorities
    ADD CONSTRAINT user_priorities_pkey PRIMARY KEY (user_name);

ALTER TABLE ONLY web_sessions
    ADD CONSTRAINT web_sessions_pkey PRIMARY KEY (digest);

ALTER TABLE ONLY withheld_tasks
    ADD CONSTRAINT withheld_tasks_pkey PRIMARY KEY (campaign_id, number);

CREATE INDEX audit_acted_at ON audit USING btree (acted_at);

CREATE INDEX audit_of_campaign ON audit USING btree (campaign_id, id) WHERE (campaign_id IS NOT NULL);

CREATE UNIQUE INDEX brakes_target ON brakes USING btree (COALESCE(campaign_id, (0)::bigint), COALESCE(cluster_id, (0)::bigint));

CREATE INDEX campaign_changes_campaign ON campaign_changes USING btree (campaign_id, id);

CREATE UNIQUE INDEX campaign_changes_key ON campaign_changes USING btree (campaign_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);

CREATE INDEX campaign_clusters_active ON campaign_clusters USING btree (campaign_id, cluster_id) WHERE active;

CREATE INDEX campaign_clusters_cluster ON campaign_clusters USING btree (cluster_id);

CREATE INDEX campaign_clusters_epilogue_due ON campaign_clusters USING btree (campaign_id, cluster_id) WHERE epilogue_due;

CREATE INDEX campaign_clusters_failed_since_done ON campaign_clusters USING btree (cluster_id) WHERE (failed_since_done > 0);

CREATE INDEX campaign_clusters_inputs_served ON campaign_clusters USING btree (cluster_id, campaign_id) WHERE (inputs_served_at IS NOT NULL);

CREATE INDEX campaign_clusters_measured ON campaign_clusters USING btree (cluster_id, campaign_id) WHERE (measured > 0);

CREATE INDEX campaign_clusters_properties ON campaign_clusters USING btree (campaign_id, cluster_id) WHERE (properties <> ''::text);

CREATE INDEX campaign_clusters_scripts ON campaign_clusters USING btree (campaign_id, cluster_id) WHERE ((prologue <> ''::text) OR (epilogue <> ''::text));

CREATE INDEX campaign_clusters_uncleaned ON campaign_clusters USING btree (campaign_id) WHERE (cleaned_at IS NULL);

CREATE INDEX campaign_inputs_contents ON campaign_inputs USING btree (sha256);

CREATE INDEX campaigns_failed ON campaigns USING btree (id) WHERE ((state = 'terminated'::campaign_state) AND (failed > 0));

CREATE UNIQUE INDEX campaigns_key ON campaigns USING btree (user_name, idempotency_key) WHERE (idempotency_key IS NOT NULL);

CREATE INDEX campaigns_live ON campaigns USING btree (id) WHERE (state = ANY (ARRAY['in_treatment'::campaign_state, 'paused'::campaign_state]));

CREATE INDEX campaigns_purged ON campaigns USING btree (purged_at) WHERE (purged_at IS NOT NULL);

CREATE INDEX campaigns_user ON campaigns USING btree (user_name, id);

CREATE INDEX campaigns_with_checkpoints ON campaigns USING btree (id) WHERE ((checkpoint_cost_s IS NOT NULL) AND is_live(state));

CREATE INDEX cluster_tokens_cluster ON cluster_tokens USING btree (cluster_id);

CREATE INDEX cycles_time ON cycles USING btree (started_at);

CREATE INDEX dependencies_open ON dependencies USING btree (on_campaign, campaign_id) WHERE (met_at IS NULL);

CREATE INDEX dependencies_to_release ON dependencies USING btree (on_campaign, released_to) WHERE ((kind = 'after_each'::text) AND (released_at IS NULL));

CREATE INDEX events_campaign ON events USING btree (campaign_id, id);

CREATE UNIQUE INDEX events_open ON events USING btree (code, COALESCE(campaign_id, (0)::bigint), COALESCE(cluster_id, (0)::bigint), COALESCE(user_name, ''::text)) WHERE (state = 'open'::text);

CREATE INDEX events_user ON events USING btree (user_name, id) WHERE (user_name IS NOT NULL);

CREATE UNIQUE INDEX failure_groups_alike ON failure_groups USING btree (campaign_id, cluster_id, ending, COALESCE(exit_status, '-1'::integer), pattern);

CREATE UNIQUE INDEX feed_newest ON feed USING btree (kind, subject) WHERE (change = ANY (ARRAY['counts'::text, 'again'::text]));

CREATE INDEX feed_noted_at ON feed USING btree (noted_at);

CREATE INDEX inputs_contents ON inputs USING btree (sha256, bytes);

CREATE INDEX inputs_used ON inputs USING btree (used_at);

CREATE INDEX jobs_claimed ON jobs USING btree (campaign_id) WHERE ((state = 'pooled'::job_state) AND (claimed_at IS NOT NULL));

CREATE INDEX jobs_done ON jobs USING btree (campaign_id, cluster_id, ended_at, id) WHERE (ending = 'done'::text);

CREATE INDEX jobs_launch ON jobs USING btree (launch_id);

CREATE INDEX jobs_live ON jobs USING btree (cluster_id, id) WHERE (state = ANY (ARRAY['planned'::job_state, 'launching'::job_state, 'remote_waiting'::job_state, 'running'::job_state, 'unknown'::job_state, 'pooled'::job_state]));

CREATE INDEX jobs_running ON jobs USING btree (campaign_id, started_at) WHERE (state = 'running'::job_state);

CREATE INDEX jobs_sink ON jobs USING btree (sink) WHERE (sink IS NOT NULL);

CREATE INDEX jobs_start_late ON jobs USING btree (campaign_id, ended_at) WHERE ((ending = 'never_began'::text) OR ((ending = ANY (ARRAY['killed_by_us'::text, 'killed_elsewhere'::text])) AND (started_at IS NOT NULL)) OR (resubmissions > 0));

CREATE INDEX jobs_task ON jobs USING btree (campaign_id, task);

CREATE INDEX keeps_campaign ON keeps USING btree (campaign_id) WHERE (campaign_id IS NOT NULL);

CREATE INDEX keeps_cluster ON keeps USING btree (cluster_id);

CREATE INDEX kill_requests_lost ON kill_requests USING btree (requested_at) WHERE (reason = 'lost'::text);

CREATE INDEX kill_requests_resent ON kill_requests USING btree (requested_at) WHERE (reason = 'resent'::text);

CREATE INDEX launches_campaign ON launches USING btree (campaign_id);

CREATE INDEX launches_of_former_needs ON launches USING btree (campaign_id, cluster_id) WHERE (needs IS NOT NULL);

CREATE INDEX launches_open ON launches USING btree (cluster_id, id) WHERE (state = ANY (ARRAY['planned'::launch_state, 'launching'::launch_state, 'unknown'::launch_state]));

CREATE INDEX launches_recent ON launches USING btree (cluster_id, settled_at) WHERE (state = 'accepted'::launch_state);

CREATE INDEX launches_uncleaned ON launches USING btree (cluster_id, campaign_id, id) WHERE ((cleaned_at IS NULL) AND (tag IS NOT NULL));

CREATE INDEX launches_void ON launches USING btree (cluster_id, settled_at) WHERE ((state = 'void'::launch_state) AND (tag IS NOT NULL));

CREATE UNIQUE INDEX lease_term ON lease USING btree (term);

CREATE UNIQUE INDEX limits_target ON limits USING btree (kind, COALESCE(consumable, ''::text), COALESCE(user_name, ''::text), COALESCE(group_name, ''::text), COALESCE(project, ''::text), COALESCE(campaign_id, (0)::bigint), COALESCE(cluster_id, (0)::bigint), COALESCE(each_of, ''::text));

CREATE UNIQUE INDEX messages_gathering ON messages USING btree (subscription_id, about) WHERE (state = 'gathering'::text);

CREATE INDEX messages_of ON messages USING btree (subscription_id, id);

CREATE INDEX messages_open ON messages USING btree (subscription_id, about) WHERE (state = ANY (ARRAY['gathering'::text, 'ready'::text, 'sending'::text]));

CREATE INDEX messages_settled ON messages USING btree (settled_at) WHERE (state = ANY (ARRAY['sent'::text, 'failed'::text]));

CREATE UNIQUE INDEX normal_users_pair ON normal_users USING btree (user_name, COALESCE(cluster_id, (0)::bigint));

CREATE INDEX reservations_of_campaigns ON reservations USING btree (campaign_id);

CREATE INDEX returned_tasks_fenced ON returned_tasks USING btree (fence) WHERE (fence IS NOT NULL);

CREATE INDEX returned_tasks_followers ON returned_tasks USING btree (cluster_id) WHERE follows;

CREATE INDEX returned_tasks_held ON returned_tasks USING btree (campaign_id, held_at) WHERE (held_by IS NOT NULL);

CREATE INDEX returned_tasks_order ON returned_tasks USING btree (campaign_id, request, cluster_id, priority DESC, number) WHERE (held_by IS NULL);

CREATE INDEX returned_tasks_scripts ON returned_tasks USING btree (campaign_id, number) WHERE (number < 0);

CREATE UNIQUE INDEX shares_sibling ON shares USING btree (COALESCE(parent_id, (0)::bigint), kind, name);

CREATE UNIQUE INDEX subscriptions_target ON subscriptions USING btree (user_name, audience, channel, address);

CREATE INDEX tasks_cancelling ON tasks USING btree (campaign_id, number) WHERE cancelling;

CREATE INDEX tasks_failed ON tasks USING btree (campaign_id, number) WHERE (state = 'failed'::task_state);

CREATE INDEX tasks_failed_alike ON tasks USING btree (failure, number) WHERE (failure IS NOT NULL);

CREATE INDEX web_sessions_user_name_idx ON web_sessions USING btree (user_name, begun_at);

CREATE TRIGGER account_usage AFTER UPDATE ON jobs REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION account_usage();

CREATE TRIGGER count_gone_inputs AFTER DELETE ON inputs REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_gone_inputs();

CREATE TRIGGER count_jobs AFTER UPDATE ON jobs REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_jobs();

CREATE TRIGGER count_new_inputs AFTER INSERT ON inputs REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_new_inputs();

CREATE TRIGGER count_new_jobs AFTER INSERT ON jobs REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_jobs();

CREATE TRIGGER count_plans AFTER UPDATE ON jobs REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_plans();

CREATE TRIGGER count_tasks AFTER UPDATE ON tasks REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_tasks();

CREATE TRIGGER count_unheld AFTER DELETE ON returned_tasks REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_unheld();

CREATE TRIGGER follow_when_freed AFTER UPDATE ON returned_tasks REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION follow_freed();

CREATE TRIGGER follow_when_returned AFTER INSERT ON returned_tasks REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION follow_returned();

CREATE TRIGGER forget_totals AFTER DELETE ON clusters FOR EACH ROW EXECUTE FUNCTION forget_totals();

CREATE CONSTRAINT TRIGGER judge_forecasts AFTER UPDATE OF state ON campaigns DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.state <> new.state) AND (new.state = 'terminated'::campaign_state) AND (new.ended_at IS NOT NULL))) EXECUTE FUNCTION judge_forecasts();

CREATE TRIGGER meet_dependencies AFTER UPDATE OF state ON campaigns FOR EACH ROW WHEN (((old.state <> new.state) AND is_over(new.state))) EXECUTE FUNCTION meet_dependencies();

CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE ON admission_rules FOR EACH ROW EXECUTE FUNCTION note_act('rule', 'name');

CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE ON affinities FOR EACH ROW EXECUTE FUNCTION note_act('affinity of', 'user_name');

CREATE TRIGGER note_act AFTER INSERT OR DELETE ON brakes FOR EACH ROW WHEN (((acting() IS NOT NULL) AND (pg_trigger_depth() = 0))) EXECUTE FUNCTION note_act('brake');

CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE OF name, enabled, retired_at, url, api, authentication, login, secret_file, identity_header, ca_file, certificate_file, key_file, homes, verify_tls, power, cost, transfer_mb_s, flood, array_size, memory_property, memory_unit_mb, memory_max_mb, headroom, availability, load_property, shared_home, properties, wake_minutes, file_server_mb_s ON clusters FOR EACH ROW EXECUTE FUNCTION note_act('cluster', 'name');

CREATE TRIGGER note_act AFTER INSERT ON declarations FOR EACH ROW EXECUTE FUNCTION note_act('declaration', 'what', 'subject');

CREATE TRIGGER note_act AFTER UPDATE OF state ON events FOR EACH ROW WHEN (((acting() IS NOT NULL) AND (pg_trigger_depth() = 0))) EXECUTE FUNCTION note_act('event', 'id', 'code');

CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE ON group_priorities FOR EACH ROW EXECUTE FUNCTION note_act('priority of group', 'group_name');

CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE ON keeps FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION note_act('keep', 'name');

CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE ON limits FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION note_act('limit', 'id', 'kind');

CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE ON normal_users FOR EACH ROW EXECUTE FUNCTION note_act('normal jobs of', 'user_name');

CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE ON project_priorities FOR EACH ROW EXECUTE FUNCTION note_act('priority of project', 'project');

CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE ON shares FOR EACH ROW EXECUTE FUNCTION note_act('share of', 'kind', 'name');

CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE ON user_limits FOR EACH ROW EXECUTE FUNCTION note_act('limits of', 'user_name');

CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE ON user_mappings FOR EACH ROW EXECUTE FUNCTION note_act('login of', 'user_name');

CREATE TRIGGER note_act AFTER INSERT OR DELETE OR UPDATE ON user_priorities FOR EACH ROW EXECUTE FUNCTION note_act('priority of', 'user_name');

CREATE TRIGGER note_algorithm BEFORE INSERT ON launches FOR EACH ROW EXECUTE FUNCTION note_algorithm();

CREATE TRIGGER note_cluster AFTER UPDATE OF enabled, reachable, retired_at ON clusters FOR EACH ROW WHEN (((old.enabled <> new.enabled) OR (old.reachable IS DISTINCT FROM new.reachable) OR (old.retired_at IS DISTINCT FROM new.retired_at))) EXECUTE FUNCTION note_cluster();

CREATE TRIGGER note_event AFTER UPDATE OF state, occurrences ON events FOR EACH ROW WHEN (((new.user_name IS NULL) AND ((old.state <> new.state) OR (old.occurrences <> new.occurrences)))) EXECUTE FUNCTION note_event('changed');

CREATE TRIGGER note_failure BEFORE UPDATE ON campaign_clusters FOR EACH ROW WHEN ((new.failures_in_a_row > old.failures_in_a_row)) EXECUTE FUNCTION note_failure();

CREATE TRIGGER note_first_campaign AFTER INSERT ON campaigns FOR EACH ROW EXECUTE FUNCTION note_first_campaign();

CREATE TRIGGER note_new_campaign AFTER INSERT ON campaigns FOR EACH ROW EXECUTE FUNCTION note_campaign();

CREATE TRIGGER note_new_cluster AFTER INSERT ON clusters FOR EACH ROW EXECUTE FUNCTION note_cluster();

CREATE TRIGGER note_new_event AFTER INSERT ON events FOR EACH ROW WHEN ((new.user_name IS NULL)) EXECUTE FUNCTION note_event('new');

CREATE TRIGGER note_progress AFTER UPDATE OF total, waiting, launching, submitted, running, done, failed, cancelled, held ON campaigns FOR EACH ROW WHEN (((old.total <> new.total) OR (old.waiting <> new.waiting) OR (old.launching <> new.launching) OR (old.submitted <> new.submitted) OR (old.running <> new.running) OR (old.done <> new.done) OR (old.failed <> new.failed) OR (old.cancelled <> new.cancelled) OR (old.held <> new.held))) EXECUTE FUNCTION note_progress();

CREATE TRIGGER note_reopened BEFORE UPDATE OF state ON campaigns FOR EACH ROW WHEN ((is_over(old.state) AND (NOT is_over(new.state)))) EXECUTE FUNCTION note_reopened();

CREATE TRIGGER note_requested AFTER INSERT OR UPDATE OF priority, resources_per_job, walltime_s, max_jobs, nodes_per_job, best_effort ON campaign_clusters FOR EACH ROW EXECUTE FUNCTION note_requested();

CREATE TRIGGER note_state AFTER UPDATE OF state ON campaigns FOR EACH ROW WHEN ((old.state <> new.state)) EXECUTE FUNCTION note_campaign();

CREATE TRIGGER note_term BEFORE UPDATE OF term ON lease FOR EACH ROW WHEN ((new.term <> old.term)) EXECUTE FUNCTION note_term();

CREATE TRIGGER release_tasks AFTER UPDATE ON tasks REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION release_tasks();

CREATE TRIGGER tell_brake AFTER INSERT OR UPDATE OF created_at ON brakes FOR EACH ROW WHEN ((new.set_by IS NULL)) EXECUTE FUNCTION tell_brake();

CREATE TRIGGER tell_campaign AFTER UPDATE OF state, failed ON campaigns FOR EACH ROW WHEN (((old.state <> new.state) OR ((old.failed = 0) AND (new.failed > 0)))) EXECUTE FUNCTION tell_campaign();

CREATE TRIGGER tell_event AFTER UPDATE OF state ON events FOR EACH ROW WHEN (((old.state = 'open'::text) AND (new.state = 'closed'::text) AND (new.campaign_id IS NULL) AND (new.user_name IS NULL))) EXECUTE FUNCTION tell_event();

CREATE TRIGGER tell_new_event AFTER INSERT ON events FOR EACH ROW WHEN ((new.state = 'open'::text)) EXECUTE FUNCTION tell_event();

CREATE TRIGGER thin_decision_history AFTER INSERT ON decision_history REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION thin_decision_history();

CREATE TRIGGER total_kills AFTER INSERT ON kill_requests REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION total_kills();

CREATE CONSTRAINT TRIGGER total_new_campaigns AFTER INSERT ON campaigns DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION total_campaigns();

CREATE CONSTRAINT TRIGGER total_over_campaigns AFTER UPDATE OF state ON campaigns DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.state <> new.state) AND is_over(new.state))) EXECUTE FUNCTION total_campaigns();

CREATE TRIGGER total_resources AFTER INSERT ON gridstatus REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION total_resources();

ALTER TABLE ONLY affinities
    ADD CONSTRAINT affinities_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY algorithm_trials
    ADD CONSTRAINT algorithm_trials_campaign_id_cluster_id_fkey FOREIGN KEY (campaign_id, cluster_id) REFERENCES campaign_clusters(campaign_id, cluster_id) ON DELETE CASCADE;

ALTER TABLE ONLY brakes
    ADD CONSTRAINT brakes_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY brakes
    ADD CONSTRAINT brakes_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY campaign_changes
    ADD CONSTRAINT campaign_changes_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY campaign_clusters
    ADD CONSTRAINT campaign_clusters_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY campaign_clusters
    ADD CONSTRAINT campaign_clusters_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id);

ALTER TABLE ONLY campaign_forecasts
    ADD CONSTRAINT campaign_forecasts_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY campaign_inputs
    ADD CONSTRAINT campaign_inputs_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY campaign_requests
    ADD CONSTRAINT campaign_requests_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY cluster_calls
    ADD CONSTRAINT cluster_calls_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY cluster_stress
    ADD CONSTRAINT cluster_stress_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY cluster_tokens
    ADD CONSTRAINT cluster_tokens_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY completions
    ADD CONSTRAINT completions_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY decided
    ADD CONSTRAINT decided_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY decision_history
    ADD CONSTRAINT decision_history_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY decisions
    ADD CONSTRAINT decisions_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY dependencies
    ADD CONSTRAINT dependencies_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY duration_samples
    ADD CONSTRAINT duration_samples_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY durations
    ADD CONSTRAINT durations_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY events
    ADD CONSTRAINT events_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY events
    ADD CONSTRAINT events_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY failure_groups
    ADD CONSTRAINT failure_groups_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY failure_groups
    ADD CONSTRAINT failure_groups_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id);

ALTER TABLE ONLY forecast_history
    ADD CONSTRAINT forecast_history_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY forecasts
    ADD CONSTRAINT forecasts_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY gridstatus
    ADD CONSTRAINT gridstatus_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY job_programs
    ADD CONSTRAINT job_programs_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY keeps
    ADD CONSTRAINT keeps_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY keeps
    ADD CONSTRAINT keeps_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY kill_requests
    ADD CONSTRAINT kill_requests_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE;

ALTER TABLE ONLY launches
    ADD CONSTRAINT launches_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY launches
    ADD CONSTRAINT launches_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id);

ALTER TABLE ONLY learnt_headroom
    ADD CONSTRAINT learnt_headroom_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY limits
    ADD CONSTRAINT limits_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY limits
    ADD CONSTRAINT limits_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY local_demand
    ADD CONSTRAINT local_demand_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY message_lines
    ADD CONSTRAINT message_lines_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id) ON DELETE CASCADE;

ALTER TABLE ONLY messages
    ADD CONSTRAINT messages_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES subscriptions(id) ON DELETE CASCADE;

ALTER TABLE ONLY named_nodes
    ADD CONSTRAINT named_nodes_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY normal_users
    ADD CONSTRAINT normal_users_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY pair_history
    ADD CONSTRAINT pair_history_campaign_id_made_at_fkey FOREIGN KEY (campaign_id, made_at) REFERENCES forecast_history(campaign_id, made_at) ON DELETE CASCADE;

ALTER TABLE ONLY request_bags
    ADD CONSTRAINT request_bags_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY reservations
    ADD CONSTRAINT reservations_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY reservations
    ADD CONSTRAINT reservations_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY shares
    ADD CONSTRAINT shares_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES shares(id) ON DELETE CASCADE;

ALTER TABLE ONLY task_blocks
    ADD CONSTRAINT task_blocks_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY task_gives
    ADD CONSTRAINT task_gives_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

ALTER TABLE ONLY told_events
    ADD CONSTRAINT told_events_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE;

ALTER TABLE ONLY unmarked_ends
    ADD CONSTRAINT unmarked_ends_event_fkey FOREIGN KEY (event) REFERENCES events(id) ON DELETE CASCADE;

ALTER TABLE ONLY user_mappings
    ADD CONSTRAINT user_mappings_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES clusters(id) ON DELETE CASCADE;

ALTER TABLE ONLY withheld_tasks
    ADD CONSTRAINT withheld_tasks_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns(id) ON DELETE CASCADE;

