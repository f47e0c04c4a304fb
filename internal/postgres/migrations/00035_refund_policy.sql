-- +goose Up

-- A refund that is smaller than what sending it costs is kept until a batch
-- takes it, or an operator has it tried.
ALTER TABLE trade_payments ADD COLUMN dust boolean NOT NULL DEFAULT false,
    DROP CONSTRAINT trade_payments_failed,
    ADD CONSTRAINT trade_payments_failed CHECK (reason IS NULL OR transaction_id IS NULL OR dust);
COMMENT ON COLUMN trade_payments.dust IS 'a refund that costs more than it brings: it has a reason, and goes with others where there are some';

CREATE OR REPLACE VIEW trade_payment_states AS
SELECT p.id, p.trade_id, p.deposit_id, p.kind, p.wallet_id, p.amount, p.reason, p.transaction_id, p.paid, p.fee, p.created_at,
    (CASE WHEN x.id IS NOT NULL THEN x.state WHEN p.reason IS NOT NULL THEN 'failed' ELSE 'planned' END)::text AS state,
    x.reason AS transaction_reason, x.tx_hash, x.built_at, x.sent_at, x.confirmed_at, p.dust
FROM trade_payments p LEFT JOIN outgoing_transactions x ON x.id = p.transaction_id;

-- How many refunds of a trade were made in the last hour.
CREATE INDEX trade_payments_refunds ON trade_payments (trade_id, transaction_id) WHERE kind = 'refund' AND transaction_id IS NOT NULL;
-- Kept dust, for the next batch.
CREATE INDEX trade_payments_dust ON trade_payments (wallet_id, id) WHERE dust AND transaction_id IS NULL;

-- +goose Down
DROP INDEX trade_payments_dust, trade_payments_refunds;
DROP VIEW removable_trades, kept_inventory, trade_payment_states;
ALTER TABLE trade_payments DROP COLUMN dust, ADD CONSTRAINT trade_payments_failed CHECK (reason IS NULL OR transaction_id IS NULL);
CREATE VIEW trade_payment_states AS
SELECT p.id, p.trade_id, p.deposit_id, p.kind, p.wallet_id, p.amount, p.reason, p.transaction_id, p.paid, p.fee, p.created_at,
    (CASE WHEN p.reason IS NOT NULL THEN 'failed' ELSE COALESCE(x.state, 'planned') END)::text AS state,
    x.reason AS transaction_reason, x.tx_hash, x.built_at, x.sent_at, x.confirmed_at
FROM trade_payments p LEFT JOIN outgoing_transactions x ON x.id = p.transaction_id;
CREATE VIEW kept_inventory AS
SELECT t.wallet_to AS wallet_id, t.reserved, t.status = 'awaiting_deposit' AS unfunded
FROM trades t JOIN exchange_wallets w ON w.id = t.wallet_to
WHERE t.reserved > 0 AND NOT (t.status = 'sending' AND EXISTS (
    SELECT 1 FROM trade_payment_states x WHERE x.trade_id = t.id AND x.kind = 'payout' AND x.sent_at < w.balance_at));
CREATE VIEW removable_trades AS
SELECT t.id FROM trades t
WHERE t.status IN ('completed', 'refunded', 'expired')
    AND NOT EXISTS (
        SELECT 1 FROM trade_deposits d LEFT JOIN trade_payment_states x ON x.deposit_id = d.id
        WHERE d.trade_id = t.id AND NOT (
            (d.gone_at IS NULL AND x.state IS NOT DISTINCT FROM 'confirmed') OR (d.gone_at IS NOT NULL AND x.id IS NULL)))
    AND NOT EXISTS (SELECT 1 FROM trade_orders o WHERE o.trade_id = t.id AND o.state = 'placed' AND o.closed_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM trade_events e WHERE e.trade_id = t.id AND e.delivery = 'pending');
