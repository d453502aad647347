-- A new value of a type can be used only after the transaction that adds it: the rest is 0007_pools.sql.
ALTER TYPE job_state ADD VALUE 'pooled';
