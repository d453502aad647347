-- What tasks leave on their clusters.
ALTER TABLE campaign_clusters
  ADD COLUMN output_directory text NOT NULL DEFAULT '',  -- of stdout, stderr and output files, macros expanded; empty: OAR's own files
  ADD COLUMN output_files text NOT NULL DEFAULT '';      -- patterns of the files that a task leaves, one a line; empty: none
