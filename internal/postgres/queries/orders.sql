-- name: ClaimOrder :execrows
-- Not for a trade that another route has filled.
INSERT INTO trade_orders (trade_id, provider, sent_at)
SELECT @trade_id::text, @provider::text, @sent_at::timestamptz WHERE NOT EXISTS (SELECT 1 FROM trades t WHERE t.id = @trade_id::text)
ON CONFLICT (trade_id, provider) DO UPDATE SET state = 'placing', sent_at = EXCLUDED.sent_at
WHERE trade_orders.state = 'refused' AND trade_orders.sent_at < EXCLUDED.sent_at;

-- name: GiveOrderUp :execrows
UPDATE trade_orders SET state = @state WHERE trade_id = @trade_id AND provider = @provider AND state = 'placing';

-- name: GiveOrdersUp :exec
-- No attempt of @asked_until or before orders anything after this: it finds a note
-- that is as young as itself.
INSERT INTO trade_orders (trade_id, provider, state, sent_at)
SELECT @trade_id, p.name, 'refused', @asked_until
FROM (SELECT unnest(@providers::text[]) UNION SELECT o.provider FROM trade_orders o WHERE o.trade_id = @trade_id) AS p (name)
ON CONFLICT (trade_id, provider) DO UPDATE SET
    state = CASE trade_orders.state WHEN 'placing' THEN 'uncertain' ELSE 'refused' END, sent_at = EXCLUDED.sent_at
WHERE trade_orders.state IN ('placing', 'refused') AND trade_orders.sent_at <= EXCLUDED.sent_at;

-- name: OrderInHand :one
-- The provider that is being asked to fill a trade.
SELECT provider FROM trade_orders WHERE trade_id = $1 AND state = 'placing' LIMIT 1;

-- name: PlaceOrder :execrows
UPDATE trade_orders SET state = 'placed', id_provider = @id_provider::text, amount_to = @amount_to::numeric, heard_at = @heard_at::timestamptz
WHERE trade_id = @trade_id AND provider = @provider AND state = 'placing';

-- name: PlacedOrder :one
SELECT * FROM trade_orders WHERE trade_id = $1 AND state = 'placed';

-- name: SaveOrder :exec
UPDATE trade_orders SET word = @word, heard_at = @heard_at::timestamptz, closed_at = @closed_at,
    amount_to = COALESCE(sqlc.narg(amount_to)::numeric, amount_to),
    deposit_tx = @deposit_tx, payout_tx = @payout_tx, refund_tx = @refund_tx
WHERE trade_id = @trade_id AND state = 'placed';
