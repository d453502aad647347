-- The reads of the world's promises of features (sim/world/promises.cpp).

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
-- Campaigns whose tasks follow those of another one to the homes where they ran, and its homes.
SELECT c.id, d.on_campaign, coalesce(k.shared_home, k.name) AS home FROM dependencies d
JOIN campaigns c ON c.id = d.campaign_id AND c.follows
JOIN campaign_clusters p ON p.campaign_id = c.id AND p.max_jobs IS DISTINCT FROM 0
JOIN clusters k ON k.id = p.cluster_id
WHERE d.kind = 'after_each'

-- name: promises.homes
-- Clusters of one home have their users' files in common.
SELECT name, coalesce(shared_home, name) AS home FROM clusters

-- name: promises.campaigns
-- The bounds on the replicas and the failures of a campaign's tasks; whether its jobs go to full clusters, too, as a test's do; whether an
-- administrator gave up jobs of it, which may run on.
SELECT c.id, c.user_name, c.replicas, (c.jdl ->> 'retries')::integer AS retries, c.type = 'test' AS is_test,
  EXISTS (SELECT FROM jobs j WHERE j.campaign_id = c.id AND j.ending = 'lost') AS given_up
FROM campaigns c

-- name: promises.given_up
-- The jobs that an administrator gave up: the grid counts them no longer, and they may run on.
SELECT id FROM jobs WHERE ending = 'lost'

-- name: promises.most_jobs
-- The pairs whose campaign file bounds their jobs.
SELECT p.campaign_id, k.name, p.max_jobs FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id WHERE p.max_jobs > 0

-- name: promises.planned_between
-- Plans for a cluster, by campaign.
SELECT l.campaign_id, count(*) AS launches FROM launches l JOIN clusters k ON k.id = l.cluster_id
WHERE k.name = @cluster AND l.planned_at > instant(@begin) AND l.planned_at < instant(@end) GROUP BY l.campaign_id

-- name: promises.planned_while_braked
SELECT DISTINCT l.campaign_id, k.name, b.reason FROM brakes b
JOIN launches l ON l.cluster_id = b.cluster_id AND (b.campaign_id IS NULL OR l.campaign_id = b.campaign_id)
  AND l.planned_at > b.created_at AND l.planned_at < b.expires_at
JOIN clusters k ON k.id = b.cluster_id

-- name: promises.scripts
-- The pairs that have scripts.
SELECT p.campaign_id, k.name, p.cluster_id, p.prologue <> '' AS prologue FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id
WHERE p.prologue <> '' OR p.epilogue <> ''

-- name: promises.waits_for
-- Campaigns that come after others of this name, and how many tasks those have.
SELECT d.campaign_id, d.on_campaign, d.kind = 'after_each' AS each, o.total FROM dependencies d JOIN campaigns o ON o.id = d.on_campaign
WHERE o.name = @name

-- name: promises.unexplained
-- Campaigns with waiting tasks, submitted before an instant, of which no decision says why they wait.
SELECT c.id FROM campaigns c
WHERE c.state = 'in_treatment' AND c.waiting > 0 AND c.submitted_at < instant(@before)
  AND NOT EXISTS (SELECT FROM decisions d WHERE d.campaign_id = c.id)
