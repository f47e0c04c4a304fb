-- name: OpenAlert :exec
INSERT INTO alerts (kind, subject, detail) VALUES ($1, $2, $3)
ON CONFLICT (kind, subject) WHERE resolved_at IS NULL DO NOTHING;

-- name: ResolveAlert :exec
UPDATE alerts SET resolved_at = now() WHERE kind = $1 AND subject = $2 AND resolved_at IS NULL;

-- name: CountOpenAlerts :many
SELECT kind, count(*) FROM alerts WHERE resolved_at IS NULL GROUP BY kind;

-- name: ListOpenAlerts :many
SELECT * FROM alerts WHERE resolved_at IS NULL ORDER BY opened_at DESC LIMIT $1;
