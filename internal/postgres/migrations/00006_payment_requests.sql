-- +goose Up

CREATE TABLE payment_requests (
    id                 text PRIMARY KEY CHECK (id ~ '^pr_[0-9a-f]{24}$'),
    merchant_id        text NOT NULL REFERENCES merchants (merchant_id),
    mode               text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    amount             numeric NOT NULL CHECK (amount >= 0.01 AND amount <= 10000000),
    currency           text NOT NULL CHECK (currency IN ('USD', 'EUR', 'XMR')),
    description        text,
    reference          text,
    single_use         boolean NOT NULL,
    fields             text[] NOT NULL DEFAULT '{}',
    expires_at         timestamptz,
    active             boolean NOT NULL DEFAULT true,
    completed_payments integer NOT NULL DEFAULT 0 CHECK (completed_payments >= 0),
    consumed_at        timestamptz,
    created_at         timestamptz NOT NULL,
    CHECK ((consumed_at IS NOT NULL) = (single_use AND completed_payments > 0))
);
CREATE INDEX payment_requests_list ON payment_requests (merchant_id, mode, created_at DESC, id DESC);
COMMENT ON TABLE payment_requests IS 'links from which a charge is made when they are visited';
COMMENT ON COLUMN payment_requests.amount IS 'in the natural unit of currency';
COMMENT ON COLUMN payment_requests.currency IS 'of amount; converted when a charge is made';
COMMENT ON COLUMN payment_requests.description IS 'shown to the buyer; null: none';
COMMENT ON COLUMN payment_requests.reference IS 'the merchant''s own identifier; null: none';
COMMENT ON COLUMN payment_requests.single_use IS 'whether one confirmed charge consumes it';
COMMENT ON COLUMN payment_requests.fields IS 'names of what the page asks the buyer for';
COMMENT ON COLUMN payment_requests.expires_at IS 'until when charges are made of it; null: for ever';
COMMENT ON COLUMN payment_requests.active IS 'the merchant turns it off and on';
COMMENT ON COLUMN payment_requests.completed_payments IS 'confirmed charges; written with the confirmation';
COMMENT ON COLUMN payment_requests.consumed_at IS 'first confirmed charge of a request for one payment; later ones confirm all the same; null: none yet';
