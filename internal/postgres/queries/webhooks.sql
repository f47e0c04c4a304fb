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

-- name: WebhooksAfter :many
SELECT id, secret_sealed FROM webhooks WHERE id > $1 ORDER BY id LIMIT $2 FOR NO KEY UPDATE;

-- name: RekeyWebhook :exec
UPDATE webhooks SET secret_sealed = @secret_sealed WHERE id = @id;
