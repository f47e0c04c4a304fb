-- +goose Up

CREATE TABLE merchants (
    id                       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    merchant_id              text NOT NULL UNIQUE CHECK (merchant_id ~ '^[0-9a-f]{32}$'),
    email_sealed             bytea,
    email_index              bytea UNIQUE,
    business_name            text NOT NULL,
    contact                  text NOT NULL DEFAULT '',
    password_hash            text NOT NULL,
    token_version            integer NOT NULL DEFAULT 1,
    live_wallet_id           text NOT NULL REFERENCES wallets (id),
    sandbox_wallet_id        text NOT NULL REFERENCES wallets (id),
    payout_address_sealed    bytea,
    payout_address_masked    text,
    fee_rate                 numeric CHECK (fee_rate >= 0 AND fee_rate < 1),
    confirmations_required   integer CHECK (confirmations_required BETWEEN 1 AND 1000),
    tolerance_percent        numeric CHECK (tolerance_percent BETWEEN 0 AND 100),
    suspended_at             timestamptz,
    created_at               timestamptz NOT NULL DEFAULT now(),
    reporting_enabled        boolean NOT NULL DEFAULT false,
    reporting_currency       text NOT NULL DEFAULT 'USD' CHECK (reporting_currency IN ('USD', 'EUR')),
    email_verified_at        timestamptz,
    totp_secret_sealed       bytea,
    totp_enabled_at          timestamptz,
    totp_used_steps          bigint[] NOT NULL DEFAULT '{}',
    deleted_at               timestamptz,
    admin                    boolean NOT NULL DEFAULT false,
    auto_swap_enabled        boolean NOT NULL DEFAULT false,
    auto_swap_ticker         text,
    auto_swap_network        text,
    auto_swap_address_sealed bytea,
    auto_swap_address_masked text,
    pending_charges_max      integer CHECK (pending_charges_max BETWEEN 1 AND 10000000),
    verify_by                timestamptz,
    payout_hold_until        timestamptz,
    refund_auto_up_to        piconero NOT NULL DEFAULT 0,
    refund_key_approves      boolean NOT NULL DEFAULT false,
    time_zone                text NOT NULL DEFAULT 'UTC',
    default_currency         text NOT NULL DEFAULT 'EUR' CHECK (default_currency IN ('USD', 'EUR', 'XMR')),
    own_wallet_id            text REFERENCES wallets (id),
    next_wallet_id           text REFERENCES wallets (id),
    wallet_change_at         timestamptz,
    CHECK (next_wallet_id IS NULL OR wallet_change_at IS NOT NULL),
    CHECK ((payout_address_sealed IS NULL) = (payout_address_masked IS NULL)),
    CHECK (totp_enabled_at IS NULL OR totp_secret_sealed IS NOT NULL),
    CHECK ((deleted_at IS NULL) = (email_sealed IS NOT NULL) AND (deleted_at IS NULL) = (email_index IS NOT NULL)),
    CHECK (num_nulls(auto_swap_ticker, auto_swap_network, auto_swap_address_sealed, auto_swap_address_masked) IN (0, 4)),
    CHECK (NOT auto_swap_enabled OR (auto_swap_ticker IS NOT NULL AND payout_address_sealed IS NOT NULL))
);
CREATE INDEX merchants_unverified ON merchants (verify_by)
    WHERE verify_by IS NOT NULL AND email_verified_at IS NULL AND deleted_at IS NULL;
COMMENT ON TABLE merchants IS 'accounts';
COMMENT ON COLUMN merchants.id IS 'for the order of creation alone; everything refers to merchant_id';
COMMENT ON COLUMN merchants.email_sealed IS 'AEAD, associated data merchants:email:<merchant_id>; null once the account is deleted';
COMMENT ON COLUMN merchants.email_index IS 'HMAC of the normalised address, for lookup only; null once the account is deleted';
COMMENT ON COLUMN merchants.contact IS 'how buyers reach the merchant, as the merchant wrote it; empty: not given';
COMMENT ON COLUMN merchants.password_hash IS 'Argon2id';
COMMENT ON COLUMN merchants.token_version IS 'tokens of another version are refused';
COMMENT ON COLUMN merchants.live_wallet_id IS 'the hosted wallet of its charges in live mode';
COMMENT ON COLUMN merchants.own_wallet_id IS 'its own wallet, which new charges in live mode pay; null: they pay the hosted one';
COMMENT ON COLUMN merchants.next_wallet_id IS 'takes the place of own_wallet_id at wallet_change_at; null: the hosted one does';
COMMENT ON COLUMN merchants.wallet_change_at IS 'from when next_wallet_id counts instead of own_wallet_id; null: no change was begun since own_wallet_id was set';
COMMENT ON COLUMN merchants.sandbox_wallet_id IS 'the wallet of its charges in sandbox mode';
COMMENT ON COLUMN merchants.payout_address_sealed IS 'where sweeps go; AEAD, associated data merchants:payout_address:<merchant_id>; null: not given yet, nothing is swept';
COMMENT ON COLUMN merchants.payout_address_masked IS 'its ends, to be shown';
COMMENT ON COLUMN merchants.fee_rate IS 'own share of a payout kept by the operator: 0.005 is half a percent; null: the volume tiers and the default';
COMMENT ON COLUMN merchants.confirmations_required IS 'own number for every amount; null: the configured steps';
COMMENT ON COLUMN merchants.tolerance_percent IS 'own tolerance, in percent of the amount; null: the configured one';
COMMENT ON COLUMN merchants.suspended_at IS 'since when an operator shuts the merchant out; open charges go on to their end; null: not suspended';
COMMENT ON COLUMN merchants.reporting_enabled IS 'whether confirmed charges are valued in reporting_currency';
COMMENT ON COLUMN merchants.time_zone IS 'IANA name of the zone in which the desk shows times';
COMMENT ON COLUMN merchants.default_currency IS 'what the forms of the desk begin with, and the currency of its sums';
COMMENT ON COLUMN merchants.email_verified_at IS 'when the owner of the address confirmed it; null for an address that nobody confirmed';
COMMENT ON COLUMN merchants.totp_secret_sealed IS 'AEAD, associated data merchants:totp_secret:<merchant_id>';
COMMENT ON COLUMN merchants.totp_enabled_at IS 'null while the enrolment waits for its first code';
COMMENT ON COLUMN merchants.totp_used_steps IS 'time steps of 30 seconds whose code was used; those that no code is accepted for any more are dropped';
COMMENT ON COLUMN merchants.deleted_at IS 'the account is gone; what the books refer to stays';
COMMENT ON COLUMN merchants.admin IS 'may use the operators'' routes; set by the command line only';
COMMENT ON COLUMN merchants.auto_swap_enabled IS 'whether sweeps pay a swap instead of the payout address, which then gets refunds';
COMMENT ON COLUMN merchants.auto_swap_ticker IS 'the coin that sweeps are swapped to; null with the three columns that follow: none is set';
COMMENT ON COLUMN merchants.auto_swap_network IS 'with the ticker it names a coin of the register: usdt on ERC20 and on TRC20 are two';
COMMENT ON COLUMN merchants.auto_swap_address_sealed IS 'AEAD, associated data merchants:auto_swap_address:<merchant_id>';
COMMENT ON COLUMN merchants.auto_swap_address_masked IS 'its ends, to be shown';
COMMENT ON COLUMN merchants.pending_charges_max IS 'charges that may be pending at the same time; null stands for the configuration';
COMMENT ON COLUMN merchants.verify_by IS 'the account goes if its address is not confirmed until then and nothing belongs to it; null where it needs no confirmation';
COMMENT ON COLUMN merchants.refund_key_approves IS 'whether the account''s own key approves claims of refunds, as its owner does with a session';
COMMENT ON COLUMN merchants.refund_auto_up_to IS 'piconero up to which a refund needs no approval; 0: each needs one';
COMMENT ON COLUMN merchants.payout_hold_until IS 'no sweep begins before, since where it goes was changed; null: it never was';

-- own_wallet_at returns a shop's own wallet at a moment, from the three columns of merchants; null: the hosted one counts.
CREATE FUNCTION own_wallet_at(own text, next text, change_at timestamptz, moment timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN change_at <= moment THEN next ELSE own END
$$;

ALTER TABLE wallets ADD FOREIGN KEY (merchant_id) REFERENCES merchants (merchant_id);

CREATE TABLE wallet_changes (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    merchant_id    text NOT NULL REFERENCES merchants (merchant_id),
    wallet_id      text REFERENCES wallets (id),
    created_at     timestamptz NOT NULL,
    effective_from timestamptz NOT NULL
);
CREATE INDEX wallet_changes_of_merchant ON wallet_changes (merchant_id, id DESC);
COMMENT ON TABLE wallet_changes IS 'which wallet a shop chose for its new charges, and when; never removed';
COMMENT ON COLUMN wallet_changes.wallet_id IS 'its own wallet; null: the hosted one';
COMMENT ON COLUMN wallet_changes.effective_from IS 'from when new charges pay it, unless another change came first';

CREATE TABLE fee_tiers (
    volume_from piconero PRIMARY KEY CHECK (volume_from > 0),
    fee_rate    numeric NOT NULL CHECK (fee_rate >= 0 AND fee_rate < 1)
);
COMMENT ON TABLE fee_tiers IS 'fee rates by volume: the highest tier that a merchant''s volume reaches is in force';
COMMENT ON COLUMN fee_tiers.volume_from IS 'piconero confirmed in the last 30 days, live wallet, from which the rate is in force';
COMMENT ON COLUMN fee_tiers.fee_rate IS 'share of a payout kept by the operator: 0.005 is half a percent';

CREATE TABLE api_keys (
    merchant_id text NOT NULL REFERENCES merchants (merchant_id),
    mode        text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    key_hash    bytea NOT NULL UNIQUE,
    prefix      text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (merchant_id, mode)
);
COMMENT ON TABLE api_keys IS 'keys of the merchants'' API, one for each merchant and mode';
COMMENT ON COLUMN api_keys.key_hash IS 'SHA-256 of the key, which carries 192 random bits';
COMMENT ON COLUMN api_keys.prefix IS 'first characters of the key, to be shown';

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
COMMENT ON COLUMN scoped_keys.permissions IS 'see internal/permission, in the order asked for';
COMMENT ON COLUMN scoped_keys.key_hash IS 'SHA-256 of the key, which carries 192 random bits';
COMMENT ON COLUMN scoped_keys.prefix IS 'first characters of the key, to be shown';
COMMENT ON COLUMN scoped_keys.application_identifier IS 'what the application calls itself when it connects; empty for a key made by hand';
COMMENT ON COLUMN scoped_keys.redirect_host IS 'host and port that the key was sent to; empty for a key that was shown';
COMMENT ON COLUMN scoped_keys.last_used_at IS 'to about a minute; null: never';
COMMENT ON COLUMN scoped_keys.revoked_at IS 'null: the key is good';

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

CREATE TABLE staff (
    merchant_id    text NOT NULL REFERENCES merchants (merchant_id),
    person_id      text NOT NULL REFERENCES merchants (merchant_id),
    role           text NOT NULL CHECK (role IN ('owner', 'accountant', 'cashier', 'support')),
    refunds_a_day  piconero NOT NULL DEFAULT 0,
    created_at     timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, person_id),
    CHECK (merchant_id <> person_id)
);
CREATE INDEX staff_of_person ON staff (person_id, merchant_id);
COMMENT ON TABLE staff IS 'who else may use a merchant''s desk: people have accounts of their own';
COMMENT ON COLUMN staff.merchant_id IS 'the shop';
COMMENT ON COLUMN staff.person_id IS 'the account of the person';
COMMENT ON COLUMN staff.role IS 'what the person may do, see internal/permission';
COMMENT ON COLUMN staff.refunds_a_day IS 'piconero: refunds that the person makes on one day (UTC) need no approval up to this sum';

CREATE TABLE staff_invites (
    id             text PRIMARY KEY CHECK (id ~ '^si_[0-9a-f]{24}$'),
    merchant_id    text NOT NULL REFERENCES merchants (merchant_id),
    role           text NOT NULL CHECK (role IN ('owner', 'accountant', 'cashier', 'support')),
    refunds_a_day  piconero NOT NULL DEFAULT 0,
    note           text NOT NULL DEFAULT '',
    token_hash     bytea NOT NULL UNIQUE,
    created_at     timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL
);
CREATE INDEX staff_invites_of_merchant ON staff_invites (merchant_id, created_at);
CREATE INDEX staff_invites_old ON staff_invites (expires_at);
COMMENT ON TABLE staff_invites IS 'links with which people join a shop; the row goes when one did';
COMMENT ON COLUMN staff_invites.note IS 'whom the merchant means; empty: nothing was written';
COMMENT ON COLUMN staff_invites.token_hash IS 'SHA-256 of the token in the link, which carries 256 random bits';

CREATE TABLE actions (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    merchant_id text NOT NULL,
    person_id   text NOT NULL,
    role        text NOT NULL,
    operation   text NOT NULL,
    path        text NOT NULL,
    status      integer NOT NULL DEFAULT 0,
    at          timestamptz NOT NULL
);
CREATE INDEX actions_list ON actions (merchant_id, id DESC);
CREATE INDEX actions_old ON actions (at);
COMMENT ON TABLE actions IS 'what people changed of a shop with a session, refused attempts too: written before it is done, and without a reference, so that writing waits for nobody';
COMMENT ON COLUMN actions.person_id IS 'the account of the person; the merchant''s own for the merchant';
COMMENT ON COLUMN actions.role IS 'of the person at that time; empty for the merchant';
COMMENT ON COLUMN actions.operation IS 'operationId of the document';
COMMENT ON COLUMN actions.path IS 'path of the request, which names what was changed';
COMMENT ON COLUMN actions.status IS 'HTTP status of the answer; 0: the process ended before it, or it is not there yet';
