-- What has to have a running workflow. Read as a whole and seldom: after the
-- Temporal has lost its memory.

-- name: OpenCharges :many
-- Also those that expired, and whose late money is mature, and those with news that
-- nobody has told: a charge's run makes the first attempts of its deliveries.
SELECT c.id FROM charges c
WHERE c.status = 'pending' OR c.id IN (
    SELECT e.resource_id FROM deliveries d JOIN events e ON e.id = d.event_id
    WHERE d.status = 'pending' AND d.attempts = 0 AND d.rounds = 1 AND d.next_attempt_at IS NOT NULL) OR (c.status = 'expired' AND c.mark IS NULL AND (
    SELECT COALESCE(sum(t.amount), 0) FROM received_payments t
    WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND t.mature AND (c.counts_until IS NULL OR t.first_seen_at <= c.counts_until)) >= c.confirm_from_piconero)
ORDER BY c.id;

-- name: UnfinishedPayouts :many
SELECT id, merchant_id FROM payouts WHERE status IN ('building', 'broadcast') ORDER BY id;

-- name: PendingDeliveries :many
-- But for those whose first attempt is a charge's, see OpenCharges.
SELECT d.id FROM deliveries d
WHERE d.status = 'pending' AND NOT (d.attempts = 0 AND d.rounds = 1 AND EXISTS (
    SELECT 1 FROM events e JOIN charges c ON c.id = e.resource_id WHERE e.id = d.event_id))
ORDER BY d.id;

-- name: UnsentMails :many
SELECT v.id FROM email_verifications v WHERE v.sent_at IS NULL AND v.expires_at > @now::timestamptz
UNION ALL SELECT n.id FROM account_notices n WHERE n.sent_at IS NULL
UNION ALL SELECT b.id FROM notice_mails b WHERE b.sent_at IS NULL
UNION ALL SELECT r.id FROM password_resets r WHERE r.sent_at IS NULL AND r.expires_at > @now::timestamptz
ORDER BY 1;

-- name: OpenTrades :many
SELECT t.id FROM trades t
WHERE t.status NOT IN ('completed', 'refunded', 'failed', 'expired')
    OR EXISTS (SELECT 1 FROM trade_payment_states r WHERE r.trade_id = t.id AND r.state IN ('planned', 'building', 'built', 'sent'))
    OR EXISTS (SELECT 1 FROM trade_events e WHERE e.trade_id = t.id AND e.delivery = 'pending' AND e.attempts = 0)
    OR EXISTS (SELECT 1 FROM trade_orders o WHERE o.trade_id = t.id AND o.state = 'placed' AND o.closed_at IS NULL)
    OR EXISTS (
        SELECT 1 FROM received_payments d LEFT JOIN trade_payment_states x ON x.deposit_id = d.id
        WHERE d.trade_id = t.id AND x.id IS NULL AND d.vanished_at IS NULL AND d.mature AND NOT d.contested AND NOT d.blocked)
ORDER BY t.id;

-- name: UndeliveredTradeEvents :many
SELECT id::text FROM trade_events WHERE delivery = 'pending' AND attempts > 0 ORDER BY trade_events.id;

-- name: OpenSwaps :many
SELECT id, merchant_id FROM swaps WHERE closed_at IS NULL ORDER BY id;
