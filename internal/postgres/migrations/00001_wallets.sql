-- +goose Up

-- The API allows 10,000,000 XMR, which is more than a bigint of piconero holds.
CREATE DOMAIN piconero AS numeric(20, 0) CHECK (VALUE >= 0 AND VALUE <= 18446744073709551615);
COMMENT ON DOMAIN piconero IS 'an amount of Monero in atomic units: 1e-12 XMR';

CREATE TABLE chains (
    id             text PRIMARY KEY,
    chain_height   bigint NOT NULL DEFAULT 0,
    top_hash       text NOT NULL DEFAULT '',
    scanned_at     timestamptz,
    settled_height bigint NOT NULL DEFAULT 0,
    settled_hash   text NOT NULL DEFAULT '',
    rescan         boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
COMMENT ON TABLE chains IS 'how far each chain was scanned: one scan finds what all wallets of a chain receive';
COMMENT ON COLUMN chains.id IS 'the coin and its network, for example xmr-Mainnet; of a simulated charge the id of its wallet; the row named simulated stands for all of those, and nothing scans it';
COMMENT ON COLUMN chains.chain_height IS 'number of blocks of the chain; a transaction in the top block has height chain_height - 1 and 1 confirmation';
COMMENT ON COLUMN chains.top_hash IS 'hash of block chain_height - 1 when it was scanned; a difference later means a reorganization; empty before the first scan';
COMMENT ON COLUMN chains.scanned_at IS 'when the watcher last scanned; null: never';
COMMENT ON COLUMN chains.settled_height IS 'payments in blocks below it are final; scans begin there at the lowest';
COMMENT ON COLUMN chains.settled_hash IS 'hash of block settled_height - 1; empty when it is not known';
COMMENT ON COLUMN chains.rescan IS 'addresses were handed out that the scans did not know: the chain has to be read again';
INSERT INTO chains (id) VALUES ('simulated');

CREATE TABLE wallets (
    id                 text PRIMARY KEY,
    chain_id           text NOT NULL REFERENCES chains (id),
    configured         boolean NOT NULL DEFAULT true,
    role               text NOT NULL DEFAULT 'merchants' CHECK (role IN ('merchants', 'own', 'exchange', 'simulated')),
    mode               text NOT NULL DEFAULT 'live' CHECK (mode IN ('live', 'sandbox')),
    ticker             text NOT NULL DEFAULT 'xmr',
    network            text NOT NULL DEFAULT 'Mainnet',
    decimals           integer NOT NULL DEFAULT 12 CHECK (decimals BETWEEN 0 AND 18),
    primary_address    text UNIQUE,
    created_at         timestamptz NOT NULL DEFAULT now(),
    unlocked           numeric NOT NULL DEFAULT 0 CHECK (unlocked >= 0),
    total              numeric NOT NULL DEFAULT 0 CHECK (total >= 0),
    network_fee        numeric NOT NULL DEFAULT 0 CHECK (network_fee >= 0),
    balance_at         timestamptz,
    balance_current_at timestamptz,
    safe_mode          boolean NOT NULL DEFAULT false,
    merchant_id        text,
    first_account      integer NOT NULL DEFAULT 0 CHECK (first_account BETWEEN 0 AND 2047),
    paid_account       integer NOT NULL DEFAULT 0,
    view_key_index     bytea UNIQUE,
    view_key_sealed    bytea,
    unscanned          boolean NOT NULL DEFAULT false,
    CHECK ((role = 'own') = (merchant_id IS NOT NULL) AND (role = 'own') = (view_key_index IS NOT NULL)),
    CHECK (role = 'own' OR (NOT unscanned AND first_account = 0 AND view_key_sealed IS NULL)),
    CHECK ((role = 'exchange') = (primary_address IS NULL)),
    CHECK (CASE role WHEN 'exchange' THEN mode = 'live' WHEN 'own' THEN mode = 'live' WHEN 'simulated' THEN mode = 'sandbox' ELSE true END)
) WITH (fillfactor = 50);
CREATE INDEX wallets_of_chain ON wallets (chain_id);
CREATE INDEX wallets_of_role ON wallets (role, id) WHERE role <> 'simulated';
CREATE INDEX wallets_of_merchant ON wallets (merchant_id) WHERE merchant_id IS NOT NULL;
CREATE UNIQUE INDEX wallets_of_exchange ON wallets (ticker, network) WHERE role = 'exchange';
COMMENT ON TABLE wallets IS 'all wallets; balances are those of the exchange''s alone, in whole coins';
COMMENT ON COLUMN wallets.id IS 'name of the wallet in the configuration; own_… of a shop''s own wallet';
COMMENT ON COLUMN wallets.chain_id IS 'the chain on which it receives';
COMMENT ON COLUMN wallets.configured IS 'the worker that started last has it in its configuration; a worker that does not know one of a chain''s configured wallets does not scan the chain';
COMMENT ON COLUMN wallets.role IS 'merchants: takes payments of charges; own: a shop''s own wallet, which we only watch; exchange: takes and pays trades, one for each coin; simulated: no wallet, a charge of the sandbox that is paid by the sandbox''s operations; the row named simulated stands for the sandbox of merchants where no wallet has it';
COMMENT ON COLUMN wallets.mode IS 'live: real money; sandbox: a test network';
COMMENT ON COLUMN wallets.network IS 'with the ticker it names a coin of the register';
COMMENT ON COLUMN wallets.decimals IS 'digits after the point of the coin';
COMMENT ON COLUMN wallets.primary_address IS 'from its view key the watcher knows what is the wallet''s; null: of the exchange';
COMMENT ON COLUMN wallets.unlocked IS 'what can be spent now, without coins that are promised';
COMMENT ON COLUMN wallets.total IS 'unlocked, and what is unconfirmed, locked or promised';
COMMENT ON COLUMN wallets.network_fee IS 'what an ordinary payment costs now in its coin, estimated on the high side';
COMMENT ON COLUMN wallets.balance_at IS 'when unlocked and total were asked for; they change with blocks, the pool and own payments only; null: never';
COMMENT ON COLUMN wallets.balance_current_at IS 'when unlocked and total were last known to be current; inventory that is older is not quoted; null: never';
COMMENT ON COLUMN wallets.safe_mode IS 'copy of witnesses.safe_since that quotes go by';
COMMENT ON COLUMN wallets.merchant_id IS 'the shop whose own wallet it is, for ever, so that no address gets a second owner; null: of no shop';
COMMENT ON COLUMN wallets.first_account IS 'the account in which charges of an own wallet begin; 0 for the others';
COMMENT ON COLUMN wallets.paid_account IS 'the highest account of an own wallet in which a block paid a charge, as far as its addresses were made since; 0: none';
COMMENT ON COLUMN wallets.view_key_index IS 'HMAC of the public view key of an own wallet: two shops never watch with one key; null for the others';
COMMENT ON COLUMN wallets.view_key_sealed IS 'the private view key of an own wallet, sealed with the public half of viewkeys, context wallets:view_key:<id>; null for the others, and once the account is deleted';
COMMENT ON COLUMN wallets.unscanned IS 'scans leave the own wallet out, because its view key cannot be opened: the chain is read again once it can';
INSERT INTO wallets (id, chain_id, role, mode, primary_address) VALUES ('simulated', 'simulated', 'simulated', 'sandbox', 'simulated');

CREATE TABLE chain_checkpoints (
    chain_id text NOT NULL,
    height   bigint NOT NULL CHECK (height > 0),
    hash     text NOT NULL,
    PRIMARY KEY (chain_id, height)
);
COMMENT ON TABLE chain_checkpoints IS 'hashes of deep blocks, to find where a reorganization began that went below settled_height, written by the watcher';
COMMENT ON COLUMN chain_checkpoints.height IS 'number of blocks of the chain';
COMMENT ON COLUMN chain_checkpoints.hash IS 'of block height - 1';

CREATE TABLE one_time_keys (
    wallet_id text NOT NULL REFERENCES wallets (id),
    key       bytea NOT NULL CHECK (length(key) = 32),
    tx_hash   text NOT NULL,
    PRIMARY KEY (wallet_id, key, tx_hash)
);
COMMENT ON TABLE one_time_keys IS 'outputs in blocks that were paid to Monero wallets: of several with one key only one can be spent. A row stays when its block leaves the chain, because the daemon is asked where the transaction is';

CREATE TABLE addresses (
    wallet_id        text NOT NULL REFERENCES wallets (id),
    subaddress_index integer NOT NULL CHECK (subaddress_index > 0),
    address          text NOT NULL UNIQUE,
    spend_key        bytea CHECK (length(spend_key) = 32),
    former_charge_id text,
    PRIMARY KEY (wallet_id, subaddress_index),
    UNIQUE (spend_key, wallet_id)
);
COMMENT ON TABLE addresses IS 'addresses made ahead; those of Monero are derived from the view key, and the wallet that spends makes them before it reads the chain';
COMMENT ON COLUMN addresses.subaddress_index IS 'minor index, in account 0; of an own wallet account * 2^20 + minor index; index of the key where the coin has no subaddresses';
COMMENT ON COLUMN addresses.spend_key IS 'public spend key of a Monero address, by which the scanner finds it. Two wallets can have the same one: an owner can choose keys so that an address has the spend key of an address of another wallet. null: another coin, or the scanner derives the wallet''s addresses itself';
COMMENT ON COLUMN addresses.former_charge_id IS 'the charge that had it, since that was removed; null: its charge exists, or it never had one';

CREATE TABLE witnesses (
    wallet_id      text PRIMARY KEY,
    begun_at       timestamptz,
    sends          bigint NOT NULL DEFAULT 0 CHECK (sends >= 0),
    addresses      bigint NOT NULL DEFAULT 0 CHECK (addresses >= 0),
    lease_from     bigint NOT NULL DEFAULT 0 CHECK (lease_from >= 0),
    lease_to       bigint NOT NULL DEFAULT 0,
    handed_out     bigint NOT NULL DEFAULT 0 CHECK (handed_out >= 0),
    lease_instance text,
    lease_copy     text,
    known_height   bigint NOT NULL DEFAULT 0 CHECK (known_height >= 0),
    safe_since     timestamptz,
    safe_reason    text,
    lost_addresses bigint NOT NULL DEFAULT 0 CHECK (lost_addresses >= 0),
    pruned_index   bigint NOT NULL DEFAULT 0,
    CHECK (lease_from <= lease_to),
    CHECK (handed_out <= lease_to),
    CHECK (lease_to <= addresses),
    CHECK ((safe_since IS NULL) = (safe_reason IS NULL))
);
COMMENT ON TABLE witnesses IS 'how far each wallet has come as this database knows it, to be compared with the marks that are kept outside of it';
COMMENT ON COLUMN witnesses.begun_at IS 'when the marks were first written outside of the database; null: never witnessed';
COMMENT ON COLUMN witnesses.sends IS 'highest outgoing_transactions.seq for which the marks are known to be raised';
COMMENT ON COLUMN witnesses.addresses IS 'highest index to which the mark of addresses may be raised: written before it is';
COMMENT ON COLUMN witnesses.lease_from IS 'addresses with this index and below are handed out no more';
COMMENT ON COLUMN witnesses.lease_to IS 'addresses above this index are not handed out yet: the mark is raised to here';
COMMENT ON COLUMN witnesses.handed_out IS 'addresses with this index and below were handed out: to trades, or to processes, which give them to charges; it only grows';
COMMENT ON COLUMN witnesses.lease_instance IS 'the instance of the database in which the marks were compared; in another one nothing is handed out or built; null: never compared';
COMMENT ON COLUMN witnesses.lease_copy IS 'the copy of the database in which a lease was last opened; in another one, which a dump was loaded into, nobody knows how old it is; null: never opened';
COMMENT ON COLUMN witnesses.known_height IS 'everything that the wallet sent in lower blocks is known here';
COMMENT ON COLUMN witnesses.safe_since IS 'the database is behind: nothing is built, sent for the first time or handed out; null: it is not in safe mode';
COMMENT ON COLUMN witnesses.safe_reason IS 'a sentence for the operator; null as safe_since is';
COMMENT ON COLUMN witnesses.lost_addresses IS 'an operator said that other copies of the database handed out addresses up to this index: the wallet has to see what is paid to them';
COMMENT ON COLUMN witnesses.pruned_index IS 'payments to addresses with this index and below may have been removed with their trades: a wallet that has not made such an address reads the chain again';

-- database_instance names the run of the server and the table: it changes with every
-- restart of PostgreSQL, every restore, every copy and every failover. A decision of
-- another instance is made again. It is an expression, planned once per connection,
-- because every address that is handed out asks for it. It looks the table up by name each
-- time, because a plan outlives a table that is made again.
-- +goose StatementBegin
CREATE FUNCTION database_instance() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN extract(epoch FROM pg_postmaster_start_time())::text
        || '/' || substring(pg_relation_filepath(to_regclass('witnesses')) FROM '([0-9]+)/[0-9]+$')
        || '/' || to_regclass('witnesses')::oid::text || '/' || pg_relation_filenode(to_regclass('witnesses'))::text;
END
$$;
-- +goose StatementEnd

-- database_copy names the cluster, the database and the table. It stays over restarts,
-- failovers and snapshots of the whole cluster, and every dump that is loaded has another.
CREATE FUNCTION database_copy() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT (SELECT c.system_identifier::text FROM pg_control_system() c)
        || '/' || substring(pg_relation_filepath(to_regclass('witnesses')) FROM '([0-9]+)/[0-9]+$')
        || '/' || to_regclass('witnesses')::oid::text
$$;

CREATE TABLE acknowledged_sends (
    wallet_id       text NOT NULL,
    tx_hash         text NOT NULL,
    kind            text NOT NULL CHECK (kind IN ('taken_over', 'accepted')),
    note            text NOT NULL DEFAULT '',
    acknowledged_at timestamptz NOT NULL,
    PRIMARY KEY (wallet_id, tx_hash)
);
COMMENT ON TABLE acknowledged_sends IS 'what a wallet sent and no row of its own tells: an operator took it over or accepts it';
COMMENT ON COLUMN acknowledged_sends.kind IS 'taken_over: rows were written for it; accepted: an operator says that it is in order';
COMMENT ON COLUMN acknowledged_sends.note IS 'what the journal says that it paid';

CREATE TABLE simulated_chains (
    wallet_id text PRIMARY KEY REFERENCES wallets (id) ON DELETE CASCADE,
    charge_id text NOT NULL UNIQUE,
    height    bigint NOT NULL CHECK (height > 0),
    forks     bigint[] NOT NULL DEFAULT '{}',
    changed   bigint NOT NULL DEFAULT 0,
    scanned   bigint NOT NULL DEFAULT 0
);
CREATE INDEX simulated_chains_changed ON simulated_chains (wallet_id) WHERE changed > scanned;
COMMENT ON TABLE simulated_chains IS 'the chain of a simulated charge: each has its own, so that none gets deeper by another''s blocks';
COMMENT ON COLUMN simulated_chains.height IS 'number of blocks';
COMMENT ON COLUMN simulated_chains.forks IS 'one for each reorganization: the height from which it replaced all blocks';
COMMENT ON COLUMN simulated_chains.changed IS 'how often it was changed, scanned: up to which change the watcher has seen and told it';

CREATE TABLE simulated_payments (
    tx_hash    text PRIMARY KEY,
    wallet_id  text NOT NULL REFERENCES simulated_chains (wallet_id) ON DELETE CASCADE,
    amount     piconero NOT NULL,
    height     bigint,
    dropped    boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    CHECK (NOT dropped OR height IS NULL)
);
CREATE INDEX simulated_payments_wallet ON simulated_payments (wallet_id);
COMMENT ON TABLE simulated_payments IS 'what was paid to simulated charges; no coin moved';
COMMENT ON COLUMN simulated_payments.height IS 'block that holds it; null in the pool, or when it was dropped';
