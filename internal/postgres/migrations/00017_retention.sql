-- +goose Up

CREATE VIEW removable_charges AS
SELECT c.id FROM charges c
WHERE (c.status = 'expired' OR (c.status = 'confirmed' AND (c.payout_id IS NOT NULL OR c.mark = 'settled')))
    AND NOT EXISTS (SELECT 1 FROM payouts p WHERE p.id = c.payout_id AND p.status <> 'confirmed')
    AND NOT EXISTS (
        SELECT 1 FROM received_payments t LEFT JOIN payouts p ON p.id = t.payout_id
        WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND p.status IS DISTINCT FROM 'confirmed');
COMMENT ON VIEW removable_charges IS 'charges that may be removed once they are old enough: ended, with every payment that is not gone paid out by a confirmed payout';

CREATE VIEW removable_trades AS
SELECT t.id FROM trades t
WHERE t.status IN ('completed', 'refunded', 'expired')
    AND NOT EXISTS (
        SELECT 1 FROM trade_deposits d LEFT JOIN trade_payment_states x ON x.deposit_id = d.id
        WHERE d.trade_id = t.id AND NOT (
            (d.missing_at IS NULL AND x.state IS NOT DISTINCT FROM 'confirmed') OR (d.missing_at IS NOT NULL AND x.id IS NULL)))
    AND NOT EXISTS (SELECT 1 FROM trade_orders o WHERE o.trade_id = t.id AND o.state = 'placed' AND o.closed_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM trade_events e WHERE e.trade_id = t.id AND e.delivery = 'pending');
COMMENT ON VIEW removable_trades IS 'trades that may be removed once they are old enough: ended, every deposit answered by a confirmed transaction or gone before it was answered, no provider to be asked on, and nothing left to tell';
