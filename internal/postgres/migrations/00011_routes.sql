-- +goose Up

-- A trade that another provider fills uses no wallet of ours: deposit and
-- payout are the provider's.
ALTER TABLE trades
    ALTER COLUMN wallet_from DROP NOT NULL,
    ALTER COLUMN wallet_to DROP NOT NULL,
    ADD COLUMN deposit_memo text,
    DROP CONSTRAINT trades_id_provider_check,
    DROP CONSTRAINT trades_id_provider_key,
    ADD CONSTRAINT trades_id_provider UNIQUE (provider, id_provider),
    ADD CONSTRAINT trades_own_id CHECK (wallet_from IS NULL OR id_provider ~ '^sw_[0-9a-f]{24}$'),
    ADD CONSTRAINT trades_both_wallets CHECK ((wallet_from IS NULL) = (wallet_to IS NULL)),
    ADD CONSTRAINT trades_upstream CHECK (wallet_from IS NOT NULL OR (reserved = 0 AND payout = 0 AND markup = 0 AND commission_rate = 0));
COMMENT ON COLUMN trades.wallet_from IS 'null when another provider fills the trade';
COMMENT ON COLUMN trades.id_provider IS 'the provider''s name of the swap';

-- Orders at other providers. A row is written before the order is sent, so
-- that no order is sent twice; the trade is written with its answer.
CREATE TABLE trade_orders (
    trade_id    text NOT NULL CHECK (trade_id ~ '^[0-9a-f]{32}$'),
    provider    text NOT NULL,
    state       text NOT NULL DEFAULT 'placing' CHECK (state IN ('placing', 'placed', 'refused', 'uncertain')),
    id_provider text,
    word        text NOT NULL DEFAULT '',
    amount_to   numeric CHECK (amount_to >= 0),
    deposit_tx  text NOT NULL DEFAULT '',
    payout_tx   text NOT NULL DEFAULT '',
    refund_tx   text NOT NULL DEFAULT '',
    sent_at     timestamptz NOT NULL,
    heard_at    timestamptz,
    closed_at   timestamptz,
    PRIMARY KEY (trade_id, provider),
    UNIQUE (provider, id_provider),
    CHECK ((state = 'placed') = (id_provider IS NOT NULL)),
    CHECK ((state = 'placed') = (heard_at IS NOT NULL)),
    CHECK (closed_at IS NULL OR state = 'placed')
);
CREATE UNIQUE INDEX trade_orders_one_placed ON trade_orders (trade_id) WHERE state = 'placed';
COMMENT ON COLUMN trade_orders.state IS 'uncertain: the provider may hold an order that nobody pays; its deposit address was shown to nobody';
COMMENT ON COLUMN trade_orders.word IS 'the provider''s last word for the state';
COMMENT ON COLUMN trade_orders.amount_to IS 'what the provider pays, or expects to, in the coin paid out';
COMMENT ON COLUMN trade_orders.heard_at IS 'when the provider last answered';
COMMENT ON COLUMN trade_orders.closed_at IS 'it is not looked at any more';

-- +goose Down
DROP TABLE trade_orders;
ALTER TABLE trades
    DROP CONSTRAINT trades_upstream, DROP CONSTRAINT trades_both_wallets, DROP CONSTRAINT trades_own_id, DROP CONSTRAINT trades_id_provider,
    DROP COLUMN deposit_memo,
    ALTER COLUMN wallet_from SET NOT NULL,
    ALTER COLUMN wallet_to SET NOT NULL,
    ADD CONSTRAINT trades_id_provider_check CHECK (id_provider ~ '^sw_[0-9a-f]{24}$'),
    ADD CONSTRAINT trades_id_provider_key UNIQUE (id_provider);
