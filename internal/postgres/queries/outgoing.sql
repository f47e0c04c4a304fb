-- name: ClaimWallet :one
-- The wallet is taken for one transaction: the index allows one of the exchange that is not relayed.
INSERT INTO outgoing_transactions (wallet_id, purpose, payout_id, trade_ids, created_at)
VALUES (@wallet_id, @purpose, sqlc.narg(payout_id), @trade_ids, @created_at)
RETURNING id;

-- name: DropClaim :exec
-- Nothing was built. The caller holds the row, and frees its payments.
DELETE FROM outgoing_transactions WHERE id = $1 AND state = 'building';

-- name: StoreBuilt :one
-- The one statement that makes signed bytes known, and gives them their place among those of the wallet.
WITH next AS (
    INSERT INTO outgoing_sequences (wallet_id, seq)
    SELECT x.wallet_id, 1 FROM outgoing_transactions x WHERE x.id = @id AND x.state = 'building'
    ON CONFLICT (wallet_id) DO UPDATE SET seq = outgoing_sequences.seq + 1
    RETURNING wallet_id, seq
)
UPDATE outgoing_transactions x SET state = 'built', seq = next.seq, tx_hash = @tx_hash::text, raw = @raw::bytea,
    inputs = @inputs::text[], payments = @payments, unspent_payments = COALESCE(@unspent_payments::bigint[], '{}'), paid = @paid::numeric, fee = @fee::numeric, proof_sealed = @proof_sealed,
    built_at = @built_at::timestamptz
FROM next WHERE x.id = @id AND x.state = 'building'
RETURNING x.seq::bigint;

-- name: GetOutgoing :one
SELECT * FROM outgoing_transactions WHERE id = $1;

-- name: LockOutgoing :one
SELECT * FROM outgoing_transactions WHERE id = $1 FOR UPDATE;

-- name: OutgoingOfPayout :one
SELECT * FROM outgoing_transactions WHERE payout_id = @payout_id::text AND state <> 'abandoned';

-- name: UnrelayedOutgoing :one
-- What holds the wallet of the exchange.
SELECT * FROM outgoing_transactions
WHERE wallet_id = $1 AND state IN ('building', 'built') AND purpose <> 'payout';

-- name: ReservedInputs :many
-- The coins of the exchange's transactions that are not deep in the chain.
SELECT unnest(inputs)::text AS input FROM outgoing_transactions
WHERE wallet_id = $1 AND state IN ('built', 'sent', 'failed') AND purpose <> 'payout';

-- name: MarkOutgoingSent :execrows
UPDATE outgoing_transactions SET state = 'sent', sent_at = @sent_at WHERE id = @id AND state = 'built';

-- name: MarkOutgoingConfirmed :execrows
UPDATE outgoing_transactions SET state = 'confirmed', confirmed_at = @confirmed_at, height = @height WHERE id = @id AND state = 'sent';

-- name: ConfirmedOutgoing :many
SELECT id, wallet_id, purpose, payout_id, trade_ids, tx_hash::text, height::bigint FROM outgoing_transactions
WHERE wallet_id = ANY(@wallet_ids::text[]) AND state = 'confirmed' AND height >= @from_height::bigint AND height < @chain_height::bigint ORDER BY id;

-- name: UnconfirmOutgoing :execrows
-- A reorganization took it out of its block.
UPDATE outgoing_transactions SET state = 'sent', confirmed_at = NULL, height = NULL WHERE id = $1 AND state = 'confirmed';

-- name: FailOutgoing :execrows
-- Its coins stay promised: the bytes may live elsewhere.
UPDATE outgoing_transactions SET state = 'failed', reason = @reason WHERE id = @id AND state = 'built';

-- name: RetryOutgoing :execrows
UPDATE outgoing_transactions SET state = 'built', reason = NULL WHERE id = @id AND state = 'failed';

-- name: RecordSpentElsewhere :one
UPDATE outgoing_transactions SET spent_elsewhere_height = CASE WHEN @spent_elsewhere::boolean THEN COALESCE(spent_elsewhere_height, @height::bigint) END
WHERE id = @id AND state IN ('built', 'sent', 'failed')
RETURNING COALESCE(spent_elsewhere_height, 0)::bigint;

-- name: AbandonOutgoing :execrows
-- The bytes are kept. The caller holds the row, and frees its payments.
UPDATE outgoing_transactions SET state = 'abandoned', reason = NULL, abandoned_at = @abandoned_at, abandoned_by = @abandoned_by::text,
    spent_elsewhere_height = CASE WHEN @never_mined::boolean THEN spent_elsewhere_height END
WHERE id = @id AND state IN ('built', 'sent', 'failed');

-- name: OpenConsolidation :one
SELECT * FROM outgoing_transactions
WHERE wallet_id = $1 AND purpose = 'consolidation' AND state IN ('built', 'sent', 'failed') ORDER BY id LIMIT 1;

-- name: AbandonedMaySpend :one
-- Whether a transaction of a payout that was abandoned, and may be mined all the same, spends one of these outputs.
SELECT EXISTS (
    SELECT 1 FROM outgoing_transactions x
    WHERE x.state = 'abandoned' AND x.payout_id IS NOT NULL AND x.spent_elsewhere_height IS NULL AND x.wallet_id = @wallet_id AND x.inputs && @outputs::text[]);
