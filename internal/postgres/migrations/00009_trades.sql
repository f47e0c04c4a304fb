-- +goose Up

-- Who may call the swap exchange with a key.
CREATE TABLE swap_keys (
    id            text PRIMARY KEY CHECK (id ~ '^sk_[0-9a-f]{24}$'),
    class         text NOT NULL CHECK (class IN ('affiliate', 'partner')),
    key_hash      bytea NOT NULL UNIQUE,
    prefix        text NOT NULL,
    secret_sealed bytea,
    markup_cap    integer CHECK (markup_cap BETWEEN 0 AND 5000),
    created_at    timestamptz NOT NULL,
    revoked_at    timestamptz,
    CHECK ((class = 'partner') = (secret_sealed IS NOT NULL))
);
COMMENT ON COLUMN swap_keys.key_hash IS 'SHA-256 of the key, which carries 192 random bits';
COMMENT ON COLUMN swap_keys.secret_sealed IS 'signs status webhooks; AEAD, associated data swap_keys:secret:<id>';
COMMENT ON COLUMN swap_keys.markup_cap IS 'basis points; null stands for the cap of the class';

-- The exchange's wallets, one for each coin, as their watchers last saw them.
-- Amounts in this file are in the natural unit of their coin.
CREATE TABLE exchange_wallets (
    id           text PRIMARY KEY,
    ticker       text NOT NULL,
    network      text NOT NULL,
    decimals     integer NOT NULL CHECK (decimals BETWEEN 0 AND 18),
    unlocked     numeric NOT NULL DEFAULT 0 CHECK (unlocked >= 0),
    total        numeric NOT NULL DEFAULT 0 CHECK (total >= 0),
    network_fee  numeric NOT NULL DEFAULT 0 CHECK (network_fee >= 0),
    chain_height bigint NOT NULL DEFAULT 0,
    top_hash     text NOT NULL DEFAULT '',
    cursor       text NOT NULL DEFAULT '',
    looked_at    timestamptz,
    UNIQUE (ticker, network)
) WITH (fillfactor = 50);
COMMENT ON COLUMN exchange_wallets.network_fee IS 'what an ordinary payment costs now, estimated on the high side';
COMMENT ON COLUMN exchange_wallets.cursor IS 'up to where the wallet told its deposits; opaque';
COMMENT ON COLUMN exchange_wallets.looked_at IS 'inventory that was not looked at for long is not quoted';

-- Deposit addresses, made ahead. A row exists once the wallet has the address
-- for good.
CREATE TABLE exchange_addresses (
    wallet_id text NOT NULL REFERENCES exchange_wallets (id),
    address   text NOT NULL,
    ref       text NOT NULL,
    trade_id  text UNIQUE,
    id        bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (wallet_id, address)
);
CREATE INDEX exchange_addresses_free ON exchange_addresses (wallet_id, id) WHERE trade_id IS NULL;
COMMENT ON COLUMN exchange_addresses.ref IS 'how the wallet names it';

CREATE TABLE trades (
    id              text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{32}$'),
    id_provider     text NOT NULL UNIQUE CHECK (id_provider ~ '^sw_[0-9a-f]{24}$'),
    password_sealed bytea NOT NULL,
    key_id          text REFERENCES swap_keys (id),
    client_code     bytea,
    provider        text NOT NULL,
    risk            text NOT NULL CHECK (risk IN ('auto', 'flexible', 'precheck', 'controlled')),
    wallet_from     text NOT NULL REFERENCES exchange_wallets (id),
    wallet_to       text NOT NULL REFERENCES exchange_wallets (id),
    ticker_from     text NOT NULL,
    network_from    text NOT NULL,
    ticker_to       text NOT NULL,
    network_to      text NOT NULL,
    amount_from     numeric NOT NULL CHECK (amount_from > 0),
    amount_to       numeric NOT NULL CHECK (amount_to > 0),
    rate            numeric NOT NULL CHECK (rate > 0),
    markup          integer NOT NULL DEFAULT 0 CHECK (markup BETWEEN 0 AND 5000),
    commission_rate numeric NOT NULL DEFAULT 0 CHECK (commission_rate >= 0),
    min_from        numeric NOT NULL CHECK (min_from > 0),
    max_from        numeric NOT NULL CHECK (max_from >= min_from),
    deposit_address text NOT NULL,
    address         text NOT NULL,
    extra_id        text,
    refund_address  text NOT NULL,
    refund_memo     text,
    webhook_url     text,
    note            text,
    confirmations   integer NOT NULL CHECK (confirmations BETWEEN 1 AND 1000),
    created_at      timestamptz NOT NULL,
    window_seconds  integer NOT NULL CHECK (window_seconds > 0),
    expires_at      timestamptz NOT NULL CHECK (expires_at > created_at),
    status          text NOT NULL DEFAULT 'awaiting_deposit' CHECK (status IN ('awaiting_deposit', 'deposit_detected',
        'confirming', 'processing', 'sending', 'completed', 'refunded', 'failed', 'expired', 'hold')),
    status_detail   text NOT NULL DEFAULT '',
    reserved        numeric NOT NULL CHECK (reserved >= 0),
    received        numeric NOT NULL DEFAULT 0 CHECK (received >= 0),
    payout          numeric NOT NULL DEFAULT 0 CHECK (payout >= 0),
    counted_deposit bigint,
    updated_at      timestamptz NOT NULL,
    UNIQUE (wallet_from, deposit_address),
    CHECK (wallet_from <> wallet_to),
    CHECK (payout <= received * rate),
    CHECK (payout = 0 OR counted_deposit IS NOT NULL),
    CHECK (reserved = 0 OR status IN ('awaiting_deposit', 'deposit_detected', 'confirming', 'processing', 'sending')),
    CHECK (webhook_url IS NULL OR key_id IS NOT NULL),
    CHECK (commission_rate = 0 OR key_id IS NOT NULL)
);
CREATE INDEX trades_reserved ON trades (wallet_to) INCLUDE (status, reserved) WHERE reserved > 0;
CREATE INDEX trades_unfunded ON trades (wallet_to, client_code) INCLUDE (reserved) WHERE status = 'awaiting_deposit';
CREATE INDEX trades_list ON trades (created_at DESC, id DESC);
CREATE INDEX trades_status ON trades (status, created_at DESC, id DESC);
COMMENT ON COLUMN trades.password_sealed IS 'AEAD, associated data trades:password:<id>';
COMMENT ON COLUMN trades.client_code IS 'who keeps inventory without a deposit: a keyed code of key or address; null once there is a deposit';
COMMENT ON COLUMN trades.rate IS 'coin paid out per coin deposited, fees included; locked';
COMMENT ON COLUMN trades.markup IS 'basis points of the rate that are credited to key_id';
COMMENT ON COLUMN trades.commission_rate IS 'coin paid out per coin deposited that is credited to key_id';
COMMENT ON COLUMN trades.reserved IS 'inventory of wallet_to that is kept for the payout';
COMMENT ON COLUMN trades.received IS 'amount of the deposit that the status follows';
COMMENT ON COLUMN trades.counted_deposit IS 'the deposit that is settled as this trade''s, swapped or sent back';

-- One row per (transaction, address), as the wallet tells it.
CREATE TABLE trade_deposits (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    trade_id      text NOT NULL REFERENCES trades (id),
    wallet_id     text NOT NULL REFERENCES exchange_wallets (id),
    tx_hash       text NOT NULL,
    address       text NOT NULL,
    amount        numeric NOT NULL CHECK (amount > 0),
    height        bigint,
    confirmations bigint NOT NULL DEFAULT 0 CHECK (confirmations >= 0),
    locked        boolean NOT NULL DEFAULT false,
    contested     boolean NOT NULL DEFAULT false,
    origins       text[] NOT NULL DEFAULT '{}',
    blocked       boolean NOT NULL DEFAULT false,
    first_seen_at timestamptz NOT NULL,
    gone_at       timestamptz,
    UNIQUE (wallet_id, tx_hash, address),
    CHECK ((confirmations > 0) = (height IS NOT NULL)),
    CHECK (gone_at IS NULL OR height IS NULL)
);
CREATE INDEX trade_deposits_trade ON trade_deposits (trade_id, first_seen_at, id);
ALTER TABLE trades ADD FOREIGN KEY (counted_deposit) REFERENCES trade_deposits (id);
COMMENT ON COLUMN trade_deposits.confirmations IS 'as last told; followed to a bounded depth';
COMMENT ON COLUMN trade_deposits.origins IS 'addresses that it was spent from, where the chain shows them';
COMMENT ON COLUMN trade_deposits.blocked IS 'an origin is on a sanctions list; never taken back';

-- What the exchange sends: one transaction for each deposit, at most.
CREATE TABLE trade_transfers (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    trade_id     text NOT NULL REFERENCES trades (id),
    deposit_id   bigint NOT NULL UNIQUE REFERENCES trade_deposits (id),
    kind         text NOT NULL CHECK (kind IN ('payout', 'refund')),
    wallet_id    text NOT NULL REFERENCES exchange_wallets (id),
    address      text NOT NULL,
    amount       numeric NOT NULL CHECK (amount > 0),
    state        text NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'building', 'built', 'sent', 'confirmed', 'failed')),
    reason       text,
    tx_hash      text UNIQUE,
    raw          bytea,
    paid         numeric,
    fee          numeric,
    inputs       text[],
    proof_sealed bytea,
    created_at   timestamptz NOT NULL,
    built_at     timestamptz,
    sent_at      timestamptz,
    confirmed_at timestamptz,
    CHECK ((built_at IS NULL) = (raw IS NULL) AND (raw IS NULL) = (tx_hash IS NULL)
        AND (raw IS NULL) = (inputs IS NULL) AND (raw IS NULL) = (paid IS NULL) AND (raw IS NULL) = (fee IS NULL)),
    CHECK (state NOT IN ('built', 'sent', 'confirmed') OR built_at IS NOT NULL),
    CHECK (state NOT IN ('sent', 'confirmed') OR sent_at IS NOT NULL),
    CHECK ((state = 'confirmed') = (confirmed_at IS NOT NULL)),
    CHECK ((state = 'failed') = (reason IS NOT NULL)),
    CHECK (paid IS NULL OR (kind = 'payout' AND paid = amount) OR (kind = 'refund' AND paid + fee = amount))
);
CREATE INDEX trade_transfers_trade ON trade_transfers (trade_id, id);
CREATE UNIQUE INDEX trade_transfers_one_unrelayed ON trade_transfers (wallet_id) WHERE state IN ('building', 'built');
CREATE INDEX trade_transfers_promised ON trade_transfers (wallet_id) WHERE state IN ('built', 'sent', 'failed') AND raw IS NOT NULL;
CREATE INDEX trade_transfers_open ON trade_transfers (wallet_id, trade_id) WHERE state = 'sent';
COMMENT ON COLUMN trade_transfers.amount IS 'what a payout pays; a refund pays this less its chain fee';
COMMENT ON COLUMN trade_transfers.raw IS 'the one transaction, stored before it is relayed; it is relayed again, never built again';
COMMENT ON COLUMN trade_transfers.inputs IS 'coins that no other transaction may spend until this one is mined';
COMMENT ON COLUMN trade_transfers.proof_sealed IS 'AEAD, associated data trade_transfers:proof:<id>';

-- Trades to be told that their facts changed: written with the facts, removed
-- once the signal is accepted by the engine.
CREATE TABLE trade_signals (
    trade_id  text PRIMARY KEY,
    wallet_id text NOT NULL,
    version   bigint NOT NULL
);
CREATE INDEX trade_signals_wallet ON trade_signals (wallet_id, version);
CREATE SEQUENCE trade_signal_version;

-- Every change of a status, and where its webhook stands.
CREATE TABLE trade_events (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    trade_id        text NOT NULL REFERENCES trades (id),
    status          text NOT NULL,
    prev_status     text NOT NULL,
    occurred_at     timestamptz NOT NULL,
    payload         text NOT NULL,
    delivery        text NOT NULL CHECK (delivery IN ('none', 'pending', 'delivered', 'failed', 'dropped')),
    begun_at        timestamptz,
    attempts        integer NOT NULL DEFAULT 0,
    http_status     integer,
    error           text,
    last_attempt_at timestamptz,
    next_attempt_at timestamptz,
    delivered_at    timestamptz,
    CHECK ((delivery = 'delivered') = (delivered_at IS NOT NULL)),
    CHECK (status <> prev_status)
);
CREATE INDEX trade_events_trade ON trade_events (trade_id, id);
CREATE INDEX trade_events_dead ON trade_events (id) WHERE delivery IN ('failed', 'dropped');
COMMENT ON COLUMN trade_events.payload IS 'the exact body bytes that every attempt sends';
COMMENT ON COLUMN trade_events.delivery IS 'none: the trade has no webhook; failed: given up after 24 hours, the dead letters';
COMMENT ON COLUMN trade_events.begun_at IS 'when attempts began, from which the 24 hours count';

-- What was answered to a key that came with a creation, for 24 hours.
CREATE TABLE idempotency_keys (
    scope           text NOT NULL,
    key_hash        bytea NOT NULL,
    query_hash      bytea NOT NULL,
    trade_id        text NOT NULL UNIQUE,
    response_sealed bytea,
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (scope, key_hash)
);
CREATE INDEX idempotency_keys_old ON idempotency_keys (created_at);
COMMENT ON COLUMN idempotency_keys.scope IS 'id of the API key, or empty for callers without one';
COMMENT ON COLUMN idempotency_keys.query_hash IS 'SHA-256 of the decoded parameters in one order';
COMMENT ON COLUMN idempotency_keys.response_sealed IS 'body as it was answered; AEAD, associated data idempotency_keys:response:<trade_id>';

-- What is owed to keys for their markup: written with the completion.
CREATE TABLE commissions (
    trade_id    text PRIMARY KEY REFERENCES trades (id),
    key_id      text NOT NULL REFERENCES swap_keys (id),
    ticker      text NOT NULL,
    network     text NOT NULL,
    amount      numeric NOT NULL CHECK (amount > 0),
    credited_at timestamptz NOT NULL
);
CREATE INDEX commissions_key ON commissions (key_id, ticker, network);

-- +goose Down
ALTER TABLE trades DROP COLUMN counted_deposit CASCADE;
DROP TABLE commissions, idempotency_keys, trade_events, trade_signals, trade_transfers, trade_deposits, trades,
    exchange_addresses, exchange_wallets, swap_keys;
DROP SEQUENCE trade_signal_version;
