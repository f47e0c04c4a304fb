-- name: HoldMerchant :one
SELECT * FROM merchants WHERE merchant_id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE;

-- name: SetPassword :one
UPDATE merchants SET password_hash = @password_hash, token_version = token_version + 1
WHERE merchant_id = @merchant_id AND password_hash = @former_hash AND deleted_at IS NULL
RETURNING token_version;

-- name: SetProfile :one
UPDATE merchants SET business_name = COALESCE(sqlc.narg(business_name), business_name),
    contact = COALESCE(sqlc.narg(contact), contact), time_zone = COALESCE(sqlc.narg(time_zone), time_zone),
    default_currency = COALESCE(sqlc.narg(default_currency), default_currency),
    names_in_links = COALESCE(sqlc.narg(names_in_links), names_in_links),
    mails_receipts = COALESCE(sqlc.narg(mails_receipts), mails_receipts)
WHERE merchant_id = @merchant_id AND deleted_at IS NULL
RETURNING business_name, contact, time_zone, default_currency, names_in_links, mails_receipts;

-- name: SetEmail :execrows
-- One that needs no confirmation is not waited for.
UPDATE merchants SET email_sealed = @email_sealed, email_index = @email_index, email_verified_at = sqlc.narg(verified_at)::timestamptz,
    verify_by = CASE WHEN sqlc.narg(verified_at)::timestamptz IS NULL THEN NULL ELSE verify_by END
WHERE merchant_id = @merchant_id AND deleted_at IS NULL;

-- name: OfferTwoFactor :execrows
UPDATE merchants SET totp_secret_sealed = @secret_sealed, totp_used_steps = '{}'
WHERE merchant_id = @merchant_id AND totp_enabled_at IS NULL AND deleted_at IS NULL;

-- name: EnableTwoFactor :execrows
UPDATE merchants SET totp_enabled_at = @now::timestamptz WHERE merchant_id = @merchant_id AND totp_enabled_at IS NULL;

-- name: DisableTwoFactor :execrows
UPDATE merchants SET totp_secret_sealed = NULL, totp_enabled_at = NULL, totp_used_steps = '{}'
WHERE merchant_id = @merchant_id AND totp_enabled_at IS NOT NULL;

-- name: SetTOTPSteps :exec
UPDATE merchants SET totp_used_steps = @used_steps WHERE merchant_id = @merchant_id;

-- name: PutBackupCodes :exec
INSERT INTO backup_codes (merchant_id, code_hash) SELECT @merchant_id, unnest(@code_hashes::bytea[]);

-- name: UseBackupCode :execrows
DELETE FROM backup_codes WHERE merchant_id = $1 AND code_hash = $2;

-- name: DropBackupCodes :exec
DELETE FROM backup_codes WHERE merchant_id = $1;

-- name: CountBackupCodes :one
SELECT count(*) FROM backup_codes WHERE merchant_id = $1;

-- name: PutEmailVerification :exec
INSERT INTO email_verifications (id, merchant_id, email_sealed, token_hash, token_sealed, created_at, expires_at)
VALUES (@id, @merchant_id, @email_sealed, @token_hash, @token_sealed, @created_at, @expires_at)
ON CONFLICT (merchant_id) DO UPDATE
SET id = excluded.id, email_sealed = excluded.email_sealed, token_hash = excluded.token_hash,
    token_sealed = excluded.token_sealed, created_at = excluded.created_at, expires_at = excluded.expires_at, sent_at = NULL;

-- name: GetEmailVerification :one
SELECT * FROM email_verifications WHERE id = $1;

-- name: EmailVerificationOf :one
SELECT * FROM email_verifications WHERE merchant_id = $1;

-- name: FindEmailVerification :one
SELECT * FROM email_verifications WHERE token_hash = $1 AND expires_at > @now::timestamptz;

-- name: HoldEmailVerification :one
SELECT * FROM email_verifications WHERE token_hash = $1 AND expires_at > @now::timestamptz FOR UPDATE;

-- name: MarkVerificationSent :exec
UPDATE email_verifications SET sent_at = @now::timestamptz, token_sealed = NULL WHERE id = @id AND sent_at IS NULL;

-- name: DropEmailVerification :exec
DELETE FROM email_verifications WHERE merchant_id = $1;

-- name: PruneEmailVerifications :execrows
DELETE FROM email_verifications WHERE id IN (
    SELECT v.id FROM email_verifications v WHERE v.expires_at < @before::timestamptz ORDER BY v.expires_at LIMIT @batch);
