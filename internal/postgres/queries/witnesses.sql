-- name: EnsureWitness :exec
INSERT INTO witnesses (wallet_id) VALUES ($1) ON CONFLICT (wallet_id) DO NOTHING;

-- name: GetWitness :one
SELECT sqlc.embed(w), COALESCE(w.lease_instance = database_instance(), false)::boolean AS current
FROM witnesses w WHERE w.wallet_id = $1;

-- name: LockWitness :one
SELECT sqlc.embed(w), COALESCE(w.lease_instance = database_instance(), false)::boolean AS current
FROM witnesses w WHERE w.wallet_id = $1 FOR UPDATE;

-- name: ListSafeMode :many
SELECT wallet_id, safe_since::timestamptz AS since, safe_reason::text AS reason FROM witnesses WHERE safe_since IS NOT NULL ORDER BY wallet_id;

-- name: BeginWitness :exec
UPDATE witnesses SET begun_at = COALESCE(begun_at, @begun_at), sends = GREATEST(sends, @sends::bigint),
    known_height = GREATEST(known_height, @known_height::bigint)
WHERE wallet_id = @wallet_id;

-- name: IntendAddresses :exec
UPDATE witnesses SET addresses = GREATEST(addresses, @addresses::bigint) WHERE wallet_id = @wallet_id;

-- name: ExtendLease :exec
UPDATE witnesses SET lease_to = LEAST(addresses, GREATEST(lease_to, @lease_to::bigint)) WHERE wallet_id = @wallet_id;

-- name: OpenLease :exec
UPDATE witnesses SET lease_instance = database_instance(), lease_from = GREATEST(lease_from, @lease_from::bigint),
    lease_to = GREATEST(lease_from, @lease_from::bigint), addresses = GREATEST(addresses, lease_from, @lease_from::bigint)
WHERE wallet_id = @wallet_id;

-- name: MarkSends :exec
UPDATE witnesses SET sends = GREATEST(sends, @sends::bigint) WHERE wallet_id = @wallet_id;

-- name: KnowHeight :exec
UPDATE witnesses SET known_height = GREATEST(known_height, @known_height::bigint) WHERE wallet_id = @wallet_id;

-- name: EnterSafeMode :execrows
UPDATE witnesses SET safe_since = @since, safe_reason = @reason::text WHERE wallet_id = @wallet_id AND safe_since IS NULL;

-- name: LeaveSafeMode :exec
UPDATE witnesses SET safe_since = NULL, safe_reason = NULL, sends = GREATEST(sends, @sends::bigint),
    known_height = GREATEST(known_height, @known_height::bigint), begun_at = COALESCE(begun_at, @begun_at)
WHERE wallet_id = @wallet_id;

-- name: RaiseOutgoingSequence :exec
-- Transactions that are stored from now on have higher numbers.
INSERT INTO outgoing_sequences (wallet_id, seq) VALUES ($1, $2)
ON CONFLICT (wallet_id) DO UPDATE SET seq = GREATEST(outgoing_sequences.seq, excluded.seq);

-- name: SetExchangeSafeMode :exec
UPDATE exchange_wallets SET safe_mode = @safe_mode WHERE id = @id;

-- name: SentNumber :one
-- The highest number that a transaction of the wallet was given.
SELECT COALESCE((SELECT seq FROM outgoing_sequences o WHERE o.wallet_id = $1), 0)::bigint;

-- name: UnknownSends :many
SELECT h::text FROM unnest(@hashes::text[]) AS h
WHERE NOT EXISTS (SELECT 1 FROM outgoing_transactions o WHERE o.tx_hash = h)
    AND NOT EXISTS (SELECT 1 FROM acknowledged_sends a WHERE a.wallet_id = @wallet_id AND a.tx_hash = h);

-- name: AcknowledgeSend :execrows
INSERT INTO acknowledged_sends (wallet_id, tx_hash, kind, note, acknowledged_at)
VALUES (@wallet_id, @tx_hash, @kind, @note, @acknowledged_at) ON CONFLICT (wallet_id, tx_hash) DO NOTHING;

-- name: OutgoingReferences :many
-- What a transaction of the exchange pays, and where to.
SELECT p.trade_id, p.kind, p.amount, p.paid, p.fee, d.tx_hash, d.address AS deposit_address,
    (CASE p.kind WHEN 'payout' THEN t.address ELSE t.refund_address END)::text AS paid_address
FROM trade_payments p JOIN trade_deposits d ON d.id = p.deposit_id JOIN trades t ON t.id = p.trade_id
WHERE p.transaction_id = @transaction_id::bigint ORDER BY p.id;

-- name: HighestUnmatchedIndex :one
SELECT COALESCE(max(subaddress_index), 0)::bigint FROM transfers WHERE wallet_id = $1 AND charge_id IS NULL;
