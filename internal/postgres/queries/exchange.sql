-- name: UpsertExchangeWallet :exec
INSERT INTO exchange_wallets (id, ticker, network, decimals) VALUES (@id, @ticker, @network, @decimals)
ON CONFLICT (id) DO NOTHING;

-- name: GetExchangeWallet :one
SELECT * FROM exchange_wallets WHERE id = $1;

-- name: LockExchangeWallet :one
SELECT * FROM exchange_wallets WHERE id = $1 FOR NO KEY UPDATE;

-- name: SaveExchangeScan :execrows
UPDATE exchange_wallets SET chain_height = @chain_height, top_hash = @top_hash, settled_height = @settled_height,
    settled_hash = @settled_hash, scanned_at = @scanned_at
WHERE id = @id AND scanned_at IS NOT DISTINCT FROM sqlc.narg(before)::timestamptz AND top_hash = @before_hash;

-- name: SaveExchangeBalance :exec
UPDATE exchange_wallets SET unlocked = @unlocked, total = @total, network_fee = @network_fee, balance_at = @balance_at,
    balance_current_at = @balance_at
WHERE id = @id;

-- name: KeepExchangeBalance :exec
-- It is what it was.
UPDATE exchange_wallets SET balance_current_at = @balance_current_at WHERE id = @id;

-- name: LastRelay :one
SELECT COALESCE(max(sent_at), 'epoch')::timestamptz AS at FROM outgoing_transactions WHERE wallet_id = $1 AND state = 'sent';

-- name: SetExchangeRescan :exec
-- As SetRescan.
UPDATE exchange_wallets SET rescan = true, settled_height = 0, settled_hash = '', chain_height = 0, top_hash = '' WHERE id = $1;

-- name: ClearExchangeRescan :exec
UPDATE exchange_wallets SET rescan = false WHERE id = $1;

-- name: ReservedInventory :one
SELECT COALESCE(sum(reserved), 0)::numeric AS reserved,
    COALESCE(sum(reserved) FILTER (WHERE unfunded), 0)::numeric AS unfunded
FROM reserved_inventory WHERE wallet_id = @wallet_to::text;

-- name: AddExchangeAddress :exec
INSERT INTO exchange_addresses (wallet_id, address, ref, number) VALUES ($1, $2, $3, $4) ON CONFLICT (wallet_id, address) DO NOTHING;

-- name: HighestExchangeAddress :one
SELECT COALESCE(max(number), 0)::bigint FROM exchange_addresses WHERE wallet_id = $1;

-- name: CountFreeExchangeAddresses :one
SELECT count(*) FROM exchange_addresses a JOIN witnesses w ON w.wallet_id = a.wallet_id
WHERE a.wallet_id = $1 AND a.trade_id IS NULL AND a.number > w.lease_from AND a.number <= w.lease_to
    AND w.lease_instance = database_instance() AND w.safe_since IS NULL;

-- name: TakeExchangeAddress :exec
-- One that BeginTrade has found.
UPDATE exchange_addresses SET trade_id = @trade_id::text WHERE wallet_id = @wallet_id AND address = @address;

-- name: TradesAtAddresses :many
-- Held so that none is pruned until its deposit is stored.
SELECT id, deposit_address, confirmations, created_height FROM trades
WHERE wallet_from = @wallet_from::text AND deposit_address = ANY(@addresses::text[]) ORDER BY id FOR KEY SHARE;

-- name: WatchedDeposits :many
-- As WatchedPayments.
SELECT d.* FROM trade_deposits d WHERE d.wallet_id = @wallet_id::text AND d.height IS NULL AND d.missing_at IS NULL
UNION SELECT d.* FROM trade_deposits d WHERE d.wallet_id = @wallet_id::text AND d.height BETWEEN @from_height::bigint AND @to_height::bigint
UNION SELECT d.* FROM trade_deposits d WHERE d.wallet_id = @wallet_id::text AND NOT d.mature AND d.height IS NOT NULL AND d.mature_height <= @chain_height::bigint
    AND (d.unlock_at IS NULL OR d.unlock_at <= @now::timestamptz)
UNION (SELECT d.* FROM trade_deposits d WHERE d.wallet_id = @wallet_id::text AND d.missing_at > @dropped_since::timestamptz AND d.id > @dropped_after::bigint
    ORDER BY d.id LIMIT @dropped_limit);

-- name: FindTradeDeposits :many
SELECT * FROM trade_deposits WHERE wallet_id = $1 AND tx_hash = ANY(@tx_hashes::text[]);

-- name: InsertTradeDeposit :one
INSERT INTO trade_deposits (trade_id, wallet_id, tx_hash, address, amount, contested, origins_sealed, unlock_height, unlock_at,
    spendable_after, locked, first_seen_at, origins_due_at)
VALUES (@trade_id, @wallet_id, @tx_hash, @address, @amount, @contested, @origins_sealed, @unlock_height, @unlock_at,
    @spendable_after, @spendable_after > 0, @seen_at, @origins_due_at)
ON CONFLICT (wallet_id, tx_hash, address) DO NOTHING RETURNING id;

-- name: UnscreenedDeposits :many
-- Of which it is to be asked again where they come from, those first that were asked
-- for least often: what cannot be read holds up nobody.
SELECT * FROM trade_deposits WHERE wallet_id = $1 AND origins_due_at <= @now::timestamptz AND missing_at IS NULL
ORDER BY origins_asked, origins_due_at, id LIMIT @max_rows;

-- name: ResolveUnscreened :exec
-- The alerts about deposits that the chain has dropped since. Their subject is the
-- trade and the number of the deposit.
UPDATE alerts a SET resolved_at = now() WHERE a.kind = @kind AND a.resolved_at IS NULL AND EXISTS (
    SELECT 1 FROM trade_deposits d WHERE d.trade_id = split_part(a.subject, '/', 1) AND d.wallet_id = @wallet_id::text
        AND a.subject = d.trade_id || '/' || d.id AND d.missing_at IS NOT NULL);

-- name: SetOrigins :execrows
UPDATE trade_deposits SET origins_sealed = @origins_sealed, origins_due_at = NULL WHERE id = @id AND origins_due_at IS NOT NULL;

-- name: PostponeOrigins :exec
UPDATE trade_deposits SET origins_due_at = @due_at::timestamptz, origins_asked = origins_asked + 1 WHERE id = @id AND origins_due_at IS NOT NULL;

-- name: MoveDeposits :many
-- To a block, to the pool (height -1), or out of both (dropped). Keyed by
-- transaction and address, so that what was just inserted is found, too.
UPDATE trade_deposits d SET height = m.height, mature = false, contested = m.contested,
    mined_at = COALESCE(d.mined_at, CASE WHEN m.height IS NOT NULL THEN @now::timestamptz END),
    mature_height = GREATEST(m.height + GREATEST(t.confirmations, d.spendable_after), CASE WHEN m.height IS NOT NULL THEN d.unlock_height END),
    confirmations = COALESCE(- m.height + @chain_height::bigint, 0),
    locked = CASE WHEN m.height IS NULL THEN d.spendable_after > 0
        ELSE GREATEST(m.height + d.spendable_after, d.unlock_height) > @chain_height::bigint END OR COALESCE(d.unlock_at > @now::timestamptz, false),
    missing_at = CASE WHEN m.dropped THEN COALESCE(d.missing_at, @now::timestamptz) END
FROM (SELECT unnest(@tx_hashes::text[]) AS tx_hash, unnest(@addresses::text[]) AS address, NULLIF(unnest(@heights::bigint[]), -1) AS height,
    unnest(@dropped::boolean[]) AS dropped, unnest(@contested::boolean[]) AS contested) m, trades t
WHERE d.wallet_id = @wallet_id AND d.tx_hash = m.tx_hash AND d.address = m.address AND t.id = d.trade_id
RETURNING d.trade_id;

-- name: RelockDeposits :exec
-- What the wallet tells of a payment's lock; it does not change, but rows of
-- earlier versions do not have it.
UPDATE trade_deposits d SET unlock_height = m.unlock_height, spendable_after = m.spendable_after,
    unlock_at = NULLIF(m.unlock_at, 'epoch'::timestamptz)
FROM (SELECT unnest(@tx_hashes::text[]) AS tx_hash, unnest(@addresses::text[]) AS address, unnest(@unlock_heights::bigint[]) AS unlock_height,
    unnest(@unlock_ats::timestamptz[]) AS unlock_at, unnest(@spendable_after::integer[]) AS spendable_after) m
WHERE d.wallet_id = @wallet_id AND d.tx_hash = m.tx_hash AND d.address = m.address;

-- name: RevalueDeposit :exec
-- What it pays in its block. One that is answered already is looked at once more before it is paid, and is kept apart.
UPDATE trade_deposits d SET amount = CASE WHEN a.answered THEN d.amount ELSE @amount::numeric END,
    shown_amount = CASE WHEN a.answered AND d.amount <> @amount::numeric THEN @amount::numeric END
FROM (SELECT EXISTS (SELECT 1 FROM trade_payments p WHERE p.deposit_id = @id)
    OR EXISTS (SELECT 1 FROM trades t WHERE t.counted_deposit = @id) AS answered) a
WHERE d.id = @id;

-- name: DropWorthlessDeposit :many
-- It pays nothing in its block: it is no deposit.
DELETE FROM trade_deposits d
WHERE d.id = @id AND NOT EXISTS (SELECT 1 FROM trade_payments p WHERE p.deposit_id = d.id)
    AND NOT EXISTS (SELECT 1 FROM trades t WHERE t.counted_deposit = d.id)
RETURNING d.trade_id;

-- name: CountConfirmations :exec
-- Of what is not mature yet. What wants no more than the word of the daemon that it
-- is still in the chain (MatureDeposits) is not counted up to its depth here.
UPDATE trade_deposits SET confirmations = - height + @chain_height::bigint
WHERE wallet_id = @wallet_id AND NOT mature AND height > @above::bigint AND height < @chain_height::bigint
    AND (mature_height > @chain_height::bigint OR locked);

-- name: MatureDeposits :many
-- Only what the daemon has just shown in the chain.
UPDATE trade_deposits SET mature = true, locked = false, confirmations = - height + @chain_height::bigint
WHERE wallet_id = $1 AND NOT mature AND height IS NOT NULL AND mature_height <= @chain_height::bigint
    AND (unlock_at IS NULL OR unlock_at <= @now::timestamptz) AND tx_hash = ANY(@located::text[])
RETURNING trade_id;

-- name: UnmatchedDeposits :many
SELECT tx_hash, address FROM unmatched_deposits WHERE wallet_id = $1 AND tx_hash = ANY(@tx_hashes::text[]);

-- name: InsertUnmatchedDeposit :execrows
-- On one of the deposit addresses only: what came elsewhere, such as an
-- operator's funding, is not kept.
INSERT INTO unmatched_deposits (wallet_id, tx_hash, address, amount, first_seen_at)
SELECT a.wallet_id, @tx_hash, a.address, @amount, @seen_at FROM exchange_addresses a
WHERE a.wallet_id = @wallet_id AND a.address = @address
ON CONFLICT (wallet_id, tx_hash, address) DO NOTHING;

-- name: ExchangeAddressNumbered :one
-- The newest one: a wallet that was given another seed numbers anew.
SELECT address FROM exchange_addresses WHERE wallet_id = $1 AND number = $2 ORDER BY id DESC LIMIT 1;

-- name: ExchangeHoldings :many
SELECT w.id, w.ticker, w.network, w.total, w.unlocked, COALESCE(sum(k.reserved), 0)::numeric AS reserved,
    COALESCE(sum(k.reserved) FILTER (WHERE k.unfunded), 0)::numeric AS unfunded, w.balance_current_at, w.safe_mode, w.chain_height,
    COALESCE((SELECT max(x.sent_at) FROM outgoing_transactions x WHERE x.wallet_id = w.id AND x.state = 'sent'), 'epoch')::timestamptz AS sent_at
FROM exchange_wallets w LEFT JOIN reserved_inventory k ON k.wallet_id = w.id
GROUP BY w.id ORDER BY w.id;
