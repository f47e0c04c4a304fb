-- +goose Up

-- How far each wallet has come as this database knows it, to be compared with
-- the marks that are kept outside of it.
CREATE TABLE witnesses (
    wallet_id      text PRIMARY KEY,
    begun_at       timestamptz,
    sends          bigint NOT NULL DEFAULT 0 CHECK (sends >= 0),
    addresses      bigint NOT NULL DEFAULT 0 CHECK (addresses >= 0),
    lease_from     bigint NOT NULL DEFAULT 0 CHECK (lease_from >= 0),
    lease_to       bigint NOT NULL DEFAULT 0,
    lease_instance text,
    known_height   bigint NOT NULL DEFAULT 0 CHECK (known_height >= 0),
    safe_since     timestamptz,
    safe_reason    text,
    CHECK (lease_from <= lease_to),
    CHECK (lease_to <= addresses),
    CHECK ((safe_since IS NULL) = (safe_reason IS NULL))
);
COMMENT ON COLUMN witnesses.begun_at IS 'when the marks were first written outside of the database; null: never witnessed';
COMMENT ON COLUMN witnesses.sends IS 'highest outgoing_transactions.seq for which the marks are known to be raised';
COMMENT ON COLUMN witnesses.addresses IS 'highest index to which the mark of addresses may be raised: written before it is';
COMMENT ON COLUMN witnesses.lease_from IS 'addresses with this index and below are handed out no more';
COMMENT ON COLUMN witnesses.lease_to IS 'addresses above this index are not handed out yet: the mark is raised to here';
COMMENT ON COLUMN witnesses.lease_instance IS 'the instance of the database in which the marks were compared; in another one nothing is handed out or built';
COMMENT ON COLUMN witnesses.known_height IS 'everything that the wallet sent in lower blocks is known here';
COMMENT ON COLUMN witnesses.safe_since IS 'the database is behind: nothing is built, sent for the first time or handed out';

-- Which run of which server holds which table: it changes with every restart
-- of PostgreSQL, every restore, every copy and every failover. What was decided
-- in another instance is decided anew.
-- +goose StatementBegin
CREATE FUNCTION database_instance() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT extract(epoch FROM pg_postmaster_start_time())::text
        || '/' || (SELECT d.oid::text FROM pg_database d WHERE d.datname = current_database())
        || '/' || 'witnesses'::regclass::oid::text || '/' || pg_relation_filenode('witnesses'::regclass)::text
$$;
-- +goose StatementEnd

-- What a wallet sent and no row of its own tells: an operator took it over or
-- accepts it.
CREATE TABLE acknowledged_sends (
    wallet_id       text NOT NULL,
    tx_hash         text NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('taken_over', 'accepted')),
    note            text NOT NULL DEFAULT '',
    acknowledged_at timestamptz NOT NULL,
    PRIMARY KEY (wallet_id, tx_hash)
);
COMMENT ON COLUMN acknowledged_sends.note IS 'what the journal says that it paid';

-- The copy of witnesses.safe_since that quotes go by.
ALTER TABLE exchange_wallets ADD COLUMN safe_mode boolean NOT NULL DEFAULT false;

-- How far along the wallet's own chain of keys an address lies. The marks count
-- these, since a database that is older would count from where it was.
ALTER TABLE exchange_addresses ADD COLUMN number bigint;
UPDATE exchange_addresses SET number = COALESCE(substring(ref FROM '([0-9]{1,18})[''h]?$')::bigint, id);
ALTER TABLE exchange_addresses ALTER COLUMN number SET NOT NULL;
DROP INDEX exchange_addresses_free;
CREATE INDEX exchange_addresses_free ON exchange_addresses (wallet_id, number) WHERE trade_id IS NULL;
COMMENT ON COLUMN exchange_addresses.number IS 'the last part of ref: subaddress index, or index of the key';

CREATE INDEX transfers_unmatched_index ON transfers (wallet_id, subaddress_index) WHERE charge_id IS NULL;

-- +goose Down
DROP INDEX transfers_unmatched_index, exchange_addresses_free;
ALTER TABLE exchange_addresses DROP COLUMN number;
CREATE INDEX exchange_addresses_free ON exchange_addresses (wallet_id, id) WHERE trade_id IS NULL;
ALTER TABLE exchange_wallets DROP COLUMN safe_mode;
DROP TABLE acknowledged_sends, witnesses;
DROP FUNCTION database_instance();
