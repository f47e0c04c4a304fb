-- +goose Up

-- Requests per client and window, shared by all instances of the API. It may
-- be lost in a crash of the database: counting then starts afresh.
CREATE UNLOGGED TABLE rate_counts (
    bucket       text NOT NULL,
    key_hash     bytea NOT NULL,
    window_start timestamptz NOT NULL,
    count        integer NOT NULL,
    PRIMARY KEY (bucket, key_hash, window_start)
);
CREATE INDEX rate_counts_old ON rate_counts (window_start);
COMMENT ON COLUMN rate_counts.key_hash IS 'SHA-256 of the API key row, merchant or client address that is counted';

-- +goose Down
DROP TABLE rate_counts;
