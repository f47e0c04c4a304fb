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
-- Those in the shape of BTCPay that tell the same place of nothing but what the new one tells.
UPDATE webhooks SET deleted_at = @now::timestamptz
WHERE merchant_id = @merchant_id AND mode = @mode AND dialect = 'btcpay' AND url = @url AND deleted_at IS NULL AND events <@ @events::text[]
RETURNING id;

-- name: HandOnDeliveries :exec
-- What has not been told yet goes to the webhook that took the place; of two that tell of one
-- event, one.
UPDATE deliveries d SET webhook_id = @id
WHERE d.webhook_id = ANY(@former::text[]) AND d.status = 'pending' AND NOT EXISTS (
    SELECT 1 FROM deliveries o WHERE o.event_id = d.event_id AND o.webhook_id = ANY(@former::text[]) AND o.status = 'pending' AND o.id < d.id);

-- name: WebhooksAfter :many
SELECT id, secret_sealed FROM webhooks WHERE id > $1 ORDER BY id LIMIT $2 FOR NO KEY UPDATE;

-- name: RekeyWebhook :exec
UPDATE webhooks SET secret_sealed = @secret_sealed WHERE id = @id;
