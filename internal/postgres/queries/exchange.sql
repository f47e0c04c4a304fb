-- name: SaveExchangeBalance :exec
UPDATE wallets SET unlocked = @unlocked, total = @total, network_fee = @network_fee, balance_at = @balance_at,
    balance_current_at = @balance_at
WHERE id = @id;

-- name: KeepExchangeBalance :exec
-- It is what it was.
UPDATE wallets SET balance_current_at = @balance_current_at WHERE id = @id;

-- name: LastRelay :one
SELECT COALESCE(max(sent_at), 'epoch')::timestamptz AS at FROM outgoing_transactions WHERE wallet_id = $1 AND state = 'sent';

-- name: ReservedInventory :one
SELECT COALESCE(sum(reserved), 0)::numeric AS reserved,
    COALESCE(sum(reserved) FILTER (WHERE unfunded), 0)::numeric AS unfunded
FROM reserved_inventory WHERE wallet_id = @wallet_to::text;

-- name: UnscreenedDeposits :many
-- Of which it is to be asked again where they come from, those first that were asked
-- for least often: what cannot be read holds up nobody.
SELECT * FROM trade_deposits WHERE wallet_id = ANY(@wallet_ids::text[]) AND origins_due_at <= @now::timestamptz AND missing_at IS NULL
ORDER BY origins_asked, origins_due_at, id LIMIT @max_rows;

-- name: ResolveUnscreened :exec
-- The alerts about deposits that the chain has dropped since. Their subject is the
-- trade and the number of the deposit.
UPDATE alerts a SET resolved_at = now() WHERE a.kind = @kind AND a.resolved_at IS NULL AND EXISTS (
    SELECT 1 FROM received_payments d WHERE d.trade_id = split_part(a.subject, '/', 1) AND d.wallet_id = ANY(@wallet_ids::text[])
        AND a.subject = d.trade_id || '/' || d.id AND d.vanished_at IS NOT NULL);

-- name: SetOrigins :execrows
UPDATE received_payments SET origins_sealed = @origins_sealed, origins_due_at = NULL WHERE id = @id AND origins_due_at IS NOT NULL;

-- name: PostponeOrigins :exec
UPDATE received_payments SET origins_due_at = @due_at::timestamptz, origins_asked = origins_asked + 1 WHERE id = @id AND origins_due_at IS NOT NULL;

-- name: ExchangeHoldings :many
SELECT w.id, w.chain_id, w.ticker, w.network, w.total, w.unlocked, COALESCE(sum(k.reserved), 0)::numeric AS reserved,
    COALESCE(sum(k.reserved) FILTER (WHERE k.unfunded), 0)::numeric AS unfunded, w.balance_current_at, w.safe_mode, chain.chain_height,
    COALESCE((SELECT max(x.sent_at) FROM outgoing_transactions x WHERE x.wallet_id = w.id AND x.state = 'sent'), 'epoch')::timestamptz AS sent_at
FROM wallets w JOIN chains AS chain ON chain.id = w.chain_id LEFT JOIN reserved_inventory k ON k.wallet_id = w.id
WHERE w.role = 'exchange'
GROUP BY w.id, chain.chain_height ORDER BY w.id;
