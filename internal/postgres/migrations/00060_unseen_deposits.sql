-- +goose Up
-- What a transaction that was taken over has answered, before any watcher of this copy
-- of the database saw it: once seen it is not answered again.
CREATE TABLE unseen_deposits (
    trade_id       text NOT NULL REFERENCES trades (id),
    tx_hash        text NOT NULL,
    address        text NOT NULL,
    transaction_id bigint NOT NULL REFERENCES outgoing_transactions (id),
    kind           text NOT NULL CHECK (kind IN ('payout', 'refund')),
    wallet_id      text NOT NULL REFERENCES exchange_wallets (id),
    amount         numeric NOT NULL CHECK (amount > 0),
    paid           numeric NOT NULL,
    fee            numeric NOT NULL,
    created_at     timestamptz NOT NULL,
    PRIMARY KEY (trade_id, tx_hash, address)
);
CREATE INDEX unseen_deposits_transaction ON unseen_deposits (transaction_id);
COMMENT ON TABLE unseen_deposits IS 'rows of trade_payments to be, whose deposit has no row yet';

-- +goose Down
DROP TABLE unseen_deposits;
