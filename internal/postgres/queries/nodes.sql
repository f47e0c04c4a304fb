-- name: SaveNode :one
-- What a daemon answered. The answer is when its newest block was first seen: only a longer chain is new, because other
-- workers may ask other daemons of the wallet, which stand elsewhere.
INSERT INTO nodes (wallet_id, asked_at, answered_at, height, highest, target_height, newest_block_at)
VALUES (@wallet_id, @asked_at::timestamptz, @asked_at::timestamptz, @height, @height, @target_height, @asked_at::timestamptz)
ON CONFLICT (wallet_id) DO UPDATE SET asked_at = excluded.asked_at, answered_at = excluded.answered_at, error = NULL,
    height = excluded.height, highest = GREATEST(nodes.highest, excluded.highest), target_height = excluded.target_height,
    newest_block_at = CASE WHEN excluded.highest > nodes.highest THEN excluded.newest_block_at ELSE COALESCE(nodes.newest_block_at, excluded.newest_block_at) END
RETURNING newest_block_at::timestamptz AS newest_block_at;

-- name: SaveNodeError :exec
INSERT INTO nodes (wallet_id, asked_at, error) VALUES (@wallet_id, @asked_at, @error::text)
ON CONFLICT (wallet_id) DO UPDATE SET asked_at = excluded.asked_at, error = excluded.error;

-- name: SaveBalance :exec
-- What a wallet holds, and what payments up to that block owe. Payments of payouts are not
-- counted, because a payout may be mined before it is confirmed here; nor are those that an
-- operator has settled by hand.
UPDATE nodes SET balance = @balance::piconero, balance_height = @balance_height::bigint, balance_at = @balance_at::timestamptz, owed = (
    SELECT COALESCE(sum(r.amount), 0) FROM received_payments r
    WHERE r.wallet_id = @wallet_id::text AND r.payout_id IS NULL AND r.vanished_at IS NULL AND NOT r.spent_elsewhere AND r.resolved_at IS NULL AND r.height < @balance_height::bigint)
WHERE nodes.wallet_id = @wallet_id::text;

-- name: ListNodes :many
SELECT * FROM nodes ORDER BY wallet_id;

-- name: LastBackup :many
-- One row, or none before the first.
SELECT finished_at FROM backups ORDER BY finished_at DESC LIMIT 1;

-- name: WaitingWakeups :many
SELECT kind, count(*) AS rows, min(since)::timestamptz AS oldest FROM wakeups GROUP BY kind ORDER BY kind;

-- name: ListOpenAlerts :many
SELECT * FROM alerts WHERE kind = @kind AND resolved_at IS NULL ORDER BY id LIMIT 20;
