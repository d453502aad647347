-- The cycles of the conductor.

-- name: cycles.begin
-- Records the begin of a cycle.
INSERT INTO cycles (term, started_at) VALUES (@term, instant(@now)) RETURNING id

-- name: cycles.end
-- Records the end of a cycle, with the modules' results as JSON.
UPDATE cycles SET ended_at = instant(@now), modules = @modules::jsonb WHERE id = @cycle

-- name: cycles.busy
-- Whether anything may change without a user: tasks to plan, live jobs, launches or cleaning to finish.
SELECT EXISTS (SELECT FROM campaigns WHERE state = 'in_treatment')
    OR EXISTS (SELECT FROM jobs WHERE is_live(state))
    OR EXISTS (SELECT FROM launches WHERE is_open(state))
    AS busy
