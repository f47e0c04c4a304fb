-- +goose Up

ALTER TABLE outgoing_transactions ADD COLUMN unspent_payments bigint[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN outgoing_transactions.payments IS 'the received payments that a merchant''s payout pays out and whose outputs it spends; null for all else, and before it is built';
COMMENT ON COLUMN outgoing_transactions.unspent_payments IS 'the received payments that a merchant''s payout pays out and leaves unspent: a part of the operator''s fee';

ALTER TABLE refunds ADD COLUMN fee_rate numeric NOT NULL DEFAULT 0;
COMMENT ON COLUMN refunds.fee_rate IS 'the operator''s share of what is refunded, as it was in force when it was made; each payout takes that of its own moment';

COMMENT ON COLUMN payouts.fee_rate IS 'share of gross that the operator keeps, what is refunded of it included, as it was when it was reserved';

CREATE VIEW merchant_volume AS
SELECT merchant_id, confirmed_at AS at, received_piconero::numeric AS amount FROM ledger WHERE mode = 'live'
UNION ALL
SELECT merchant_id, sent_at, -refund_amount::numeric FROM payouts WHERE claim_id IS NOT NULL AND status IN ('broadcast', 'confirmed') AND sent_at IS NOT NULL;
COMMENT ON VIEW merchant_volume IS 'what counts towards a merchant''s volume tier: what was confirmed, less what was refunded when it was sent';
