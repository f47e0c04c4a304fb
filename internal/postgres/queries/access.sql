-- name: GetSession :one
SELECT * FROM sessions WHERE id = @id AND merchant_id = @merchant_id;

-- name: GetVisitor :one
-- A merchant, and whether the end of a session of theirs is stored.
SELECT sqlc.embed(m), EXISTS (SELECT FROM sessions s WHERE s.id = @ended_id AND s.merchant_id = m.merchant_id) AS ended
FROM merchants m WHERE m.merchant_id = @merchant_id;

-- name: ConfirmSession :exec
INSERT INTO sessions (id, merchant_id, confirmed_until, expires_at)
VALUES (@id, @merchant_id, @confirmed_until::timestamptz, @expires_at)
ON CONFLICT (id) DO UPDATE SET confirmed_until = excluded.confirmed_until WHERE sessions.merchant_id = excluded.merchant_id;

-- name: EndOtherSessions :exec
-- Every token of the account ends but that of one session.
WITH ended AS (
    UPDATE merchants m SET token_version = token_version + 1 WHERE m.merchant_id = @merchant_id RETURNING m.token_version)
INSERT INTO sessions (id, merchant_id, token_version, expires_at)
SELECT @id, @merchant_id, ended.token_version, @expires_at FROM ended
ON CONFLICT (id) DO UPDATE SET token_version = excluded.token_version WHERE sessions.merchant_id = excluded.merchant_id;

-- name: EndSessions :exec
UPDATE merchants SET token_version = token_version + 1 WHERE merchant_id = $1;

-- name: EndLogin :execrows
-- An answer ends a login for connecting an application. No row: it had ended.
INSERT INTO sessions (id, merchant_id, expires_at) VALUES (@id, @merchant_id, @expires_at) ON CONFLICT (id) DO NOTHING;

-- name: PruneSessions :execrows
DELETE FROM sessions WHERE id IN (SELECT s.id FROM sessions s WHERE s.expires_at < @before::timestamptz ORDER BY s.expires_at LIMIT @batch);

-- name: DropSessions :exec
DELETE FROM sessions WHERE merchant_id = $1;

-- name: HoldPayouts :exec
UPDATE merchants SET payout_hold_until = greatest(payout_hold_until, @until::timestamptz) WHERE merchant_id = @merchant_id;

-- name: HoldRefunds :exec
UPDATE merchants SET refund_hold_until = greatest(refund_hold_until, @until::timestamptz) WHERE merchant_id = @merchant_id;

-- name: PutAccountNotice :exec
INSERT INTO account_notices (id, merchant_id, kind, email_sealed, hold_until, session_id, version, created_at)
VALUES (@id, @merchant_id, @kind, @email_sealed, @hold_until, @session_id, @version, @created_at);

-- name: HasNoticeOfSession :one
SELECT EXISTS (SELECT 1 FROM account_notices WHERE merchant_id = @merchant_id AND kind = @kind AND session_id = @session_id::text);

-- name: GetAccountNotice :one
SELECT * FROM account_notices WHERE id = $1;

-- name: MarkNoticeSent :exec
UPDATE account_notices SET sent_at = @now::timestamptz, email_sealed = NULL WHERE id = @id AND sent_at IS NULL;

-- name: PruneAccountNotices :execrows
DELETE FROM account_notices WHERE id IN (
    SELECT n.id FROM account_notices n WHERE n.created_at < @before::timestamptz ORDER BY n.created_at LIMIT @batch);

-- name: PutPasswordReset :exec
INSERT INTO password_resets (id, email_index, created_at, expires_at) VALUES (@id, @email_index, @created_at, @expires_at);

-- name: GetPasswordReset :one
SELECT * FROM password_resets WHERE id = $1;

-- name: HoldPasswordReset :one
SELECT * FROM password_resets WHERE id = $1 FOR UPDATE;

-- name: HoldMerchantByEmail :one
SELECT * FROM merchants WHERE email_index = $1 AND deleted_at IS NULL FOR NO KEY UPDATE;

-- name: CountPasswordResets :one
-- Those of an address that a mail was made for.
SELECT count(*) FROM password_resets WHERE email_index = @email_index AND created_at > @since::timestamptz AND token_hash IS NOT NULL;

-- name: OpenPasswordReset :exec
UPDATE password_resets SET merchant_id = @merchant_id, token_hash = @token_hash, token_sealed = @token_sealed
WHERE id = @id AND token_hash IS NULL;

-- name: MarkResetSent :exec
UPDATE password_resets SET sent_at = @now::timestamptz, token_sealed = NULL WHERE id = @id AND sent_at IS NULL;

-- name: FindPasswordReset :one
-- A link is void once the account has another address.
SELECT m.* FROM password_resets r JOIN merchants m ON m.merchant_id = r.merchant_id AND m.email_index = r.email_index
WHERE r.token_hash = @token_hash AND r.expires_at > @now::timestamptz AND m.deleted_at IS NULL;

-- name: UsePasswordReset :execrows
DELETE FROM password_resets r
WHERE r.token_hash = @token_hash AND r.expires_at > @now::timestamptz AND r.merchant_id = @merchant_id::text
    AND EXISTS (SELECT 1 FROM merchants m WHERE m.merchant_id = r.merchant_id AND m.email_index = r.email_index);

-- name: DropPasswordResets :exec
DELETE FROM password_resets WHERE merchant_id = @merchant_id::text;

-- name: ResetPassword :one
UPDATE merchants SET password_hash = @password_hash, token_version = token_version + 1
WHERE merchant_id = @merchant_id AND deleted_at IS NULL RETURNING *;

-- name: ResetTwoFactor :exec
UPDATE merchants SET totp_secret_sealed = NULL, totp_enabled_at = NULL, totp_used_steps = '{}', token_version = token_version + 1
WHERE merchant_id = @merchant_id;

-- name: PrunePasswordResets :execrows
DELETE FROM password_resets WHERE id IN (
    SELECT r.id FROM password_resets r WHERE r.expires_at < @before::timestamptz ORDER BY r.expires_at LIMIT @batch);
