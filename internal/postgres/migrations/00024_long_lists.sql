-- +goose Up

-- Sums of a period are read from the index alone, however long the ledger is.
CREATE INDEX ledger_sums ON ledger (merchant_id, mode, confirmed_at, charge_id) INCLUDE (received_piconero);
DROP INDEX ledger_period;

CREATE INDEX payouts_newest ON payouts (created_at DESC, id DESC);
CREATE INDEX payouts_of_status ON payouts (status, created_at DESC, id DESC);

CREATE INDEX charges_late ON charges (merchant_id, mode) WHERE late AND payout_id IS NULL;

CREATE INDEX refund_claims_to_approve ON refund_claims (refund_id) WHERE status = 'awaiting_approval';
