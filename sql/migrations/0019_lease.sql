-- A transaction that holds the term still (lease.guard) does not stand in the way of a renewal: only a change of a key does.
CREATE UNIQUE INDEX lease_term ON lease (term);
