-- +goose Up

CREATE TABLE one_time_keys (
    wallet_id text NOT NULL,
    key       bytea NOT NULL CHECK (length(key) = 32),
    tx_hash   text NOT NULL,
    PRIMARY KEY (wallet_id, key, tx_hash)
);
COMMENT ON TABLE one_time_keys IS 'outputs in blocks that were paid to Monero wallets: of several with one key only one can be spent. A row stays when its block leaves the chain, because the daemon is asked where the transaction is';
COMMENT ON COLUMN one_time_keys.wallet_id IS 'of wallets or of exchange_wallets';
