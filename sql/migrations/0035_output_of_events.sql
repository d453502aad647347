-- What a user's program wrote is not everybody's to read: it leaves the message of an event, and has a column of its own.

ALTER TABLE events ADD COLUMN output text NOT NULL DEFAULT '';
COMMENT ON COLUMN events.output IS 'the last lines of stderr that the event is about, for the campaign''s user and administrators alone; empty: none';

WITH cut AS (SELECT id, strpos(message, E'; its last lines of stderr:\n') AS at FROM events
             WHERE strpos(message, E'; its last lines of stderr:\n') > 0)
UPDATE events e SET
  output = substr(e.message, cut.at + length(E'; its last lines of stderr:\n')),
  message = left(e.message, cut.at - 1)
FROM cut WHERE cut.id = e.id;

CREATE OR REPLACE VIEW event_rows AS
SELECT
  e.id,
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
  c.user_name
FROM events e
LEFT JOIN clusters k ON k.id = e.cluster_id
LEFT JOIN campaigns c ON c.id = e.campaign_id;
