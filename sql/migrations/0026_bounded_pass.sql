-- A launch looks for new tasks in a bounded part of the bag: a million held ones ahead of its cursor took 3.4 s of one planning.

DROP FUNCTION next_untaken(bigint, bigint, bigint);
-- The next waiting tasks from `first` to before `past` that no row of returned_tasks holds. The index is the only plan, as the statistics of
-- a new bag are missing. Volatile: it sees what was committed before it is called, as the caller has just waited for the campaign's lock.
CREATE FUNCTION next_untaken(campaign bigint, first bigint, past bigint, most bigint) RETURNS SETOF bigint LANGUAGE sql VOLATILE
  SET enable_seqscan TO 'off' SET enable_bitmapscan TO 'off' SET enable_sort TO 'off' AS $$
  SELECT number FROM tasks t WHERE campaign_id = campaign AND number >= first AND number < past AND state = 'waiting'
    AND NOT EXISTS (SELECT FROM returned_tasks r WHERE r.campaign_id = campaign AND r.number = t.number)
  ORDER BY number LIMIT most
$$;
