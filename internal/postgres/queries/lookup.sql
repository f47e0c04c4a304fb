-- name: ChargesOfOrder :many
SELECT id, merchant_id, mode, status, created_at FROM charges
WHERE order_id = @order_id::text ORDER BY order_id, merchant_id, mode, created_at DESC, id DESC LIMIT @max_rows;

-- name: RemovedChargesOfOrder :many
-- Those of the books whose charges have been pruned, among so many rows of the books.
SELECT l.charge_id, l.merchant_id, l.mode, l.created_at FROM (
    SELECT b.charge_id, b.merchant_id, b.mode, b.created_at FROM ledger b WHERE b.order_id = @order_id::text LIMIT @max_rows
) l WHERE NOT EXISTS (SELECT 1 FROM charges c WHERE c.id = l.charge_id);

-- name: LedgerOfCharge :one
SELECT * FROM ledger WHERE charge_id = $1;

-- name: ChargesAtAddress :many
SELECT a.charge_id::text AS charge_id, COALESCE(c.merchant_id, l.merchant_id, '')::text AS merchant_id, COALESCE(c.mode, l.mode, w.mode)::text AS mode,
    COALESCE(c.status, 'removed')::text AS status, COALESCE(c.created_at, l.created_at, w.created_at)::timestamptz AS created_at
FROM address_owners a JOIN wallets w ON w.id = a.wallet_id
    LEFT JOIN charges c ON c.id = a.charge_id LEFT JOIN ledger l ON l.charge_id = a.charge_id
WHERE a.address = @address::text AND a.charge_id IS NOT NULL;

-- name: TradesAtAddress :many
-- At a wallet of the exchange, or at another provider.
SELECT t.id, t.status, t.created_at FROM trades t
WHERE t.id = ANY(ARRAY(
    SELECT o.id FROM trades o WHERE o.wallet_from = ANY(ARRAY(SELECT w.id FROM wallets w WHERE w.role = 'exchange')) AND o.deposit_address = @address::text
    UNION ALL (SELECT u.id FROM trades u WHERE u.wallet_from IS NULL AND u.deposit_address = @address::text LIMIT @max_rows)))
LIMIT @max_rows;

-- name: SwapsAtAddress :many
SELECT * FROM swaps WHERE deposit_address = @address::text LIMIT @max_rows;

-- name: ReceivedInTransaction :many
-- What a transaction paid to wallets of merchants. A simulated one paid a charge of its own chain.
SELECT t.id, t.wallet_id, t.charge_id, t.merchant_id, t.amount, t.first_seen_at, t.vanished_at, w.mode, COALESCE(c.status, 'removed')::text AS charge_status
FROM received_payments t JOIN wallets w ON w.id = t.wallet_id LEFT JOIN charges c ON c.id = t.charge_id
WHERE t.wallet_id = ANY(ARRAY(
        SELECT r.id FROM wallets r WHERE r.role = 'merchants'
        UNION ALL SELECT s.wallet_id FROM simulated_payments s WHERE s.tx_hash = @tx_hash::text))
    AND t.tx_hash = @tx_hash::text
ORDER BY t.id LIMIT @max_rows;

-- name: DepositsInTransaction :many
SELECT d.trade_id, t.status, t.created_at FROM trade_deposits d JOIN trades t ON t.id = d.trade_id
WHERE d.wallet_id = ANY(ARRAY(SELECT w.id FROM wallets w WHERE w.role = 'exchange')) AND d.tx_hash = @tx_hash::text LIMIT @max_rows;

-- name: OutgoingByHash :one
SELECT * FROM outgoing_transactions WHERE tx_hash = @tx_hash::text;

-- name: TradeOfProvider :one
SELECT id, status, created_at FROM trades WHERE provider = @provider AND id_provider = @id_provider;

-- name: TradesNamed :many
SELECT id, status, created_at FROM trades WHERE id = ANY(@ids::text[]) ORDER BY created_at DESC, id DESC LIMIT @max_rows;

-- name: PayoutByHash :one
SELECT * FROM payouts WHERE tx_hash = @tx_hash::text;

-- name: PaymentsOfCharge :many
SELECT * FROM received_payments WHERE charge_id = @charge_id::text ORDER BY id LIMIT @max_rows;

-- name: EventsOf :many
-- What was recorded about a resource, without what it carries, and where its deliveries stand.
SELECT e.type, e.created_at, COALESCE(d.id, '')::text AS delivery_id, COALESCE(d.status, '')::text AS status, COALESCE(d.attempts, 0)::integer AS attempts,
    d.last_attempt_at, d.error
FROM events e LEFT JOIN deliveries d ON d.event_id = e.id
WHERE e.resource_id = @resource_id::text ORDER BY e.id, d.id LIMIT @max_rows;

-- name: OpenAlertsAbout :many
SELECT * FROM alerts WHERE kind = ANY(@kinds::text[]) AND subject = @subject::text AND resolved_at IS NULL ORDER BY id;

-- name: ChargesBetween :many
SELECT id, merchant_id, mode, status, created_at FROM charges WHERE id >= @first::text AND id < @beyond::text ORDER BY id LIMIT @max_rows;

-- name: TradesBetween :many
SELECT id, status, created_at FROM trades WHERE id >= @first::text AND id < @beyond::text ORDER BY id LIMIT @max_rows;
