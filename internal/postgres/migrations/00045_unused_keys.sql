-- +goose Up

-- Keys of affiliates are for anybody to get. Those that nobody uses go; the
-- ones that exist are given the whole time from now on.
ALTER TABLE swap_keys ADD COLUMN last_used_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX swap_keys_unused ON swap_keys (last_used_at) WHERE class = 'affiliate';
CREATE INDEX trades_of_key ON trades (key_id) WHERE key_id IS NOT NULL;
COMMENT ON COLUMN swap_keys.last_used_at IS 'to the day; at first when the key was made';

-- +goose Down
DROP INDEX trades_of_key;
DROP INDEX swap_keys_unused;
ALTER TABLE swap_keys DROP COLUMN last_used_at;
