-- Unix groups of users in the tree of shares, and their priorities.

ALTER TABLE shares DROP CONSTRAINT shares_kind_check;
ALTER TABLE shares ADD CONSTRAINT shares_kind_check CHECK (kind IN ('project', 'group', 'user'));

CREATE TABLE group_priorities (
  group_name text PRIMARY KEY CHECK (group_name <> ''),
  priority integer NOT NULL CHECK (priority BETWEEN 1 AND 7) -- 1 the highest, 4 normal, 7 the lowest
);
COMMENT ON TABLE group_priorities IS 'A row is the priority that administrators gave to the members of one unix group.';

CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON group_priorities FOR EACH ROW
  EXECUTE FUNCTION note_act('priority of group', 'group_name');
