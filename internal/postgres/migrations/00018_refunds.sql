-- +goose Up

CREATE TABLE refunds (
    id            text PRIMARY KEY CHECK (id ~ '^rf_[0-9a-f]{24}$'),
    merchant_id   text NOT NULL REFERENCES merchants (merchant_id),
    charge_id     text NOT NULL,
    status        text NOT NULL DEFAULT 'open'
        CHECK (status IN ('open', 'awaiting_approval', 'awaiting_payment', 'in_progress', 'completed', 'cancelled', 'expired')),
    variant       text NOT NULL CHECK (variant IN ('RateThen', 'CurrentRate', 'OverpaidAmount', 'Fiat', 'Custom')),
    amount        piconero NOT NULL CHECK (amount > 0),
    fiat_amount   numeric CHECK (fiat_amount > 0),
    fiat_currency text CHECK (fiat_currency IN ('USD', 'EUR')),
    name          text NOT NULL DEFAULT '',
    description   text NOT NULL DEFAULT '',
    automatic     boolean NOT NULL DEFAULT false,
    token_hash    bytea NOT NULL,
    token_sealed  bytea,
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    cancelled_at  timestamptz,
    CHECK ((fiat_amount IS NULL) = (fiat_currency IS NULL)),
    CHECK (status <> 'cancelled' OR cancelled_at IS NOT NULL)
);
CREATE INDEX refunds_charge ON refunds (charge_id);
CREATE INDEX refunds_list ON refunds (merchant_id, created_at DESC, id DESC);
CREATE INDEX refunds_unfinished ON refunds (id) WHERE status NOT IN ('completed', 'cancelled', 'expired');
COMMENT ON TABLE refunds IS 'what of a charge is given back to whoever has the link; rows stay as those of payouts do';
COMMENT ON COLUMN refunds.charge_id IS 'the charge; it may be pruned once the refund has ended; empty: it is of no charge';
COMMENT ON COLUMN refunds.status IS 'follows from its claims and its times: written with each change of them';
COMMENT ON COLUMN refunds.variant IS 'how amount was found';
COMMENT ON COLUMN refunds.amount IS 'piconero that may be claimed, fixed when it was made';
COMMENT ON COLUMN refunds.fiat_amount IS 'what amount was reckoned from, in fiat_currency; null: it was reckoned in XMR';
COMMENT ON COLUMN refunds.fiat_currency IS 'null as fiat_amount is';
COMMENT ON COLUMN refunds.name IS 'shown to the buyer; empty: none';
COMMENT ON COLUMN refunds.description IS 'shown to the buyer; empty: none';
COMMENT ON COLUMN refunds.automatic IS 'claims need no approval; decided when it was made';
COMMENT ON COLUMN refunds.token_hash IS 'SHA-256 of the secret in the link, which carries 256 random bits';
COMMENT ON COLUMN refunds.token_sealed IS 'that secret, to show the merchant the link again: AEAD, associated data refunds:token:<id>; null where it is not known any more';
COMMENT ON COLUMN refunds.expires_at IS 'claims that come later are refused; those that are there go on';
COMMENT ON COLUMN refunds.cancelled_at IS 'null: it was not cancelled';

CREATE TABLE refund_claims (
    id             text PRIMARY KEY CHECK (id ~ '^rc_[0-9a-f]{24}$'),
    refund_id      text NOT NULL REFERENCES refunds (id),
    status         text NOT NULL CHECK (status IN ('awaiting_approval', 'awaiting_payment', 'in_progress', 'completed', 'cancelled')),
    amount         piconero NOT NULL CHECK (amount > 0),
    address_sealed bytea,
    address_masked text NOT NULL,
    proof_sealed   bytea,
    waits_for      text,
    needs          piconero NOT NULL DEFAULT 0,
    failures       integer NOT NULL DEFAULT 0,
    must_spend     bigint,
    next_at        timestamptz NOT NULL,
    created_at     timestamptz NOT NULL,
    approved_at    timestamptz,
    sent_at        timestamptz,
    confirmed_at   timestamptz,
    CHECK (address_sealed IS NOT NULL OR status IN ('in_progress', 'completed', 'cancelled')),
    CHECK (status NOT IN ('awaiting_payment', 'in_progress', 'completed') OR approved_at IS NOT NULL),
    CHECK ((status = 'completed') = (confirmed_at IS NOT NULL)),
    CHECK (waits_for IS NULL OR status = 'awaiting_payment')
);
CREATE INDEX refund_claims_refund ON refund_claims (refund_id, created_at, id);
CREATE INDEX refund_claims_waiting ON refund_claims (next_at) WHERE status = 'awaiting_payment';
COMMENT ON TABLE refund_claims IS 'parts of refunds, each to one address; payouts.claim_id names the payout that pays one';
COMMENT ON COLUMN refund_claims.amount IS 'piconero that arrive';
COMMENT ON COLUMN refund_claims.address_sealed IS 'where it goes: AEAD, associated data refund_claims:address:<id>; null where a restored database does not know it';
COMMENT ON COLUMN refund_claims.address_masked IS 'its ends, to be shown';
COMMENT ON COLUMN refund_claims.proof_sealed IS 'proves what was paid to the buyer and the merchant: AEAD, associated data refund_claims:proof:<id>; null before it was sent';
COMMENT ON COLUMN refund_claims.waits_for IS 'what its payment waits for; null: for nothing';
COMMENT ON COLUMN refund_claims.needs IS 'piconero of unpaid payments that it was found to need; 0: not known';
COMMENT ON COLUMN refund_claims.failures IS 'payouts of it that failed';
COMMENT ON COLUMN refund_claims.must_spend IS 'the received payment that each transaction of it spends, so that no two of them can be mined; null: none was given up that was built';
COMMENT ON COLUMN refund_claims.next_at IS 'its payment is not tried before';
COMMENT ON COLUMN refund_claims.approved_at IS 'null: it was not approved';
COMMENT ON COLUMN refund_claims.sent_at IS 'when its transaction was first relayed; null: not yet';
COMMENT ON COLUMN refund_claims.confirmed_at IS 'null unless status is completed';

CREATE OR REPLACE VIEW removable_charges AS
SELECT c.id FROM charges c
WHERE (c.status = 'expired' OR (c.status = 'confirmed' AND (c.payout_id IS NOT NULL OR c.mark = 'settled')))
    AND NOT EXISTS (SELECT 1 FROM payouts p WHERE p.id = c.payout_id AND p.status <> 'confirmed')
    AND NOT EXISTS (
        SELECT 1 FROM received_payments t LEFT JOIN payouts p ON p.id = t.payout_id
        WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND p.status IS DISTINCT FROM 'confirmed')
    AND NOT EXISTS (
        SELECT 1 FROM refunds r WHERE r.charge_id = c.id AND r.status NOT IN ('completed', 'cancelled', 'expired'));
COMMENT ON VIEW removable_charges IS 'charges that may be removed once they are old enough: ended, with every payment that is not gone paid out by a confirmed payout, and no refund that goes on';
