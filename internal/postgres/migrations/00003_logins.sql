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

CREATE TABLE login_networks (
    merchant_id text NOT NULL REFERENCES merchants (merchant_id),
    network     bytea NOT NULL CHECK (length(network) = 32),
    seen_at     timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, network)
);
CREATE INDEX login_networks_old ON login_networks (seen_at);
COMMENT ON TABLE login_networks IS 'networks that a merchant has logged in from';
COMMENT ON COLUMN login_networks.network IS 'HMAC of merchant and network (/24 of IPv4, /48 of IPv6); no address is kept';
COMMENT ON COLUMN login_networks.seen_at IS 'the last login from there';

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

CREATE TABLE sent_forms (
    id         text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{64}$'),
    leads_to   text,
    expires_at timestamptz NOT NULL
);
CREATE INDEX sent_forms_old ON sent_forms (expires_at);
COMMENT ON TABLE sent_forms IS 'forms of the merchants'' desk that were sent and act once: one of these does nothing more';
COMMENT ON COLUMN sent_forms.id IS 'keyed digest of the form''s code, its address and what was filled in; nobody reads these from it';
COMMENT ON COLUMN sent_forms.leads_to IS 'page of what the form made; null: none, or it is still being made';
COMMENT ON COLUMN sent_forms.expires_at IS 'when the session ends that the form is of: it is refused from then on';

CREATE UNLOGGED TABLE rate_counts (
    bucket       text NOT NULL,
    key_hash     bytea NOT NULL,
    window_start timestamptz NOT NULL,
    count        integer NOT NULL,
    PRIMARY KEY (bucket, key_hash, window_start)
);
CREATE INDEX rate_counts_old ON rate_counts (window_start);
COMMENT ON TABLE rate_counts IS 'requests by client and window, shared by all instances of the API; not logged: a crash of the database may lose it, and counting then starts afresh';
COMMENT ON COLUMN rate_counts.bucket IS 'which limit counts';
COMMENT ON COLUMN rate_counts.key_hash IS 'SHA-256 of the API key row, merchant or client address that is counted';
COMMENT ON COLUMN rate_counts.count IS 'requests in the window';
