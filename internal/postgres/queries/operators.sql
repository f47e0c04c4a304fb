-- name: RecordAudit :exec
INSERT INTO audit (at, actor, action, subject, detail) VALUES (@at, @actor, @action, @subject, @detail);

-- name: ListAudit :many
SELECT * FROM audit WHERE id < @before ORDER BY id DESC LIMIT @max_rows;

-- name: ListMerchants :many
SELECT sqlc.embed(m), GREATEST(COALESCE((
    SELECT sum(v.amount) FROM merchant_volume v WHERE v.merchant_id = m.merchant_id AND v.at > @volume_since::timestamptz), 0), 0)::piconero AS volume
FROM merchants m WHERE m.id > @after ORDER BY m.id LIMIT @max_rows;

-- name: MerchantForUpdate :one
SELECT * FROM merchants WHERE merchant_id = $1 FOR NO KEY UPDATE;

-- name: SetSuspended :exec
UPDATE merchants SET suspended_at = @suspended_at WHERE merchant_id = @merchant_id;

-- name: SetTerms :exec
UPDATE merchants SET fee_rate = @fee_rate, confirmations_required = @confirmations_required,
    tolerance_percent = @tolerance_percent, pending_charges_max = @pending_charges_max
WHERE merchant_id = @merchant_id;

-- name: SetAdmin :exec
UPDATE merchants SET admin = @admin WHERE merchant_id = @merchant_id;

-- name: ListFeeTiers :many
SELECT * FROM fee_tiers ORDER BY volume_from;

-- name: LockFeeTiers :exec
LOCK TABLE fee_tiers IN SHARE ROW EXCLUSIVE MODE;

-- name: DeleteFeeTiers :exec
DELETE FROM fee_tiers;

-- name: InsertFeeTier :exec
INSERT INTO fee_tiers (volume_from, fee_rate) VALUES ($1, $2);

-- name: ConfirmedVolume :one
SELECT GREATEST(COALESCE(sum(amount), 0), 0)::piconero FROM merchant_volume
WHERE merchant_id = @merchant_id AND at > @since::timestamptz AND at <= @until::timestamptz;

-- name: ListUnmatched :many
-- Of merchants' wallets: alerts tell about those of the exchange.
SELECT t.id, t.wallet_id, t.tx_hash, t.subaddress_index, t.amount, t.height, t.first_seen_at, t.vanished_at,
    t.resolved_at, t.note, a.charge_id AS former_charge_id,
    COALESCE(t.merchant_id, l.merchant_id, own.merchant_id, '')::text AS merchant_id
FROM received_payments t JOIN wallets own ON own.id = t.wallet_id
    LEFT JOIN address_owners a ON a.wallet_id = t.wallet_id AND a.subaddress_index = t.subaddress_index
    LEFT JOIN ledger l ON l.charge_id = a.charge_id
WHERE t.charge_id IS NULL AND t.trade_id IS NULL AND NOT EXISTS (SELECT 1 FROM wallets w WHERE w.id = t.wallet_id AND w.role = 'exchange')
    AND t.id < @before AND (t.resolved_at IS NOT NULL) = @resolved::boolean
ORDER BY t.id DESC LIMIT @max_rows;

-- name: LockUnmatched :one
SELECT * FROM received_payments WHERE id = $1 AND charge_id IS NULL AND trade_id IS NULL FOR UPDATE;

-- name: ResolveUnmatched :exec
UPDATE received_payments SET resolved_at = @resolved_at, note = @note WHERE id = @id;

-- name: ListUndelivered :many
SELECT d.*, e.type AS event, e.resource_id, w.url
FROM deliveries d JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.id = d.webhook_id
WHERE d.status IN ('failed', 'dropped') AND (d.created_at, d.id) < (@before::timestamptz, @before_id::text)
ORDER BY d.created_at DESC, d.id DESC LIMIT @max_rows;

-- name: AnyDelivery :one
SELECT d.*, e.type AS event, e.resource_id, w.url
FROM deliveries d JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.id = d.webhook_id
WHERE d.id = $1;

-- name: UnsettledPayouts :many
SELECT p.id, p.merchant_id, p.wallet_id, p.status, p.gross, p.tx_hash, p.created_at, p.sent_at, a.detail AS alert
FROM payouts p LEFT JOIN alerts a ON a.kind = @alert_kind AND a.subject = p.id AND a.resolved_at IS NULL
WHERE p.status IN ('building', 'broadcast') AND (a.id IS NOT NULL OR COALESCE(p.sent_at, p.created_at) < @before::timestamptz)
ORDER BY p.created_at LIMIT @max_rows;

-- name: UnbackedCharges :many
SELECT id, merchant_id, wallet_id, amount_piconero, confirmations_required, confirmed_at
FROM charges WHERE unbacked AND mode = 'live' ORDER BY confirmed_at LIMIT @max_rows;

-- name: WaitingClaims :many
-- Claims that may be paid since before a moment, and are not being paid.
SELECT k.id, k.refund_id, r.merchant_id, k.amount, k.waits_for, k.failures, k.created_at, k.approved_at
FROM refund_claims k JOIN refunds r ON r.id = k.refund_id
WHERE k.status = 'awaiting_payment' AND k.own_address_sealed IS NULL AND k.approved_at < @before::timestamptz
ORDER BY k.approved_at LIMIT @max_rows;

-- name: OpenAlertAbout :one
SELECT * FROM alerts WHERE kind = @kind AND subject = @subject AND resolved_at IS NULL;
