-- Replicas of running tasks.

-- name: replicas.plan
-- Plans a launch of replicas for up to @jobs running tasks that never had one and whose job is on another cluster (@beside: on this one;
-- the launch keeps the first of these jobs, or its carrier, to avoid its nodes), the longest running first. @longer_than_s: only tasks that have run for
-- this many seconds; null: all. @leaves: the nodes that the jobs leave empty. Each replica has an attempt of its own, so that the fence lets both jobs run.
WITH running AS (
  SELECT
    t.number,
    t.attempt,
    t.request,
    t.walltime_s,
    j.oar_job AS first,
    j.began_at,
    q.shape,
    coalesce(q.resources, p.resources) AS resources,
    coalesce(q.resources_per_job, p.resources_per_job, 1) AS resources_per_job,
    q.memory_mb,
    coalesce(q.walltime_s, p.walltime_s) AS asked_s,
    p.max_walltime_s
  FROM campaigns c
  JOIN campaign_clusters p ON p.campaign_id = c.id AND p.cluster_id = @cluster
  JOIN carried_out j ON j.campaign_id = c.id AND (j.cluster_id = @cluster) = @beside::boolean
    AND (@longer_than_s::double precision IS NULL
      OR j.began_at <= coalesce(j.seen_at, instant(@now)) - @longer_than_s * interval '1 second')
  JOIN tasks t ON t.campaign_id = c.id AND t.number = j.task AND t.attempt = j.attempt AND t.state = 'running' AND t.replica IS NULL
    AND NOT t.cancelling AND NOT is_script(t.number)
  LEFT JOIN campaign_requests q ON q.campaign_id = c.id AND q.cluster_id = @cluster AND q.request = t.request
  WHERE c.id = @campaign AND c.state = 'in_treatment' AND c.replicas AND NOT c.follows AND (t.request IS NULL OR q.request IS NOT NULL)),
lead AS (SELECT shape FROM running ORDER BY began_at, number LIMIT 1),
chosen AS (SELECT * FROM running WHERE shape IS NOT DISTINCT FROM (SELECT shape FROM lead) ORDER BY began_at, number LIMIT @jobs),
doubled AS (
  UPDATE tasks t SET replica = t.attempt + 1, replica_lives = true FROM chosen
  WHERE t.campaign_id = @campaign AND t.number = chosen.number AND t.attempt = chosen.attempt AND t.state = 'running' AND t.replica IS NULL
    AND NOT t.cancelling
  RETURNING t.number, t.replica, t.request, chosen.first, chosen.resources, chosen.resources_per_job, chosen.memory_mb,
    least(greatest(chosen.asked_s, t.walltime_s), coalesce(chosen.max_walltime_s, chosen.asked_s)) AS walltime_s),
launch AS (
  INSERT INTO launches (campaign_id, cluster_id, jobs, resources, term, planned_at, leaves, request, memory_mb, walltime_s, beside)
  SELECT @campaign, @cluster, count(*), sum(resources_per_job), @term, instant(@now), @leaves, max(resources), max(memory_mb), max(walltime_s),
    CASE WHEN @beside::boolean THEN min(first) END
  FROM doubled HAVING count(*) > 0 RETURNING id),
planned AS (
  INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt)
  SELECT launch.id, @campaign, @cluster, number, replica FROM doubled, launch ORDER BY number RETURNING id)
SELECT count(*) AS jobs FROM planned

-- name: replicas.candidates
-- For active campaigns that allow replicas: the tasks that run on each cluster and never had a replica, and how many of them have run
-- longer than the quantile @share of the durations of the campaign's done jobs. With fewer than @least_done jobs done, the second number is
-- 0.
WITH known AS (
  SELECT campaign_id, min(bucket_seconds(bucket)) FILTER (WHERE ended >= @share::double precision * jobs) AS seconds
  FROM (SELECT d.campaign_id, d.bucket, sum(sum(d.jobs)) OVER (PARTITION BY d.campaign_id ORDER BY d.bucket) AS ended,
          sum(sum(d.jobs)) OVER (PARTITION BY d.campaign_id) AS jobs
        FROM durations d JOIN campaigns c ON c.id = d.campaign_id AND c.replicas AND c.state = 'in_treatment'
          GROUP BY d.campaign_id, d.bucket) b
  WHERE jobs >= @least_done GROUP BY campaign_id)
SELECT
  j.campaign_id,
  j.cluster_id,
  count(*) AS tasks,
  count(*) FILTER (WHERE j.began_at <= coalesce(j.seen_at, instant(@now)) - k.seconds * interval '1 second') AS expired,
  min(k.seconds) AS seconds
FROM campaigns c
JOIN carried_out j ON j.campaign_id = c.id
JOIN tasks t ON t.campaign_id = c.id AND t.number = j.task AND t.attempt = j.attempt AND t.state = 'running' AND t.replica IS NULL
  AND NOT t.cancelling AND NOT is_script(t.number)
LEFT JOIN known k ON k.campaign_id = c.id
WHERE c.replicas AND NOT c.follows AND c.state = 'in_treatment'
GROUP BY j.campaign_id, j.cluster_id ORDER BY j.campaign_id, j.cluster_id
