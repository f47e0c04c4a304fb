-- name: EnsureWitness :exec
INSERT INTO witnesses (wallet_id) VALUES ($1) ON CONFLICT (wallet_id) DO NOTHING;

-- name: GetWitness :one
SELECT sqlc.embed(w), COALESCE(w.lease_instance = database_instance(), false)::boolean AS current,
    COALESCE(w.lease_copy <> database_copy(), false)::boolean AS restored
FROM witnesses w WHERE w.wallet_id = $1;

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
UPDATE witnesses SET lease_instance = database_instance(), lease_copy = database_copy(), lease_from = GREATEST(lease_from, @lease_from::bigint),
    lease_to = GREATEST(lease_from, @lease_from::bigint), addresses = GREATEST(addresses, lease_from, @lease_from::bigint)
WHERE wallet_id = @wallet_id;

-- name: WithholdLease :exec
-- Nothing is handed out or built before it is taken up again or another is opened: it is of no instance.
UPDATE witnesses SET lease_instance = 'withheld/' || lease_instance WHERE wallet_id = $1 AND lease_instance = database_instance();

-- name: TakeUpLease :execrows
-- One that was withheld in this instance, unless more may have been handed out than it reaches.
UPDATE witnesses SET lease_instance = database_instance()
WHERE wallet_id = $1 AND lease_instance = 'withheld/' || database_instance() AND addresses = lease_to;

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

-- name: RenumberBuilt :one
-- What was stored and may not have been relayed is numbered anew, above everything: a place may know another
-- transaction by its number. The highest number of the wallet's transactions.
WITH above AS (
    SELECT GREATEST(@above::bigint, COALESCE(max(o.seq), 0)) AS seq FROM outgoing_transactions o WHERE o.wallet_id = @wallet_id
), renumbered AS (
    UPDATE outgoing_transactions x SET seq = above.seq + n.place
    FROM above, (SELECT b.id, row_number() OVER (ORDER BY b.seq) AS place FROM outgoing_transactions b
        WHERE b.wallet_id = @wallet_id AND b.state = 'built') n
    WHERE x.id = n.id RETURNING x.seq
)
SELECT GREATEST((SELECT seq FROM above), (SELECT max(seq) FROM renumbered))::bigint;

-- name: SetSafeMode :exec
UPDATE wallets SET safe_mode = @safe_mode WHERE id = @id;

-- name: SentNumber :one
-- The highest number that a transaction of the wallet was given.
SELECT COALESCE((SELECT seq FROM outgoing_sequences o WHERE o.wallet_id = $1), 0)::bigint;

-- name: UnknownSends :many
-- What was abandoned and is in a block all the same is as unknown as what was never stored, unless somebody accepted it. So
-- is what was accepted while it was nowhere, once a block has it: what it paid is paid again.
SELECT h.tx_hash::text FROM (SELECT unnest(@hashes::text[]) AS tx_hash, unnest(@mined::boolean[]) AS mined) h
WHERE NOT EXISTS (SELECT 1 FROM outgoing_transactions o WHERE o.tx_hash = h.tx_hash AND NOT (h.mined AND o.state = 'abandoned'))
    AND NOT EXISTS (SELECT 1 FROM acknowledged_sends a WHERE a.wallet_id = @wallet_id AND a.tx_hash = h.tx_hash
        AND NOT (h.mined AND a.nowhere)
        AND (a.kind = 'accepted' OR NOT EXISTS (SELECT 1 FROM outgoing_transactions o WHERE o.tx_hash = h.tx_hash)));

-- name: ReinstateOutgoing :one
-- It was abandoned, and is in a block all the same.
UPDATE outgoing_transactions SET state = 'sent', sent_at = COALESCE(sent_at, @at::timestamptz), spent_elsewhere_height = NULL,
    abandoned_at = NULL, abandoned_by = NULL
WHERE wallet_id = @wallet_id AND tx_hash = @tx_hash::text AND state = 'abandoned'
RETURNING id;

-- name: AcknowledgeSend :execrows
INSERT INTO acknowledged_sends (wallet_id, tx_hash, kind, note, acknowledged_at, nowhere)
VALUES (@wallet_id, @tx_hash, @kind, @note, @acknowledged_at, @nowhere)
ON CONFLICT (wallet_id, tx_hash) DO UPDATE SET kind = excluded.kind, note = excluded.note, acknowledged_at = excluded.acknowledged_at,
    nowhere = excluded.nowhere;

-- name: OutgoingReferences :many
-- What a transaction of the exchange pays, and where to.
SELECT p.trade_id, p.kind, p.amount, p.paid, p.fee, d.tx_hash, d.address AS deposit_address, t.details_sealed
FROM trade_payments p JOIN received_payments d ON d.id = p.deposit_id JOIN trades t ON t.id = p.trade_id
WHERE p.transaction_id = @transaction_id::bigint ORDER BY p.id;

-- name: HighestMadeAddress :one
-- The highest index of an address that the wallet has to know: of those that this database knows, and of those that other copies of it handed out.
SELECT GREATEST(
    COALESCE((SELECT max(a.subaddress_index) FROM addresses a WHERE a.wallet_id = $1), 0),
    COALESCE((SELECT w.lost_addresses FROM witnesses w WHERE w.wallet_id = $1), 0))::bigint;

-- name: HighestMadeOfChain :one
-- The same of all wallets of a chain: of each, the number that it has to know.
SELECT COALESCE(max(GREATEST(made.highest, lost.lost_addresses)), 0)::bigint AS highest
FROM wallets w
    CROSS JOIN LATERAL (SELECT COALESCE(max(a.subaddress_index), 0) AS highest FROM addresses a WHERE a.wallet_id = w.id) made
    LEFT JOIN witnesses lost ON lost.wallet_id = w.id
WHERE w.id = ANY(@wallet_ids::text[]);

-- name: LostAbove :one
-- Whether other copies of the database handed out addresses of one of the wallets above a number.
SELECT EXISTS (SELECT 1 FROM witnesses WHERE wallet_id = ANY(@wallet_ids::text[]) AND lost_addresses > @up_to::bigint);

-- name: LoseAddresses :execrows
UPDATE witnesses SET lost_addresses = @up_to::bigint WHERE wallet_id = @wallet_id AND lost_addresses < @up_to::bigint;

-- name: ScannedHeight :one
-- How many blocks the watcher has read since the wallet has made all of its addresses; 0 while the wallet has to read the chain again.
SELECT COALESCE((SELECT CASE WHEN chain.rescan THEN 0 ELSE chain.chain_height END FROM wallets w JOIN chains AS chain ON chain.id = w.chain_id WHERE w.id = $1), 0)::bigint;

-- name: HighestUnmatchedIndex :one
SELECT COALESCE(max(subaddress_index), 0)::bigint FROM received_payments WHERE wallet_id = $1 AND charge_id IS NULL AND trade_id IS NULL;

-- name: TakeOverOutgoing :one
-- A transaction that was made by a newer copy of this database.
INSERT INTO outgoing_transactions (wallet_id, purpose, payout_id, trade_ids, state, seq, tx_hash, raw, inputs, payments, unspent_payments, paid, fee,
    created_at, built_at, sent_at)
SELECT @wallet_id, @purpose, sqlc.narg(payout_id), @trade_ids::text[], 'sent',
    CASE WHEN EXISTS (SELECT 1 FROM outgoing_transactions o WHERE o.wallet_id = @wallet_id AND o.seq = @seq::bigint)
        THEN (SELECT max(o.seq) + 1 FROM outgoing_transactions o WHERE o.wallet_id = @wallet_id) ELSE @seq::bigint END,
    @tx_hash::text, @raw::bytea, @inputs::text[], sqlc.narg(payments)::bigint[], COALESCE(@unspent_payments::bigint[], '{}'), @paid::numeric, @fee::numeric, @at::timestamptz, @at::timestamptz, @at::timestamptz
RETURNING id;

-- name: DepositOfTrade :one
SELECT * FROM trade_deposits WHERE trade_id = $1 AND tx_hash = $2 AND address = $3;

-- name: PaymentOfDeposit :one
SELECT sqlc.embed(p), COALESCE(x.state, '')::text AS state
FROM trade_payments p LEFT JOIN outgoing_transactions x ON x.id = p.transaction_id WHERE p.deposit_id = $1 FOR UPDATE OF p;

-- name: TakeOverPayment :exec
INSERT INTO trade_payments (trade_id, deposit_id, kind, wallet_id, amount, transaction_id, paid, fee, created_at)
VALUES (@trade_id, @deposit_id, @kind, @wallet_id, @amount, @transaction_id::bigint, @paid::numeric, @fee::numeric, @created_at)
ON CONFLICT (deposit_id) DO UPDATE SET kind = excluded.kind, wallet_id = excluded.wallet_id, amount = excluded.amount, reason = NULL, dust = false,
    transaction_id = excluded.transaction_id, paid = excluded.paid, fee = excluded.fee;

-- name: AwaitDeposit :exec
-- It is answered, and was not seen yet.
INSERT INTO unseen_deposits (trade_id, tx_hash, address, transaction_id, kind, wallet_id, amount, paid, fee, created_at)
VALUES (@trade_id, @tx_hash, @address, @transaction_id, @kind, @wallet_id, @amount, @paid, @fee, @created_at)
ON CONFLICT (trade_id, tx_hash, address) DO UPDATE SET transaction_id = excluded.transaction_id, kind = excluded.kind,
    wallet_id = excluded.wallet_id, amount = excluded.amount, paid = excluded.paid, fee = excluded.fee;

-- name: TakeAwaitedDeposit :one
-- What answered the deposit before it was seen, unless that was given up. Who is
-- giving it up holds its row while the daemon is asked: that is waited for.
WITH answering AS (
    SELECT x.id FROM unseen_deposits w JOIN outgoing_transactions x ON x.id = w.transaction_id
    WHERE w.trade_id = @trade_id AND w.tx_hash = @tx_hash AND w.address = @address AND x.state <> 'abandoned'
    FOR SHARE OF x
)
DELETE FROM unseen_deposits u USING answering a
WHERE u.trade_id = @trade_id AND u.tx_hash = @tx_hash AND u.address = @address AND u.transaction_id = a.id
RETURNING u.*;

-- name: CountDepositAsInTime :exec
-- What was swapped had come in time, whenever this copy of the database saw it first.
UPDATE received_payments d SET first_seen_at = LEAST(d.first_seen_at, t.expires_at - interval '1 millisecond')
FROM trades t WHERE t.id = d.trade_id AND d.id = $1;

-- name: RecordTradeRecovered :exec
INSERT INTO wakeups AS w (kind, id, owner, urgency, version)
SELECT 'trades', t.id, COALESCE(t.key_id, ''), 0, nextval('wakeup_version') FROM trades t WHERE t.id = $1 AND t.wallet_from IS NOT NULL
ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version, urgency = excluded.urgency, next_at = LEAST(w.next_at, excluded.next_at);

-- name: PaymentsAt :many
-- Nobody reserves them meanwhile once their merchant is held.
SELECT t.id, t.charge_id, t.merchant_id, t.amount, t.outputs, t.payout_id FROM received_payments t
JOIN (SELECT unnest(@hashes::text[]) AS tx_hash, unnest(@indices::integer[]) AS subaddress_index) r
    ON t.tx_hash = r.tx_hash AND t.subaddress_index = r.subaddress_index
WHERE t.wallet_id = @wallet_id ORDER BY t.id;

-- name: ResolveTakenOver :many
-- What a payout spent that belongs to no charge here, and the change of its transaction, wait for nobody.
UPDATE received_payments SET resolved_at = @at::timestamptz, note = @note::text
WHERE wallet_id = @wallet_id AND charge_id IS NULL AND trade_id IS NULL AND resolved_at IS NULL
    AND (payout_id = @payout_id::text OR (tx_hash = @tx_hash AND subaddress_index = 0))
RETURNING tx_hash, subaddress_index;

-- name: InsertRecoveredPayout :exec
INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate, fee, network_fee, amount,
    charges_paid, outputs, tx_hash, created_at, built_at, sent_at, claim_id, refund_amount)
VALUES (@id, @merchant_id, @wallet_id, 'broadcast', @address_sealed, @address_masked, @gross, @fee_rate, @fee, @network_fee, @amount,
    @charges_paid, @outputs, @tx_hash, @at, @at, @at, @claim_id, @refund_amount);

-- name: CedeFee :exec
-- A payout left these payments to the operator, and another transaction has spent them. They are no longer reserved by it.
WITH ceded AS (
    SELECT COALESCE(sum(amount), 0) AS amount, COALESCE(sum(outputs), 0) AS outputs FROM received_payments WHERE id = ANY(@ids::bigint[])
), kept AS (
    UPDATE outgoing_transactions SET unspent_payments = ARRAY(SELECT unnest(unspent_payments) EXCEPT SELECT unnest(@ids::bigint[]))
    WHERE payout_id = @payout_id::text AND state <> 'abandoned'
)
UPDATE payouts p SET gross = p.gross - c.amount, fee = p.fee - c.amount, outputs = p.outputs - c.outputs,
    charges_paid = (SELECT count(DISTINCT t.charge_id) FROM received_payments t WHERE t.payout_id = p.id)
FROM ceded c WHERE p.id = @payout_id::text;

-- name: TakeOverPayout :exec
UPDATE payouts SET status = 'broadcast', tx_hash = @tx_hash, gross = @gross, fee = @fee, network_fee = @network_fee, amount = @amount,
    charges_paid = @charges_paid, outputs = @outputs, built_at = @at, sent_at = @at, error = NULL,
    swap_ticker = CASE WHEN swap_id IS NOT NULL THEN swap_ticker END, swap_network = CASE WHEN swap_id IS NOT NULL THEN swap_network END,
    swap_address_sealed = CASE WHEN swap_id IS NOT NULL THEN swap_address_sealed END
WHERE id = @id AND status IN ('building', 'broadcast', 'failed');

-- name: InsertRecoveredSwap :exec
-- What a payout paid at a provider, read from the journal. Where the merchant's coins go is not in it. Nothing is
-- changed of a swap that is known, nor written for an order that is another swap's.
INSERT INTO swaps (id, merchant_id, provider, id_provider, payout_id, ticker_from, network_from, ticker_to, network_to,
    amount_from, amount_expected, rate, deposit_address, created_at, expires_at, quiet_since, polled_at, heard_at, updated_at)
VALUES (@id, @merchant_id, @provider, @id_provider, @payout_id::text, @ticker_from, @network_from, @ticker_to, @network_to,
    @amount_from, @amount_expected, @rate, @deposit_address, @created_at, @expires_at, @now::timestamptz, @now::timestamptz,
    @now::timestamptz, @now::timestamptz)
ON CONFLICT DO NOTHING;

-- name: AdoptRecoveredSwap :exec
UPDATE payouts SET swap_id = @swap_id::text, swap_ticker = @ticker::text, swap_network = @network::text, swap_address_sealed = NULL,
    address_sealed = @address_sealed, address_masked = @address_masked
WHERE id = @id AND swap_id IS NULL;

-- name: PayoutOfTransaction :one
SELECT sqlc.embed(p), x.unspent_payments FROM payouts p JOIN outgoing_transactions x ON x.payout_id = p.id WHERE x.tx_hash = @tx_hash::text;
