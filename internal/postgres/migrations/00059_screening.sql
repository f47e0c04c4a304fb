-- +goose Up
-- What was asked for in vain is asked for with growing pauses, and after what was
-- asked for less often; what the chain has dropped is not asked for.
ALTER TABLE trade_deposits ADD COLUMN origins_asked integer NOT NULL DEFAULT 0 CHECK (origins_asked >= 0);
DROP INDEX trade_deposits_origins_due;
CREATE INDEX trade_deposits_origins_due ON trade_deposits (wallet_id, origins_asked, origins_due_at) WHERE origins_due_at IS NOT NULL AND missing_at IS NULL;
COMMENT ON COLUMN trade_deposits.origins_asked IS 'how often it was asked in vain where it comes from';

-- +goose Down
DROP INDEX trade_deposits_origins_due;
CREATE INDEX trade_deposits_origins_due ON trade_deposits (wallet_id, origins_due_at) WHERE origins_due_at IS NOT NULL;
ALTER TABLE trade_deposits DROP COLUMN origins_asked;
