-- What should have moved and has not. Each part costs what is open, or what came
-- in the last @recent_blocks blocks: not what ever was. Each returns a page, the
-- oldest first, after the row (@after_since, @after_id).

-- name: OverdueCharges :many
-- Pending after their timeout, or confirmed by money that is mature for long.
SELECT c.id, c.merchant_id, c.status, c.expires_at AS since FROM charges c JOIN wallets w ON w.id = c.wallet_id JOIN chains AS chain ON chain.id = w.chain_id
WHERE c.id IN (
    SELECT p.id FROM charges p WHERE p.status = 'pending' AND p.expires_at < @before
    UNION
    SELECT r.charge_id FROM wallets v JOIN chains AS seen ON seen.id = v.chain_id
        CROSS JOIN LATERAL (SELECT l.* FROM received_payments l WHERE l.wallet_id = v.id AND l.height >= seen.chain_height - @recent_blocks::bigint
            ORDER BY l.height DESC LIMIT @most_recent) r
    WHERE r.charge_id IS NOT NULL AND r.vanished_at IS NULL)
AND ((c.status = 'pending' AND c.expires_at < @before)
    OR (c.status IN ('pending', 'expired') AND c.mark IS NULL AND (
        SELECT COALESCE(sum(t.amount), 0) FROM received_payments t
        WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND (c.counts_until IS NULL OR t.first_seen_at <= c.counts_until)
            AND t.mature_height <= chain.chain_height - @settled_blocks::bigint
            AND (t.unlock_at IS NULL OR t.unlock_at < @before)) >= c.confirm_from_piconero))
AND (c.expires_at, c.id) > (@after_since::timestamptz, @after_id::text)
ORDER BY c.expires_at, c.id LIMIT @max_rows;

-- name: OverduePayouts :many
SELECT id, merchant_id, status, COALESCE(sent_at, created_at)::timestamptz AS since FROM payouts
WHERE status IN ('building', 'broadcast') AND COALESCE(sent_at, created_at) < @before::timestamptz
    AND (COALESCE(sent_at, created_at), id) > (@after_since::timestamptz, @after_id::text)
ORDER BY since, id LIMIT @max_rows;

-- name: OverdueTrades :many
-- Of the exchange's own: after the end of their window or of their rate, with a
-- deposit that is deep for long and not settled or answered, or with a payment that
-- is not confirmed for long, also when they have ended: but for refunds that wait
-- for their turn behind others of the trade, see RefundsSince. Of others: those whose
-- provider that has not answered for long. Of all: those with an event that is not sent.
SELECT t.id, ''::text AS merchant_id, t.status, t.updated_at AS since FROM trades t
WHERE t.id IN (
    SELECT o.id FROM trades o
    WHERE o.wallet_from IS NOT NULL AND o.status IN ('awaiting_deposit', 'deposit_detected', 'confirming', 'processing', 'sending') AND (
        (o.status = 'awaiting_deposit' AND o.expires_at < @before::timestamptz)
        OR (o.status = 'deposit_detected' AND o.expires_at + make_interval(secs => @grace_seconds::float8) < @before::timestamptz)
        OR (o.status = 'confirming' AND o.expires_at + make_interval(secs => 2 * @grace_seconds::float8) < @before::timestamptz)
        OR (o.status IN ('processing', 'sending') AND o.updated_at < @settled_before::timestamptz)
        OR (o.status IN ('deposit_detected', 'confirming') AND o.updated_at < @before::timestamptz AND EXISTS (
            SELECT 1 FROM received_payments d WHERE d.trade_id = o.id AND d.vanished_at IS NULL AND d.mature
                AND d.mined_at < @before::timestamptz AND NOT d.contested AND NOT d.abandoned)))
    UNION
    SELECT d.trade_id FROM wallets w JOIN chains AS chain ON chain.id = w.chain_id
        CROSS JOIN LATERAL (SELECT l.* FROM received_payments l WHERE l.wallet_id = w.id AND l.height >= chain.chain_height - @recent_blocks::bigint
            ORDER BY l.height DESC LIMIT @most_recent) d
        JOIN trades o ON o.id = d.trade_id LEFT JOIN trade_payments p ON p.deposit_id = d.id
    WHERE w.role = 'exchange' AND p.id IS NULL AND o.status IN ('completed', 'refunded', 'failed', 'expired', 'hold') AND d.vanished_at IS NULL
        AND d.mature AND d.mined_at < @before::timestamptz AND NOT d.contested AND NOT d.blocked
        AND d.origins_due_at IS NULL
    UNION
    SELECT p.trade_id FROM trade_payments p WHERE p.transaction_id IS NULL AND p.reason IS NULL AND p.created_at < @settled_before::timestamptz
        AND NOT EXISTS (SELECT 1 FROM trade_payments m JOIN outgoing_transactions x ON x.id = m.transaction_id
            WHERE m.trade_id = p.trade_id AND m.kind = 'refund' AND x.created_at > @moved_after::timestamptz)
    UNION
    SELECT p.trade_id FROM outgoing_transactions x JOIN trade_payments p ON p.transaction_id = x.id
    WHERE (x.state IN ('built', 'sent') OR (x.state = 'building' AND x.purpose <> 'payout')) AND COALESCE(x.sent_at, x.created_at) < @settled_before::timestamptz
    UNION
    SELECT o.trade_id FROM trade_orders o WHERE o.state = 'placed' AND o.closed_at IS NULL AND o.heard_at < @settled_before::timestamptz
    UNION
    SELECT e.trade_id FROM trade_events e WHERE e.delivery = 'pending' AND e.attempts = 0 AND e.next_attempt_at < @before::timestamptz)
AND (t.updated_at, t.id) > (@after_since::timestamptz, @after_id::text)
ORDER BY t.updated_at, t.id LIMIT @max_rows;

-- name: OverdueSwaps :many
SELECT id, merchant_id, status, polled_at AS since FROM swaps WHERE closed_at IS NULL AND polled_at < @before
    AND (polled_at, id) > (@after_since::timestamptz, @after_id::text)
ORDER BY polled_at, id LIMIT @max_rows;

-- name: OverdueDeliveries :many
-- First attempts are their charges', see UnnotifiedCharges.
SELECT id, merchant_id, status, next_attempt_at::timestamptz AS since FROM deliveries d
WHERE status = 'pending' AND next_attempt_at < @before::timestamptz AND NOT EXISTS (
    SELECT 1 FROM events e JOIN charges c ON c.id = e.resource_id
    WHERE e.id = d.event_id AND d.attempts = 0 AND d.rounds = 1)
    AND (next_attempt_at, id) > (@after_since::timestamptz, @after_id::text)
ORDER BY next_attempt_at, id LIMIT @max_rows;

-- name: UnnotifiedCharges :many
-- Those with an event whose first delivery attempt was not made.
SELECT c.id, c.merchant_id, c.status, min(d.next_attempt_at)::timestamptz AS since
FROM deliveries d JOIN events e ON e.id = d.event_id JOIN charges c ON c.id = e.resource_id
WHERE d.status = 'pending' AND d.attempts = 0 AND d.rounds = 1 AND d.next_attempt_at < @before::timestamptz
GROUP BY c.id HAVING (min(d.next_attempt_at), c.id) > (@after_since::timestamptz, @after_id::text)
ORDER BY since, c.id LIMIT @max_rows;

-- name: OverdueTradeEvents :many
SELECT id::text AS id, ''::text AS merchant_id, status, next_attempt_at::timestamptz AS since FROM trade_events
WHERE delivery = 'pending' AND attempts > 0 AND next_attempt_at < @before::timestamptz
    AND (next_attempt_at, id::text) > (@after_since::timestamptz, @after_id::text)
ORDER BY next_attempt_at, id::text LIMIT @max_rows;
