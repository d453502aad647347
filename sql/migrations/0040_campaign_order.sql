-- In which order the latest plan served the campaigns. One row, written when the order changes: a new first campaign moves all others, so a
-- row for each would be thousands of writes.

CREATE TABLE campaign_order (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  campaign_order text NOT NULL,
  classes jsonb NOT NULL CHECK (jsonb_typeof(classes) = 'array'),
  campaigns bigint[] NOT NULL,
  campaign_classes integer[] NOT NULL CHECK (cardinality(campaign_classes) = cardinality(campaigns)),
  places bigint NOT NULL,
  digest bigint NOT NULL,
  since timestamptz NOT NULL
);
COMMENT ON TABLE campaign_order IS 'in which order the latest plan served the campaigns';
COMMENT ON COLUMN campaign_order.campaign_order IS 'the key of the configuration';
COMMENT ON COLUMN campaign_order.classes IS 'each an object; all campaigns of one go before those of the next';
COMMENT ON COLUMN campaign_order.campaigns IS 'the first at the head, 10000 at most; one twice: first on clusters of affinity, then on the others';
COMMENT ON COLUMN campaign_order.campaign_classes IS 'the class of each, by its place in classes, from 1';
COMMENT ON COLUMN campaign_order.places IS 'of all campaigns of the plan';
COMMENT ON COLUMN campaign_order.digest IS 'of all that comes before it';
