-- +goose Up

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
COMMENT ON TABLE witnesses IS 'how far each wallet has come as this database knows it, to be compared with the marks that are kept outside of it';
COMMENT ON COLUMN witnesses.wallet_id IS 'of wallets or of exchange_wallets';
COMMENT ON COLUMN witnesses.begun_at IS 'when the marks were first written outside of the database; null: never witnessed';
COMMENT ON COLUMN witnesses.sends IS 'highest outgoing_transactions.seq for which the marks are known to be raised';
COMMENT ON COLUMN witnesses.addresses IS 'highest index to which the mark of addresses may be raised: written before it is';
COMMENT ON COLUMN witnesses.lease_from IS 'addresses with this index and below are handed out no more';
COMMENT ON COLUMN witnesses.lease_to IS 'addresses above this index are not handed out yet: the mark is raised to here';
COMMENT ON COLUMN witnesses.lease_instance IS 'the instance of the database in which the marks were compared; in another one nothing is handed out or built; null: never compared';
COMMENT ON COLUMN witnesses.known_height IS 'everything that the wallet sent in lower blocks is known here';
COMMENT ON COLUMN witnesses.safe_since IS 'the database is behind: nothing is built, sent for the first time or handed out; null: it is not in safe mode';
COMMENT ON COLUMN witnesses.safe_reason IS 'a sentence for the operator; null as safe_since is';

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

CREATE TABLE acknowledged_sends (
    wallet_id       text NOT NULL,
    tx_hash         text NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('taken_over', 'accepted')),
    note            text NOT NULL DEFAULT '',
    acknowledged_at timestamptz NOT NULL,
    PRIMARY KEY (wallet_id, tx_hash)
);
COMMENT ON TABLE acknowledged_sends IS 'what a wallet sent and no row of its own tells: an operator took it over or accepts it';
COMMENT ON COLUMN acknowledged_sends.wallet_id IS 'of wallets or of exchange_wallets';
COMMENT ON COLUMN acknowledged_sends.kind IS 'taken_over: rows were written for it; accepted: an operator says that it is in order';
COMMENT ON COLUMN acknowledged_sends.note IS 'what the journal says that it paid';
