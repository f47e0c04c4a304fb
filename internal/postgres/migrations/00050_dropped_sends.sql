-- +goose Up

-- What a reorganization could still take back is asked for at each block.
CREATE INDEX outgoing_transactions_confirmed ON outgoing_transactions (wallet_id, height) WHERE state = 'confirmed';

-- +goose Down
DROP INDEX outgoing_transactions_confirmed;
