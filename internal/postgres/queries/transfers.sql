-- name: ChargePayments :many
SELECT * FROM transfers WHERE charge_id = @charge_id::text AND vanished_at IS NULL ORDER BY id;

-- name: TransfersInWindow :many
SELECT * FROM transfers
WHERE wallet_id = $1 AND (height > @min_height::bigint OR (height IS NULL AND vanished_at IS NULL));

-- name: FindTransfers :many
SELECT * FROM transfers WHERE wallet_id = $1 AND tx_hash = ANY(@tx_hashes::text[]);

-- name: ChargesAtIndices :many
SELECT id, merchant_id, subaddress_index, confirmations_required FROM charges
WHERE wallet_id = $1 AND subaddress_index = ANY(@indices::integer[]);

-- name: InsertTransfer :exec
INSERT INTO transfers (wallet_id, tx_hash, subaddress_index, charge_id, merchant_id, amount, outputs, height,
    unlock_height, unlock_at, mature_height, first_seen_at)
VALUES (@wallet_id, @tx_hash, @subaddress_index, @charge_id, @merchant_id, @amount, @outputs, @height,
    @unlock_height, @unlock_at, @mature_height, @first_seen_at)
ON CONFLICT (wallet_id, tx_hash, subaddress_index) DO NOTHING;

-- name: MoveTransfer :exec
UPDATE transfers SET height = @height, mature_height = @mature_height, mature = false, vanished_at = @vanished_at
WHERE id = @id;

-- name: MatureTransfers :many
UPDATE transfers SET mature = true
WHERE wallet_id = $1 AND NOT mature AND height IS NOT NULL AND mature_height <= @chain_height::bigint
    AND (unlock_at IS NULL OR unlock_at <= @now::timestamptz)
RETURNING charge_id;

-- name: OrphanTransfers :many
UPDATE transfers SET charge_id = NULL
WHERE charge_id = @charge_id::text AND payout_id IS NULL AND vanished_at IS NULL
RETURNING tx_hash, subaddress_index;

-- name: LowestUnpaidHeight :one
SELECT COALESCE(min(height), 0)::bigint FROM transfers
WHERE wallet_id = $1 AND height IS NOT NULL AND payout_id IS NULL;

-- name: NoteChargeSignals :exec
INSERT INTO charge_signals (charge_id, wallet_id, version)
SELECT unnest(@charge_ids::text[]), @wallet_id, nextval('charge_signal_version')
ON CONFLICT (charge_id) DO UPDATE SET version = excluded.version;

-- name: PendingChargeSignals :many
SELECT * FROM charge_signals WHERE wallet_id = $1 ORDER BY version LIMIT $2;

-- name: DropChargeSignal :exec
DELETE FROM charge_signals WHERE charge_id = $1 AND version = $2;

-- name: IsOwnTransaction :one
SELECT EXISTS (SELECT 1 FROM payouts WHERE tx_hash = @tx_hash::text);
