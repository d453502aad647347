-- Campaigns that were brought out of another system.

-- name: imports.find
-- The campaign that one of another system became here; no row when it was never brought. Both are false when it was deleted since.
SELECT
  i.campaign_id,
  i.tasks,
  i.left_out,
  c.id IS NOT NULL AS is_here,
  coalesce(c.state = 'paused', false) AS is_paused
FROM imported_campaigns i LEFT JOIN campaigns c ON c.id = i.campaign_id
WHERE i.source = @source AND i.source_id = @source_id AND i.submitted_at = instant(@submitted_at)

-- name: imports.record
-- Records that this campaign is brought; no row when it was before. An import of the same one that is not committed yet is waited for.
INSERT INTO imported_campaigns (source, source_id, submitted_at, campaign_id, tasks, left_out)
VALUES (@source, @source_id, instant(@submitted_at), @campaign, @tasks, @left_out)
ON CONFLICT DO NOTHING RETURNING campaign_id
