-- +goose Up

-- What is known of a session beyond its token. A session without a row has
-- nothing but what its token says.
CREATE TABLE sessions (
    id              text PRIMARY KEY CHECK (id <> ''),
    merchant_id     text NOT NULL REFERENCES merchants (merchant_id),
    confirmed_until timestamptz,
    token_version   integer,
    expires_at      timestamptz NOT NULL
);
CREATE INDEX sessions_old ON sessions (expires_at);
CREATE INDEX sessions_of_merchant ON sessions (merchant_id);
COMMENT ON TABLE sessions IS 'sessions that gave the password again, or that went on when all others ended';
COMMENT ON COLUMN sessions.id IS 'claim jti of the token, which is no secret';
COMMENT ON COLUMN sessions.confirmed_until IS 'until when the password or the code that the session gave counts; null: it gave none since its token was issued';
COMMENT ON COLUMN sessions.token_version IS 'version of the account that the session goes on with, though its token names an earlier one; null: what the token names';
COMMENT ON COLUMN sessions.expires_at IS 'when the token ends';

ALTER TABLE merchants ADD COLUMN payout_hold_until timestamptz;
COMMENT ON COLUMN merchants.payout_hold_until IS 'no sweep begins before, since where it goes was changed; null: it never was';

-- Mails that tell a merchant what was changed of the account.
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
COMMENT ON COLUMN account_notices.kind IS 'what was changed, see internal/notice';
COMMENT ON COLUMN account_notices.email_sealed IS 'where the mail goes, until it is sent: AEAD, associated data account_notices:email:<id>';
COMMENT ON COLUMN account_notices.hold_until IS 'before when no sweep begins because of the change; null: it holds none';

-- Requests for another password. A row is written for every address, known or
-- not, so that asking tells nothing; the mail of a known one makes the token.
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
COMMENT ON COLUMN password_resets.email_index IS 'blind index of the address that was named';
COMMENT ON COLUMN password_resets.merchant_id IS 'whose address it is; null until the mail is made, and for an address of nobody';
COMMENT ON COLUMN password_resets.token_hash IS 'SHA-256 of the token in the link, which carries 256 random bits';
COMMENT ON COLUMN password_resets.token_sealed IS 'the token until its mail is sent: AEAD, associated data password_resets:token:<id>';

COMMENT ON COLUMN audit.actor IS 'merchant_id of an admin, or of a merchant who reset the password; or cli: and the user of the machine';

-- +goose Down
DROP TABLE password_resets, account_notices, sessions;
ALTER TABLE merchants DROP COLUMN payout_hold_until;
COMMENT ON COLUMN audit.actor IS 'merchant_id of an admin, or cli: and the user of the machine';
