-- Input files of campaigns.

-- name: inputs.lock
-- One at a time adds contents to the spool, or removes some, until the end of the transaction.
SELECT pg_advisory_xact_lock(hashtext('gleaner.inputs')) AS locked

-- name: inputs.try_lock
-- The same, unless another transaction has it now.
SELECT pg_try_advisory_xact_lock(hashtext('gleaner.inputs')) AS locked

-- name: inputs.totals
-- Bytes of all contents in the spool, and of those of a user.
SELECT coalesce(sum(bytes) FILTER (WHERE user_name = ''), 0)::bigint AS bytes_of_all,
  coalesce(sum(bytes) FILTER (WHERE user_name = @user), 0)::bigint AS bytes_of_user
FROM input_totals WHERE user_name IN ('', @user)

-- name: inputs.has
-- Whether a content is in the spool, whoever uploaded it.
SELECT EXISTS (SELECT FROM inputs WHERE sha256 = @sha256) AS found

-- name: inputs.add
-- Records that a user uploaded a content.
INSERT INTO inputs (user_name, sha256, bytes, used_at) VALUES (@user, @sha256, @bytes, instant(@now))
ON CONFLICT (user_name, sha256) DO UPDATE SET used_at = EXCLUDED.used_at

-- name: inputs.use
-- Which of these contents a user has uploaded. They stay for some days from now on.
UPDATE inputs SET used_at = instant(@now) WHERE user_name = @user AND sha256 = ANY (@contents::text[]) RETURNING sha256, bytes

-- name: inputs.attach
-- Writes the input files of a new campaign.
INSERT INTO campaign_inputs (campaign_id, place, path, sha256, bytes, begin, mode, first_task, last_task)
SELECT @campaign, f.place - 1, f.path, f.sha256, f.bytes, f.begin, f.mode, f.first_task, f.last_task
FROM unnest(@paths::text[], @contents::text[], @bytes::bigint[], @begins::bigint[], @modes::integer[], @first_tasks::bigint[],
  @last_tasks::bigint[]) WITH ORDINALITY AS f(path, sha256, bytes, begin, mode, first_task, last_task, place)

-- name: inputs.note_campaign
-- Records the patterns of a new campaign, how much its files are, and the number of its tasks, whose files they are.
UPDATE campaigns SET input_files = @patterns, input_bytes = @bytes, input_tasks = @tasks WHERE id = @campaign

-- name: inputs.of
-- The input files of a campaign, in their order.
SELECT path, sha256, bytes, begin, mode, first_task, last_task FROM campaign_inputs WHERE campaign_id = @campaign ORDER BY place

-- name: inputs.wanted
-- Whether tasks of a campaign would go to a cluster if their input files were there, or came again: without it, inputs.to_send is empty.
SELECT EXISTS (
  SELECT FROM campaign_clusters p JOIN campaigns c ON c.id = p.campaign_id AND c.state = 'in_treatment' AND c.waiting > 0
  WHERE p.cluster_id = @cluster AND p.inputs_wanted) AS wanted

-- name: inputs.to_send
-- The campaigns whose input files are to be brought to a cluster: those of the user first whose files went there least lately; of each user
-- by priority, then likewise. Clusters with the same homes do not send the same files at a time: the one goes on that sent most. `shares`:
-- a cluster with the same homes has pieces that this one is not known to have.
WITH open AS (
  SELECT campaign_id, cluster_id, login, sent, shared IS NOT NULL AS shares, user_name, priority, inputs_served_at, shared_home
  FROM inputs_to_send m
  WHERE (cluster_id = @cluster OR shared_home = (SELECT shared_home FROM clusters WHERE id = @cluster)) AND NOT EXISTS (
    SELECT FROM brakes b WHERE b.expires_at > instant(@now)
      AND (b.campaign_id IS NULL OR b.campaign_id = m.campaign_id) AND (b.cluster_id IS NULL OR b.cluster_id = m.cluster_id))),
wanted AS (
  SELECT * FROM open o WHERE cluster_id = @cluster AND (shares OR NOT EXISTS (
    SELECT FROM open m WHERE m.cluster_id <> o.cluster_id AND m.campaign_id = o.campaign_id AND m.login = o.login
      AND (m.sent > o.sent OR (m.sent = o.sent AND m.cluster_id < o.cluster_id))))),
served AS (
  SELECT c.user_name, max(p.inputs_served_at) AS served_at FROM campaign_clusters p JOIN campaigns c ON c.id = p.campaign_id
  WHERE p.cluster_id = @cluster AND p.inputs_served_at IS NOT NULL AND EXISTS (SELECT FROM wanted) GROUP BY c.user_name)
SELECT w.campaign_id, w.login, w.sent, w.shares, w.user_name, w.priority FROM wanted w LEFT JOIN served s ON s.user_name = w.user_name
ORDER BY s.served_at NULLS FIRST, w.user_name, w.priority, w.inputs_served_at NULLS FIRST, w.campaign_id

-- name: inputs.want
-- Records that so many of the next tasks of these campaigns would go to these clusters if their input files were there.
UPDATE campaign_clusters p SET inputs_wanted = true, inputs_ahead = w.tasks
FROM unnest(@campaigns::bigint[], @clusters::bigint[], @tasks::bigint[]) AS w(campaign, cluster, tasks)
WHERE p.campaign_id = w.campaign AND p.cluster_id = w.cluster AND (NOT p.inputs_wanted OR p.inputs_ahead < w.tasks)

-- name: inputs.bytes_of_user
-- Bytes of the input files of a user's campaigns in treatment or paused.
SELECT coalesce(sum(input_bytes), 0)::bigint AS bytes FROM campaigns WHERE user_name = @user AND is_live(state)

-- name: inputs.begin
-- Records, before anything is sent, in whose home the files will be. `ahead`: how many tasks need them next; `for_all`:
-- the others follow, as they may get replicas, or as other clusters have the same homes. No row when the campaign is over.
UPDATE campaign_clusters p SET
  inputs_sent = CASE WHEN p.inputs_login = @login THEN p.inputs_sent ELSE 0 END,
  inputs_there = CASE WHEN p.inputs_login = @login THEN p.inputs_there ELSE '{}' END,
  inputs_lacking = CASE WHEN p.inputs_login = @login THEN p.inputs_lacking END,
  inputs_at = CASE WHEN p.inputs_login = @login THEN p.inputs_at END,
  inputs_login = @login
FROM campaigns c
WHERE c.id = @campaign AND is_live(c.state) AND p.campaign_id = c.id AND p.cluster_id = @cluster
RETURNING p.inputs_sent AS sent, c.input_tasks AS tasks, p.inputs_ahead AS ahead,
  c.replicas OR sharer_of(c.id, p.cluster_id) IS NOT NULL AS for_all

-- name: inputs.pieces
-- The pieces that are on a cluster, as ranges from `first` to before `past`.
SELECT lower(r) AS first, upper(r) AS past
FROM campaign_clusters p CROSS JOIN LATERAL unnest(p.inputs_there) r WHERE p.campaign_id = @campaign AND p.cluster_id = @cluster

-- name: inputs.shared_pieces
-- Those that another cluster with the same homes has for this login, and this one is not known to have.
SELECT lower(r) AS first, upper(r) AS past
FROM missing_inputs m CROSS JOIN LATERAL unnest(m.shared) r WHERE m.campaign_id = @campaign AND m.cluster_id = @cluster

-- name: inputs.next_tasks
-- The tasks of a campaign that go to a cluster next, as ranges.
SELECT lower(r) AS first, upper(r) AS past FROM unnest(next_tasks_for(@campaign, @cluster, @ahead)) r

-- name: inputs.note_sent
-- Records that further pieces are there, which tasks lack files now, and the bytes that those lack which go there next. @wanted: these lack
-- some. No row when the campaign is over, or the pieces are to be sent again from the first one on. `more`: tasks may go there that could
-- not before.
WITH before AS (
  SELECT p.inputs_lacking AS lacking FROM campaign_clusters p WHERE p.campaign_id = @campaign AND p.cluster_id = @cluster),
added AS (
  SELECT coalesce(range_agg(int8range(a.first, a.past)), '{}') AS pieces, coalesce(sum(a.past - a.first), 0)::bigint AS number
  FROM unnest(@firsts::bigint[], @pasts::bigint[]) AS a(first, past)),
lacking AS (
  SELECT coalesce(range_agg(int8range(l.first, l.past)), '{}') AS tasks FROM unnest(@lack_firsts::bigint[], @lack_pasts::bigint[]) AS l(first, past))
UPDATE campaign_clusters p SET
  inputs_sent = p.inputs_sent + added.number,
  inputs_there = p.inputs_there + added.pieces,
  inputs_lacking = lacking.tasks,
  inputs_missing = @missing,
  inputs_wanted = @wanted OR p.inputs_ahead > @ahead::bigint,
  inputs_served_at = CASE WHEN added.number > 0 THEN instant(@now) ELSE p.inputs_served_at END
FROM campaigns c, added, lacking
WHERE c.id = @campaign AND is_live(c.state) AND p.campaign_id = c.id AND p.cluster_id = @cluster AND p.inputs_login = @login
  AND p.inputs_sent = @before AND p.inputs_at IS NULL
RETURNING (SELECT b.lacking IS DISTINCT FROM p.inputs_lacking FROM before b) AS more

-- name: inputs.note_complete
-- Records that all is there. No row in the same cases.
UPDATE campaign_clusters p SET inputs_at = instant(@now), inputs_lacking = '{}', inputs_missing = 0 FROM campaigns c
WHERE c.id = @campaign AND is_live(c.state) AND p.campaign_id = c.id AND p.cluster_id = @cluster AND p.inputs_login = @login
  AND p.inputs_sent = @sent AND p.inputs_at IS NULL
RETURNING p.campaign_id

-- name: inputs.send_again
-- Has the input files of a campaign brought to a cluster again: jobs there could not use them, or not begin. A cluster with the same homes
-- has the same files.
UPDATE campaign_clusters p SET inputs_sent = 0, inputs_there = '{}', inputs_lacking = NULL, inputs_missing = NULL, inputs_at = NULL
FROM campaign_clusters o
WHERE o.campaign_id = @campaign AND o.cluster_id = @cluster AND p.campaign_id = o.campaign_id AND (p.inputs_at IS NOT NULL OR p.inputs_sent > 0)
  AND (p.cluster_id = o.cluster_id OR (p.inputs_login = o.inputs_login AND have_one_home(p.cluster_id, o.cluster_id)))

-- name: inputs.note_rate
-- Records how fast files reached a cluster: the mean of this and of what was known.
UPDATE clusters SET measured_mb_s = (coalesce(measured_mb_s, @mb_s::double precision) + @mb_s::double precision) / 2 WHERE id = @cluster

-- name: inputs.forget
-- Forgets contents that were not used since then, and that no campaign needs which is live or ended since then: of the @most that were not
-- used for longest. One that is needed counts as used now, so that it is not looked at again and again. Returns those looked at; `gone`: no
-- user has the content any more.
WITH old AS (SELECT user_name, sha256 FROM inputs WHERE used_at < instant(@before) ORDER BY used_at LIMIT @most FOR UPDATE),
judged AS MATERIALIZED (
  SELECT o.*, EXISTS (
    SELECT FROM campaign_inputs f JOIN campaigns c ON c.id = f.campaign_id
    WHERE f.sha256 = o.sha256 AND c.user_name = o.user_name AND (is_live(c.state) OR c.ended_at >= instant(@before))) AS needed
  FROM old o),
kept AS (
  UPDATE inputs i SET used_at = instant(@now) FROM judged j WHERE j.needed AND i.user_name = j.user_name AND i.sha256 = j.sha256),
forgotten AS (
  DELETE FROM inputs i USING judged j WHERE NOT j.needed AND i.user_name = j.user_name AND i.sha256 = j.sha256
  RETURNING i.user_name, i.sha256)
SELECT j.sha256, NOT j.needed AND NOT EXISTS (
  SELECT FROM inputs i WHERE i.sha256 = j.sha256
    AND NOT EXISTS (SELECT FROM judged o WHERE NOT o.needed AND o.user_name = i.user_name AND o.sha256 = i.sha256)) AS gone
FROM judged j

-- name: inputs.known
-- Those of these contents that some user has.
SELECT DISTINCT sha256 FROM inputs WHERE sha256 = ANY (@contents::text[])
