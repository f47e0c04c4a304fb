-- name: InsertInvite :exec
INSERT INTO invites (id, token_hash, note, created_at, expires_at) VALUES (@id, @token_hash, @note, @created_at, @expires_at);

-- name: InviteIsGood :one
SELECT EXISTS (SELECT 1 FROM invites WHERE token_hash = @token_hash AND used_at IS NULL AND expires_at > @now::timestamptz);

-- name: UseInvite :execrows
UPDATE invites SET used_at = @now::timestamptz, merchant_id = @merchant_id::text
WHERE token_hash = @token_hash AND used_at IS NULL AND expires_at > @now::timestamptz;

-- name: ListInvites :many
SELECT * FROM invites ORDER BY created_at DESC, id DESC LIMIT @max_rows;

-- name: DropInvite :execrows
DELETE FROM invites WHERE id = $1 AND used_at IS NULL;

-- name: PruneInvites :execrows
DELETE FROM invites WHERE id IN (SELECT i.id FROM invites i WHERE i.expires_at < @before ORDER BY i.expires_at LIMIT @batch);
