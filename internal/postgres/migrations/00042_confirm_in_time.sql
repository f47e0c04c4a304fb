-- +goose Up

-- When a deposit was first seen in a block: the locked rate ends for what is
-- not mined in time. What is in a block already came in time.
ALTER TABLE trade_deposits ADD COLUMN mined_at timestamptz;
COMMENT ON COLUMN trade_deposits.mined_at IS 'when it was first seen in a block; null when it never was';
COMMENT ON COLUMN trade_deposits.forgone IS 'it was unconfirmed or locked for too long: it is sent back once it can be spent';
UPDATE trade_deposits SET mined_at = first_seen_at WHERE height IS NOT NULL;

-- A deposit without a confirmation can still be replaced: what is kept for it
-- counts as kept without a deposit.
CREATE OR REPLACE VIEW kept_inventory AS
SELECT t.wallet_to AS wallet_id, t.reserved, t.status IN ('awaiting_deposit', 'deposit_detected') AS unfunded
FROM trades t JOIN exchange_wallets w ON w.id = t.wallet_to
WHERE t.reserved > 0 AND NOT (t.status = 'sending' AND EXISTS (
    SELECT 1 FROM trade_payment_states x WHERE x.trade_id = t.id AND x.kind = 'payout' AND x.sent_at < w.balance_at));
DROP INDEX trades_unfunded;
CREATE INDEX trades_unfunded ON trades (wallet_to, client_code) INCLUDE (reserved)
    WHERE status IN ('awaiting_deposit', 'deposit_detected');

-- +goose Down
DROP INDEX trades_unfunded;
CREATE INDEX trades_unfunded ON trades (wallet_to, client_code) INCLUDE (reserved) WHERE status = 'awaiting_deposit';
CREATE OR REPLACE VIEW kept_inventory AS
SELECT t.wallet_to AS wallet_id, t.reserved, t.status = 'awaiting_deposit' AS unfunded
FROM trades t JOIN exchange_wallets w ON w.id = t.wallet_to
WHERE t.reserved > 0 AND NOT (t.status = 'sending' AND EXISTS (
    SELECT 1 FROM trade_payment_states x WHERE x.trade_id = t.id AND x.kind = 'payout' AND x.sent_at < w.balance_at));
ALTER TABLE trade_deposits DROP COLUMN mined_at;
