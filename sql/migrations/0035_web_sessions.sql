-- People sign in to the page in a browser by a code that a command gave them.

CREATE TABLE web_sessions (
  digest text PRIMARY KEY CHECK (digest <> ''),
  is_code boolean NOT NULL,
  user_name text NOT NULL CHECK (user_name <> ''),
  is_administrator boolean NOT NULL,
  begun_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX web_sessions_user_name_idx ON web_sessions (user_name, begun_at);
COMMENT ON TABLE web_sessions IS
  'A row is a code with which somebody may sign in once, or the session of one browser. What a session may read, its user may; it changes nothing.';
COMMENT ON COLUMN web_sessions.digest IS 'SHA-256 of the code, or of the token in the cookie; neither is stored';
COMMENT ON COLUMN web_sessions.is_administrator IS 'the user''s rights when the code was given';

-- Whether a decision still holds: a brake may have been lifted, or have expired, since.
CREATE FUNCTION still_holds(decision decisions, at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT decision.reason NOT IN ('campaign_braked', 'pair_braked', 'cluster_braked') OR EXISTS (
    SELECT FROM brakes b
    WHERE b.expires_at > at
      AND b.campaign_id IS NOT DISTINCT FROM CASE WHEN decision.reason <> 'cluster_braked' THEN decision.campaign_id END
      AND b.cluster_id IS NOT DISTINCT FROM CASE WHEN decision.reason <> 'campaign_braked' THEN decision.cluster_id END)
$$;
