-- +goose Up

CREATE TABLE swap_keys (
    id            text PRIMARY KEY CHECK (id ~ '^sk_[0-9a-f]{24}$'),
    class         text NOT NULL CHECK (class IN ('affiliate', 'partner')),
    key_hash      bytea NOT NULL UNIQUE,
    prefix        text NOT NULL,
    secret_sealed bytea,
    markup_cap    integer CHECK (markup_cap BETWEEN 0 AND 5000),
    created_at    timestamptz NOT NULL,
    revoked_at    timestamptz,
    last_used_at  timestamptz NOT NULL DEFAULT now(),
    CHECK ((class = 'partner') = (secret_sealed IS NOT NULL))
);
CREATE INDEX swap_keys_unused ON swap_keys (last_used_at) WHERE class = 'affiliate';
COMMENT ON TABLE swap_keys IS 'who may call the swap exchange with a key';
COMMENT ON COLUMN swap_keys.class IS 'affiliate: anybody can get one; partner: made by an operator, with a secret and webhooks';
COMMENT ON COLUMN swap_keys.key_hash IS 'SHA-256 of the key, which carries 192 random bits';
COMMENT ON COLUMN swap_keys.prefix IS 'first characters of the key, to be shown';
COMMENT ON COLUMN swap_keys.secret_sealed IS 'signs status webhooks; AEAD, associated data swap_keys:secret:<id>; null for affiliates';
COMMENT ON COLUMN swap_keys.markup_cap IS 'basis points; null stands for the cap of the class';
COMMENT ON COLUMN swap_keys.revoked_at IS 'null: in use';
COMMENT ON COLUMN swap_keys.last_used_at IS 'to the day; at first when the key was made';

CREATE TABLE exchange_wallets (
    id                 text PRIMARY KEY,
    ticker             text NOT NULL,
    network            text NOT NULL,
    decimals           integer NOT NULL CHECK (decimals BETWEEN 0 AND 18),
    unlocked           numeric NOT NULL DEFAULT 0 CHECK (unlocked >= 0),
    total              numeric NOT NULL DEFAULT 0 CHECK (total >= 0),
    network_fee        numeric NOT NULL DEFAULT 0 CHECK (network_fee >= 0),
    chain_height       bigint NOT NULL DEFAULT 0,
    top_hash           text NOT NULL DEFAULT '',
    balance_current_at timestamptz,
    settled_height     bigint NOT NULL DEFAULT 0,
    settled_hash       text NOT NULL DEFAULT '',
    rescan             boolean NOT NULL DEFAULT false,
    scanned_at         timestamptz,
    balance_at         timestamptz,
    safe_mode          boolean NOT NULL DEFAULT false,
    UNIQUE (ticker, network)
) WITH (fillfactor = 50);
COMMENT ON TABLE exchange_wallets IS 'the exchange''s wallets, one for each coin, as their watchers last saw them; amounts are in whole coins';
COMMENT ON COLUMN exchange_wallets.id IS 'name of the wallet in the configuration';
COMMENT ON COLUMN exchange_wallets.network IS 'with the ticker it names a coin of the register';
COMMENT ON COLUMN exchange_wallets.decimals IS 'digits after the point of the coin';
COMMENT ON COLUMN exchange_wallets.unlocked IS 'what can be spent now, without coins that are promised';
COMMENT ON COLUMN exchange_wallets.total IS 'unlocked, and what is unconfirmed, locked or promised';
COMMENT ON COLUMN exchange_wallets.network_fee IS 'what an ordinary payment costs now in its coin, estimated on the high side';
COMMENT ON COLUMN exchange_wallets.chain_height IS 'number of blocks of the chain';
COMMENT ON COLUMN exchange_wallets.top_hash IS 'hash of block chain_height - 1 when it was scanned; empty before the first scan';
COMMENT ON COLUMN exchange_wallets.balance_current_at IS 'when unlocked and total were last known to be current; inventory that is older is not quoted; null: never';
COMMENT ON COLUMN exchange_wallets.settled_height IS 'payments in blocks below it are final; scans begin there at the lowest';
COMMENT ON COLUMN exchange_wallets.settled_hash IS 'hash of block settled_height - 1; empty when it is not known';
COMMENT ON COLUMN exchange_wallets.rescan IS 'the wallet file was older than the addresses that were made: it has to read the chain anew';
COMMENT ON COLUMN exchange_wallets.scanned_at IS 'when what it received was last looked for; null: never';
COMMENT ON COLUMN exchange_wallets.balance_at IS 'when unlocked and total were asked for; they change with blocks, the pool and own payments only; null: never';
COMMENT ON COLUMN exchange_wallets.safe_mode IS 'copy of witnesses.safe_since that quotes go by';

CREATE TABLE exchange_addresses (
    wallet_id text NOT NULL REFERENCES exchange_wallets (id),
    address   text NOT NULL,
    ref       text NOT NULL,
    trade_id  text UNIQUE,
    id        bigint GENERATED ALWAYS AS IDENTITY,
    number    bigint NOT NULL,
    PRIMARY KEY (wallet_id, address)
);
CREATE INDEX exchange_addresses_free ON exchange_addresses (wallet_id, number) WHERE trade_id IS NULL;
COMMENT ON TABLE exchange_addresses IS 'deposit addresses, made ahead; a row exists once the wallet has the address for good';
COMMENT ON COLUMN exchange_addresses.ref IS 'how the wallet names it';
COMMENT ON COLUMN exchange_addresses.trade_id IS 'the trade it was given to, for ever; null: free';
COMMENT ON COLUMN exchange_addresses.id IS 'for the order of making alone';
COMMENT ON COLUMN exchange_addresses.number IS 'the last part of ref: subaddress index, or index of the key';
