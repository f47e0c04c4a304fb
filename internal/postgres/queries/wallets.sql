-- name: UpsertWallet :exec
WITH chain AS (INSERT INTO chains (id) VALUES (@chain_id) ON CONFLICT DO NOTHING)
INSERT INTO wallets (id, chain_id, mode, primary_address) VALUES (@id, @chain_id, @mode, @primary_address::text)
ON CONFLICT (id) DO UPDATE SET chain_id = excluded.chain_id, configured = true;

-- name: UpsertExchangeWallet :exec
WITH chain AS (INSERT INTO chains (id) VALUES (@chain_id) ON CONFLICT DO NOTHING)
INSERT INTO wallets (id, chain_id, role, ticker, network, decimals) VALUES (@id, @chain_id, 'exchange', @ticker, @network, @decimals)
ON CONFLICT (id) DO UPDATE SET chain_id = excluded.chain_id, configured = true;

-- name: ForgetWallets :exec
-- Those that this worker, which starts, does not have.
UPDATE wallets SET configured = false WHERE role IN ('merchants', 'exchange') AND configured AND NOT id = ANY(@known::text[]);

-- name: WatchedWallets :many
-- The wallets whose payments a scan of the chain has to find.
SELECT id, role FROM wallets WHERE chain_id = $1 AND configured ORDER BY id;

-- name: GetWallet :one
SELECT * FROM wallets WHERE id = $1;

-- name: ListWallets :many
-- Those of merchants, with their chains.
SELECT sqlc.embed(w), sqlc.embed(chain) FROM wallets w JOIN chains AS chain ON chain.id = w.chain_id WHERE w.role = 'merchants' ORDER BY w.id;

-- name: LockWallet :one
SELECT * FROM wallets WHERE id = $1 FOR NO KEY UPDATE;

-- name: GetChain :one
SELECT * FROM chains WHERE id = $1;

-- name: ChainOfWallet :one
SELECT c.* FROM chains c JOIN wallets w ON w.chain_id = c.id WHERE w.id = @wallet_id;

-- name: LockChain :one
SELECT * FROM chains WHERE id = $1 FOR NO KEY UPDATE;

-- name: SaveScan :execrows
-- Unless another watcher has saved one since.
UPDATE chains SET chain_height = @chain_height, top_hash = @top_hash, settled_height = @settled_height,
    settled_hash = @settled_hash, scanned_at = @scanned_at
WHERE id = @id AND scanned_at IS NOT DISTINCT FROM sqlc.narg(before)::timestamptz AND top_hash = @before_hash;

-- name: SetRescan :exec
-- The watcher has to read the chain again, and so does a wallet that has a file.
UPDATE chains SET rescan = true, settled_height = 0, settled_hash = '', chain_height = 0, top_hash = '' WHERE id = @id;

-- name: SetRescanForWallet :exec
UPDATE chains c SET rescan = true, settled_height = 0, settled_hash = '', chain_height = 0, top_hash = ''
FROM wallets w WHERE w.id = @wallet_id AND c.id = w.chain_id;

-- name: ClearRescan :exec
UPDATE chains SET rescan = false WHERE id = $1;

-- name: SaveCheckpoint :exec
INSERT INTO chain_checkpoints (chain_id, height, hash) VALUES ($1, $2, $3)
ON CONFLICT (chain_id, height) DO UPDATE SET hash = excluded.hash;

-- name: DropCheckpoints :exec
DELETE FROM chain_checkpoints WHERE chain_id = $1 AND height > @above::bigint;

-- name: CheckpointBelow :one
SELECT * FROM chain_checkpoints WHERE chain_id = $1 AND height < @height::bigint ORDER BY height DESC LIMIT 1;

-- name: FirstCheckpoint :one
-- The lowest checkpoint; 0 for none.
SELECT COALESCE(min(height), 0)::bigint FROM chain_checkpoints WHERE chain_id = $1;

-- name: RecordOneTimeKeys :many
-- The transactions that had one of the keys before.
WITH given AS (
    SELECT unnest(@keys::bytea[]) AS key, unnest(@tx_hashes::text[]) AS tx_hash
), recorded AS (
    INSERT INTO one_time_keys (wallet_id, key, tx_hash) SELECT @wallet_id, g.key, g.tx_hash FROM given g ON CONFLICT DO NOTHING
)
SELECT k.key, k.tx_hash FROM one_time_keys k WHERE k.wallet_id = @wallet_id AND k.key = ANY(@keys::bytea[]);

-- name: AddressesOfSpendKeys :many
-- Each wallet is asked for the key at its position.
WITH given AS (
    SELECT unnest(@wallet_ids::text[]) AS wallet_id, unnest(@spend_keys::bytea[]) AS spend_key
)
SELECT a.wallet_id, a.spend_key, a.subaddress_index, a.address
FROM given g JOIN addresses a ON a.spend_key = g.spend_key AND a.wallet_id = g.wallet_id;

-- name: HighestAddressIndex :one
SELECT COALESCE(max(subaddress_index), 0)::integer FROM addresses WHERE wallet_id = $1;

-- name: AddressesHandedOut :many
-- The highest index of an address of each wallet that may have been handed out.
SELECT wallet_id, lease_to FROM witnesses ORDER BY wallet_id;

-- name: FreeAddresses :one
-- Their range is computed first, as in HandOutAddresses.
WITH lease AS MATERIALIZED (
    SELECT GREATEST(w.lease_from, w.handed_out) AS above, w.lease_to AS highest FROM witnesses w
    WHERE w.wallet_id = $1 AND w.lease_instance = database_instance() AND w.safe_since IS NULL
)
SELECT count(*) FROM (
    SELECT 1 FROM addresses a WHERE a.wallet_id = $1
        AND a.subaddress_index > (SELECT l.above FROM lease l) AND a.subaddress_index <= (SELECT l.highest FROM lease l)
    LIMIT $2
) AS free;

-- name: HandOutAddresses :many
-- The next addresses that the lease allows, which go to no other process: so many at most, and no
-- more than an eighth of those that are left, so that processes share the last of them. None without
-- a lease, and in safe mode: then, and if none is left, nothing is locked or written. Their range is
-- computed first, so that no plan reads others.
WITH lease AS MATERIALIZED (
    SELECT w.lease_instance, (SELECT min(f.subaddress_index) FROM addresses f WHERE f.wallet_id = @wallet_id AND f.subaddress_index > GREATEST(w.lease_from, w.handed_out)) AS lowest,
        LEAST(w.lease_to, (SELECT max(m.subaddress_index) FROM addresses m WHERE m.wallet_id = @wallet_id)) AS highest
    FROM witnesses w WHERE w.wallet_id = @wallet_id AND w.safe_since IS NULL AND w.lease_instance = database_instance()
        AND (SELECT min(f.subaddress_index) FROM addresses f WHERE f.wallet_id = @wallet_id AND f.subaddress_index > GREATEST(w.lease_from, w.handed_out)) <= w.lease_to
    FOR NO KEY UPDATE OF w
), next AS MATERIALIZED (
    SELECT a.subaddress_index, a.address FROM addresses a
    WHERE a.wallet_id = @wallet_id AND a.subaddress_index >= (SELECT l.lowest FROM lease l)
        AND a.subaddress_index < (SELECT LEAST(l.highest + 1, l.lowest + GREATEST(1, LEAST(@most::bigint, (l.highest - l.lowest + 1) / 8))) FROM lease l)
), marked AS (
    UPDATE witnesses w SET handed_out = n.last FROM (SELECT max(subaddress_index) AS last FROM next) n WHERE w.wallet_id = @wallet_id AND n.last IS NOT NULL
)
SELECT next.subaddress_index, next.address, lease.lease_instance::text AS lease_instance FROM next, lease ORDER BY next.subaddress_index;

-- name: AddressAt :one
SELECT address FROM addresses WHERE wallet_id = $1 AND subaddress_index = $2;

-- name: IndexOfAddress :one
SELECT subaddress_index FROM addresses WHERE wallet_id = $1 AND address = $2;

-- name: PublishAddresses :exec
-- Without spend keys they are null.
INSERT INTO addresses (wallet_id, subaddress_index, address, spend_key)
SELECT @wallet_id, unnest(@indices::integer[]), unnest(@addresses::text[]), unnest(@spend_keys::bytea[])
ON CONFLICT (wallet_id, subaddress_index) DO NOTHING;

-- name: ChainState :one
-- Whether the chains of a mode's wallets were scanned lately, and how far the slowest is.
SELECT (count(*) > 0 AND COALESCE(bool_and(w.role = 'simulated' OR (c.scanned_at > @since::timestamptz AND NOT c.rescan)), false))::boolean AS synchronized,
    COALESCE(min(c.chain_height) FILTER (WHERE w.role = 'merchants'), 0)::bigint AS height
FROM wallets w JOIN chains c ON c.id = w.chain_id WHERE w.mode = @mode AND ((w.role = 'merchants' AND w.configured) OR w.id = 'simulated');
