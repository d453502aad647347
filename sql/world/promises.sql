-- What the world's promises of features (sim/world/promises.cpp) ask of the database.

-- name: promises.needs
-- How much of a consumable each task of these campaigns needs.
SELECT id, (jdl -> 'needs' ->> @consumable)::double precision AS most FROM campaigns WHERE jdl -> 'needs' ? @consumable

-- name: promises.jobs_planned_after
-- The jobs of a campaign that were planned after an instant, but those of tasks that may be bound to their cluster.
SELECT j.id FROM jobs j JOIN launches l ON l.id = j.launch_id JOIN campaigns c ON c.id = j.campaign_id
WHERE j.campaign_id = @campaign AND l.planned_at > instant(@instant) AND l.beside IS NULL AND c.checkpoint_cost_s IS NULL
  AND NOT EXISTS (SELECT FROM dependencies d WHERE d.campaign_id = c.id AND d.kind = 'after_each')
