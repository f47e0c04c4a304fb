-- What should have moved and has not. Each part costs what is open, or what came
-- in the last @recent_blocks blocks and the last hours: not what ever was.

-- name: OverdueCharges :many
-- Pending after their timeout, or confirmed by money that is mature for long.
SELECT c.id, c.merchant_id, c.status, c.expires_at AS since FROM charges c JOIN wallets w ON w.id = c.wallet_id
WHERE c.id IN (
    SELECT p.id FROM charges p WHERE p.status = 'pending' AND p.expires_at < @before
    UNION
    SELECT r.charge_id FROM wallets v JOIN received_payments r ON r.wallet_id = v.id AND r.height >= v.chain_height - @recent_blocks::bigint
    WHERE r.charge_id IS NOT NULL AND r.vanished_at IS NULL)
AND ((c.status = 'pending' AND c.expires_at < @before)
    OR (c.status IN ('pending', 'expired') AND (
        SELECT COALESCE(sum(t.amount), 0) FROM received_payments t
        WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND t.mature_height <= w.chain_height - @settled_blocks::bigint
            AND (t.unlock_at IS NULL OR t.unlock_at < @before)) >= c.confirm_from_piconero))
ORDER BY c.created_at LIMIT @max_rows;

-- name: OverduePayouts :many
SELECT id, merchant_id, status, COALESCE(sent_at, created_at)::timestamptz AS since FROM payouts
WHERE status IN ('building', 'broadcast') AND COALESCE(sent_at, created_at) < @before
ORDER BY created_at LIMIT @max_rows;

-- name: OverdueTrades :many
-- Of the exchange's own: after the end of their window or of their rate, or
-- with a deposit that is deep for long and not settled.
SELECT t.id, t.status, t.updated_at AS since FROM trades t
WHERE t.wallet_from IS NOT NULL AND t.status IN ('awaiting_deposit', 'deposit_detected', 'confirming', 'processing', 'sending') AND (
    (t.status = 'awaiting_deposit' AND t.expires_at < @before)
    OR (t.status = 'deposit_detected' AND t.expires_at + make_interval(secs => @grace_seconds::float8) < @before)
    OR (t.status = 'confirming' AND t.expires_at + make_interval(secs => 2 * @grace_seconds::float8) < @before)
    OR (t.status IN ('processing', 'sending') AND t.updated_at < @settled_before)
    OR (t.status IN ('deposit_detected', 'confirming') AND t.updated_at < @before AND EXISTS (
        SELECT 1 FROM trade_deposits d WHERE d.trade_id = t.id AND d.missing_at IS NULL AND d.confirmations >= t.confirmations
            AND d.mined_at < @before AND NOT d.locked AND NOT d.contested AND NOT d.abandoned)))
ORDER BY t.created_at LIMIT @max_rows;

-- name: OverdueSwaps :many
SELECT id, merchant_id, status, polled_at AS since FROM swaps WHERE closed_at IS NULL AND polled_at < @before
ORDER BY created_at LIMIT @max_rows;

-- name: OverdueDeliveries :many
SELECT id, merchant_id, status, created_at AS since FROM deliveries
WHERE status = 'pending' AND created_at BETWEEN @after AND @before ORDER BY created_at LIMIT @max_rows;

-- name: OverdueTradeEvents :many
SELECT id, status, next_attempt_at::timestamptz AS since FROM trade_events
WHERE delivery = 'pending' AND attempts > 0 AND next_attempt_at < @before ORDER BY next_attempt_at LIMIT @max_rows;
