-- name: LockChargeForRefund :one
-- Held so that refunds of one charge are made one after the other.
SELECT c.id, c.merchant_id, c.wallet_id, c.mode, c.status, c.unbacked, c.amount_piconero, c.currency, c.xmr_rate,
    (SELECT COALESCE(sum(t.amount), 0) FROM received_payments t
        WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND t.mature)::piconero AS received
FROM charges c WHERE c.id = $1 FOR NO KEY UPDATE OF c;

-- name: RefundCoveredBy :one
-- What a charge has received that is still in the chain, what of that is ten blocks deep, as what pays it back has to be, and what other claims of
-- it have been paid, are being paid, or may still be paid by an abandoned transaction.
SELECT c.unbacked,
    (SELECT COALESCE(sum(t.amount), 0) FROM received_payments t
        WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND t.mature)::piconero AS received,
    (SELECT COALESCE(sum(t.amount), 0) FROM received_payments t JOIN wallets w ON w.id = t.wallet_id JOIN chains AS chain ON chain.id = w.chain_id
        WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND t.mature AND t.height + 10 <= chain.chain_height)::piconero AS deep,
    (SELECT COALESCE(sum(k.amount), 0) FROM refunds r JOIN refund_claims k ON k.refund_id = r.id
        WHERE r.charge_id = c.id AND k.id <> @claim_id AND (k.status IN ('in_progress', 'completed')
            OR EXISTS (SELECT 1 FROM minable_transactions x WHERE x.claim_id = k.id)))::piconero AS paid
FROM charges c WHERE c.id = @charge_id;

-- name: InsertRefund :exec
INSERT INTO refunds (id, merchant_id, charge_id, status, variant, amount, fiat_amount, fiat_currency, name, description, automatic,
    token_hash, token_sealed, created_at, expires_at, made_by, made_with, fee_rate, custody)
VALUES (@id, @merchant_id, @charge_id, @status, @variant, @amount, @fiat_amount, @fiat_currency, @name, @description, @automatic,
    @token_hash, @token_sealed, @created_at, @expires_at, sqlc.narg(made_by), sqlc.narg(made_with), @fee_rate, @custody);

-- name: GetRefund :one
SELECT * FROM refunds WHERE id = $1;

-- name: LockRefund :one
SELECT * FROM refunds WHERE id = $1 FOR UPDATE;

-- name: RefundsOfCharge :many
SELECT * FROM refunds WHERE charge_id = $1 ORDER BY created_at, id;

-- name: ListRefunds :many
SELECT * FROM refunds WHERE merchant_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2;

-- name: UnfinishedRefunds :many
SELECT id, merchant_id FROM refunds WHERE status NOT IN ('completed', 'cancelled', 'expired')
UNION SELECT r.id, r.merchant_id FROM refund_payments w JOIN refund_claims k ON k.id = w.claim_id JOIN refunds r ON r.id = k.refund_id WHERE w.ended_at IS NULL
ORDER BY id;

-- name: SaveRefundStatus :exec
UPDATE refunds SET status = @status WHERE id = @id AND status <> @status;

-- name: CancelRefund :exec
UPDATE refunds SET cancelled_at = COALESCE(cancelled_at, @now::timestamptz) WHERE id = @id;

-- name: CancelClaims :exec
UPDATE refund_claims SET status = 'cancelled', waits_for = NULL WHERE refund_id = @refund_id AND status IN ('awaiting_approval', 'awaiting_payment');

-- name: CancelClaim :execrows
UPDATE refund_claims SET status = 'cancelled', waits_for = NULL
WHERE id = @id AND refund_id = @refund_id AND status IN ('awaiting_approval', 'awaiting_payment');

-- name: InsertClaim :exec
INSERT INTO refund_claims (id, refund_id, status, amount, address_sealed, own_address_sealed, address_masked, waits_for, next_at, created_at, approved_at)
VALUES (@id, @refund_id, @status, @amount, @address_sealed, @own_address_sealed, @address_masked, @waits_for, @created_at, @created_at, @approved_at);

-- name: GetClaim :one
SELECT * FROM refund_claims WHERE id = $1;

-- name: ClaimsOf :many
-- One that a shop has paid may be paid by a transaction that is gone, until that is given up.
SELECT sqlc.embed(k), p.id AS payout_id, p.tx_hash, w.tx_hash AS shop_tx_hash, (w.claim_id IS NOT NULL AND w.ended_at IS NULL)::boolean AS unsettled,
    (w.vanished_at IS NOT NULL AND w.ended_at IS NULL OR EXISTS (SELECT 1 FROM minable_transactions x WHERE x.claim_id = k.id))::boolean AS minable
FROM refund_claims k LEFT JOIN payouts p ON p.claim_id = k.id AND p.status <> 'failed'
    LEFT JOIN refund_payments w ON w.claim_id = k.id AND NOT w.replaced
WHERE k.refund_id = ANY(@refund_ids::text[]) ORDER BY k.created_at, k.id;

-- name: ApproveClaims :many
-- One of them where one is named, all that wait for it otherwise.
UPDATE refund_claims SET status = 'awaiting_payment', approved_at = @now::timestamptz, next_at = @now::timestamptz
WHERE refund_id = @refund_id AND status = 'awaiting_approval' AND (@id::text = '' OR id = @id::text)
RETURNING id;

-- name: ReserveClaim :execrows
UPDATE refund_claims SET status = 'in_progress', waits_for = NULL, needs = 0 WHERE id = @id AND status = 'awaiting_payment';

-- name: WaitClaim :exec
-- One that is tried again keeps what its last payout has learnt.
UPDATE refund_claims SET waits_for = @waits_for::text, needs = CASE WHEN @waits_for::text = 'retry' THEN needs ELSE @needs END, next_at = @next_at
WHERE id = @id AND status = 'awaiting_payment';

-- name: RaiseClaimNeeds :exec
UPDATE refund_claims SET needs = GREATEST(needs, @needs) WHERE id = @id AND status = 'in_progress';

-- name: RetryClaim :exec
-- Its payout has failed: it is paid by another one, later and later where bytes were built. Nobody can pay one whose address is not known.
UPDATE refund_claims k SET status = CASE WHEN k.address_sealed IS NULL THEN 'cancelled' ELSE 'awaiting_payment' END,
    waits_for = CASE WHEN k.address_sealed IS NULL THEN NULL ELSE 'retry' END,
    failures = k.failures + CASE WHEN @was_built::boolean THEN 1 ELSE 0 END, sent_at = NULL, confirmed_at = NULL, proof_sealed = NULL, next_at = @next_at
WHERE k.id = @id AND k.status IN ('in_progress', 'completed');

-- name: MinableOfClaim :many
-- The transactions of a claim that were abandoned and may still be mined.
SELECT inputs, payments FROM minable_transactions WHERE claim_id = @claim_id::text ORDER BY id;

-- name: MarkClaimSent :exec
UPDATE refund_claims SET sent_at = COALESCE(sent_at, @sent_at::timestamptz), proof_sealed = COALESCE(@proof_sealed, proof_sealed) WHERE id = @id AND status = 'in_progress';

-- name: MarkClaimCompleted :execrows
UPDATE refund_claims SET status = 'completed', confirmed_at = @confirmed_at::timestamptz WHERE id = @id AND status = 'in_progress';

-- name: UnconfirmClaim :exec
UPDATE refund_claims SET status = 'in_progress', confirmed_at = NULL WHERE id = @id AND status = 'completed';

-- name: RefundCandidates :many
-- The largest, so that those are among them that cover a refund in the fewest outputs, and those of which one has to be among them; the oldest of
-- them first.
SELECT x.* FROM (
    SELECT t.id, t.charge_id, t.amount, t.outputs, c.confirmed_at
    FROM received_payments t JOIN charges c ON c.id = t.charge_id JOIN wallets w ON w.id = t.wallet_id JOIN chains AS chain ON chain.id = w.chain_id
    WHERE t.merchant_id = @merchant_id::text AND t.wallet_id = @wallet_id AND t.payout_id IS NULL AND t.vanished_at IS NULL
        AND NOT t.spent_elsewhere AND t.mature AND c.status = 'confirmed' AND NOT c.unbacked AND t.height + 10 <= chain.chain_height
        AND t.amount >= t.outputs * @dust::numeric
    ORDER BY t.id = ANY(@must_spend::bigint[]) DESC, t.amount DESC, t.id LIMIT @max_rows) x
ORDER BY x.confirmed_at, x.charge_id, x.id;

-- name: PayableClaims :many
-- Claims whose payment may go on now: the merchant can be paid out, pays out nothing else, and has the money. That is summed
-- once a merchant, not once a claim. What a claim needs depends on the rate of the operator, which may have been lowered since it was reckoned: once an hour it
-- is reckoned anew where the money covers the claim itself.
WITH waiting AS MATERIALIZED (
    SELECT k.id, k.refund_id, r.merchant_id, k.created_at, CASE WHEN k.next_at > @reckoned_since::timestamptz THEN GREATEST(k.amount, k.needs) ELSE k.amount END AS least
    FROM refund_claims k JOIN refunds r ON r.id = k.refund_id JOIN merchants m ON m.merchant_id = r.merchant_id
    WHERE k.status = 'awaiting_payment' AND k.own_address_sealed IS NULL AND k.next_at <= @now::timestamptz AND m.live_wallet_id = @wallet_id
        AND m.payout_address_sealed IS NOT NULL AND m.suspended_at IS NULL
        AND (m.payout_hold_until IS NULL OR m.payout_hold_until <= @now::timestamptz)
        AND NOT EXISTS (SELECT 1 FROM payouts p WHERE p.merchant_id = m.merchant_id AND p.status = 'building')
), money AS (
    SELECT t.merchant_id, sum(t.amount) AS amount
    FROM received_payments t JOIN charges c ON c.id = t.charge_id JOIN wallets w ON w.id = t.wallet_id JOIN chains AS chain ON chain.id = w.chain_id
    WHERE t.merchant_id IN (SELECT merchant_id FROM waiting) AND t.wallet_id = @wallet_id AND t.payout_id IS NULL AND t.vanished_at IS NULL
        AND NOT t.spent_elsewhere AND t.mature AND c.status = 'confirmed' AND NOT c.unbacked AND t.height + 10 <= chain.chain_height
    GROUP BY t.merchant_id
)
SELECT waiting.id, waiting.refund_id, waiting.merchant_id
FROM waiting JOIN money ON money.merchant_id = waiting.merchant_id
WHERE money.amount >= waiting.least
ORDER BY waiting.created_at LIMIT @max_rows;

-- name: InRefunds :one
-- What refunds of a merchant hold of the balance: what may still be claimed, and claims whose transaction is not sent.
SELECT COALESCE(sum(CASE WHEN r.cancelled_at IS NULL AND r.expires_at > @now::timestamptz THEN r.amount ELSE k.claimed END - k.sent), 0)::piconero
FROM refunds r CROSS JOIN LATERAL (
    SELECT COALESCE(sum(c.amount), 0) AS claimed,
        COALESCE(sum(c.amount) FILTER (WHERE c.sent_at IS NOT NULL OR c.status = 'in_progress'), 0) AS sent
    FROM refund_claims c WHERE c.refund_id = r.id AND (c.status <> 'cancelled' OR EXISTS (SELECT 1 FROM minable_transactions x WHERE x.claim_id = c.id))) k
WHERE r.merchant_id = @merchant_id AND r.custody = 'hosted' AND r.status NOT IN ('completed', 'cancelled', 'expired');

-- name: SetRefundApproval :exec
UPDATE merchants SET refund_auto_up_to = @up_to, refund_key_approves = @key_approves WHERE merchant_id = @merchant_id;

-- name: InsertRecoveredRefund :exec
-- What another copy of the database had paid of a refund that this one does not know.
INSERT INTO refunds (id, merchant_id, charge_id, status, variant, amount, token_hash, created_at, expires_at)
VALUES (@id, @merchant_id, @charge_id, 'in_progress', 'Custom', @amount, '', @at, @at)
ON CONFLICT (id) DO NOTHING;

-- name: InsertRecoveredClaim :exec
INSERT INTO refund_claims (id, refund_id, status, amount, address_masked, next_at, created_at, approved_at, sent_at)
VALUES (@id, @refund_id, 'in_progress', @amount, '', @at, @at, @at, @at)
ON CONFLICT (id) DO UPDATE SET status = 'in_progress', waits_for = NULL, approved_at = COALESCE(refund_claims.approved_at, excluded.approved_at),
    sent_at = COALESCE(refund_claims.sent_at, excluded.sent_at), confirmed_at = NULL;

-- name: CancelClaimsBeyond :exec
-- Of the claims whose payment has not begun, those that do not fit into the refund any more, the newest first.
UPDATE refund_claims SET status = 'cancelled', waits_for = NULL WHERE id IN (
    SELECT c.id FROM (
        SELECT k.id, k.status, sum(k.amount::numeric) OVER (ORDER BY k.status IN ('awaiting_approval', 'awaiting_payment'), k.created_at, k.id) AS claimed
        FROM refund_claims k WHERE k.refund_id = @refund_id
            AND (k.status <> 'cancelled' OR EXISTS (SELECT 1 FROM minable_transactions x WHERE x.claim_id = k.id))) c
    WHERE c.status IN ('awaiting_approval', 'awaiting_payment') AND c.claimed > (SELECT r.amount FROM refunds r WHERE r.id = @refund_id));

-- name: RaiseRecoveredRefund :exec
-- What was paid of it is part of it, whatever this copy of the database knew.
UPDATE refunds r SET amount = GREATEST(r.amount, (SELECT COALESCE(sum(k.amount), 0) FROM refund_claims k WHERE k.refund_id = r.id AND k.status <> 'cancelled'))
WHERE r.id = $1;

-- name: OtherClaims :many
-- Claims of a refund, other than one, whose transaction was not sent, with their payouts.
SELECT k.id, p.id AS payout_id FROM refund_claims k JOIN payouts p ON p.claim_id = k.id
WHERE k.refund_id = @refund_id AND k.id <> @claim_id AND k.status = 'in_progress' AND p.status = 'building' ORDER BY k.created_at DESC, k.id DESC;

-- name: PaidOfRefund :one
-- What of a refund claims take, other than one claim, that are paid or being paid; and what it promised.
SELECT r.amount, (SELECT COALESCE(sum(k.amount), 0) FROM refund_claims k
    WHERE k.refund_id = r.id AND k.id <> @claim_id AND k.status IN ('in_progress', 'completed'))::piconero AS paid
FROM refunds r WHERE r.id = @refund_id;

-- name: RefundsThatMayBePaid :many
-- Refunds of a merchant of which something is not paid, and their claims.
SELECT r.id AS refund_id, COALESCE(k.id, '')::text AS claim_id, COALESCE(k.amount, r.amount)::piconero AS amount
FROM refunds r LEFT JOIN refund_claims k ON k.refund_id = r.id AND k.status IN ('awaiting_approval', 'awaiting_payment', 'in_progress')
WHERE r.merchant_id = @merchant_id AND r.custody = 'hosted' AND r.status <> 'completed' AND r.cancelled_at IS NULL
ORDER BY r.created_at DESC, r.id, k.id LIMIT 20;

-- name: LivePayoutOfClaim :one
SELECT id FROM payouts WHERE claim_id = @claim_id::text AND status <> 'failed';

-- name: ReplaceShopPayment :exec
-- The shop gives another payment in place of one that is gone.
UPDATE refund_payments SET replaced = true, ended_at = COALESCE(ended_at, @now::timestamptz) WHERE claim_id = @claim_id AND NOT replaced AND tx_hash <> @tx_hash;

-- name: BindShopPayment :execrows
-- None where the output belongs to another claim.
INSERT INTO refund_payments (one_time_key, claim_id, tx_hash, output_index, created_at) VALUES (@one_time_key, @claim_id, @tx_hash, @output_index, @now)
ON CONFLICT (one_time_key) DO UPDATE SET replaced = false, vanished_at = NULL, ended_at = NULL
WHERE refund_payments.claim_id = excluded.claim_id AND refund_payments.tx_hash = excluded.tx_hash;

-- name: SendClaimOfShop :execrows
UPDATE refund_claims SET status = 'in_progress', waits_for = NULL, approved_at = COALESCE(approved_at, @now::timestamptz), sent_at = @now::timestamptz, proof_sealed = @proof_sealed
WHERE id = @id AND own_address_sealed IS NOT NULL AND status = 'awaiting_payment';

-- name: UnsettledShopPayments :many
SELECT w.*, k.status FROM refund_payments w JOIN refund_claims k ON k.id = w.claim_id WHERE k.refund_id = @refund_id AND w.ended_at IS NULL ORDER BY w.created_at, w.one_time_key;

-- name: SaveShopPayment :exec
UPDATE refund_payments SET height = @height, vanished_at = @vanished_at, drops = @drops, ended_at = @ended_at WHERE one_time_key = @one_time_key;

-- name: MoveClaimOfShop :exec
-- A payment that has come back ends the wait of its claim, and undoes its cancellation: the buyer is paid.
UPDATE refund_claims SET status = @status::text, waits_for = CASE WHEN @status::text = 'awaiting_payment' THEN 'shop_payment' END,
    sent_at = CASE WHEN @status::text = 'awaiting_payment' THEN NULL ELSE COALESCE(sent_at, @now::timestamptz) END,
    confirmed_at = CASE WHEN @status::text = 'completed' THEN COALESCE(confirmed_at, @now::timestamptz) END
WHERE id = @id AND own_address_sealed IS NOT NULL;
