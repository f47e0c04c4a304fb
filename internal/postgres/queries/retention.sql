-- name: BuyerCharges :many
SELECT id, created_at, metadata AS body, (checkout IS NOT NULL)::boolean AS invoice FROM charges
WHERE has_buyer_info AND status <> 'pending' AND created_at < @before AND (created_at, id) > (@after_at::timestamptz, @after_id::text)
ORDER BY created_at, id LIMIT @batch FOR NO KEY UPDATE SKIP LOCKED;

-- name: StripCharges :exec
UPDATE charges c SET metadata = s.metadata, has_buyer_info = false
FROM (SELECT unnest(@ids::text[]) AS id, unnest(@texts::text[]) AS metadata) s
WHERE c.id = s.id;

-- name: BuyerEvents :many
SELECT e.id, e.created_at, e.payload AS body,
    EXISTS (SELECT 1 FROM charges c WHERE c.id = e.resource_id AND c.checkout IS NOT NULL) AS invoice
FROM events e
WHERE e.has_buyer_info AND e.created_at < @before AND (e.created_at, e.id) > (@after_at::timestamptz, @after_id::bigint)
    AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id AND d.status = 'pending')
ORDER BY e.created_at, e.id LIMIT @batch FOR NO KEY UPDATE SKIP LOCKED;

-- name: StripEvents :exec
-- And what receivers answered to them.
WITH stripped AS (
    UPDATE events e SET payload = s.payload, has_buyer_info = false
    FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@texts::text[]) AS payload) s
    WHERE e.id = s.id RETURNING e.id
)
DELETE FROM delivery_attempts a USING stripped s JOIN deliveries d ON d.event_id = s.id WHERE a.delivery_id = d.id;

-- name: PruneAttempts :execrows
DELETE FROM delivery_attempts WHERE (delivery_id, attempt) IN (
    SELECT a.delivery_id, a.attempt FROM delivery_attempts a WHERE a.at < @before::timestamptz ORDER BY a.at LIMIT @batch);

-- name: OldDeliveries :many
SELECT id, created_at, true AS removable FROM deliveries
WHERE created_at < @before AND (created_at, id) > (@after_at::timestamptz, @after_id::text)
ORDER BY created_at, id LIMIT @batch;

-- name: DeleteDeliveries :exec
DELETE FROM deliveries WHERE id = ANY(@ids::text[]) AND status <> 'pending';

-- name: OldEvents :many
SELECT id, created_at, true AS removable FROM events
WHERE created_at < @before AND (created_at, id) > (@after_at::timestamptz, @after_id::bigint)
ORDER BY created_at, id LIMIT @batch;

-- name: HoldFeedsOfEvents :exec
-- Those whose places are to be given to some of the events. They are held before the
-- events, in the order of whoever gives places.
SELECT f.last FROM event_feeds f
WHERE (f.merchant_id, f.mode) IN (SELECT e.merchant_id, e.mode FROM events e WHERE e.id = ANY(@ids::bigint[]) AND e.place IS NULL)
ORDER BY f.merchant_id, f.mode FOR UPDATE;

-- name: LockOldEvents :many
SELECT id FROM events WHERE id = ANY(@ids::bigint[]) ORDER BY id FOR UPDATE SKIP LOCKED;

-- name: DeleteEvents :exec
-- An event that goes before its feed was read that far leaves a place empty: who reads on
-- learns that something is missing.
WITH gone AS (
    DELETE FROM events e WHERE e.id = ANY(@ids::bigint[]) AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id)
    RETURNING e.merchant_id, e.mode, e.place
), unread AS (
    SELECT g.merchant_id, g.mode, count(*) AS events FROM gone g WHERE g.place IS NULL GROUP BY g.merchant_id, g.mode
)
UPDATE event_feeds f SET last = f.last + u.events FROM unread u WHERE f.merchant_id = u.merchant_id AND f.mode = u.mode;

-- name: PruneEventFeeds :execrows
-- Nobody reads those of accounts that are gone.
DELETE FROM event_feeds WHERE (merchant_id, mode) IN (
    SELECT f.merchant_id, f.mode FROM event_feeds f JOIN merchants m ON m.merchant_id = f.merchant_id
    WHERE m.deleted_at < @before::timestamptz LIMIT @batch);

-- name: OldCharges :many
SELECT o.id, o.created_at, EXISTS (SELECT 1 FROM removable_charges r WHERE r.id = o.id) AS removable
FROM (
    SELECT id, created_at FROM charges
    WHERE status <> 'pending' AND created_at < @before AND (created_at, id) > (@after_at::timestamptz, @after_id::text)
    ORDER BY created_at, id LIMIT @batch
) o ORDER BY o.created_at, o.id;

-- name: LockOldCharges :many
SELECT id FROM charges WHERE id = ANY(@ids::text[]) ORDER BY id FOR UPDATE SKIP LOCKED;

-- name: DeleteCharges :many
-- Their addresses keep their names, for money that comes later.
WITH removed AS (
    DELETE FROM charges WHERE id = ANY(@ids::text[]) AND id IN (SELECT r.id FROM removable_charges r WHERE r.id = ANY(@ids::text[]))
    RETURNING id, wallet_id, subaddress_index
), named AS (
    UPDATE addresses a SET former_charge_id = r.id FROM removed r WHERE a.wallet_id = r.wallet_id AND a.subaddress_index = r.subaddress_index
), forgotten AS (
    DELETE FROM receipts p USING removed r WHERE p.charge_id = r.id
)
SELECT removed.id FROM removed;

-- name: DeleteVanishedPayments :exec
DELETE FROM received_payments WHERE charge_id = ANY(@charge_ids::text[]) AND vanished_at IS NOT NULL AND payout_id IS NULL;

-- name: PruneWebhooks :execrows
DELETE FROM webhooks WHERE id IN (
    SELECT w.id FROM webhooks w
    WHERE w.deleted_at < @before::timestamptz AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.webhook_id = w.id)
    ORDER BY w.deleted_at LIMIT @batch);

-- name: PruneOldRateCounts :execrows
DELETE FROM rate_counts WHERE (bucket, key_hash, window_start) IN (
    SELECT r.bucket, r.key_hash, r.window_start FROM rate_counts r
    WHERE r.window_start < @before ORDER BY r.window_start LIMIT @batch);

-- name: PruneLoginFailures :execrows
DELETE FROM login_failures WHERE email_index IN (
    SELECT f.email_index FROM login_failures f WHERE f.last_at < @before ORDER BY f.last_at LIMIT @batch);

-- name: PruneIPFailures :execrows
DELETE FROM login_ip_failures WHERE ip IN (
    SELECT f.ip FROM login_ip_failures f WHERE f.window_start < @before ORDER BY f.window_start LIMIT @batch);

-- name: OldTrades :many
SELECT o.id, o.created_at, EXISTS (SELECT 1 FROM removable_trades r WHERE r.id = o.id) AS removable
FROM (
    SELECT id, created_at FROM trades
    WHERE created_at < @before AND (created_at, id) > (@after_at::timestamptz, @after_id::text)
    ORDER BY created_at, id LIMIT @batch
) o ORDER BY o.created_at, o.id;

-- name: OldOrders :many
SELECT o.trade_id AS id, o.sent_at AS created_at, NOT EXISTS (SELECT 1 FROM trades t WHERE t.id = o.trade_id) AS removable
FROM trade_orders o
WHERE o.sent_at < @before AND (o.sent_at, o.trade_id) > (@after_at::timestamptz, @after_id::text)
ORDER BY o.sent_at, o.trade_id LIMIT @batch;

-- name: DeleteOrders :exec
DELETE FROM trade_orders o
WHERE o.trade_id = ANY(@ids::text[]) AND o.state <> 'placed' AND NOT EXISTS (SELECT 1 FROM trades t WHERE t.id = o.trade_id);

-- name: LockOldTrades :many
SELECT id FROM trades WHERE id = ANY(@ids::text[]) ORDER BY id FOR UPDATE SKIP LOCKED;

-- name: DeleteTrades :exec
WITH gone AS (SELECT r.id FROM removable_trades r WHERE r.id = ANY(@ids::text[])),
    payments AS (DELETE FROM trade_payments p USING gone WHERE p.trade_id = gone.id),
    unseen AS (DELETE FROM unseen_deposits u USING gone WHERE u.trade_id = gone.id),
    transactions AS (DELETE FROM outgoing_transactions x
        WHERE x.trade_ids && ARRAY(SELECT g.id FROM gone g) AND NOT EXISTS (
            SELECT 1 FROM trades o WHERE o.id = ANY(x.trade_ids) AND NOT o.id = ANY(ARRAY(SELECT g.id FROM gone g)))),
    orders AS (DELETE FROM trade_orders o USING gone WHERE o.trade_id = gone.id),
    events AS (DELETE FROM trade_events e USING gone WHERE e.trade_id = gone.id),
    deposits AS (DELETE FROM received_payments d USING gone WHERE d.trade_id = gone.id RETURNING d.wallet_id, d.subaddress_index),
    pruned AS (UPDATE witnesses w SET pruned_index = GREATEST(w.pruned_index, d.highest)
        FROM (SELECT p.wallet_id, max(p.subaddress_index) AS highest FROM deposits p GROUP BY p.wallet_id) d WHERE w.wallet_id = d.wallet_id)
DELETE FROM trades t USING gone WHERE t.id = gone.id;
