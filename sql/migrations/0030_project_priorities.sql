-- Priorities of projects.

CREATE TABLE project_priorities (
  project text PRIMARY KEY CHECK (project <> ''),
  priority integer NOT NULL CHECK (priority BETWEEN 1 AND 7) -- 1 the highest, 4 normal, 7 the lowest
);
COMMENT ON TABLE project_priorities IS 'A row is the priority that administrators gave to one project.';

CREATE TRIGGER note_act AFTER INSERT OR UPDATE OR DELETE ON project_priorities FOR EACH ROW
  EXECUTE FUNCTION note_act('priority of project', 'project');
