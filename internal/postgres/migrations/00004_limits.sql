-- +goose Up

CREATE UNLOGGED TABLE rate_counts (
    bucket       text NOT NULL,
    key_hash     bytea NOT NULL,
    window_start timestamptz NOT NULL,
    count        integer NOT NULL,
    PRIMARY KEY (bucket, key_hash, window_start)
);
CREATE INDEX rate_counts_old ON rate_counts (window_start);
COMMENT ON TABLE rate_counts IS 'requests by client and window, shared by all instances of the API; not logged: a crash of the database may lose it, and counting then starts afresh';
COMMENT ON COLUMN rate_counts.bucket IS 'which limit counts';
COMMENT ON COLUMN rate_counts.key_hash IS 'SHA-256 of the API key row, merchant or client address that is counted';
COMMENT ON COLUMN rate_counts.count IS 'requests in the window';
