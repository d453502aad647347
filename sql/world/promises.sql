-- What the world's promises of features (sim/world/promises.cpp) ask of the database.

-- name: promises.needs
-- How much of a consumable each task of these campaigns needs.
SELECT id, (jdl -> 'needs' ->> @consumable)::double precision AS most FROM campaigns WHERE jdl -> 'needs' ? @consumable

-- name: promises.jobs_planned_after
-- The jobs of a campaign that were planned after an instant, but those of tasks that may be bound to their cluster.
SELECT j.id FROM jobs j JOIN launches l ON l.id = j.launch_id JOIN campaigns c ON c.id = j.campaign_id
WHERE j.campaign_id = @campaign AND l.planned_at > instant(@instant) AND j.fence IS NULL AND l.beside IS NULL
  AND c.checkpoint_cost_s IS NULL
  AND NOT EXISTS (SELECT FROM dependencies d WHERE d.campaign_id = c.id AND d.kind = 'after_each')

-- name: promises.sent_again
-- Arrays of a pair that a web server refused for their size, and that more than @most plans had as large as they were.
SELECT l.campaign_id, k.name, l.jobs, count(DISTINCT l.planned_at) AS times FROM launches l JOIN clusters k ON k.id = l.cluster_id
WHERE l.state = 'refused' AND l.jobs > 1 AND l.error LIKE '%the request is too large%'
GROUP BY l.campaign_id, k.name, l.jobs HAVING count(DISTINCT l.planned_at) > @most

-- name: promises.followers
-- Campaigns whose tasks follow those of another one to the clusters where they ran, and the clusters that both have.
SELECT c.id, d.on_campaign, k.name FROM dependencies d
JOIN campaigns c ON c.id = d.campaign_id AND c.follows
JOIN campaign_clusters p ON p.campaign_id = c.id AND p.max_jobs IS DISTINCT FROM 0
JOIN clusters k ON k.id = p.cluster_id
WHERE d.kind = 'after_each'
