-- name: GetStaff :one
SELECT * FROM staff WHERE merchant_id = @merchant_id AND person_id = @person_id;

-- name: LockStaff :one
-- Held so that what a person may do on a day is counted by one request at a time.
SELECT * FROM staff WHERE merchant_id = @merchant_id AND person_id = @person_id FOR NO KEY UPDATE;

-- name: ListStaff :many
SELECT s.*, m.email_sealed FROM staff s JOIN merchants m ON m.merchant_id = s.person_id
WHERE s.merchant_id = $1 ORDER BY s.created_at, s.person_id;

-- name: ListShopsOfPerson :many
SELECT s.*, m.business_name FROM staff s JOIN merchants m ON m.merchant_id = s.merchant_id
WHERE s.person_id = $1 AND m.deleted_at IS NULL ORDER BY m.business_name, s.merchant_id;

-- name: CountStaff :one
-- People and invites together.
SELECT (SELECT count(*) FROM staff s WHERE s.merchant_id = @merchant_id)
    + (SELECT count(*) FROM staff_invites i WHERE i.merchant_id = @merchant_id AND i.expires_at > @now::timestamptz) AS all_of_them;

-- name: PutStaff :execrows
-- Who is there already keeps the role.
INSERT INTO staff (merchant_id, person_id, role, refunds_a_day, created_at)
VALUES (@merchant_id, @person_id, @role, @refunds_a_day, @created_at)
ON CONFLICT (merchant_id, person_id) DO NOTHING;

-- name: SetStaff :execrows
UPDATE staff SET role = @role, refunds_a_day = @refunds_a_day WHERE merchant_id = @merchant_id AND person_id = @person_id;

-- name: RemoveStaff :execrows
DELETE FROM staff WHERE merchant_id = @merchant_id AND person_id = @person_id;

-- name: InsertStaffInvite :exec
INSERT INTO staff_invites (id, merchant_id, role, refunds_a_day, note, token_hash, created_at, expires_at)
VALUES (@id, @merchant_id, @role, @refunds_a_day, @note, @token_hash, @created_at, @expires_at);

-- name: ListStaffInvites :many
SELECT * FROM staff_invites WHERE merchant_id = @merchant_id AND expires_at > @now::timestamptz ORDER BY created_at, id;

-- name: FindStaffInvite :one
SELECT i.*, m.business_name, (m.suspended_at IS NOT NULL)::boolean AS suspended
FROM staff_invites i JOIN merchants m ON m.merchant_id = i.merchant_id
WHERE i.token_hash = @token_hash AND i.expires_at > @now::timestamptz AND m.deleted_at IS NULL;

-- name: TakeStaffInvite :execrows
DELETE FROM staff_invites WHERE id = @id AND expires_at > @now::timestamptz;

-- name: DropStaffInvite :execrows
DELETE FROM staff_invites WHERE id = @id AND merchant_id = @merchant_id;

-- name: DropStaffInvites :exec
DELETE FROM staff_invites WHERE merchant_id = $1;

-- name: PruneStaffInvites :execrows
DELETE FROM staff_invites WHERE id IN (
    SELECT i.id FROM staff_invites i WHERE i.expires_at < @before::timestamptz ORDER BY i.expires_at LIMIT @batch);

-- name: RefundedByPerson :one
-- What refunds are worth that a person made since a moment and that need no approval. One that was cancelled counts as well: it may have been paid in part.
SELECT COALESCE(sum(r.amount), 0)::piconero AS amount FROM refunds r
WHERE r.made_by = @person_id::text AND r.merchant_id = @merchant_id AND r.created_at >= @since AND r.automatic;

-- name: RefundedByMerchant :one
-- What refunds are worth that the merchant or a key made since a moment and that need no approval. One that was cancelled counts as well.
SELECT COALESCE(sum(r.amount), 0)::piconero AS amount FROM refunds r
WHERE r.merchant_id = @merchant_id AND r.made_by IS NULL AND r.created_at >= @since AND r.automatic;

-- name: InsertAction :one
INSERT INTO actions (merchant_id, person_id, role, operation, path, at) VALUES (@merchant_id, @person_id, @role, @operation, @path, @at) RETURNING id;

-- name: EndAction :exec
UPDATE actions SET status = @status WHERE id = @id;

-- name: DropAction :exec
-- One that was refused and is not kept.
DELETE FROM actions WHERE id = $1;

-- name: ListActions :many
-- The newest first.
SELECT a.*, m.email_sealed FROM actions a LEFT JOIN merchants m ON m.merchant_id = a.person_id
WHERE a.merchant_id = @merchant_id AND a.id < @before_id AND (@person_id::text = '' OR a.person_id = @person_id::text) ORDER BY a.id DESC LIMIT @batch;

-- name: DropActions :exec
DELETE FROM actions WHERE merchant_id = $1;

-- name: PruneActions :execrows
DELETE FROM actions WHERE id IN (SELECT a.id FROM actions a WHERE a.at < @before::timestamptz ORDER BY a.at LIMIT @batch);
