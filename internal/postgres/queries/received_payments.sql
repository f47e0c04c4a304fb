-- name: ChargePayments :many
SELECT * FROM received_payments WHERE charge_id = @charge_id::text AND vanished_at IS NULL ORDER BY id;

-- name: WatchedPayments :many
-- What a scan has to ask about: in the pool, in the blocks that are scanned,
-- about to mature, and some of what was dropped lately.
SELECT t.* FROM received_payments t WHERE t.wallet_id = @wallet_id::text AND t.height IS NULL AND t.vanished_at IS NULL
UNION SELECT t.* FROM received_payments t WHERE t.wallet_id = @wallet_id::text AND t.height BETWEEN @from_height::bigint AND @to_height::bigint
UNION SELECT t.* FROM received_payments t WHERE t.wallet_id = @wallet_id::text AND NOT t.mature AND t.height IS NOT NULL AND t.mature_height <= @chain_height::bigint
    AND (t.unlock_at IS NULL OR t.unlock_at <= @now::timestamptz)
UNION (SELECT t.* FROM received_payments t WHERE t.wallet_id = @wallet_id::text AND t.vanished_at > @dropped_since::timestamptz AND t.id > @dropped_after::bigint
    ORDER BY t.id LIMIT @dropped_limit);

-- name: FindReceivedPayments :many
SELECT * FROM received_payments WHERE wallet_id = $1 AND tx_hash = ANY(@tx_hashes::text[]);

-- name: HoldChargesAt :many
-- Held so that none is pruned until its payment is stored.
SELECT id, merchant_id, subaddress_index, confirmations_required, created_height FROM charges
WHERE wallet_id = $1 AND subaddress_index = ANY(@indices::integer[]) ORDER BY id FOR KEY SHARE;

-- name: InsertReceivedPayment :exec
INSERT INTO received_payments (wallet_id, tx_hash, subaddress_index, charge_id, merchant_id, amount, outputs, height,
    unlock_height, unlock_at, mature_height, first_seen_at, fresh)
VALUES (@wallet_id, @tx_hash, @subaddress_index, @charge_id, @merchant_id, @amount, @outputs, @height,
    @unlock_height, @unlock_at, @mature_height, @first_seen_at, @fresh)
ON CONFLICT (wallet_id, tx_hash, subaddress_index) DO NOTHING;

-- name: MovePayments :many
-- To a block, to the pool (height null), or out of both (dropped).
UPDATE received_payments t SET height = m.height, mature = false,
    mature_height = GREATEST(m.height + COALESCE(c.confirmations_required, 0), CASE WHEN m.height IS NOT NULL THEN t.unlock_height END),
    vanished_at = CASE WHEN m.dropped THEN COALESCE(t.vanished_at, @now::timestamptz) END,
    fresh = t.fresh OR (t.vanished_at IS NOT NULL AND NOT m.dropped)
FROM (SELECT unnest(@ids::bigint[]) AS id, NULLIF(unnest(@heights::bigint[]), -1) AS height, unnest(@dropped::boolean[]) AS dropped) m
    JOIN received_payments o ON o.id = m.id LEFT JOIN charges c ON c.id = o.charge_id
WHERE t.id = m.id
RETURNING t.charge_id;

-- name: RevaluePayment :exec
-- What it pays in its block; what a payout has taken was looked at by the wallet that spends it, and is kept apart.
UPDATE received_payments SET amount = CASE WHEN payout_id IS NULL THEN @amount::piconero ELSE amount END,
    shown_amount = CASE WHEN payout_id IS NOT NULL AND amount <> @amount::piconero THEN @amount::piconero END
WHERE id = @id;

-- name: MaturePayments :many
-- Only what the daemon has just shown in the chain.
UPDATE received_payments SET mature = true
WHERE wallet_id = $1 AND NOT mature AND height IS NOT NULL AND mature_height <= @chain_height::bigint
    AND (unlock_at IS NULL OR unlock_at <= @now::timestamptz) AND tx_hash = ANY(@located::text[])
RETURNING charge_id;

-- name: UnfreshPayments :exec
UPDATE received_payments SET fresh = false WHERE charge_id = @charge_id::text AND fresh AND id <= @up_to::bigint;

-- name: OrphanPayments :many
UPDATE received_payments SET charge_id = NULL
WHERE charge_id = @charge_id::text AND payout_id IS NULL AND vanished_at IS NULL
RETURNING tx_hash, subaddress_index;

-- name: OwnTransactions :many
SELECT tx_hash::text FROM payouts WHERE tx_hash = ANY(@tx_hashes::text[]);
