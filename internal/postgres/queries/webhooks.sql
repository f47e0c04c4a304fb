-- name: CountWebhooks :one
SELECT count(*) FROM webhooks WHERE merchant_id = @merchant_id AND mode = @mode AND deleted_at IS NULL;

-- name: InsertWebhook :one
INSERT INTO webhooks (id, merchant_id, url, events, secret_sealed, use_tor, dialect, retries, enabled, mode, created_at)
VALUES (@id, @merchant_id, @url, @events, @secret_sealed, @use_tor, @dialect, @retries, @enabled, @mode, @created_at)
RETURNING *;

-- name: GetWebhook :one
SELECT * FROM webhooks WHERE id = $1 AND merchant_id = $2 AND deleted_at IS NULL;

-- name: ListWebhooks :many
SELECT * FROM webhooks WHERE merchant_id = $1 AND deleted_at IS NULL ORDER BY created_at DESC, id DESC;

-- name: ListWebhooksInShape :many
SELECT * FROM webhooks WHERE merchant_id = @merchant_id AND mode = @mode AND dialect = @dialect AND deleted_at IS NULL ORDER BY created_at DESC, id DESC;

-- name: SaveWebhook :one
-- A secret that is null stays what it was.
UPDATE webhooks SET url = @url, events = @events, secret_sealed = COALESCE(sqlc.narg(secret_sealed), secret_sealed), use_tor = @use_tor,
    retries = @retries, enabled = @enabled
WHERE id = @id AND merchant_id = @merchant_id AND dialect = @dialect AND deleted_at IS NULL
RETURNING *;

-- name: DeleteWebhook :execrows
UPDATE webhooks SET deleted_at = @now::timestamptz WHERE id = @id AND merchant_id = @merchant_id AND deleted_at IS NULL;

-- name: EndFormerWebhooks :many
-- Those in the shape of BTCPay that tell the same place of nothing but what the new one tells,
-- the newest first.
WITH ended AS (
    UPDATE webhooks SET deleted_at = @now::timestamptz
    WHERE merchant_id = @merchant_id AND mode = @mode AND dialect = 'btcpay' AND url = @url AND deleted_at IS NULL AND events <@ @events::text[]
    RETURNING id, created_at
)
SELECT id FROM ended ORDER BY created_at DESC, id DESC;

-- name: HandOnDeliveries :exec
-- What a webhook has not told yet goes to the one that took its place, in the order in which it
-- would have told it.
WITH held AS MATERIALIZED (
    SELECT o.id FROM deliveries o WHERE o.webhook_id = @former AND o.status = 'pending' ORDER BY o.event_id FOR NO KEY UPDATE
)
UPDATE deliveries d SET webhook_id = @id FROM held h WHERE d.id = h.id;

-- name: DropDeliveries :exec
UPDATE deliveries SET status = 'dropped', next_attempt_at = NULL, error = 'the webhook was replaced'
WHERE webhook_id = ANY(@former::text[]) AND status = 'pending';

-- name: HoldWebhooks :many
SELECT id FROM webhooks WHERE merchant_id = @merchant_id AND mode = @mode AND dialect = 'btcpay' AND deleted_at IS NULL ORDER BY id FOR SHARE;
