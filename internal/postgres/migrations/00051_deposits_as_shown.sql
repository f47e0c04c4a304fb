-- +goose Up

-- What a payment pays in its block, where it was taken for another amount.
ALTER TABLE transfers ADD COLUMN shown_amount piconero;
ALTER TABLE trade_deposits ADD COLUMN shown_amount numeric CHECK (shown_amount >= 0), ADD COLUMN origins_due_at timestamptz;
CREATE INDEX trade_deposits_origins_due ON trade_deposits (wallet_id, origins_due_at) WHERE origins_due_at IS NOT NULL;
COMMENT ON COLUMN transfers.shown_amount IS 'what the wallet shows in its block, where a payout had taken another amount; null where it is that';
COMMENT ON COLUMN trade_deposits.shown_amount IS 'what the wallet shows in its block, where another amount was answered; null where it is that';
COMMENT ON COLUMN trade_deposits.origins_due_at IS 'when the daemon is asked again where it comes from; null once that is known. Until then it counts for nothing';

-- +goose Down
DROP INDEX trade_deposits_origins_due;
ALTER TABLE trade_deposits DROP COLUMN shown_amount, DROP COLUMN origins_due_at;
ALTER TABLE transfers DROP COLUMN shown_amount;
