-- name: ClaimOrder :execrows
INSERT INTO trade_orders (trade_id, provider, sent_at) VALUES (@trade_id, @provider, @sent_at)
ON CONFLICT (trade_id, provider) DO NOTHING;

-- name: GiveOrderUp :exec
UPDATE trade_orders SET state = @state WHERE trade_id = @trade_id AND provider = @provider AND state = 'placing';

-- name: GiveOrdersUp :exec
UPDATE trade_orders SET state = 'uncertain' WHERE trade_id = $1 AND state = 'placing';

-- name: PlaceOrder :execrows
UPDATE trade_orders SET state = 'placed', id_provider = @id_provider::text, amount_to = @amount_to::numeric, heard_at = @heard_at::timestamptz
WHERE trade_id = @trade_id AND provider = @provider AND state = 'placing';

-- name: PlacedOrder :one
SELECT * FROM trade_orders WHERE trade_id = $1 AND state = 'placed';

-- name: SaveOrder :exec
UPDATE trade_orders SET word = @word, heard_at = @heard_at::timestamptz, closed_at = @closed_at,
    amount_to = COALESCE(sqlc.narg(amount_to)::numeric, amount_to),
    deposit_tx = COALESCE(NULLIF(@deposit_tx::text, ''), deposit_tx),
    payout_tx = COALESCE(NULLIF(@payout_tx::text, ''), payout_tx),
    refund_tx = COALESCE(NULLIF(@refund_tx::text, ''), refund_tx)
WHERE trade_id = @trade_id AND state = 'placed';
