-- name: MakeSimulatedAddress :exec
-- A chain, a wallet and an address of one charge's own.
WITH chain AS (
    INSERT INTO chains (id, chain_height, top_hash, scanned_at, settled_height)
    VALUES (@wallet_id::text, @height::bigint, @top_hash::text, @now::timestamptz, @height::bigint)
), made AS (
    INSERT INTO wallets (id, chain_id, mode, primary_address, role) VALUES (@wallet_id, @wallet_id, 'sandbox', @address::text, 'simulated')
), linked AS (
    INSERT INTO simulated_chains (wallet_id, charge_id, height) VALUES (@wallet_id, @charge_id, @height)
)
INSERT INTO addresses (wallet_id, subaddress_index, address) VALUES (@wallet_id, 1, @address);

-- name: LockSimulatedChain :one
SELECT * FROM simulated_chains WHERE charge_id = $1 FOR UPDATE;

-- name: GetSimulatedChain :one
SELECT * FROM simulated_chains WHERE wallet_id = $1;

-- name: SaveSimulatedChain :exec
UPDATE simulated_chains SET height = @height, forks = @forks, changed = changed + 1 WHERE wallet_id = @wallet_id;

-- name: SimulatedChainIsScanned :one
-- Whether the watcher has told everything, and the charge was advanced with it.
SELECT (s.scanned >= s.changed AND NOT EXISTS (SELECT 1 FROM received_payments t WHERE t.charge_id = s.charge_id AND t.fresh))::boolean
FROM simulated_chains s WHERE s.charge_id = $1;

-- name: ChangedSimulatedChains :many
SELECT * FROM simulated_chains WHERE changed > scanned ORDER BY wallet_id LIMIT $1;

-- name: SimulatedChainScanned :exec
UPDATE simulated_chains SET scanned = GREATEST(scanned, @changed::bigint) WHERE wallet_id = @wallet_id;

-- name: InsertSimulatedPayment :exec
INSERT INTO simulated_payments (tx_hash, wallet_id, amount, height, created_at) VALUES ($1, $2, $3, $4, $5);

-- name: SimulatedPayments :many
SELECT * FROM simulated_payments WHERE wallet_id = $1 ORDER BY created_at, tx_hash;

-- name: MineSimulatedPayments :exec
UPDATE simulated_payments SET height = @height::bigint WHERE wallet_id = @wallet_id AND height IS NULL AND NOT dropped;

-- name: UnmineSimulatedPayments :exec
UPDATE simulated_payments SET height = NULL, dropped = dropped OR @drop::boolean WHERE wallet_id = @wallet_id;

-- name: ExpireCharge :execrows
UPDATE charges SET expires_at = @now, extended = true WHERE id = @id AND status = 'pending' AND expires_at > @now;

-- name: RemoveSimulatedChains :exec
-- With the charges that had them.
WITH gone AS (SELECT s.wallet_id FROM simulated_chains s WHERE s.charge_id = ANY(@charge_ids::text[])),
    freed AS (DELETE FROM addresses a WHERE a.wallet_id IN (SELECT wallet_id FROM gone)),
    unpaid AS (DELETE FROM received_payments t WHERE t.wallet_id IN (SELECT wallet_id FROM gone)),
    unread AS (DELETE FROM chain_checkpoints k WHERE k.chain_id IN (SELECT wallet_id FROM gone)),
    unseen AS (DELETE FROM chains c WHERE c.id IN (SELECT wallet_id FROM gone)),
    asleep AS (DELETE FROM wakeups w WHERE w.kind = 'charges' AND w.id IN (SELECT s.charge_id FROM simulated_chains s WHERE s.charge_id = ANY(@charge_ids::text[])))
DELETE FROM wallets w WHERE w.id IN (SELECT wallet_id FROM gone);
