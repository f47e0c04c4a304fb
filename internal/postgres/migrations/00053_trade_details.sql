-- +goose Up

-- What of a trade names people is sealed from now on. A migration has no keys
-- to seal what is there in clear, and what is not sealed is not to stay.
LOCK TABLE trades IN ACCESS EXCLUSIVE MODE;
-- +goose StatementBegin
DO $$ BEGIN
    IF EXISTS (SELECT 1 FROM trades) THEN
        RAISE EXCEPTION 'trades exist whose addresses are in clear, and cannot be sealed here; nothing was changed: go on with the version before until no trade is left, or begin with an empty database';
    END IF;
END $$;
-- +goose StatementEnd
-- Claims of trades that do not exist; their hashes can be guessed at.
DELETE FROM idempotency_keys;
COMMENT ON COLUMN idempotency_keys.key_hash IS 'keyed code of the key';
COMMENT ON COLUMN idempotency_keys.query_hash IS 'keyed code of the decoded parameters in one order';

ALTER TABLE trades
    DROP COLUMN password_sealed, DROP COLUMN address, DROP COLUMN extra_id, DROP COLUMN refund_address, DROP COLUMN refund_memo,
    DROP COLUMN deposit_memo, DROP COLUMN webhook_url, DROP COLUMN note,
    ADD COLUMN details_sealed bytea NOT NULL,
    ADD COLUMN has_webhook boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT trades_webhook CHECK (NOT has_webhook OR key_id IS NOT NULL);
COMMENT ON COLUMN trades.details_sealed IS 'password, addresses, memos, note and webhook, see internal/tradedetails; AEAD, associated data trades:details:<id>';
COMMENT ON COLUMN trades.has_webhook IS 'a partner is notified of each status';

ALTER TABLE trade_deposits DROP COLUMN origins, ADD COLUMN origins_sealed bytea;
COMMENT ON COLUMN trade_deposits.origins_sealed IS 'addresses that it was spent from, null where the chain shows none; AEAD, associated data trade_deposits:origins:<wallet_id>/<tx_hash>/<address>';

-- +goose Down
-- What is sealed cannot be opened here either.
LOCK TABLE trades IN ACCESS EXCLUSIVE MODE;
-- +goose StatementBegin
DO $$ BEGIN
    IF EXISTS (SELECT 1 FROM trades) THEN
        RAISE EXCEPTION 'trades exist whose addresses are sealed: restore a backup instead';
    END IF;
END $$;
-- +goose StatementEnd
DELETE FROM idempotency_keys;
ALTER TABLE trade_deposits DROP COLUMN origins_sealed, ADD COLUMN origins text[] NOT NULL DEFAULT '{}';
ALTER TABLE trades
    DROP COLUMN details_sealed, DROP COLUMN has_webhook,
    ADD COLUMN password_sealed bytea NOT NULL,
    ADD COLUMN address text NOT NULL,
    ADD COLUMN extra_id text,
    ADD COLUMN refund_address text NOT NULL,
    ADD COLUMN refund_memo text,
    ADD COLUMN deposit_memo text,
    ADD COLUMN webhook_url text,
    ADD COLUMN note text,
    ADD CHECK (webhook_url IS NULL OR key_id IS NOT NULL);
