-- The cycles of the conductor.

-- name: cycles.begin
-- A cycle of the conductor begins.
INSERT INTO cycles (term, started_at) VALUES (@term, instant(@now)) RETURNING id

-- name: cycles.end
-- ...ends, with what each module did, as JSON.
UPDATE cycles SET ended_at = instant(@now), modules = @modules::jsonb WHERE id = @cycle

-- name: cycles.busy
-- Whether anything may change without a user: work to plan, jobs alive, launches or cleaning unsettled.
SELECT EXISTS (SELECT FROM campaigns WHERE state = 'in_treatment')
    OR EXISTS (SELECT FROM jobs WHERE is_live(state))
    OR EXISTS (SELECT FROM launches WHERE is_open(state))
    AS busy
