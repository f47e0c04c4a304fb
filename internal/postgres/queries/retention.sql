-- name: PruneDeliveries :execrows
DELETE FROM deliveries WHERE id IN (
    SELECT d.id FROM deliveries d
    WHERE d.created_at < @before::timestamptz AND d.status <> 'pending' ORDER BY d.created_at LIMIT @batch);

-- name: PruneEvents :execrows
DELETE FROM events WHERE id IN (
    SELECT e.id FROM events e
    WHERE e.created_at < @before::timestamptz AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id)
    ORDER BY e.created_at LIMIT @batch);

-- name: PruneCharges :many
DELETE FROM charges WHERE id IN (
    SELECT c.id FROM charges c
    WHERE c.created_at < @before::timestamptz AND c.status <> 'pending'
        AND (c.status = 'expired' OR c.payout_id IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM transfers t WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND t.payout_id IS NULL)
        AND NOT EXISTS (SELECT 1 FROM payouts p WHERE p.id = c.payout_id AND p.status <> 'confirmed')
    ORDER BY c.created_at LIMIT @batch FOR UPDATE SKIP LOCKED)
RETURNING id;

-- name: StripBuyerInfo :many
SELECT id, metadata FROM charges
WHERE created_at < @before::timestamptz AND status <> 'pending' AND metadata LIKE '%"buyer_info"%'
ORDER BY created_at LIMIT @batch FOR UPDATE SKIP LOCKED;

-- name: SetMetadata :exec
UPDATE charges SET metadata = @metadata WHERE id = @id;
