-- +goose Up

CREATE TABLE nodes (
    wallet_id       text PRIMARY KEY,
    asked_at        timestamptz NOT NULL,
    answered_at     timestamptz,
    error           text,
    height          bigint NOT NULL DEFAULT 0,
    highest         bigint NOT NULL DEFAULT 0,
    target_height   bigint NOT NULL DEFAULT 0,
    newest_block_at timestamptz,
    balance         piconero,
    owed            piconero,
    balance_height  bigint,
    balance_at      timestamptz,
    CHECK (num_nulls(balance, owed, balance_height, balance_at) IN (0, 4))
) WITH (fillfactor = 50);
COMMENT ON TABLE nodes IS 'the daemon of each wallet as a worker last asked it, and what a merchants'' wallet holds against the books';
COMMENT ON COLUMN nodes.answered_at IS 'when the daemon last answered; null: never';
COMMENT ON COLUMN nodes.error IS 'why the last question failed; null: it did not';
COMMENT ON COLUMN nodes.height IS 'number of blocks of the daemon''s chain';
COMMENT ON COLUMN nodes.highest IS 'the largest height that was seen: a reorganization makes a chain shorter';
COMMENT ON COLUMN nodes.target_height IS 'number of blocks of its peers while it catches up; 0: it has caught up';
COMMENT ON COLUMN nodes.newest_block_at IS 'when its newest block was first seen here; null: never';
COMMENT ON COLUMN nodes.balance IS 'piconero that the spending wallet held in its first balance_height blocks; null for wallets of the exchange';
COMMENT ON COLUMN nodes.owed IS 'piconero of payments in those blocks that are in no payout: the wallet must hold at least as much; null as balance is';
COMMENT ON COLUMN nodes.balance_at IS 'when both were read; null as balance is';

CREATE TABLE backups (
    finished_at timestamptz PRIMARY KEY DEFAULT now()
);
COMMENT ON TABLE backups IS 'when backups of this database were finished: what makes one inserts a row';
