-- +goose Up

-- A payout that pays a swap. Coin and destination are fixed when it is reserved,
-- so that a later change of the settings redirects nothing.
ALTER TABLE payouts
    ADD COLUMN swap_ticker text,
    ADD COLUMN swap_network text,
    ADD COLUMN swap_address_sealed bytea,
    ADD COLUMN swap_id text UNIQUE,
    ADD CHECK (num_nulls(swap_ticker, swap_network) IN (0, 2)),
    ADD CHECK (swap_id IS NULL OR swap_ticker IS NOT NULL),
    ADD CHECK (swap_ticker IS NULL OR status = 'failed' OR num_nonnulls(swap_id, swap_address_sealed) = 1),
    ADD CONSTRAINT payouts_swap_before_build CHECK (swap_ticker IS NULL OR built_at IS NULL OR swap_id IS NOT NULL);
COMMENT ON COLUMN payouts.swap_ticker IS 'with swap_network the coin that is paid in place of Monero; null for a payout in Monero';
COMMENT ON COLUMN payouts.swap_address_sealed IS 'where that coin goes, until the swap knows: AEAD, associated data payouts:swap_address:<id>';
COMMENT ON COLUMN payouts.swap_id IS 'the swap whose deposit address the transaction pays; it may be pruned before the payout';
COMMENT ON COLUMN payouts.address_sealed IS 'where the transaction goes, the deposit address once there is a swap: AEAD, associated data payouts:address:<id>';
COMMENT ON CONSTRAINT payouts_swap_before_build ON payouts IS 'nothing is built before its swap is known, so that no worker pays it to another address';

-- +goose Down
COMMENT ON COLUMN payouts.address_sealed IS 'AEAD, associated data payouts:address:<id>';
ALTER TABLE payouts
    DROP CONSTRAINT payouts_swap_before_build,
    DROP COLUMN swap_ticker, DROP COLUMN swap_network, DROP COLUMN swap_address_sealed, DROP COLUMN swap_id;
