-- +goose Up

CREATE TABLE login_failures (
    email_index  bytea PRIMARY KEY,
    failures     integer NOT NULL DEFAULT 0,
    locked_until timestamptz,
    last_at      timestamptz NOT NULL
);
CREATE INDEX login_failures_age ON login_failures (last_at);
COMMENT ON TABLE login_failures IS 'failed logins by the address tried, known or not, so that an unknown address locks like a known one';
COMMENT ON COLUMN login_failures.email_index IS 'blind index of the address tried, or the digest of what a session guesses at';
COMMENT ON COLUMN login_failures.failures IS 'since the last success or the end of the last lock';
COMMENT ON COLUMN login_failures.locked_until IS 'null: not locked';
COMMENT ON COLUMN login_failures.last_at IS 'when it last failed';

CREATE TABLE login_ip_failures (
    ip            text PRIMARY KEY,
    failures      integer NOT NULL DEFAULT 0,
    window_start  timestamptz NOT NULL,
    blocked_until timestamptz
);
CREATE INDEX login_ip_failures_age ON login_ip_failures (window_start);
COMMENT ON TABLE login_ip_failures IS 'failed logins by client address, to block one that tries many';
COMMENT ON COLUMN login_ip_failures.failures IS 'since window_start';
COMMENT ON COLUMN login_ip_failures.blocked_until IS 'null: not blocked';

CREATE TABLE backup_codes (
    merchant_id text NOT NULL REFERENCES merchants (merchant_id),
    code_hash   bytea NOT NULL,
    PRIMARY KEY (merchant_id, code_hash)
);
COMMENT ON TABLE backup_codes IS 'codes that stand in for a TOTP code, each once: a row is a code not yet used';
COMMENT ON COLUMN backup_codes.code_hash IS 'SHA-256 of merchant and code, which carries 80 random bits';

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
COMMENT ON TABLE email_verifications IS 'addresses that wait to be confirmed by mail, one for each merchant: a newer one replaces it; the row goes when it is used';
COMMENT ON COLUMN email_verifications.email_sealed IS 'AEAD, associated data email_verifications:email:<id>';
COMMENT ON COLUMN email_verifications.token_hash IS 'SHA-256 of the token in the link, which carries 256 random bits';
COMMENT ON COLUMN email_verifications.token_sealed IS 'the token until its mail is sent: AEAD, associated data email_verifications:token:<id>';
COMMENT ON COLUMN email_verifications.sent_at IS 'when the mail server took the mail; null: not yet';

CREATE TABLE invites (
    id          text PRIMARY KEY CHECK (id ~ '^in_[0-9a-f]{24}$'),
    token_hash  bytea NOT NULL UNIQUE,
    note        text NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    used_at     timestamptz,
    merchant_id text REFERENCES merchants (merchant_id),
    CHECK ((used_at IS NULL) = (merchant_id IS NULL))
);
CREATE INDEX invites_old ON invites (expires_at);
COMMENT ON TABLE invites IS 'who may open an account where that takes an invite';
COMMENT ON COLUMN invites.token_hash IS 'SHA-256 of the token, which carries 192 random bits';
COMMENT ON COLUMN invites.note IS 'what the operator wrote to it';
COMMENT ON COLUMN invites.used_at IS 'null: not used';
COMMENT ON COLUMN invites.merchant_id IS 'the account that was opened with it; null: not used';

CREATE TABLE sessions (
    id              text PRIMARY KEY CHECK (id <> ''),
    merchant_id     text NOT NULL REFERENCES merchants (merchant_id),
    confirmed_until timestamptz,
    token_version   integer,
    expires_at      timestamptz NOT NULL
);
CREATE INDEX sessions_old ON sessions (expires_at);
CREATE INDEX sessions_of_merchant ON sessions (merchant_id);
COMMENT ON TABLE sessions IS 'sessions that gave the password again, or that went on when all others ended, and logins for connecting an application that were answered';
COMMENT ON COLUMN sessions.id IS 'claim jti of the token, or identifier of the login; no secret';
COMMENT ON COLUMN sessions.confirmed_until IS 'until when the password or the code that the session gave counts; null: it gave none since its token was issued';
COMMENT ON COLUMN sessions.token_version IS 'version of the account that the session goes on with, though its token names an earlier one; null: what the token names';
COMMENT ON COLUMN sessions.expires_at IS 'when the token or the login ends';

CREATE TABLE account_notices (
    id           text PRIMARY KEY CHECK (id ~ '^an_[0-9a-f]{24}$'),
    merchant_id  text NOT NULL REFERENCES merchants (merchant_id),
    kind         text NOT NULL,
    email_sealed bytea,
    hold_until   timestamptz,
    created_at   timestamptz NOT NULL,
    sent_at      timestamptz,
    CHECK ((sent_at IS NULL) = (email_sealed IS NOT NULL))
);
CREATE INDEX account_notices_old ON account_notices (created_at);
CREATE INDEX account_notices_of_merchant ON account_notices (merchant_id);
COMMENT ON TABLE account_notices IS 'mails that tell a merchant what was changed of the account';
COMMENT ON COLUMN account_notices.kind IS 'what was changed, see internal/notice';
COMMENT ON COLUMN account_notices.email_sealed IS 'where the mail goes, until it is sent: AEAD, associated data account_notices:email:<id>';
COMMENT ON COLUMN account_notices.hold_until IS 'before when no sweep begins because of the change; null: it holds none';
COMMENT ON COLUMN account_notices.sent_at IS 'when the mail server took the mail; null: not yet';

CREATE TABLE password_resets (
    id           text PRIMARY KEY CHECK (id ~ '^rs_[0-9a-f]{24}$'),
    email_index  bytea NOT NULL,
    merchant_id  text REFERENCES merchants (merchant_id),
    token_hash   bytea UNIQUE,
    token_sealed bytea,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    sent_at      timestamptz,
    CHECK ((merchant_id IS NULL) = (token_hash IS NULL)),
    CHECK (sent_at IS NULL OR (token_hash IS NOT NULL AND token_sealed IS NULL))
);
CREATE INDEX password_resets_old ON password_resets (expires_at);
CREATE INDEX password_resets_of_address ON password_resets (email_index, created_at);
CREATE INDEX password_resets_of_merchant ON password_resets (merchant_id);
COMMENT ON TABLE password_resets IS 'requests for another password; a row is written for every address, known or not, so that asking tells nothing; the mail of a known one makes the token';
COMMENT ON COLUMN password_resets.email_index IS 'blind index of the address that was named';
COMMENT ON COLUMN password_resets.merchant_id IS 'whose address it is; null until the mail is made, and for an address of nobody';
COMMENT ON COLUMN password_resets.token_hash IS 'SHA-256 of the token in the link, which carries 256 random bits';
COMMENT ON COLUMN password_resets.token_sealed IS 'the token until its mail is sent: AEAD, associated data password_resets:token:<id>';
COMMENT ON COLUMN password_resets.sent_at IS 'when the mail server took the mail; null: not yet, or an address of nobody';

CREATE TABLE scoped_keys (
    id                     text PRIMARY KEY CHECK (id ~ '^sk_[0-9a-f]{24}$'),
    merchant_id            text NOT NULL REFERENCES merchants (merchant_id),
    mode                   text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    label                  text NOT NULL,
    permissions            text[] NOT NULL CHECK (cardinality(permissions) > 0),
    key_hash               bytea NOT NULL UNIQUE,
    prefix                 text NOT NULL,
    application_identifier text NOT NULL DEFAULT '',
    redirect_host          text NOT NULL DEFAULT '',
    created_at             timestamptz NOT NULL,
    last_used_at           timestamptz,
    revoked_at             timestamptz
);
CREATE INDEX scoped_keys_of_merchant ON scoped_keys (merchant_id, created_at);
CREATE INDEX scoped_keys_revoked ON scoped_keys (revoked_at) WHERE revoked_at IS NOT NULL;
COMMENT ON TABLE scoped_keys IS 'keys that merchants gave to applications, each with what it may do';
COMMENT ON COLUMN scoped_keys.label IS 'what the merchant or the application calls it';
COMMENT ON COLUMN scoped_keys.permissions IS 'see internal/scopedkey, in the order asked for';
COMMENT ON COLUMN scoped_keys.key_hash IS 'SHA-256 of the key, which carries 192 random bits';
COMMENT ON COLUMN scoped_keys.prefix IS 'first characters of the key, to be shown';
COMMENT ON COLUMN scoped_keys.application_identifier IS 'what the application calls itself when it connects; empty for a key made by hand';
COMMENT ON COLUMN scoped_keys.redirect_host IS 'host and port that the key was sent to; empty for a key that was shown';
COMMENT ON COLUMN scoped_keys.last_used_at IS 'to about a minute; null: never';
COMMENT ON COLUMN scoped_keys.revoked_at IS 'null: the key is good';
