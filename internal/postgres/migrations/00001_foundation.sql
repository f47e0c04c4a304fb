-- +goose Up

-- An amount of Monero in atomic units (1e-12 XMR). The API allows 10,000,000
-- XMR, which is more than a bigint of piconero holds.
CREATE DOMAIN piconero AS numeric(20, 0) CHECK (VALUE >= 0 AND VALUE <= 18446744073709551615);

CREATE TABLE wallets (
    id              text PRIMARY KEY,
    mode            text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    primary_address text NOT NULL UNIQUE,
    created_at      timestamptz NOT NULL DEFAULT now(),
    -- What the watcher last saw. Confirmations are computed from chain_height
    -- when they are read, never written per block.
    chain_height    bigint NOT NULL DEFAULT 0,
    top_hash        text NOT NULL DEFAULT '',
    looked_at       timestamptz
) WITH (fillfactor = 50);
COMMENT ON COLUMN wallets.chain_height IS 'number of blocks of the chain; a transaction in the top block has height chain_height - 1 and 1 confirmation';
COMMENT ON COLUMN wallets.top_hash IS 'hash of block chain_height - 1 when it was looked at; a difference later means a reorg';

CREATE TABLE merchants (
    id                     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    merchant_id            text NOT NULL UNIQUE CHECK (merchant_id ~ '^[0-9a-f]{32}$'),
    email_sealed           bytea NOT NULL,
    email_index            bytea NOT NULL UNIQUE,
    business_name          text NOT NULL,
    contact                text NOT NULL DEFAULT '',
    password_hash          text NOT NULL,
    token_version          integer NOT NULL DEFAULT 1,
    live_wallet_id         text NOT NULL REFERENCES wallets (id),
    sandbox_wallet_id      text NOT NULL REFERENCES wallets (id),
    payout_address_sealed  bytea,
    payout_address_masked  text,
    fee_rate               numeric NOT NULL DEFAULT 0 CHECK (fee_rate >= 0 AND fee_rate < 1),
    confirmations_required integer CHECK (confirmations_required BETWEEN 1 AND 1000),
    tolerance_percent      numeric CHECK (tolerance_percent BETWEEN 0 AND 100),
    suspended_at           timestamptz,
    created_at             timestamptz NOT NULL DEFAULT now(),
    CHECK ((payout_address_sealed IS NULL) = (payout_address_masked IS NULL))
);
COMMENT ON COLUMN merchants.email_sealed IS 'AEAD, associated data merchants:email:<merchant_id>';
COMMENT ON COLUMN merchants.email_index IS 'HMAC of the normalised address, for lookup only';
COMMENT ON COLUMN merchants.fee_rate IS 'share of a payout kept by the operator: 0.005 is half a percent';
COMMENT ON COLUMN merchants.token_version IS 'tokens of another version are refused';

-- Failed logins by blind index of the address tried, known or not, so that an
-- unknown address locks like a known one.
CREATE TABLE login_failures (
    email_index  bytea PRIMARY KEY,
    failures     integer NOT NULL DEFAULT 0,
    locked_until timestamptz,
    last_at      timestamptz NOT NULL
);

-- Failed logins by client address, for the block of an address that tries many.
CREATE TABLE login_ip_failures (
    ip            text PRIMARY KEY,
    failures      integer NOT NULL DEFAULT 0,
    window_start  timestamptz NOT NULL,
    blocked_until timestamptz
);

CREATE TABLE api_keys (
    merchant_id text NOT NULL REFERENCES merchants (merchant_id),
    mode        text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    key_hash    bytea NOT NULL UNIQUE,
    prefix      text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (merchant_id, mode)
);
COMMENT ON COLUMN api_keys.key_hash IS 'SHA-256 of the key, which carries 192 random bits';

-- The address pool. A row exists once both wallet processes have the address,
-- have stored it, and our own derivation agrees with them.
CREATE TABLE addresses (
    wallet_id        text NOT NULL REFERENCES wallets (id),
    subaddress_index integer NOT NULL CHECK (subaddress_index > 0),
    address          text NOT NULL UNIQUE,
    charge_id        text UNIQUE,
    PRIMARY KEY (wallet_id, subaddress_index)
);
CREATE INDEX addresses_free ON addresses (wallet_id, subaddress_index) WHERE charge_id IS NULL;

CREATE TABLE charges (
    id                     text PRIMARY KEY CHECK (id ~ '^ch_[0-9a-f]{24}$'),
    merchant_id            text NOT NULL REFERENCES merchants (merchant_id),
    mode                   text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    source                 text NOT NULL CHECK (source IN ('api', 'button', 'payment_request')),
    payment_request_id     text,
    wallet_id              text NOT NULL REFERENCES wallets (id),
    subaddress_index       integer NOT NULL,
    subaddress             text NOT NULL,
    amount                 numeric NOT NULL CHECK (amount >= 0.01 AND amount <= 10000000),
    currency               text NOT NULL CHECK (currency IN ('USD', 'EUR', 'XMR')),
    amount_piconero        piconero NOT NULL CHECK (amount_piconero > 0),
    confirm_from_piconero  piconero NOT NULL CHECK (confirm_from_piconero > 0),
    xmr_rate               numeric CHECK (xmr_rate > 0),
    rate_at                timestamptz,
    status                 text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'confirmed', 'expired')),
    confirmations_required integer NOT NULL CHECK (confirmations_required BETWEEN 1 AND 1000),
    metadata               text NOT NULL DEFAULT '{}',
    order_id               text,
    description            text,
    return_url             text,
    fields                 text[] NOT NULL DEFAULT '{}',
    link_active            boolean NOT NULL DEFAULT true,
    link_expires_at        timestamptz,
    created_at             timestamptz NOT NULL,
    expires_at             timestamptz NOT NULL,
    extended               boolean NOT NULL DEFAULT false,
    seen_at                timestamptz,
    confirmed_at           timestamptz,
    late                   boolean NOT NULL DEFAULT false,
    unbacked               boolean NOT NULL DEFAULT false,
    payout_id              text,
    UNIQUE (wallet_id, subaddress_index),
    CHECK ((status = 'confirmed') = (confirmed_at IS NOT NULL)),
    CHECK ((currency = 'XMR') = (xmr_rate IS NULL)),
    CHECK (confirm_from_piconero <= amount_piconero),
    CHECK (NOT late OR status = 'confirmed')
);
CREATE INDEX charges_list ON charges (merchant_id, mode, created_at DESC, id DESC);
CREATE INDEX charges_order ON charges (merchant_id, mode, order_id, created_at DESC, id DESC) WHERE order_id IS NOT NULL;
CREATE INDEX charges_status ON charges (status);
CREATE INDEX charges_old ON charges (created_at);
CREATE INDEX charges_pending_button ON charges (merchant_id) WHERE status = 'pending' AND source <> 'api';
COMMENT ON COLUMN charges.amount IS 'in the natural unit of currency';
COMMENT ON COLUMN charges.confirm_from_piconero IS 'amount_piconero less the tolerance: what confirms the charge';
COMMENT ON COLUMN charges.metadata IS 'JSON as the merchant sent it, digit for digit';
COMMENT ON COLUMN charges.expires_at IS 'payment timeout; moved once when the full amount is seen in time';
COMMENT ON COLUMN charges.seen_at IS 'when charge.pending was emitted';
COMMENT ON COLUMN charges.unbacked IS 'confirmed, but its money left the chain again: not swept';

-- One row per (transaction, subaddress), as the view-only wallet reports it.
CREATE TABLE transfers (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    wallet_id        text NOT NULL REFERENCES wallets (id),
    tx_hash          text NOT NULL,
    subaddress_index integer NOT NULL,
    charge_id        text,
    merchant_id      text,
    amount           piconero NOT NULL,
    outputs          integer NOT NULL CHECK (outputs > 0),
    height           bigint,
    unlock_height    bigint NOT NULL DEFAULT 0,
    unlock_at        timestamptz,
    mature_height    bigint,
    mature           boolean NOT NULL DEFAULT false,
    first_seen_at    timestamptz NOT NULL,
    vanished_at      timestamptz,
    payout_id        text,
    UNIQUE (wallet_id, tx_hash, subaddress_index),
    CHECK ((height IS NULL) = (mature_height IS NULL)),
    CHECK (NOT mature OR height IS NOT NULL),
    CHECK (vanished_at IS NULL OR height IS NULL)
);
CREATE INDEX transfers_charge ON transfers (charge_id) WHERE charge_id IS NOT NULL;
CREATE INDEX transfers_window ON transfers (wallet_id, height);
CREATE INDEX transfers_unmined ON transfers (wallet_id) WHERE height IS NULL AND vanished_at IS NULL;
CREATE INDEX transfers_maturing ON transfers (wallet_id, mature_height) WHERE NOT mature AND height IS NOT NULL;
CREATE INDEX transfers_unpaid ON transfers (merchant_id, wallet_id) WHERE payout_id IS NULL AND vanished_at IS NULL;
CREATE INDEX transfers_payout ON transfers (payout_id) WHERE payout_id IS NOT NULL;
CREATE INDEX transfers_unmatched ON transfers (wallet_id, id) WHERE charge_id IS NULL;
COMMENT ON COLUMN transfers.height IS 'block that holds it; null while it is in the pool or gone';
COMMENT ON COLUMN transfers.mature_height IS 'chain height at which it has the confirmations that its charge wants';
COMMENT ON COLUMN transfers.mature IS 'the charge was told that mature_height is reached';
COMMENT ON COLUMN transfers.unlock_height IS 'block height before which its payer locked it; 0 for an ordinary payment';
COMMENT ON COLUMN transfers.vanished_at IS 'neither in the pool nor on the chain any more';

-- Charges to be told that their facts changed: written with the facts, removed
-- once the signal is accepted by the engine.
CREATE TABLE charge_signals (
    charge_id text PRIMARY KEY,
    wallet_id text NOT NULL,
    version   bigint NOT NULL
);
CREATE INDEX charge_signals_wallet ON charge_signals (wallet_id);
CREATE SEQUENCE charge_signal_version;

CREATE TABLE events (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    merchant_id text NOT NULL,
    mode        text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    type        text NOT NULL,
    resource_id text NOT NULL,
    payload     text NOT NULL,
    created_at  timestamptz NOT NULL,
    UNIQUE (resource_id, type)
);
COMMENT ON COLUMN events.payload IS 'the exact body bytes that every delivery of the event sends';

CREATE TABLE webhooks (
    id            text PRIMARY KEY CHECK (id ~ '^wh_'),
    merchant_id   text NOT NULL REFERENCES merchants (merchant_id),
    url           text NOT NULL,
    events        text[] NOT NULL,
    secret_sealed bytea NOT NULL,
    use_tor       boolean NOT NULL DEFAULT false,
    created_at    timestamptz NOT NULL,
    deleted_at    timestamptz
);
CREATE INDEX webhooks_active ON webhooks (merchant_id) WHERE deleted_at IS NULL;
COMMENT ON COLUMN webhooks.secret_sealed IS 'AEAD, associated data webhooks:secret:<id>';

CREATE TABLE deliveries (
    id              text PRIMARY KEY CHECK (id ~ '^whd_'),
    webhook_id      text NOT NULL REFERENCES webhooks (id),
    merchant_id     text NOT NULL,
    mode            text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    event_id        bigint NOT NULL REFERENCES events (id),
    status          text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed', 'dropped')),
    http_status     integer,
    attempts        integer NOT NULL DEFAULT 0,
    error           text,
    created_at      timestamptz NOT NULL,
    last_attempt_at timestamptz,
    next_attempt_at timestamptz,
    delivered_at    timestamptz,
    UNIQUE (webhook_id, event_id),
    CHECK ((status = 'delivered') = (delivered_at IS NOT NULL))
);
CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, mode, created_at DESC, id DESC);
CREATE INDEX deliveries_by_merchant ON deliveries (merchant_id, mode, created_at DESC, id DESC);
CREATE INDEX deliveries_by_event ON deliveries (event_id);
CREATE INDEX deliveries_old ON deliveries (created_at);

CREATE TABLE payouts (
    id               text PRIMARY KEY CHECK (id ~ '^po_[0-9a-f]{24}$'),
    merchant_id      text NOT NULL REFERENCES merchants (merchant_id),
    wallet_id        text NOT NULL REFERENCES wallets (id),
    status           text NOT NULL DEFAULT 'building' CHECK (status IN ('building', 'broadcast', 'confirmed', 'failed')),
    address_sealed   bytea NOT NULL,
    address_masked   text NOT NULL,
    gross            piconero NOT NULL,
    fee_rate         numeric NOT NULL,
    fee              piconero NOT NULL DEFAULT 0,
    network_fee      piconero NOT NULL DEFAULT 0,
    amount           piconero NOT NULL DEFAULT 0,
    charges_paid     integer NOT NULL,
    outputs          integer NOT NULL CHECK (outputs BETWEEN 1 AND 146),
    tx_hash          text UNIQUE,
    tx_blob          bytea,
    tx_key_sealed    bytea,
    key_images       text[],
    height           bigint,
    error            text,
    created_at       timestamptz NOT NULL,
    built_at         timestamptz,
    sent_at          timestamptz,
    confirmed_at     timestamptz,
    CHECK (status NOT IN ('broadcast', 'confirmed') OR (sent_at IS NOT NULL AND tx_hash IS NOT NULL)),
    CHECK ((built_at IS NULL) = (tx_blob IS NULL) AND (built_at IS NULL) = (key_images IS NULL)),
    CHECK (built_at IS NULL OR gross = amount + fee + network_fee)
);
CREATE UNIQUE INDEX payouts_one_at_a_time ON payouts (merchant_id) WHERE status = 'building';
CREATE INDEX payouts_open ON payouts (wallet_id) WHERE status = 'broadcast';
CREATE INDEX payouts_list ON payouts (merchant_id, created_at DESC, id DESC);
COMMENT ON COLUMN payouts.address_sealed IS 'AEAD, associated data payouts:address:<id>';
COMMENT ON COLUMN payouts.tx_blob IS 'the one transaction, stored before it is relayed; it is relayed again, never built again';

-- What an operator must look at: open until resolved_at is set.
CREATE TABLE alerts (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text NOT NULL,
    subject     text NOT NULL,
    detail      text NOT NULL,
    opened_at   timestamptz NOT NULL DEFAULT now(),
    resolved_at timestamptz
);
CREATE UNIQUE INDEX alerts_open ON alerts (kind, subject) WHERE resolved_at IS NULL;

-- +goose Down
DROP TABLE alerts, payouts, deliveries, webhooks, events, charge_signals, transfers, charges, addresses,
    api_keys, login_ip_failures, login_failures, merchants, wallets;
DROP SEQUENCE charge_signal_version;
DROP DOMAIN piconero;
