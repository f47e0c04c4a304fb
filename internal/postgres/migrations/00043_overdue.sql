-- +goose Up

-- What is looked for every few minutes: what should have moved, and has not.
CREATE INDEX swaps_unclosed ON swaps (id) WHERE closed_at IS NULL;
CREATE INDEX trade_events_pending ON trade_events (next_attempt_at) WHERE delivery = 'pending';

-- +goose Down
DROP INDEX trade_events_pending;
DROP INDEX swaps_unclosed;
