-- name: OpenAlert :exec
INSERT INTO alerts (kind, subject, detail) VALUES ($1, $2, $3)
ON CONFLICT (kind, subject) WHERE resolved_at IS NULL DO NOTHING;

-- name: ResolveAlert :exec
UPDATE alerts SET resolved_at = now() WHERE kind = $1 AND subject = $2 AND resolved_at IS NULL;

-- name: ResolveAlertsExcept :exec
-- Those of a kind whose subjects are none of these.
UPDATE alerts SET resolved_at = now() WHERE kind = @kind AND subject <> ALL(@subjects::text[]) AND resolved_at IS NULL;

-- name: CountOpenAlerts :many
SELECT kind, count(*) FROM alerts WHERE resolved_at IS NULL GROUP BY kind;

-- name: ListAlerts :many
SELECT * FROM alerts
WHERE id < @before AND (resolved_at IS NOT NULL) = @resolved::boolean ORDER BY id DESC LIMIT @max_rows;

-- name: LockAlert :one
SELECT * FROM alerts WHERE id = $1 FOR UPDATE;

-- name: CloseAlert :exec
UPDATE alerts SET resolved_at = @resolved_at, note = @note WHERE id = @id AND resolved_at IS NULL;

-- name: HasAlert :one
SELECT EXISTS (SELECT 1 FROM alerts WHERE kind = $1 AND subject = $2 AND resolved_at IS NULL);
