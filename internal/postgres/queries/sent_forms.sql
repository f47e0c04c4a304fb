-- name: ClaimForm :execrows
-- No row: it was sent before.
INSERT INTO sent_forms (id, expires_at) VALUES (@id, @expires_at) ON CONFLICT (id) DO NOTHING;

-- name: SetFormResult :exec
UPDATE sent_forms SET leads_to = @leads_to::text WHERE id = @id;

-- name: GetFormResult :one
SELECT leads_to FROM sent_forms WHERE id = $1;

-- name: FreeForm :exec
DELETE FROM sent_forms WHERE id = $1;

-- name: PruneSentForms :execrows
DELETE FROM sent_forms WHERE id IN (SELECT f.id FROM sent_forms f WHERE f.expires_at < @before::timestamptz ORDER BY f.expires_at LIMIT @batch);
