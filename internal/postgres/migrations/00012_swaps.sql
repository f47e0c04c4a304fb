-- +goose Up

CREATE TABLE swap_orders (
    swap_id     text PRIMARY KEY CHECK (swap_id ~ '^swp_[0-9a-f]{24}$'),
    merchant_id text NOT NULL REFERENCES merchants (merchant_id),
    provider    text NOT NULL,
    state       text NOT NULL DEFAULT 'placing' CHECK (state IN ('placing', 'placed', 'refused', 'uncertain')),
    sent_at     timestamptz NOT NULL
);
CREATE INDEX swap_orders_placing ON swap_orders (merchant_id) WHERE state = 'placing';
CREATE INDEX swap_orders_age ON swap_orders (sent_at);
COMMENT ON TABLE swap_orders IS 'merchants'' orders at swap providers; a row is written before the order is sent, so that no order is sent twice; the swap is written with its answer';
COMMENT ON COLUMN swap_orders.swap_id IS 'given before the order is sent; the swap has it too';
COMMENT ON COLUMN swap_orders.state IS 'refused: no such order exists, it may be sent again; uncertain: the provider may hold an order that nobody pays';

CREATE TABLE swaps (
    id              text PRIMARY KEY CHECK (id ~ '^swp_[0-9a-f]{24}$'),
    merchant_id     text NOT NULL REFERENCES merchants (merchant_id),
    provider        text NOT NULL,
    id_provider     text NOT NULL,
    payout_id       text UNIQUE,
    ticker_from     text NOT NULL,
    network_from    text NOT NULL,
    ticker_to       text NOT NULL,
    network_to      text NOT NULL,
    amount_from     numeric NOT NULL CHECK (amount_from > 0),
    amount_expected numeric NOT NULL CHECK (amount_expected > 0),
    rate            numeric NOT NULL CHECK (rate > 0),
    deposit_address text NOT NULL,
    deposit_memo    text,
    address_sealed  bytea,
    refund_sealed   bytea,
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL CHECK (expires_at > created_at),
    status          text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'confirming', 'exchanging', 'sending',
        'finished', 'failed', 'refunded')),
    status_detail   text NOT NULL DEFAULT '',
    word            text NOT NULL DEFAULT '',
    amount_to       numeric CHECK (amount_to > 0),
    deposit_tx      text NOT NULL DEFAULT '',
    payout_tx       text NOT NULL DEFAULT '',
    refund_tx       text NOT NULL DEFAULT '',
    quiet_since     timestamptz NOT NULL,
    polled_at       timestamptz NOT NULL,
    heard_at        timestamptz NOT NULL,
    closed_at       timestamptz,
    updated_at      timestamptz NOT NULL,
    UNIQUE (id_provider, provider),
    CHECK (closed_at IS NULL OR status IN ('finished', 'failed', 'refunded')),
    CHECK (closed_at IS NOT NULL OR status NOT IN ('finished', 'refunded'))
);
CREATE INDEX swaps_list ON swaps (merchant_id, created_at DESC, id DESC);
CREATE INDEX swaps_waiting ON swaps (merchant_id) WHERE status = 'waiting';
CREATE INDEX swaps_ended ON swaps (created_at) WHERE closed_at IS NOT NULL;
CREATE INDEX swaps_unclosed ON swaps (id) WHERE closed_at IS NULL;
COMMENT ON TABLE swaps IS 'merchants'' swaps, each at a provider that takes the deposit and pays the destination: the coins never pass through this service; what was answered at creation never changes; amounts are in whole coins';
COMMENT ON COLUMN swaps.id_provider IS 'the provider''s name of the swap';
COMMENT ON COLUMN swaps.payout_id IS 'the payout whose transaction pays the deposit; null when the merchant pays it';
COMMENT ON COLUMN swaps.network_from IS 'with the ticker it names a coin of the register';
COMMENT ON COLUMN swaps.network_to IS 'with the ticker it names a coin of the register';
COMMENT ON COLUMN swaps.amount_from IS 'what the provider expects as deposit';
COMMENT ON COLUMN swaps.amount_expected IS 'what the provider promised to pay';
COMMENT ON COLUMN swaps.rate IS 'coin paid out per coin deposited, as promised';
COMMENT ON COLUMN swaps.deposit_address IS 'where the merchant, or the payout, pays the provider';
COMMENT ON COLUMN swaps.deposit_memo IS 'must go with the deposit; null: none';
COMMENT ON COLUMN swaps.address_sealed IS 'destination; AEAD, associated data swaps:address:<id>; null once the account is deleted, or where the swap was recovered from a wallet''s journal';
COMMENT ON COLUMN swaps.refund_sealed IS 'where the provider sends refunds; AEAD, associated data swaps:refund:<id>; null once the account is deleted, or where the swap was recovered from a wallet''s journal';
COMMENT ON COLUMN swaps.expires_at IS 'until when the provider waits for the deposit';
COMMENT ON COLUMN swaps.status_detail IS 'a sentence on why it stands where it does; empty: nothing to say';
COMMENT ON COLUMN swaps.word IS 'the provider''s last word for the state';
COMMENT ON COLUMN swaps.amount_to IS 'what the provider says it pays; null: it says nothing yet';
COMMENT ON COLUMN swaps.deposit_tx IS 'transaction hash, as the provider tells it; empty: not told';
COMMENT ON COLUMN swaps.payout_tx IS 'transaction hash, as the provider tells it; empty: not told';
COMMENT ON COLUMN swaps.refund_tx IS 'transaction hash, as the provider tells it; empty: not told';
COMMENT ON COLUMN swaps.quiet_since IS 'since when the provider, while it answers, says the same';
COMMENT ON COLUMN swaps.polled_at IS 'when the provider was last asked';
COMMENT ON COLUMN swaps.heard_at IS 'when the provider last answered';
COMMENT ON COLUMN swaps.closed_at IS 'since when it is not asked about any more; null: it is';
