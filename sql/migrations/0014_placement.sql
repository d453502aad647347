-- How the words of a parameter reach the command of its task.
ALTER TABLE campaigns
  ADD COLUMN placeholders boolean GENERATED ALWAYS AS (coalesce((jdl ->> 'placeholders')::boolean, false)) STORED,
  ADD COLUMN params_shell boolean GENERATED ALWAYS AS (coalesce((jdl ->> 'params_shell')::boolean, false)) STORED,
  ADD COLUMN retries integer GENERATED ALWAYS AS ((jdl ->> 'retries')::integer) STORED,
  ADD COLUMN retry_on jsonb GENERATED ALWAYS AS (jdl -> 'retry_on') STORED;
COMMENT ON COLUMN campaigns.placeholders IS
  'braces of exec_file stand for words of the parameter, {1} for the first; false: the words follow the command';
COMMENT ON COLUMN campaigns.params_shell IS 'parameters are shell text, which the shell of the task expands';
COMMENT ON COLUMN campaigns.retries IS 'how often a task that failed by its own fault runs again; null: as configured';
COMMENT ON COLUMN campaigns.retry_on IS 'an array of the exit statuses after which it does; null: any';
