-- The advance reservations of OAR (`oarsub -r`), by which it keeps resources for its own users from a time on.

ALTER TABLE clusters ADD COLUMN advance_reservations text NOT NULL DEFAULT '';
COMMENT ON COLUMN clusters.advance_reservations IS
  'the advance reservations of OAR that had not begun when they were read, the soonest first: begin-endxresources, in seconds since 1970; an empty text: none is known';
