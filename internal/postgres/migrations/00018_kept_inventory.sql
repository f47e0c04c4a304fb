-- +goose Up

-- What trades keep of the inventory. A payout that was sent before the wallet
-- was last looked at is missing from what the wallet can spend already: it is
-- not kept a second time while it waits for its confirmations.
CREATE VIEW kept_inventory AS
SELECT t.wallet_to AS wallet_id, t.reserved, t.status = 'awaiting_deposit' AS unfunded
FROM trades t JOIN exchange_wallets w ON w.id = t.wallet_to
WHERE t.reserved > 0 AND NOT (t.status = 'sending' AND EXISTS (
    SELECT 1 FROM trade_transfers x WHERE x.trade_id = t.id AND x.kind = 'payout' AND x.sent_at < w.looked_at));

-- Orders of trades that never came to be are removed by their age.
CREATE INDEX trade_orders_sent ON trade_orders (sent_at, trade_id);

-- +goose Down
DROP INDEX trade_orders_sent;
DROP VIEW kept_inventory;
