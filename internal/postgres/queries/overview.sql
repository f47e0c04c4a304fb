-- name: LedgerDays :many
-- What was confirmed, by day in UTC; days without anything are left out.
SELECT (l.confirmed_at AT TIME ZONE 'UTC')::date AS day, count(*) AS charges, sum(l.received_piconero)::piconero AS received
FROM ledger l
WHERE l.merchant_id = @merchant_id AND l.mode = @mode AND l.confirmed_at >= @since
GROUP BY 1 ORDER BY 1;

-- name: CountAttention :one
-- What waits for the merchant. Each kind is counted up to 1000. Money of expired charges
-- is looked for among 10000 payments that are in no payout.
SELECT u.underpaid, l.late, d.failed, r.claims, p.pending FROM (
    SELECT count(DISTINCT e.id) AS underpaid FROM (
        SELECT c.id FROM (
            SELECT t.charge_id FROM received_payments t
            WHERE t.merchant_id = @merchant_id::text AND t.wallet_id IN (SELECT w.id FROM wallets w WHERE w.mode = @mode)
                AND t.payout_id IS NULL AND t.vanished_at IS NULL LIMIT 10000
        ) t CROSS JOIN LATERAL (
            SELECT x.id FROM charges x WHERE x.id = t.charge_id AND x.status = 'expired' AND x.mark IS NULL OFFSET 0
        ) c LIMIT 1000) e
) u CROSS JOIN (
    SELECT count(*) AS late FROM (
        SELECT 1 FROM charges c
        WHERE c.merchant_id = @merchant_id::text AND c.mode = @mode AND c.late AND c.payout_id IS NULL
            AND EXISTS (SELECT 1 FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL) LIMIT 1000) l
) l CROSS JOIN (
    SELECT count(*) AS failed FROM (
        SELECT 1 FROM deliveries v
        WHERE v.merchant_id = @merchant_id::text AND v.mode = @mode AND v.created_at >= @deliveries_since AND v.status IN ('failed', 'dropped') LIMIT 1000) v
) d CROSS JOIN (
    SELECT count(*) AS claims FROM (
        SELECT 1 FROM refund_claims k CROSS JOIN LATERAL (
            SELECT f.merchant_id FROM refunds f WHERE f.id = k.refund_id OFFSET 0) f
        WHERE (k.status = 'awaiting_approval' OR k.waits_for = 'shop_payment') AND f.merchant_id = @merchant_id::text LIMIT 1000) k
) r CROSS JOIN (
    SELECT count(*) AS pending FROM (
        SELECT 1 FROM charges n
        WHERE n.merchant_id = @merchant_id::text AND n.mode = @mode AND n.invoice_status IN ('New', 'Processing') LIMIT 1000) n
) p;

-- name: FindUnderpaidCharges :many
-- Those that CountAttention counts as underpaid, the newest first.
SELECT DISTINCT c.id, c.created_at, true AS found FROM (
    SELECT t.charge_id FROM received_payments t
    WHERE t.merchant_id = @merchant_id::text AND t.wallet_id IN (SELECT w.id FROM wallets w WHERE w.mode = @mode)
        AND t.payout_id IS NULL AND t.vanished_at IS NULL LIMIT 10000
) t CROSS JOIN LATERAL (
    SELECT x.id, x.created_at FROM charges x WHERE x.id = t.charge_id AND x.status = 'expired' AND x.mark IS NULL OFFSET 0
) c
WHERE (c.created_at, c.id) < (@before::timestamptz, @before_id::text) AND c.created_at >= @since::timestamptz
ORDER BY c.created_at DESC, c.id DESC LIMIT @max_rows;

-- name: FindLateCharges :many
-- Those that CountAttention counts as late, the newest first.
SELECT c.id, c.created_at, true AS found FROM charges c
WHERE c.merchant_id = @merchant_id::text AND c.mode = @mode AND c.late AND c.payout_id IS NULL
    AND EXISTS (SELECT 1 FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL)
    AND (c.created_at, c.id) < (@before::timestamptz, @before_id::text) AND c.created_at >= @since::timestamptz
ORDER BY c.created_at DESC, c.id DESC LIMIT @max_rows;

-- name: FindPendingCharges :many
-- Those that CountAttention counts as pending, the newest first.
SELECT c.id, c.created_at, true AS found FROM charges c
WHERE c.merchant_id = @merchant_id::text AND c.mode = @mode AND c.invoice_status IN ('New', 'Processing')
    AND (c.created_at, c.id) < (@before::timestamptz, @before_id::text) AND c.created_at >= @since::timestamptz
ORDER BY c.created_at DESC, c.id DESC LIMIT @max_rows;

-- name: ListFailedDeliveries :many
-- Those that CountAttention counts as failed.
SELECT d.*, e.type AS event, e.resource_id, e.payload
FROM deliveries d JOIN events e ON e.id = d.event_id
WHERE d.merchant_id = @merchant_id AND d.mode = @mode AND d.created_at >= @since AND d.status IN ('failed', 'dropped')
ORDER BY d.created_at DESC, d.id DESC LIMIT @max_rows;

-- name: ListRefundsToApprove :many
-- Those with a claim that CountAttention counts.
SELECT * FROM refunds r
WHERE r.id = ANY(ARRAY(
    SELECT k.refund_id FROM refund_claims k CROSS JOIN LATERAL (
        SELECT f.merchant_id FROM refunds f WHERE f.id = k.refund_id OFFSET 0) f
    WHERE (k.status = 'awaiting_approval' OR k.waits_for = 'shop_payment') AND f.merchant_id = @merchant_id::text LIMIT 1000))
ORDER BY r.created_at DESC, r.id DESC LIMIT @max_rows;
