-- +goose Up

CREATE TABLE payouts (
    id                  text PRIMARY KEY CHECK (id ~ '^po_[0-9a-f]{24}$'),
    merchant_id         text NOT NULL REFERENCES merchants (merchant_id),
    wallet_id           text NOT NULL REFERENCES wallets (id),
    status              text NOT NULL DEFAULT 'building' CHECK (status IN ('building', 'broadcast', 'confirmed', 'failed')),
    address_sealed      bytea NOT NULL,
    address_masked      text NOT NULL,
    gross               piconero NOT NULL,
    fee_rate            numeric NOT NULL,
    fee                 piconero NOT NULL DEFAULT 0,
    network_fee         piconero NOT NULL DEFAULT 0,
    amount              piconero NOT NULL DEFAULT 0,
    charges_paid        integer NOT NULL,
    outputs             integer NOT NULL CHECK (outputs BETWEEN 1 AND 146),
    tx_hash             text UNIQUE,
    height              bigint,
    error               text,
    created_at          timestamptz NOT NULL,
    built_at            timestamptz,
    sent_at             timestamptz,
    confirmed_at        timestamptz,
    swap_ticker         text,
    swap_network        text,
    swap_address_sealed bytea,
    swap_id             text UNIQUE,
    claim_id            text,
    refund_amount       piconero NOT NULL DEFAULT 0,
    CHECK (status NOT IN ('broadcast', 'confirmed') OR (sent_at IS NOT NULL AND tx_hash IS NOT NULL)),
    CHECK (built_at IS NULL OR gross = amount + refund_amount + fee + network_fee),
    CHECK ((claim_id IS NULL) = (refund_amount = 0)),
    CHECK (claim_id IS NULL OR swap_ticker IS NULL),
    CHECK (num_nulls(swap_ticker, swap_network) IN (0, 2)),
    CHECK (swap_id IS NULL OR swap_ticker IS NOT NULL),
    CHECK (swap_ticker IS NULL OR status = 'failed' OR num_nonnulls(swap_id, swap_address_sealed) = 1),
    CONSTRAINT payouts_swap_before_build CHECK (swap_ticker IS NULL OR built_at IS NULL OR swap_id IS NOT NULL)
);
CREATE UNIQUE INDEX payouts_one_at_a_time ON payouts (merchant_id) WHERE status = 'building';
CREATE UNIQUE INDEX payouts_one_of_claim ON payouts (claim_id) WHERE claim_id IS NOT NULL AND status <> 'failed';
CREATE INDEX payouts_open ON payouts (wallet_id) WHERE status = 'broadcast';
CREATE INDEX payouts_list ON payouts (merchant_id, created_at DESC, id DESC);
CREATE INDEX payouts_sent ON payouts (merchant_id, sent_at) WHERE sent_at IS NOT NULL;
CREATE INDEX payouts_unsettled ON payouts (created_at) WHERE status IN ('building', 'broadcast');
COMMENT ON TABLE payouts IS 'sweeps of a merchant''s payments to the merchant';
COMMENT ON COLUMN payouts.status IS 'building: reserved, maybe built, not relayed; broadcast: relayed; confirmed: deep enough; failed: nothing was paid and the payments are free';
COMMENT ON COLUMN payouts.address_sealed IS 'where the transaction goes, the deposit address once there is a swap: AEAD, associated data payouts:address:<id>';
COMMENT ON COLUMN payouts.address_masked IS 'its ends, to be shown';
COMMENT ON COLUMN payouts.gross IS 'piconero of the payments that it takes';
COMMENT ON COLUMN payouts.fee_rate IS 'share of gross, less what is refunded, that the operator keeps, as it was when it was reserved';
COMMENT ON COLUMN payouts.fee IS 'piconero that the operator keeps';
COMMENT ON COLUMN payouts.network_fee IS 'piconero paid to miners';
COMMENT ON COLUMN payouts.amount IS 'piconero that arrive at the merchant';
COMMENT ON COLUMN payouts.charges_paid IS 'number of charges';
COMMENT ON COLUMN payouts.outputs IS 'number of outputs that it spends';
COMMENT ON COLUMN payouts.tx_hash IS 'null: not built';
COMMENT ON COLUMN payouts.height IS 'block that holds it; null: in none yet';
COMMENT ON COLUMN payouts.error IS 'why it failed; null: it did not';
COMMENT ON COLUMN payouts.built_at IS 'null: not built';
COMMENT ON COLUMN payouts.sent_at IS 'when it was first relayed; null: not yet';
COMMENT ON COLUMN payouts.confirmed_at IS 'null unless status is confirmed';
COMMENT ON COLUMN payouts.swap_ticker IS 'with swap_network the coin that is paid in place of Monero; null for a payout in Monero';
COMMENT ON COLUMN payouts.swap_network IS 'null as swap_ticker is';
COMMENT ON COLUMN payouts.swap_address_sealed IS 'where that coin goes, until the swap knows: AEAD, associated data payouts:swap_address:<id>; null without a swap, and from then on';
COMMENT ON COLUMN payouts.swap_id IS 'the swap whose deposit address the transaction pays; it may be pruned before the payout; null: none, or not ordered yet';
COMMENT ON COLUMN payouts.claim_id IS 'the claim of a refund that the transaction pays beside the merchant; null: none';
COMMENT ON COLUMN payouts.refund_amount IS 'piconero that arrive at the address of that claim; 0 without one';
COMMENT ON CONSTRAINT payouts_swap_before_build ON payouts IS 'nothing is built before its swap is known, so that no worker pays it to another address';
