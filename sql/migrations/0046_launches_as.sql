-- After a restore, jobs on a cluster say of which campaign they are. Anybody can name a job so.

-- Whether the campaign's jobs may have been submitted to the cluster under this login: its user's there, or that of an earlier launch.
CREATE FUNCTION launches_as(campaign bigint, cluster bigint, login text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM logins u WHERE u.campaign_id = campaign AND u.cluster_id = cluster AND u.login = launches_as.login)
    OR EXISTS (SELECT FROM launches l WHERE l.campaign_id = campaign AND l.cluster_id = cluster AND l.login = launches_as.login)
$$;
