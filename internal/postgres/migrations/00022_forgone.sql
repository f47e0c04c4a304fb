-- +goose Up

-- A deposit that its payer locked may not be spendable for years. An operator
-- may end the waiting for it.
ALTER TABLE trade_deposits ADD COLUMN forgone boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN trade_deposits.forgone IS 'an operator ended the waiting for it: it is sent back once it can be spent';

-- +goose Down
ALTER TABLE trade_deposits DROP COLUMN forgone;
