-- +goose Up

-- The API allows 10,000,000 XMR, which is more than a bigint of piconero holds.
CREATE DOMAIN piconero AS numeric(20, 0) CHECK (VALUE >= 0 AND VALUE <= 18446744073709551615);
COMMENT ON DOMAIN piconero IS 'an amount of Monero in atomic units: 1e-12 XMR';

CREATE TABLE wallets (
    id              text PRIMARY KEY,
    mode            text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    primary_address text NOT NULL UNIQUE,
    created_at      timestamptz NOT NULL DEFAULT now(),
    chain_height    bigint NOT NULL DEFAULT 0,
    top_hash        text NOT NULL DEFAULT '',
    scanned_at      timestamptz,
    settled_height  bigint NOT NULL DEFAULT 0,
    settled_hash    text NOT NULL DEFAULT '',
    rescan          boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
COMMENT ON TABLE wallets IS 'merchants'' wallets, one for each mode, as their watchers last saw them';
COMMENT ON COLUMN wallets.id IS 'name of the wallet in the configuration';
COMMENT ON COLUMN wallets.mode IS 'live: real money; sandbox: a test network';
COMMENT ON COLUMN wallets.primary_address IS 'from its view key the watcher knows what is the wallet''s';
COMMENT ON COLUMN wallets.chain_height IS 'number of blocks of the chain; a transaction in the top block has height chain_height - 1 and 1 confirmation';
COMMENT ON COLUMN wallets.top_hash IS 'hash of block chain_height - 1 when it was scanned; a difference later means a reorganization; empty before the first scan';
COMMENT ON COLUMN wallets.scanned_at IS 'when the watcher last scanned; null: never';
COMMENT ON COLUMN wallets.settled_height IS 'payments in blocks below it are final; scans begin there at the lowest';
COMMENT ON COLUMN wallets.settled_hash IS 'hash of block settled_height - 1; empty when it is not known';
COMMENT ON COLUMN wallets.rescan IS 'the wallet file was older than the addresses that were made: it has to read the chain anew';

CREATE TABLE chain_checkpoints (
    wallet_id text NOT NULL,
    height    bigint NOT NULL CHECK (height > 0),
    hash      text NOT NULL,
    PRIMARY KEY (wallet_id, height)
);
COMMENT ON TABLE chain_checkpoints IS 'hashes of deep blocks, to find where a reorganization began that went below settled_height; of wallets and of exchange_wallets, written by their watchers';
COMMENT ON COLUMN chain_checkpoints.height IS 'number of blocks of the chain';
COMMENT ON COLUMN chain_checkpoints.hash IS 'of block height - 1';
