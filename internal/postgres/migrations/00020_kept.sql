-- +goose Up

-- A deposit that vanishes takes a trade back to its beginning: until one is
-- settled the trade still counts for who made it.
COMMENT ON COLUMN trades.client_code IS 'who keeps inventory without a deposit: a keyed code of key or address; null once a deposit is settled';
COMMENT ON COLUMN trades.reserved IS 'inventory of wallet_to that is kept for the payout: of amount_to, or of what the deposit pays once there is one';

-- +goose Down
COMMENT ON COLUMN trades.client_code IS 'who keeps inventory without a deposit: a keyed code of key or address; null once there is a deposit';
COMMENT ON COLUMN trades.reserved IS 'inventory of wallet_to that is kept for the payout';
