-- +goose Up

-- Pruning asks for swaps that have ended; no query asks for all by age.
DROP INDEX swaps_age, swaps_open;
CREATE INDEX swaps_ended ON swaps (created_at) WHERE closed_at IS NOT NULL;

-- +goose Down
DROP INDEX swaps_ended;
CREATE INDEX swaps_age ON swaps (created_at, id);
CREATE INDEX swaps_open ON swaps (quiet_since) WHERE closed_at IS NULL;
