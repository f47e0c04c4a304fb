-- +goose Up

ALTER TABLE merchants
    ALTER COLUMN email_sealed DROP NOT NULL,
    ALTER COLUMN email_index DROP NOT NULL,
    ADD COLUMN email_verified_at timestamptz,
    ADD COLUMN totp_secret_sealed bytea,
    ADD COLUMN totp_enabled_at timestamptz,
    ADD COLUMN totp_used_steps bigint[] NOT NULL DEFAULT '{}',
    ADD COLUMN deleted_at timestamptz,
    ADD CHECK (totp_enabled_at IS NULL OR totp_secret_sealed IS NOT NULL),
    ADD CHECK ((deleted_at IS NULL) = (email_sealed IS NOT NULL) AND (deleted_at IS NULL) = (email_index IS NOT NULL));
COMMENT ON COLUMN merchants.email_verified_at IS 'when the owner of the address confirmed it; null for an address that nobody confirmed';
COMMENT ON COLUMN merchants.totp_secret_sealed IS 'AEAD, associated data merchants:totp_secret:<merchant_id>';
COMMENT ON COLUMN merchants.totp_enabled_at IS 'null while the enrolment waits for its first code';
COMMENT ON COLUMN merchants.totp_used_steps IS 'time steps of 30 seconds whose code was used; those that no code is accepted for any more are dropped';
COMMENT ON COLUMN merchants.deleted_at IS 'the account is gone; what the books refer to stays';
COMMENT ON COLUMN login_failures.email_index IS 'blind index of the address tried, or the digest of what a session guesses at';

-- Codes that stand in for a TOTP code, each once: a row is a code not yet used.
CREATE TABLE backup_codes (
    merchant_id text NOT NULL REFERENCES merchants (merchant_id),
    code_hash   bytea NOT NULL,
    PRIMARY KEY (merchant_id, code_hash)
);
COMMENT ON COLUMN backup_codes.code_hash IS 'SHA-256 of merchant and code, which carries 80 random bits';

-- Addresses that wait to be confirmed by mail, one for each merchant: a newer
-- one replaces it. The row goes when it is used.
CREATE TABLE email_verifications (
    id           text PRIMARY KEY CHECK (id ~ '^em_[0-9a-f]{24}$'),
    merchant_id  text NOT NULL UNIQUE REFERENCES merchants (merchant_id),
    email_sealed bytea NOT NULL,
    token_hash   bytea NOT NULL UNIQUE,
    token_sealed bytea,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    sent_at      timestamptz,
    CHECK ((sent_at IS NULL) = (token_sealed IS NOT NULL))
);
CREATE INDEX email_verifications_old ON email_verifications (expires_at);
COMMENT ON COLUMN email_verifications.email_sealed IS 'AEAD, associated data email_verifications:email:<id>';
COMMENT ON COLUMN email_verifications.token_hash IS 'SHA-256 of the token in the link, which carries 256 random bits';
COMMENT ON COLUMN email_verifications.token_sealed IS 'the token until its mail is sent: AEAD, associated data email_verifications:token:<id>';

-- All webhooks of an account, deleted ones too, for its end.
CREATE INDEX webhooks_of_merchant ON webhooks (merchant_id);

-- +goose Down
DROP INDEX webhooks_of_merchant;
DROP TABLE email_verifications, backup_codes;
ALTER TABLE merchants
    DROP COLUMN email_verified_at, DROP COLUMN totp_secret_sealed, DROP COLUMN totp_enabled_at,
    DROP COLUMN totp_used_steps, DROP COLUMN deleted_at,
    ALTER COLUMN email_sealed SET NOT NULL, ALTER COLUMN email_index SET NOT NULL;
