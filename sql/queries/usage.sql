-- Usage and its purpose: reports for users and administrators.

-- name: usage.report
-- The sums of all usage, by the keys that are chosen; null: a key that is not. Only the usage of one user, if @user is not null.
SELECT
  CASE WHEN @by_day::boolean THEN u.day END::text AS day,
  CASE WHEN @by_user::boolean THEN u.user_name END AS user_name,
  CASE WHEN @by_project::boolean THEN u.project END AS project,
  CASE WHEN @by_campaign::boolean THEN u.campaign_id END AS campaign_id,
  CASE WHEN @by_cluster::boolean THEN coalesce(k.name, u.cluster_id::text) END AS cluster,
  CASE WHEN @by_campaign::boolean THEN max(c.name) END AS campaign,
  sum(u.resource_seconds) AS resource_seconds,
  sum(u.useful_seconds) AS useful_seconds,
  sum(u.failed_seconds) AS failed_seconds,
  sum(u.lost_seconds) AS lost_seconds,
  sum(u.jobs)::bigint AS jobs,
  sum(u.failed_jobs)::bigint AS failed_jobs,
  sum(u.lost_jobs)::bigint AS lost_jobs,
  sum(u.tasks)::bigint AS tasks,
  count(*) OVER () AS total
FROM usage u LEFT JOIN clusters k ON k.id = u.cluster_id LEFT JOIN campaigns c ON c.id = u.campaign_id
WHERE u.day >= (instant(@from) AT TIME ZONE 'UTC')::date AND u.day <= (instant(@to) AT TIME ZONE 'UTC')::date
  AND (@user::text IS NULL OR u.user_name = @user)
GROUP BY 1, 2, 3, 4, 5
ORDER BY 1, 2, 3, 4, 5 LIMIT @limit OFFSET @offset
