-- +goose Up

-- What is owed to keys outlives the trades that it comes from.
ALTER TABLE commissions DROP CONSTRAINT commissions_trade_id_fkey;

-- Removing a deposit asks which trade counts it.
CREATE INDEX trades_counted ON trades (counted_deposit) WHERE counted_deposit IS NOT NULL;

-- The trades that may be removed once they are old enough: ended, every deposit
-- answered by a confirmed transaction or gone before it was answered, no
-- provider to be asked on, and nothing left to tell.
CREATE VIEW removable_trades AS
SELECT t.id FROM trades t
WHERE t.status IN ('completed', 'refunded', 'expired')
    AND NOT EXISTS (
        SELECT 1 FROM trade_deposits d LEFT JOIN trade_transfers x ON x.deposit_id = d.id
        WHERE d.trade_id = t.id AND NOT (
            (d.gone_at IS NULL AND x.state IS NOT DISTINCT FROM 'confirmed') OR (d.gone_at IS NOT NULL AND x.id IS NULL)))
    AND NOT EXISTS (SELECT 1 FROM trade_orders o WHERE o.trade_id = t.id AND o.state = 'placed' AND o.closed_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM trade_events e WHERE e.trade_id = t.id AND e.delivery = 'pending');

-- +goose Down
DROP VIEW removable_trades;
DROP INDEX trades_counted;
ALTER TABLE commissions ADD CONSTRAINT commissions_trade_id_fkey FOREIGN KEY (trade_id) REFERENCES trades (id) NOT VALID;
