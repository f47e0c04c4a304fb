-- name: InsertMerchant :one
INSERT INTO merchants (merchant_id, email_sealed, email_index, business_name, password_hash, live_wallet_id, sandbox_wallet_id, verify_by, reporting_enabled)
VALUES (@merchant_id, @email_sealed, @email_index, @business_name, @password_hash, @live_wallet_id, @sandbox_wallet_id, @verify_by, @reporting_enabled)
RETURNING *;

-- name: GetMerchant :one
SELECT * FROM merchants WHERE merchant_id = $1;

-- name: GetMerchantByEmail :one
SELECT * FROM merchants WHERE email_index = $1;

-- name: SetPayoutAddress :execrows
UPDATE merchants SET payout_address_sealed = @sealed, payout_address_masked = @masked WHERE merchant_id = @merchant_id;

-- name: SetAutoSwap :one
UPDATE merchants SET auto_swap_enabled = @enabled, auto_swap_ticker = @ticker, auto_swap_network = @network,
    auto_swap_address_sealed = @address_sealed, auto_swap_address_masked = @address_masked
WHERE merchant_id = @merchant_id AND deleted_at IS NULL RETURNING id;

-- name: PutAPIKey :exec
INSERT INTO api_keys (merchant_id, mode, key_hash, prefix, created_at)
VALUES (@merchant_id, @mode, @key_hash, @prefix, @created_at)
ON CONFLICT (merchant_id, mode) DO UPDATE
SET key_hash = excluded.key_hash, prefix = excluded.prefix, created_at = excluded.created_at;

-- name: FindAPIKey :one
SELECT k.merchant_id, k.mode, k.key_hash, (m.suspended_at IS NOT NULL)::boolean AS suspended,
    (m.email_verified_at IS NOT NULL)::boolean AS confirmed
FROM api_keys k JOIN merchants m USING (merchant_id)
WHERE k.key_hash = $1 AND m.deleted_at IS NULL;

-- name: ListAPIKeys :many
SELECT mode, prefix, created_at FROM api_keys WHERE merchant_id = $1 ORDER BY mode;

-- name: WalletForNewMerchant :one
-- Rendezvous hashing: merchants spread evenly without being counted, and a new
-- wallet gets its share of those to come.
SELECT id FROM wallets WHERE mode = @mode AND (role = 'merchants' OR id = 'simulated') ORDER BY role, md5(id || @merchant_id::text), id LIMIT 1;
