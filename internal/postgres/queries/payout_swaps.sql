-- name: AdoptSwap :execrows
UPDATE payouts SET swap_id = @swap_id, swap_address_sealed = NULL, address_sealed = @address_sealed, address_masked = @address_masked
WHERE id = @id AND status = 'building' AND built_at IS NULL AND swap_id IS NULL AND swap_ticker IS NOT NULL;

-- name: IsOwnAddress :one
-- Of a wallet of merchants. Deposits at our own exchange are paid as those at any other.
SELECT EXISTS (SELECT 1 FROM addresses a JOIN wallets w ON w.id = a.wallet_id WHERE a.address = @address AND w.role <> 'exchange') AS own;

-- name: PrimaryAddresses :many
SELECT primary_address::text FROM wallets WHERE role = 'merchants';

-- name: FailSwapOfPayout :exec
-- Nobody has paid the swap, and nobody will.
UPDATE swaps SET status = 'failed', status_detail = @status_detail, closed_at = @now::timestamptz, updated_at = @now::timestamptz
WHERE payout_id = @payout_id::text AND closed_at IS NULL;

-- name: ReopenSwapOfPayout :exec
-- The swap was failed because nobody would pay it, and it is paid after all.
UPDATE swaps SET status = 'waiting', status_detail = '', closed_at = NULL, quiet_since = @now::timestamptz, updated_at = @now::timestamptz
WHERE payout_id = @payout_id::text AND status = 'failed' AND status_detail = @status_detail;

-- name: ForbidSwapOrder :exec
-- An order that was not sent is not sent any more, and one that was is not
-- taken any more.
INSERT INTO swap_orders (swap_id, merchant_id, provider, state, sent_at)
VALUES (@swap_id, @merchant_id, '', 'uncertain', @now::timestamptz)
ON CONFLICT (swap_id) DO UPDATE SET state = 'uncertain' WHERE swap_orders.state <> 'placed';
