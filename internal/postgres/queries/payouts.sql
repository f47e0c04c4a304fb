-- name: UnpaidSummary :one
SELECT count(DISTINCT t.charge_id)::integer AS charges,
    COALESCE(sum(t.amount), 0)::piconero AS total,
    COALESCE(sum(t.amount) FILTER (WHERE t.height + 10 > chain.chain_height), 0)::piconero AS locked
FROM received_payments t JOIN charges c ON c.id = t.charge_id JOIN wallets w ON w.id = t.wallet_id JOIN chains AS chain ON chain.id = w.chain_id
WHERE t.merchant_id = @merchant_id::text AND t.wallet_id = @wallet_id AND t.payout_id IS NULL AND t.vanished_at IS NULL
    AND NOT t.spent_elsewhere AND t.mature AND c.status = 'confirmed' AND NOT c.unbacked;

-- name: InPayouts :one
-- What payouts of a merchant have taken that the chain has not confirmed.
SELECT COALESCE(sum(p.gross), 0)::piconero FROM payouts p WHERE p.merchant_id = $1 AND p.status IN ('building', 'broadcast');

-- name: SweepCandidates :many
SELECT t.id, t.charge_id, t.subaddress_index, t.amount, t.outputs, t.height, c.created_at
FROM received_payments t JOIN charges c ON c.id = t.charge_id JOIN wallets w ON w.id = t.wallet_id JOIN chains AS chain ON chain.id = w.chain_id
WHERE t.merchant_id = @merchant_id::text AND t.wallet_id = @wallet_id AND t.payout_id IS NULL AND t.vanished_at IS NULL
    AND NOT t.spent_elsewhere AND t.mature AND c.status = 'confirmed' AND NOT c.unbacked AND t.height + 10 <= chain.chain_height
    AND t.amount >= t.outputs * @dust::numeric
ORDER BY c.confirmed_at, c.id, t.id LIMIT @max_rows;

-- name: InsertPayout :exec
INSERT INTO payouts (id, merchant_id, wallet_id, address_sealed, address_masked, gross, fee_rate, charges_paid, outputs, created_at,
    swap_ticker, swap_network, swap_address_sealed, claim_id, refund_amount)
VALUES (@id, @merchant_id, @wallet_id, @address_sealed, @address_masked, @gross, @fee_rate, @charges_paid, @outputs, @created_at,
    @swap_ticker, @swap_network, @swap_address_sealed, @claim_id, @refund_amount);

-- name: ReservePayments :execrows
-- The charges are held first, as AdvanceCharge does.
WITH held AS MATERIALIZED (
    SELECT c.id FROM charges c WHERE c.id IN (SELECT t.charge_id FROM received_payments t WHERE t.id = ANY(@ids::bigint[]))
    ORDER BY c.id FOR NO KEY UPDATE
)
UPDATE received_payments SET payout_id = @payout_id::text, spent_elsewhere = false
WHERE id = ANY(@ids::bigint[]) AND payout_id IS NULL AND (SELECT count(*) FROM held) >= 0;

-- name: MarkChargesPaid :exec
UPDATE charges c SET payout_id = @payout_id::text
FROM received_payments t WHERE t.payout_id = @payout_id::text AND c.id = t.charge_id AND c.payout_id IS NULL;

-- name: UnmarkCharges :exec
UPDATE charges c SET payout_id = NULL
FROM received_payments t WHERE t.payout_id = @payout_id::text AND c.id = t.charge_id AND c.payout_id = @payout_id::text;

-- name: VanishedCharges :many
-- The charges of a payout whose payments have left the chain.
SELECT DISTINCT t.charge_id::text FROM received_payments t WHERE t.payout_id = @payout_id::text AND t.vanished_at IS NOT NULL AND t.charge_id IS NOT NULL;

-- name: UnreservePayments :exec
UPDATE received_payments SET payout_id = NULL, amount = COALESCE(shown_amount, amount), shown_amount = NULL WHERE payout_id = @payout_id::text;

-- name: UnreserveSomePayments :exec
-- The charges are held first.
WITH held AS MATERIALIZED (
    SELECT c.id FROM charges c WHERE c.id IN (SELECT t.charge_id FROM received_payments t WHERE t.id = ANY(@ids::bigint[]))
    ORDER BY c.id FOR NO KEY UPDATE
), released AS (
    UPDATE received_payments SET payout_id = NULL, amount = COALESCE(shown_amount, amount), shown_amount = NULL
    WHERE id = ANY(@ids::bigint[]) AND payout_id = @payout_id::text AND (SELECT count(*) FROM held) >= 0
    RETURNING charge_id
)
UPDATE charges c SET payout_id = NULL FROM released r
WHERE c.id = r.charge_id AND c.payout_id = @payout_id::text
    AND NOT EXISTS (SELECT 1 FROM received_payments t
        WHERE t.charge_id = c.id AND t.payout_id = @payout_id::text AND NOT t.id = ANY(@ids::bigint[]));

-- name: MarkSpentElsewhere :many
UPDATE received_payments SET spent_elsewhere = true WHERE id = ANY(@ids::bigint[]) AND payout_id = @payout_id::text AND NOT spent_elsewhere
RETURNING tx_hash, subaddress_index, amount;

-- name: GetPayout :one
SELECT * FROM payouts WHERE id = $1;

-- name: LockPayout :one
SELECT * FROM payouts WHERE id = $1 FOR UPDATE;

-- name: PayoutPayments :many
SELECT id, charge_id, tx_hash, subaddress_index, amount, outputs FROM received_payments WHERE payout_id = @payout_id::text ORDER BY id;

-- name: PaymentsCameWith :many
SELECT tx_hash, subaddress_index FROM received_payments WHERE id = ANY(@ids::bigint[]) ORDER BY id;

-- name: StoreBuild :execrows
UPDATE payouts SET tx_hash = @tx_hash,
    gross = @gross, outputs = @outputs, charges_paid = @charges_paid, amount = @amount, fee = @fee, network_fee = @network_fee,
    built_at = @built_at
WHERE id = @id AND status = 'building' AND built_at IS NULL;

-- name: MarkBroadcast :execrows
UPDATE payouts SET status = 'broadcast', sent_at = @sent_at WHERE id = @id AND status = 'building' AND built_at IS NOT NULL;

-- name: MarkPayoutConfirmed :execrows
UPDATE payouts SET status = 'confirmed', height = @height, confirmed_at = @confirmed_at WHERE id = @id AND status = 'broadcast';

-- name: UnconfirmPayout :many
-- It returns the claim of a refund that it pays, if there is one.
UPDATE payouts SET status = 'broadcast', height = NULL, confirmed_at = NULL WHERE id = $1 AND status = 'confirmed' RETURNING claim_id;

-- name: MarkPayoutFailed :execrows
UPDATE payouts SET status = 'failed', error = @error, swap_address_sealed = NULL
WHERE id = @id AND status IN ('building', 'broadcast');

-- name: ListPayouts :many
SELECT * FROM payouts WHERE merchant_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2;

-- name: LockMerchant :one
SELECT id FROM merchants WHERE merchant_id = $1 FOR NO KEY UPDATE;
