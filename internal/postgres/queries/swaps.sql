-- name: ClaimSwapOrder :execrows
INSERT INTO swap_orders (swap_id, merchant_id, provider, sent_at) VALUES (@swap_id, @merchant_id, @provider, @sent_at)
ON CONFLICT (swap_id) DO UPDATE SET state = 'placing', sent_at = EXCLUDED.sent_at
WHERE swap_orders.state = 'refused' AND swap_orders.sent_at < EXCLUDED.sent_at;

-- name: RefuseEarlierSwapOrders :exec
-- Where nothing was noted, nothing was sent: an attempt of @sent_until or before
-- that was presumed dead is refused when it comes to note its order.
INSERT INTO swap_orders (swap_id, merchant_id, provider, state, sent_at)
VALUES (@swap_id, @merchant_id, '', 'refused', @sent_until)
ON CONFLICT (swap_id) DO UPDATE SET sent_at = EXCLUDED.sent_at
WHERE swap_orders.state = 'refused' AND swap_orders.sent_at < EXCLUDED.sent_at;

-- name: GiveSwapOrderUp :execrows
UPDATE swap_orders SET state = @state WHERE swap_id = @swap_id AND state = 'placing';

-- name: PlaceSwapOrder :execrows
UPDATE swap_orders SET state = 'placed' WHERE swap_id = $1 AND state = 'placing';

-- name: WaitingSwaps :one
SELECT (SELECT count(*) FROM swaps s WHERE s.merchant_id = @merchant_id AND s.status = 'waiting')
    + (SELECT count(*) FROM swap_orders o WHERE o.merchant_id = @merchant_id AND o.state = 'placing' AND o.swap_id <> @swap_id) AS waiting;

-- name: InsertSwap :exec
INSERT INTO swaps (id, merchant_id, provider, id_provider, payout_id, ticker_from, network_from, ticker_to, network_to,
    amount_from, amount_expected, rate, deposit_address, deposit_memo, address_sealed, refund_sealed, created_at, expires_at,
    word, quiet_since, polled_at, heard_at, updated_at)
VALUES (@id, @merchant_id, @provider, @id_provider, @payout_id, @ticker_from, @network_from, @ticker_to, @network_to,
    @amount_from, @amount_expected, @rate, @deposit_address, @deposit_memo, @address_sealed, @refund_sealed, @created_at, @expires_at,
    @word, @created_at, @created_at, @created_at, @created_at);

-- name: GetSwap :one
SELECT * FROM swaps WHERE id = $1;

-- name: LockSwap :one
SELECT * FROM swaps WHERE id = $1 FOR UPDATE;

-- name: MerchantSwap :one
SELECT * FROM swaps WHERE merchant_id = @merchant_id AND (id = @name OR id_provider = @name)
ORDER BY created_at DESC, id DESC LIMIT 1;

-- name: ListSwaps :many
SELECT * FROM swaps WHERE merchant_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2;

-- name: SwapIsFunded :one
SELECT EXISTS (
    SELECT 1 FROM swaps s JOIN payouts p ON p.id = s.payout_id
    WHERE s.id = $1 AND p.status IN ('broadcast', 'confirmed'));

-- name: SaveSwap :exec
UPDATE swaps SET status = @status, status_detail = @status_detail, word = @word, amount_to = @amount_to,
    deposit_tx = @deposit_tx, payout_tx = @payout_tx, refund_tx = @refund_tx, quiet_since = @quiet_since,
    polled_at = @polled_at, heard_at = @polled_at, closed_at = @closed_at, updated_at = @updated_at
WHERE id = @id;

-- name: TouchSwap :exec
UPDATE swaps SET polled_at = @polled_at WHERE id = @id;

-- name: LockMerchantForSwap :one
SELECT merchant_id, suspended_at FROM merchants WHERE merchant_id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE;

-- name: PruneSwaps :execrows
DELETE FROM swaps WHERE id IN (
    SELECT s.id FROM swaps s
    WHERE s.closed_at IS NOT NULL AND s.created_at < @before
        AND NOT EXISTS (SELECT 1 FROM alerts a WHERE a.kind = @alert_kind AND a.subject = s.id AND a.resolved_at IS NULL)
    ORDER BY s.created_at LIMIT @batch);

-- name: PruneSwapOrders :execrows
DELETE FROM swap_orders WHERE swap_id IN (
    SELECT o.swap_id FROM swap_orders o
    WHERE o.sent_at < @before AND NOT EXISTS (SELECT 1 FROM swaps s WHERE s.id = o.swap_id)
    ORDER BY o.sent_at LIMIT @batch);

-- name: EraseSwaps :exec
UPDATE swaps SET address_sealed = NULL, refund_sealed = NULL WHERE merchant_id = $1;
