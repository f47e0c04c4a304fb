-- +goose Up

-- What a merchant's payouts are swapped to, and where to.
ALTER TABLE merchants
    ADD COLUMN auto_swap_enabled boolean NOT NULL DEFAULT false,
    ADD COLUMN auto_swap_ticker text,
    ADD COLUMN auto_swap_network text,
    ADD COLUMN auto_swap_address_sealed bytea,
    ADD COLUMN auto_swap_address_masked text,
    ADD CHECK (num_nulls(auto_swap_ticker, auto_swap_network, auto_swap_address_sealed, auto_swap_address_masked) IN (0, 4)),
    ADD CHECK (NOT auto_swap_enabled OR (auto_swap_ticker IS NOT NULL AND payout_address_sealed IS NOT NULL));
COMMENT ON COLUMN merchants.auto_swap_enabled IS 'whether sweeps pay a swap instead of the payout address, which then gets refunds';
COMMENT ON COLUMN merchants.auto_swap_network IS 'with the ticker it names a coin of the register: usdt on ERC20 and on TRC20 are two';
COMMENT ON COLUMN merchants.auto_swap_address_sealed IS 'AEAD, associated data merchants:auto_swap_address:<merchant_id>';

-- +goose Down
ALTER TABLE merchants
    DROP COLUMN auto_swap_enabled, DROP COLUMN auto_swap_ticker, DROP COLUMN auto_swap_network,
    DROP COLUMN auto_swap_address_sealed, DROP COLUMN auto_swap_address_masked;
