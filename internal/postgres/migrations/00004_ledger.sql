-- +goose Up

ALTER TABLE merchants
    ADD COLUMN reporting_enabled boolean NOT NULL DEFAULT false,
    ADD COLUMN reporting_currency text NOT NULL DEFAULT 'USD' CHECK (reporting_currency IN ('USD', 'EUR'));

-- What reports are made of: one row per confirmed charge, written with the
-- confirmation and never removed. It holds nothing about the buyer.
CREATE TABLE ledger (
    charge_id         text PRIMARY KEY CHECK (charge_id ~ '^ch_[0-9a-f]{24}$'),
    merchant_id       text NOT NULL REFERENCES merchants (merchant_id),
    mode              text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    created_at        timestamptz NOT NULL,
    confirmed_at      timestamptz NOT NULL,
    amount            numeric NOT NULL CHECK (amount >= 0.01 AND amount <= 10000000),
    currency          text NOT NULL CHECK (currency IN ('USD', 'EUR', 'XMR')),
    amount_piconero   piconero NOT NULL CHECK (amount_piconero > 0),
    received_piconero piconero NOT NULL CHECK (received_piconero > 0),
    order_id          text,
    fiat_value        numeric CHECK (fiat_value >= 0),
    fiat_currency     text CHECK (fiat_currency IN ('USD', 'EUR')),
    fiat_rate         numeric CHECK (fiat_rate > 0),
    CHECK ((fiat_value IS NULL) = (fiat_currency IS NULL) AND (fiat_value IS NULL) = (fiat_rate IS NULL))
);
CREATE INDEX ledger_period ON ledger (merchant_id, mode, confirmed_at, charge_id);
COMMENT ON COLUMN ledger.received_piconero IS 'sum of the payments seen at confirmation';
COMMENT ON COLUMN ledger.fiat_value IS 'received_piconero at fiat_rate; null when reporting was off or no price was usable';
COMMENT ON COLUMN ledger.fiat_rate IS 'fiat_currency per XMR at confirmation';

-- Charges that were confirmed before there was a ledger.
INSERT INTO ledger (charge_id, merchant_id, mode, created_at, confirmed_at, amount, currency, amount_piconero,
    received_piconero, order_id)
SELECT c.id, c.merchant_id, c.mode, c.created_at, c.confirmed_at, c.amount, c.currency, c.amount_piconero,
    COALESCE((SELECT sum(t.amount) FROM transfers t WHERE t.charge_id = c.id AND t.vanished_at IS NULL), c.amount_piconero),
    c.order_id
FROM charges c WHERE c.status = 'confirmed';

CREATE INDEX payouts_sent ON payouts (merchant_id, sent_at) WHERE sent_at IS NOT NULL;

-- +goose Down
DROP INDEX payouts_sent;
DROP TABLE ledger;
ALTER TABLE merchants DROP COLUMN reporting_enabled, DROP COLUMN reporting_currency;
