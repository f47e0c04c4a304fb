-- name: LedgerDays :many
-- What was confirmed, by day in UTC; days without anything are left out.
SELECT (l.confirmed_at AT TIME ZONE 'UTC')::date AS day, count(*) AS charges, sum(l.received_piconero::bigint)::piconero AS received
FROM ledger l
WHERE l.merchant_id = @merchant_id AND l.mode = @mode AND l.confirmed_at >= @since
GROUP BY 1 ORDER BY 1;

-- name: CountAttention :one
-- What waits for the merchant. Money of an expired charge, and of one that was paid
-- late, counts until it is in a payout; deliveries are counted up to 1000.
SELECT m.underpaid, m.late, d.failed, r.claims, p.pending FROM (
    SELECT count(DISTINCT c.id) FILTER (WHERE c.status = 'expired' AND c.mark IS NULL) AS underpaid,
        count(DISTINCT c.id) FILTER (WHERE c.status = 'confirmed' AND c.late) AS late
    FROM received_payments t JOIN charges c ON c.id = t.charge_id
    WHERE t.merchant_id = @merchant_id::text AND t.payout_id IS NULL AND t.vanished_at IS NULL AND c.mode = @mode AND (c.late OR c.status = 'expired')
) m CROSS JOIN (
    SELECT count(*) AS failed FROM (
        SELECT 1 FROM deliveries v
        WHERE v.merchant_id = @merchant_id::text AND v.mode = @mode AND v.created_at >= @deliveries_since AND v.status IN ('failed', 'dropped') LIMIT 1000) v
) d CROSS JOIN (
    SELECT count(*) AS claims FROM refund_claims k JOIN refunds f ON f.id = k.refund_id
    WHERE f.merchant_id = @merchant_id::text AND k.status = 'awaiting_approval'
) r CROSS JOIN (
    SELECT count(*) AS pending FROM (
        SELECT 1 FROM charges n
        WHERE n.merchant_id = @merchant_id::text AND n.mode = @mode AND n.invoice_status IN ('New', 'Processing') LIMIT 1000) n
) p;
