-- +goose Up

-- Who may open an account where that takes an invite.
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
COMMENT ON COLUMN invites.token_hash IS 'SHA-256 of the token, which carries 192 random bits';
COMMENT ON COLUMN invites.merchant_id IS 'the account that was opened with it';

-- An account whose address nobody confirms gives the address back.
ALTER TABLE merchants ADD COLUMN verify_by timestamptz;
CREATE INDEX merchants_unverified ON merchants (verify_by)
    WHERE verify_by IS NOT NULL AND email_verified_at IS NULL AND deleted_at IS NULL;
COMMENT ON COLUMN merchants.verify_by IS 'the account goes if its address is not confirmed until then and nothing belongs to it; null where it needs no confirmation';

-- +goose Down
DROP INDEX merchants_unverified;
ALTER TABLE merchants DROP COLUMN verify_by;
DROP TABLE invites;
