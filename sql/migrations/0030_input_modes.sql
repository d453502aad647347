-- The permissions of an input file on the clusters, as a number: 292 is octal 444. Nobody may write it.
ALTER TABLE campaign_inputs ADD COLUMN mode integer NOT NULL DEFAULT 292 CHECK (mode BETWEEN 0 AND 365 AND mode & 146 = 0);
