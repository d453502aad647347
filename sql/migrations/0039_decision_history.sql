-- The reasons that each pair had before its last decision, and for how long. A row when the reason or its subject changes, not when only
-- figures do. The reason that stands now is in `decisions`.

ALTER TYPE changed_decision ADD ATTRIBUTE subject text;
ALTER TABLE decisions ADD COLUMN subject text NOT NULL DEFAULT '', ADD COLUMN stands_since timestamptz;
UPDATE decisions SET digest = 0;
UPDATE decided SET digest = 0;
COMMENT ON COLUMN decisions.subject IS 'the thing that the reason is about, where it distinguishes two of a kind: a limit, a campaign, the bound of a launch';
COMMENT ON COLUMN decisions.stands_since IS 'since when reason and subject are these; null: since `since`';

CREATE TABLE decision_history (
  campaign_id bigint NOT NULL REFERENCES campaigns ON DELETE CASCADE,
  cluster_id bigint NOT NULL,
  change bigint NOT NULL CHECK (change > 0),
  level smallint NOT NULL DEFAULT 0,
  since timestamptz NOT NULL,
  until timestamptz NOT NULL,
  lasted interval NOT NULL,
  reason text NOT NULL,
  subject text NOT NULL,
  PRIMARY KEY (campaign_id, cluster_id, change, reason, subject),
  CHECK (since < until AND lasted > '0' AND lasted <= until - since)
);
COMMENT ON TABLE decision_history IS 'past reasons of each pair; of long ago summed up, by the trigger thin_decision_history';
COMMENT ON COLUMN decision_history.cluster_id IS '0: the whole campaign';
COMMENT ON COLUMN decision_history.change IS 'number of the change of the pair that ended it, from 1; of a sum that of its last one';
COMMENT ON COLUMN decision_history.level IS '0: the reason held from since until until; above: a row for each reason that the pair had in that time, summed up';
COMMENT ON COLUMN decision_history.lasted IS 'of a sum less than from since until until, where other reasons, or none, held too';

-- The row that the history gets when a decision ends then; none for one that lasted no time, nor for a place in the order. A clock that was
-- set back makes no two reasons of one time.
CREATE FUNCTION ended_reason(decision decisions, at timestamptz) RETURNS SETOF decision_history LANGUAGE sql STABLE AS $$
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

-- The last of the changes that are summed up with this one at a level: of the same 16, 128, 1024, 8192, 65536.
CREATE FUNCTION last_of_sum(change bigint, level smallint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (change + (2::bigint << 3 * level) - 1) / (2::bigint << 3 * level) * (2::bigint << 3 * level)
$$;

-- How a change is kept once the pair's latest one has this number: 0 as it is, above 0 summed up with those of the same
-- 16, 128, 1024, ... changes. Twice as many of each level are kept, so rows grow with the logarithm of the changes.
CREATE FUNCTION history_level(change bigint, latest bigint) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN last_of_sum(change, 5::smallint) <= latest - 131072 THEN 5
    WHEN last_of_sum(change, 4::smallint) <= latest - 16384 THEN 4
    WHEN last_of_sum(change, 3::smallint) <= latest - 2048 THEN 3
    WHEN last_of_sum(change, 2::smallint) <= latest - 256 THEN 2
    WHEN last_of_sum(change, 1::smallint) <= latest - 32 THEN 1
    ELSE 0 END::smallint
$$;

-- A pair's turn comes once in 16 changes, and not that of all pairs at once. Cost: as many rows as were added since.
CREATE FUNCTION thin_decision_history() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER thin_decision_history AFTER INSERT ON decision_history REFERENCING NEW TABLE AS added FOR EACH STATEMENT
  EXECUTE FUNCTION thin_decision_history();
