-- name: BeginTrade :one
-- What a trade begins with: the wallet that is deposited to, and what is reserved of the one that pays, in all and by the client.
SELECT sqlc.embed(w), r.reserved, r.unfunded, c.of_client
FROM wallets w, (
    SELECT COALESCE(sum(i.reserved), 0)::numeric AS reserved, COALESCE(sum(i.reserved) FILTER (WHERE i.unfunded), 0)::numeric AS unfunded
    FROM reserved_inventory i WHERE i.wallet_id = @wallet_to::text) r, (
    SELECT COALESCE(sum(x.reserved), 0)::numeric AS of_client FROM trades x
    WHERE x.wallet_to = @wallet_to::text AND x.client_code = @client_code AND x.status IN ('awaiting_deposit', 'deposit_detected')) c
WHERE w.id = @wallet_from;

-- name: InsertTrade :exec
INSERT INTO trades (id, id_provider, details_sealed, has_webhook, key_id, client_code, provider, risk, wallet_from, wallet_to,
    ticker_from, network_from, ticker_to, network_to, amount_from, amount_to, rate, markup, commission_rate,
    min_from, max_from, deposit_address,
    confirmations, created_at, window_seconds, expires_at, reserved, updated_at,
    created_height)
VALUES (@id, @id_provider, @details_sealed, @has_webhook, @key_id, @client_code, @provider, @risk, @wallet_from, @wallet_to,
    @ticker_from, @network_from, @ticker_to, @network_to, @amount_from, @amount_to, @rate, @markup, @commission_rate,
    @min_from, @max_from, @deposit_address,
    @confirmations, @created_at, @window_seconds, @expires_at, @reserved, @created_at,
    (SELECT chain.chain_height FROM wallets w JOIN chains AS chain ON chain.id = w.chain_id WHERE w.id = @wallet_from));

-- name: GetTrade :one
SELECT * FROM trades WHERE id = $1;

-- name: LockTrade :one
SELECT * FROM trades WHERE id = $1 FOR UPDATE;

-- name: TakeOverTrade :one
UPDATE trades SET key_id = @key_id, markup = @markup, rate = @rate, commission_rate = @commission_rate,
    amount_to = @amount_to, reserved = @amount_to, updated_at = @now
WHERE id = @id
RETURNING *;

-- name: SaveTrade :exec
UPDATE trades SET status = @status, status_detail = @status_detail, reserved = @reserved, received = @received,
    payout = @payout, counted_deposit = @counted_deposit, updated_at = @updated_at,
    client_code = CASE WHEN @status IN ('awaiting_deposit', 'deposit_detected', 'confirming') THEN client_code END
WHERE id = @id;

-- name: TouchTrade :exec
UPDATE trades SET updated_at = GREATEST(updated_at, @updated_at::timestamptz) WHERE id = @id;

-- name: TradeTransactions :one
SELECT
    GREATEST(t.updated_at,
        (SELECT max(GREATEST(d.first_seen_at, d.vanished_at)) FROM received_payments d WHERE d.trade_id = t.id),
        (SELECT max(x.sent_at) FROM trade_payment_states x WHERE x.trade_id = t.id))::timestamptz AS changed_at,
    COALESCE((SELECT d.tx_hash FROM received_payments d WHERE d.trade_id = t.id AND d.vanished_at IS NULL
        AND (d.id = t.counted_deposit OR t.counted_deposit IS NULL) ORDER BY d.first_seen_at, d.id LIMIT 1), o.deposit_tx, '')::text AS deposit_tx,
    COALESCE((SELECT x.tx_hash FROM trade_payment_states x WHERE x.trade_id = t.id AND x.kind = 'payout'
        AND x.sent_at IS NOT NULL LIMIT 1), o.payout_tx, '')::text AS payout_tx,
    COALESCE((SELECT x.amount FROM trade_payment_states x WHERE x.trade_id = t.id AND x.kind = 'payout'
        AND x.sent_at IS NOT NULL LIMIT 1), 0)::numeric AS paid,
    COALESCE((SELECT x.tx_hash FROM trade_payment_states x WHERE x.trade_id = t.id AND x.kind = 'refund'
        AND x.sent_at IS NOT NULL ORDER BY x.sent_at DESC, x.id DESC LIMIT 1), o.refund_tx, '')::text AS refund_tx
FROM trades t LEFT JOIN trade_orders o ON o.trade_id = t.id AND o.state = 'placed' WHERE t.id = $1;

-- name: TradeDeposits :many
SELECT * FROM trade_deposits WHERE trade_id = $1 ORDER BY first_seen_at, id;

-- name: BlockDeposit :exec
UPDATE received_payments SET blocked = true WHERE id = $1;

-- name: TradesOverdue :many
SELECT id FROM trades WHERE wallet_from = ANY(@wallet_ids::text[]) AND status = 'awaiting_deposit' AND expires_at < @before
ORDER BY created_at LIMIT 1000;

-- name: RecordTradeEvent :exec
INSERT INTO trade_events (trade_id, status, prev_status, occurred_at, payload, delivery, next_attempt_at)
VALUES (@trade_id, @status, @prev_status, @occurred_at, @payload, @delivery,
    CASE WHEN @delivery::text = 'pending' THEN @occurred_at::timestamptz END);

-- name: UnsentTradeEvents :many
SELECT id FROM trade_events WHERE trade_id = $1 AND delivery = 'pending' AND attempts = 0 ORDER BY id;

-- name: TradeEventForSending :one
SELECT e.id, e.delivery, e.attempts, e.round_from, e.payload, e.begun_at, e.next_attempt_at, t.id AS trade_id, t.details_sealed, k.id AS key_id, k.secret_sealed
FROM trade_events e JOIN trades t ON t.id = e.trade_id JOIN swap_keys k ON k.id = t.key_id
WHERE e.id = $1;

-- name: RecordTradeEventAttempt :execrows
-- As RecordAttempt: an attempt is recorded once, but success whoever says so.
UPDATE trade_events SET delivery = @delivery, attempts = GREATEST(attempts, @attempts), http_status = @http_status, error = @error,
    begun_at = COALESCE(begun_at, @begun_at), last_attempt_at = @last_attempt_at,
    next_attempt_at = @next_attempt_at, delivered_at = @delivered_at
WHERE id = @id AND delivery <> 'delivered'
    AND (@delivery = 'delivered' OR (delivery = 'pending' AND attempts < @attempts));

-- name: ReopenTradeEvent :execrows
UPDATE trade_events SET delivery = 'pending', delivered_at = NULL, error = NULL, http_status = NULL,
    begun_at = @now::timestamptz, next_attempt_at = LEAST(@now::timestamptz, now()), round_from = attempts
WHERE id = @id AND delivery IN ('failed', 'dropped', 'delivered');

-- name: TradeEvents :many
SELECT * FROM trade_events WHERE trade_id = $1 ORDER BY id;

-- name: DeadTradeEvents :many
SELECT * FROM trade_events WHERE delivery IN ('failed', 'dropped') AND id > $1 ORDER BY id LIMIT $2;

-- name: CreditCommission :exec
INSERT INTO commissions (trade_id, key_id, ticker, network, amount, credited_at)
VALUES (@trade_id, @key_id, @ticker, @network, @amount, @credited_at)
ON CONFLICT (trade_id) DO NOTHING;

-- name: CommissionBalance :many
SELECT ticker, network, sum(amount)::numeric AS amount, count(*) AS trades FROM commissions
WHERE key_id = $1 GROUP BY ticker, network ORDER BY ticker, network;

-- name: CountTradesByStatus :many
SELECT status, count(*) FROM trades GROUP BY status;

-- name: StuckTrades :many
SELECT sqlc.embed(t), COALESCE((
    SELECT string_agg(DISTINCT a.kind, ', ') FROM alerts a
    WHERE a.resolved_at IS NULL AND a.kind = ANY(@kinds::text[]) AND split_part(a.subject, '/', 1) = t.id), '')::text AS open_alerts
FROM trades t
WHERE t.id IN (
    SELECT split_part(a.subject, '/', 1) FROM alerts a WHERE a.resolved_at IS NULL AND a.kind = ANY(@kinds::text[])
    UNION ALL
    SELECT u.id FROM trades u WHERE u.status IN ('processing', 'sending') AND u.updated_at < @before)
ORDER BY t.created_at DESC, t.id DESC LIMIT @max_rows;

-- name: AbandonLockedDeposits :many
UPDATE received_payments p SET abandoned = true
FROM trade_deposits d JOIN trades t ON t.id = d.trade_id
WHERE p.id = d.id AND t.id = $1 AND d.locked AND NOT d.contested AND NOT d.abandoned AND d.missing_at IS NULL
    AND d.confirmations >= t.confirmations
RETURNING p.id;

-- name: AbandonDeposits :exec
UPDATE received_payments SET abandoned = true WHERE id = ANY(@ids::bigint[]);
