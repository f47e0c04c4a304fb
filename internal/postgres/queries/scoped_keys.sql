-- name: PutScopedKey :execrows
-- The same key again is the key that is there: no row.
INSERT INTO scoped_keys (id, merchant_id, mode, label, permissions, key_hash, prefix, application_identifier, redirect_host, created_at)
VALUES (@id, @merchant_id, @mode, @label, @permissions, @key_hash, @prefix, @application_identifier, @redirect_host, @created_at)
ON CONFLICT (key_hash) DO NOTHING;

-- name: FindScopedKey :one
SELECT k.*, (m.suspended_at IS NOT NULL)::boolean AS suspended,
    (m.email_verified_at IS NOT NULL)::boolean AS confirmed
FROM scoped_keys k JOIN merchants m USING (merchant_id)
WHERE k.key_hash = $1 AND k.revoked_at IS NULL AND m.deleted_at IS NULL;

-- name: IsKeyInForce :one
-- Whether a key, of the contract or of an application, is neither replaced nor revoked.
SELECT (EXISTS (SELECT 1 FROM api_keys k WHERE k.key_hash = @key_hash)
    OR EXISTS (SELECT 1 FROM scoped_keys k WHERE k.key_hash = @key_hash AND k.revoked_at IS NULL))::boolean AS in_force;

-- name: ListScopedKeys :many
-- The newest first.
SELECT * FROM scoped_keys WHERE merchant_id = $1 AND revoked_at IS NULL ORDER BY created_at DESC, id DESC;

-- name: CountScopedKeys :one
SELECT count(*) FROM scoped_keys WHERE merchant_id = $1 AND revoked_at IS NULL;

-- name: HasScopedKeyOf :one
-- Whether an application is connected already by an answer to the same host.
SELECT EXISTS (
    SELECT 1 FROM scoped_keys
    WHERE merchant_id = @merchant_id AND application_identifier = @application_identifier AND redirect_host = @redirect_host
        AND revoked_at IS NULL);

-- name: NoteScopedKeyUsed :exec
-- At most once in a minute, whichever instance sees the key.
UPDATE scoped_keys SET last_used_at = @now::timestamptz
WHERE id = @id AND (last_used_at IS NULL OR last_used_at <= @before::timestamptz);

-- name: PruneScopedKeys :execrows
DELETE FROM scoped_keys WHERE id IN (
    SELECT k.id FROM scoped_keys k WHERE k.revoked_at < @before::timestamptz ORDER BY k.revoked_at LIMIT @batch);

-- name: RevokeScopedKey :execrows
UPDATE scoped_keys SET revoked_at = @now::timestamptz WHERE id = @id AND merchant_id = @merchant_id AND revoked_at IS NULL;
