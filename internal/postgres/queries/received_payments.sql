-- name: ChargePayments :many
SELECT * FROM received_payments WHERE charge_id = @charge_id::text AND vanished_at IS NULL ORDER BY id;

-- name: WatchedPayments :many
-- What a scan has to ask about: in the pool, in the blocks that are scanned,
-- about to mature, and some of what was dropped lately.
SELECT t.* FROM received_payments t WHERE t.wallet_id = ANY(@wallet_ids::text[]) AND t.height IS NULL AND t.vanished_at IS NULL
UNION SELECT t.* FROM received_payments t WHERE t.wallet_id = ANY(@wallet_ids::text[]) AND t.height BETWEEN @from_height::bigint AND @to_height::bigint
UNION SELECT t.* FROM received_payments t WHERE t.wallet_id = ANY(@wallet_ids::text[]) AND NOT t.mature AND t.height IS NOT NULL AND t.mature_height <= @chain_height::bigint
    AND (t.unlock_at IS NULL OR t.unlock_at <= @now::timestamptz)
UNION (SELECT t.* FROM received_payments t WHERE t.wallet_id = ANY(@wallet_ids::text[]) AND t.vanished_at > @dropped_since::timestamptz AND t.id > @dropped_after::bigint
    ORDER BY t.id LIMIT @dropped_limit);

-- name: FindReceivedPayments :many
SELECT * FROM received_payments WHERE wallet_id = ANY(@wallet_ids::text[]) AND tx_hash = ANY(@tx_hashes::text[]);

-- name: HoldChargesAt :many
-- Held so that none is pruned until its payment is stored.
SELECT c.id, c.merchant_id, c.subaddress_index, c.subaddress, c.confirmations_required, c.created_height
FROM addresses a JOIN charges c ON c.wallet_id = a.wallet_id AND c.subaddress_index = a.subaddress_index
WHERE a.wallet_id = ANY(@wallet_ids::text[]) AND a.address = ANY(@addresses::text[]) ORDER BY c.id FOR KEY SHARE OF c;

-- name: HoldTradesAt :many
-- As HoldChargesAt.
SELECT t.id, t.deposit_address, t.confirmations, t.created_height, a.subaddress_index
FROM trades t JOIN addresses a ON a.address = t.deposit_address
WHERE t.wallet_from = ANY(@wallet_ids::text[]) AND t.deposit_address = ANY(@addresses::text[]) ORDER BY t.id FOR KEY SHARE OF t;

-- name: InsertReceivedPayment :exec
INSERT INTO received_payments (wallet_id, tx_hash, address, subaddress_index, charge_id, merchant_id, trade_id, amount, outputs, height,
    unlock_height, unlock_at, spendable_after, mature_height, contested, first_seen_at, mined_at, fresh, origins_due_at, origins_sealed)
VALUES (@wallet_id, @tx_hash, @address, @subaddress_index, @charge_id, @merchant_id, @trade_id, @amount, @outputs, @height,
    @unlock_height, @unlock_at, @spendable_after, @mature_height, @contested, @first_seen_at::timestamptz,
    CASE WHEN sqlc.narg(height)::bigint IS NOT NULL THEN @first_seen_at::timestamptz END, @fresh, @origins_due_at, @origins_sealed)
ON CONFLICT (wallet_id, tx_hash, address) DO NOTHING;

-- name: MovePayments :many
-- To a block, to the pool (height null), or out of both (dropped).
UPDATE received_payments p SET height = m.height, mature = false, contested = m.contested,
    mined_at = COALESCE(p.mined_at, CASE WHEN m.height IS NOT NULL THEN @now::timestamptz END),
    mature_height = GREATEST(m.height + COALESCE(c.confirmations_required, GREATEST(t.confirmations, o.spendable_after), 0),
        CASE WHEN m.height IS NOT NULL THEN p.unlock_height END),
    vanished_at = CASE WHEN m.dropped THEN COALESCE(p.vanished_at, @now::timestamptz) END,
    fresh = p.fresh OR (p.vanished_at IS NOT NULL AND NOT m.dropped)
FROM (SELECT unnest(@ids::bigint[]) AS id, NULLIF(unnest(@heights::bigint[]), -1) AS height, unnest(@dropped::boolean[]) AS dropped,
    unnest(@contested::boolean[]) AS contested) m
    JOIN received_payments o ON o.id = m.id LEFT JOIN charges c ON c.id = o.charge_id LEFT JOIN trades t ON t.id = o.trade_id
WHERE p.id = m.id
RETURNING p.charge_id, p.trade_id;

-- name: RelockPayments :exec
-- A payment's lock, as the scan shows it.
UPDATE received_payments p SET unlock_height = m.unlock_height, spendable_after = m.spendable_after,
    unlock_at = NULLIF(m.unlock_at, 'epoch'::timestamptz)
FROM (SELECT unnest(@wallet_ids::text[]) AS wallet_id, unnest(@tx_hashes::text[]) AS tx_hash, unnest(@addresses::text[]) AS address, unnest(@unlock_heights::bigint[]) AS unlock_height,
    unnest(@unlock_ats::timestamptz[]) AS unlock_at, unnest(@spendable_after::integer[]) AS spendable_after) m
WHERE p.wallet_id = m.wallet_id AND p.tx_hash = m.tx_hash AND p.address = m.address;

-- name: RevaluePayment :exec
-- What it pays in its block. What a payout has taken, or a trade has answered, is looked at once more before it is
-- paid, and is kept apart.
UPDATE received_payments p SET amount = CASE WHEN a.taken THEN p.amount ELSE @amount::piconero END,
    shown_amount = CASE WHEN a.taken AND p.amount <> @amount::piconero THEN @amount::piconero END
FROM (SELECT EXISTS (SELECT 1 FROM received_payments r WHERE r.id = @id AND r.payout_id IS NOT NULL)
    OR EXISTS (SELECT 1 FROM trade_payments d WHERE d.deposit_id = @id)
    OR EXISTS (SELECT 1 FROM trades t WHERE t.counted_deposit = @id) AS taken) a
WHERE p.id = @id;

-- name: DropWorthlessDeposit :many
-- It pays nothing in its block: it is no deposit.
DELETE FROM received_payments p
WHERE p.id = @id AND p.trade_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM trade_payments d WHERE d.deposit_id = p.id)
    AND NOT EXISTS (SELECT 1 FROM trades t WHERE t.counted_deposit = p.id)
RETURNING p.trade_id::text;

-- name: MaturePayments :many
-- Only what the daemon has just shown in the chain.
UPDATE received_payments SET mature = true
WHERE wallet_id = ANY(@wallet_ids::text[]) AND NOT mature AND height IS NOT NULL AND mature_height <= @chain_height::bigint
    AND (unlock_at IS NULL OR unlock_at <= @now::timestamptz) AND tx_hash = ANY(@located::text[])
RETURNING charge_id, trade_id;

-- name: UnfreshPayments :exec
UPDATE received_payments SET fresh = false WHERE charge_id = @charge_id::text AND fresh AND id <= @up_to::bigint;

-- name: OrphanPayments :many
UPDATE received_payments SET charge_id = NULL
WHERE charge_id = @charge_id::text AND payout_id IS NULL AND vanished_at IS NULL
RETURNING tx_hash, subaddress_index;

-- name: OwnTransactions :many
-- Payouts of the wallets, each of which returns change to its own.
SELECT wallet_id, tx_hash::text FROM payouts WHERE wallet_id = ANY(@wallet_ids::text[]) AND tx_hash = ANY(@tx_hashes::text[]);
