-- The same key with other parameters is another request, also if they are as many.

ALTER TABLE campaigns ADD COLUMN request_digest bigint;
COMMENT ON COLUMN campaigns.request_digest IS 'of the request that submitted the campaign under its key, parameters included; null: it had no key, or is of an earlier version';
