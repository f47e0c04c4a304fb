-- name: UpsertExchangeWallet :exec
INSERT INTO exchange_wallets (id, ticker, network, decimals) VALUES (@id, @ticker, @network, @decimals)
ON CONFLICT (id) DO NOTHING;

-- name: GetExchangeWallet :one
SELECT * FROM exchange_wallets WHERE id = $1;

-- name: ListExchangeWallets :many
SELECT * FROM exchange_wallets ORDER BY id;

-- name: LockExchangeWallet :one
SELECT * FROM exchange_wallets WHERE id = $1 FOR NO KEY UPDATE;

-- name: LockExchangeWallets :many
SELECT id FROM exchange_wallets ORDER BY id FOR NO KEY UPDATE;

-- name: SaveExchangeLook :execrows
UPDATE exchange_wallets SET unlocked = @unlocked, total = @total, network_fee = @network_fee, chain_height = @chain_height,
    top_hash = @top_hash, cursor = @cursor, looked_at = @looked_at
WHERE id = @id AND cursor = @cursor_before;

-- name: TouchExchangeLook :exec
UPDATE exchange_wallets SET unlocked = @unlocked, total = @total, network_fee = @network_fee, looked_at = @looked_at
WHERE id = @id;

-- name: ReservedInventory :one
SELECT COALESCE(sum(reserved), 0)::numeric AS reserved,
    COALESCE(sum(reserved) FILTER (WHERE unfunded), 0)::numeric AS unfunded
FROM kept_inventory WHERE wallet_id = @wallet_to::text;

-- name: ClientReserved :one
SELECT COALESCE(sum(reserved), 0)::numeric FROM trades
WHERE wallet_to = @wallet_to::text AND client_code = @client_code AND status IN ('awaiting_deposit', 'deposit_detected');

-- name: AddExchangeAddress :exec
INSERT INTO exchange_addresses (wallet_id, address, ref) VALUES ($1, $2, $3);

-- name: CountFreeExchangeAddresses :one
SELECT count(*) FROM exchange_addresses WHERE wallet_id = $1 AND trade_id IS NULL;

-- name: TakeExchangeAddress :one
UPDATE exchange_addresses SET trade_id = @trade_id::text
WHERE (wallet_id, address) = (
    SELECT a.wallet_id, a.address FROM exchange_addresses a
    WHERE a.wallet_id = @wallet_id AND a.trade_id IS NULL ORDER BY a.id LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING address;

-- name: TradesAtAddresses :many
SELECT id, deposit_address, confirmations FROM trades
WHERE wallet_from = @wallet_from::text AND deposit_address = ANY(@addresses::text[]);

-- name: FindTradeDeposit :one
SELECT * FROM trade_deposits WHERE wallet_id = $1 AND tx_hash = $2 AND address = $3;

-- name: UpsertTradeDeposit :exec
INSERT INTO trade_deposits (trade_id, wallet_id, tx_hash, address, amount, height, confirmations, locked, contested,
    origins, first_seen_at, mined_at, gone_at)
VALUES (@trade_id, @wallet_id, @tx_hash, @address, @amount, @height, @confirmations, @locked, @contested,
    @origins, @seen_at, CASE WHEN @confirmations::bigint > 0 THEN @seen_at::timestamptz END, @gone_at)
ON CONFLICT (wallet_id, tx_hash, address) DO UPDATE SET height = excluded.height, confirmations = excluded.confirmations,
    mined_at = COALESCE(trade_deposits.mined_at, excluded.mined_at),
    locked = excluded.locked, contested = excluded.contested,
    gone_at = CASE WHEN excluded.gone_at IS NOT NULL THEN COALESCE(trade_deposits.gone_at, excluded.gone_at) END,
    origins = CASE WHEN excluded.origins = '{}' THEN trade_deposits.origins ELSE excluded.origins END;

-- name: NoteTradeSignals :exec
INSERT INTO trade_signals (trade_id, wallet_id, version)
SELECT unnest(@trade_ids::text[]), @wallet_id, nextval('trade_signal_version')
ON CONFLICT (trade_id) DO UPDATE SET version = excluded.version;

-- name: PendingTradeSignals :many
SELECT * FROM trade_signals WHERE wallet_id = $1 ORDER BY version LIMIT $2;

-- name: DropTradeSignal :exec
DELETE FROM trade_signals WHERE trade_id = $1 AND version = $2;

-- name: ExchangeHoldings :many
SELECT w.id, w.total, w.unlocked, COALESCE(sum(k.reserved), 0)::numeric AS reserved,
    COALESCE(sum(k.reserved) FILTER (WHERE k.unfunded), 0)::numeric AS unfunded
FROM exchange_wallets w LEFT JOIN kept_inventory k ON k.wallet_id = w.id
GROUP BY w.id ORDER BY w.id;

-- name: AddressesOfRemovedTrades :many
SELECT a.address FROM exchange_addresses a
WHERE a.wallet_id = $1 AND a.address = ANY(@addresses::text[]) AND a.trade_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM trades t WHERE t.id = a.trade_id);
