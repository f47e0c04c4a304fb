-- name: SetReporting :exec
UPDATE merchants SET reporting_enabled = @enabled, reporting_currency = @currency WHERE merchant_id = @merchant_id;

-- name: GetReporting :one
SELECT reporting_enabled, reporting_currency FROM merchants WHERE merchant_id = $1;

-- name: InsertLedger :exec
-- An entry is written once. Only that of a charge that was settled by hand is raised, at
-- the rate of its first money.
INSERT INTO ledger (charge_id, merchant_id, mode, created_at, confirmed_at, amount, currency, amount_piconero,
    received_piconero, order_id, fiat_value, fiat_currency, fiat_rate, fee_owed)
VALUES (@charge_id, @merchant_id, @mode, @created_at, @confirmed_at, @amount, @currency, @amount_piconero,
    @received_piconero, @order_id, @fiat_value, @fiat_currency, @fiat_rate, @fee_owed)
ON CONFLICT (charge_id) DO UPDATE SET received_piconero = EXCLUDED.received_piconero, fee_owed = EXCLUDED.fee_owed,
    fiat_value = round(EXCLUDED.received_piconero::numeric * 0.000000000001 * ledger.fiat_rate, 2)
WHERE ledger.received_piconero < EXCLUDED.received_piconero
    AND EXISTS (SELECT 1 FROM charges c WHERE c.id = EXCLUDED.charge_id AND c.mark = 'settled');

-- name: ListLedger :many
SELECT sqlc.embed(l), p.payout_id
FROM ledger l LEFT JOIN LATERAL (
    SELECT t.payout_id FROM received_payments t JOIN payouts p ON p.id = t.payout_id
    WHERE t.charge_id = l.charge_id ORDER BY p.created_at, p.id LIMIT 1) p ON true
WHERE l.merchant_id = @merchant_id AND l.mode = @mode AND l.confirmed_at < @until
    AND (l.confirmed_at, l.charge_id) > (@after_at::timestamptz, @after_id::text)
ORDER BY l.confirmed_at, l.charge_id LIMIT @batch;

-- name: SumLedger :one
-- A charge that was sold while reporting was off has the value at its own rate, as report.Own has it: div is exact, a quotient is not.
SELECT c.charges, c.total_xmr, c.total_fiat, p.payouts, p.payouts_xmr, p.fees_xmr, p.refunds, p.refunds_xmr
FROM (
    SELECT count(*) AS charges,
        (COALESCE(sum(l.received_piconero::numeric), 0) * 0.000000000001)::numeric AS total_xmr,
        COALESCE(sum(CASE WHEN l.fiat_currency = @fiat_currency::text THEN l.fiat_value
            WHEN l.fiat_value IS NULL AND l.currency = @fiat_currency::text THEN div(l.received_piconero::numeric * l.amount * 200 + l.amount_piconero, 2 * l.amount_piconero::numeric) * 0.01 END), 0)::numeric AS total_fiat
    FROM ledger l
    WHERE l.merchant_id = @merchant_id AND l.mode = @mode AND l.confirmed_at >= @since AND l.confirmed_at < @until
) c CROSS JOIN (
    SELECT count(*) AS payouts,
        (COALESCE(sum(o.amount::numeric), 0) * 0.000000000001)::numeric AS payouts_xmr,
        (COALESCE(sum(o.fee::numeric), 0) * 0.000000000001)::numeric AS fees_xmr,
        count(o.claim_id) AS refunds,
        (COALESCE(sum(o.refund_amount::numeric), 0) * 0.000000000001)::numeric AS refunds_xmr
    FROM payouts o JOIN wallets w ON w.id = o.wallet_id
    WHERE o.merchant_id = @merchant_id AND w.mode = @mode AND o.status IN ('broadcast', 'confirmed')
        AND o.sent_at >= @since AND o.sent_at < @until
) p;
