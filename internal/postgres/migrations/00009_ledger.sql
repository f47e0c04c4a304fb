-- +goose Up

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
COMMENT ON TABLE ledger IS 'what reports are made of: one row for each confirmed charge, written with the confirmation and never removed; it holds nothing about the buyer';
COMMENT ON COLUMN ledger.created_at IS 'of the charge';
COMMENT ON COLUMN ledger.confirmed_at IS 'of the charge; when blocks first held money of it, if it was settled by hand; reports go by it';
COMMENT ON COLUMN ledger.amount IS 'in the natural unit of currency, as it was asked for';
COMMENT ON COLUMN ledger.amount_piconero IS 'as it was asked for';
COMMENT ON COLUMN ledger.received_piconero IS 'piconero of the payments seen at confirmation; of all that blocks hold, if it was settled by hand';
COMMENT ON COLUMN ledger.order_id IS 'the merchant''s own identifier; null: none';
COMMENT ON COLUMN ledger.fiat_value IS 'received_piconero at fiat_rate; null when reporting was off or no price was usable';
COMMENT ON COLUMN ledger.fiat_currency IS 'null as fiat_value is';
COMMENT ON COLUMN ledger.fiat_rate IS 'fiat_currency per XMR at confirmation; null as fiat_value is';
