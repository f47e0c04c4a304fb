-- name: TradePayments :many
SELECT * FROM trade_payment_states WHERE trade_id = $1 ORDER BY id;

-- name: PlanTradePayment :exec
INSERT INTO trade_payments (trade_id, deposit_id, kind, wallet_id, amount, created_at)
VALUES (@trade_id, @deposit_id, @kind, @wallet_id, @amount, @created_at)
ON CONFLICT (deposit_id) DO NOTHING;

-- name: GetTradePayment :one
SELECT * FROM trade_payment_states WHERE id = $1;

-- name: LockTradePayment :one
SELECT * FROM trade_payments WHERE id = $1 FOR UPDATE;

-- name: PaymentsOfTransaction :many
SELECT * FROM trade_payments WHERE transaction_id = @transaction_id::bigint ORDER BY id;

-- name: PaidDeposit :one
SELECT d.* FROM trade_deposits d JOIN trade_payments p ON p.deposit_id = d.id WHERE p.id = $1;

-- name: JoinTransaction :execrows
UPDATE trade_payments SET transaction_id = @transaction_id::bigint
WHERE id = ANY(@ids::bigint[]) AND transaction_id IS NULL AND (reason IS NULL OR dust);

-- name: FreeTradePayments :exec
-- What a transaction was to pay is planned again.
UPDATE trade_payments SET transaction_id = NULL, paid = NULL, fee = NULL WHERE transaction_id = @transaction_id::bigint;

-- name: SettleTradePayment :execrows
UPDATE trade_payments SET paid = @paid::numeric, fee = @fee::numeric WHERE id = @id AND transaction_id = @transaction_id::bigint;

-- name: FailTradePayment :execrows
UPDATE trade_payments SET reason = @reason::text WHERE id = @id AND transaction_id IS NULL AND reason IS NULL;

-- name: KeepDust :execrows
UPDATE trade_payments SET reason = @reason::text, dust = true WHERE id = @id AND transaction_id IS NULL AND reason IS NULL;

-- name: CountDust :one
SELECT count(*) FROM trade_payments WHERE trade_id = $1 AND dust AND reason IS NOT NULL AND transaction_id IS NULL;

-- name: PayoutsWait :one
-- Whether a payout of the wallet was planned of late and not begun.
SELECT EXISTS (SELECT 1 FROM trade_payments
    WHERE wallet_id = $1 AND kind = 'payout' AND transaction_id IS NULL AND reason IS NULL AND created_at > @since);

-- name: RefundsSince :one
SELECT count(*) FROM trade_payments p JOIN outgoing_transactions x ON x.id = p.transaction_id
WHERE p.trade_id = $1 AND p.kind = 'refund' AND x.created_at > @since;

-- name: OpenRefundsOfTrade :many
-- Refunds of one trade that could go together, kept dust among them.
SELECT s.* FROM trade_payment_states s JOIN trade_payments p ON p.id = s.id
WHERE p.trade_id = $1 AND p.wallet_id = $2 AND p.kind = 'refund' AND p.transaction_id IS NULL AND (p.reason IS NULL OR p.dust)
ORDER BY p.id LIMIT @max_rows;

-- name: OpenRefundsOfOtherTrades :many
-- Of each other trade that waits for one refund alone, that refund.
SELECT s.* FROM trade_payment_states s WHERE s.id IN (
    SELECT min(p.id) FROM trade_payments p
    WHERE p.wallet_id = $1 AND p.trade_id <> $2 AND p.kind = 'refund' AND p.transaction_id IS NULL AND (p.reason IS NULL OR p.dust)
    GROUP BY p.trade_id HAVING count(*) = 1)
ORDER BY s.id LIMIT @max_rows;

-- name: RetryTradePayment :execrows
UPDATE trade_payments SET reason = NULL WHERE id = $1 AND reason IS NOT NULL;

-- name: RefundInstead :execrows
UPDATE trade_payments SET kind = 'refund', reason = NULL, wallet_id = @wallet_id, amount = @amount
WHERE id = @id AND reason IS NOT NULL AND transaction_id IS NULL;

-- name: TradesSending :many
SELECT DISTINCT p.trade_id FROM outgoing_transactions x JOIN trade_payments p ON p.transaction_id = x.id
WHERE x.wallet_id = ANY(@wallet_ids::text[]) AND x.state = 'sent';

-- name: HasEnded :one
SELECT (EXISTS (SELECT 1 FROM received_payments d WHERE d.trade_id = @trade_id::text AND d.abandoned)
    OR EXISTS (SELECT 1 FROM trade_payments p WHERE p.trade_id = @trade_id AND p.reason = @reason::text))::boolean AS ended;
