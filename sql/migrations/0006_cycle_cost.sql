-- What a cycle costs: times that are converted in place, and decisions that can be compared without reading their sentences.

-- A conversion that calls a stable function is stable itself; said so, the planner writes it into the query instead of calling it.
CREATE OR REPLACE FUNCTION micros(t timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT (extract(epoch FROM t) * 1000000)::bigint $$;
CREATE OR REPLACE FUNCTION instant(micros bigint) RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT 'epoch'::timestamptz + micros * interval '1 microsecond' $$;

ALTER TABLE decisions ADD COLUMN digest bigint NOT NULL DEFAULT 0;  -- of all that the row says but `since`
