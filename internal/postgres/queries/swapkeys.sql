-- name: InsertSwapKey :exec
INSERT INTO swap_keys (id, class, key_hash, prefix, secret_sealed, markup_cap, created_at, last_used_at)
VALUES (@id, @class, @key_hash, @prefix, @secret_sealed, @markup_cap, @created_at, @created_at);

-- name: GetSwapKeyByHash :one
SELECT * FROM swap_keys WHERE key_hash = $1 AND revoked_at IS NULL;

-- name: RecordSwapKeyUse :exec
UPDATE swap_keys SET last_used_at = @now WHERE id = @id AND last_used_at < @now;

-- name: PruneSwapKeys :execrows
-- Keys of affiliates that nobody has used, that made no trade that is kept, and
-- that earned nothing.
DELETE FROM swap_keys WHERE id IN (
    SELECT k.id FROM swap_keys k
    WHERE k.class = 'affiliate' AND k.last_used_at < @before
        AND NOT EXISTS (SELECT 1 FROM trades t WHERE t.key_id = k.id)
        AND NOT EXISTS (SELECT 1 FROM commissions c WHERE c.key_id = k.id)
    ORDER BY k.last_used_at LIMIT @batch FOR UPDATE SKIP LOCKED);

-- name: ClaimIdempotencyKey :one
INSERT INTO idempotency_keys (scope, key_hash, query_hash, trade_id, created_at)
VALUES (@scope, @key_hash, @query_hash, @trade_id, @now)
ON CONFLICT (scope, key_hash) DO UPDATE SET
    query_hash = CASE WHEN idempotency_keys.created_at < @before THEN excluded.query_hash ELSE idempotency_keys.query_hash END,
    trade_id = CASE WHEN idempotency_keys.created_at < @before THEN excluded.trade_id ELSE idempotency_keys.trade_id END,
    response_sealed = CASE WHEN idempotency_keys.created_at < @before THEN NULL ELSE idempotency_keys.response_sealed END,
    created_at = CASE WHEN idempotency_keys.created_at < @before THEN excluded.created_at ELSE idempotency_keys.created_at END
RETURNING query_hash, trade_id, response_sealed;

-- name: FindIdempotencyKey :one
SELECT query_hash, trade_id, response_sealed FROM idempotency_keys
WHERE scope = @scope AND key_hash = @key_hash AND created_at >= @since;

-- name: RebindIdempotencyKey :exec
-- What providers have refused stays with the old identifier. If none was asked, or one still is, the key keeps it.
UPDATE idempotency_keys k SET trade_id = @fresh_id WHERE k.trade_id = @refused_id::text AND k.response_sealed IS NULL
    AND (SELECT bool_and(o.state <> 'placing') FROM trade_orders o WHERE o.trade_id = @refused_id::text)
    AND NOT EXISTS (SELECT 1 FROM trades t WHERE t.id = @refused_id::text);

-- name: KeepIdempotentResponse :one
UPDATE idempotency_keys SET response_sealed = COALESCE(response_sealed, @response_sealed)
WHERE trade_id = @trade_id
RETURNING response_sealed;

-- name: PruneIdempotencyKeys :execrows
DELETE FROM idempotency_keys WHERE (scope, key_hash) IN (
    SELECT i.scope, i.key_hash FROM idempotency_keys i WHERE i.created_at < @before::timestamptz ORDER BY i.created_at LIMIT @batch);
