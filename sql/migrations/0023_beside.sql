-- Replicas on another node of the cluster where the task runs already.
ALTER TABLE launches ADD COLUMN beside bigint;
COMMENT ON COLUMN launches.beside IS 'the job of the task of which this launch is a replica on the same cluster: it goes to another node; null: of none';
