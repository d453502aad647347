-- The programs of jobs that the runner put into homes on clusters (lib/grid/program_file.hpp).

CREATE TABLE job_programs (
  cluster_id bigint NOT NULL REFERENCES clusters ON DELETE CASCADE,
  login text NOT NULL,                                   -- in whose home it is
  sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  tried_at timestamptz NOT NULL,                         -- when the runner last looked for it there, or put it
  put_at timestamptz,                                    -- since then it is there; null: it is not, or not certainly
  doubted_at timestamptz,                                -- when a job last could not begin that called it; null: none ever
  failures integer NOT NULL DEFAULT 0,                   -- in a row, to put it
  inline_until timestamptz,                              -- until then it is not put, and jobs have the program in their commands; null: no
  why text NOT NULL DEFAULT '',                          -- it is not there
  PRIMARY KEY (cluster_id, login, sha256)
);
