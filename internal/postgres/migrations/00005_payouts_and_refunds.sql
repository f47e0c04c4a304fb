-- +goose Up

CREATE TABLE payouts (
    id                  text PRIMARY KEY CHECK (id ~ '^po_[0-9a-f]{24}$'),
    merchant_id         text NOT NULL REFERENCES merchants (merchant_id),
    wallet_id           text NOT NULL REFERENCES wallets (id),
    status              text NOT NULL DEFAULT 'building' CHECK (status IN ('building', 'broadcast', 'confirmed', 'failed')),
    address_sealed      bytea NOT NULL,
    address_masked      text NOT NULL,
    gross               piconero NOT NULL,
    fee_rate            numeric NOT NULL,
    fee                 piconero NOT NULL DEFAULT 0,
    network_fee         piconero NOT NULL DEFAULT 0,
    amount              piconero NOT NULL DEFAULT 0,
    charges_paid        integer NOT NULL,
    outputs             integer NOT NULL CHECK (outputs BETWEEN 1 AND 146),
    tx_hash             text UNIQUE,
    height              bigint,
    error               text,
    created_at          timestamptz NOT NULL,
    built_at            timestamptz,
    sent_at             timestamptz,
    confirmed_at        timestamptz,
    swap_ticker         text,
    swap_network        text,
    swap_address_sealed bytea,
    swap_id             text UNIQUE,
    claim_id            text,
    refund_amount       piconero NOT NULL DEFAULT 0,
    CHECK (status NOT IN ('broadcast', 'confirmed') OR (sent_at IS NOT NULL AND tx_hash IS NOT NULL)),
    CHECK (built_at IS NULL OR gross = amount + refund_amount + fee + network_fee),
    CHECK ((claim_id IS NULL) = (refund_amount = 0)),
    CHECK (claim_id IS NULL OR swap_ticker IS NULL),
    CHECK (num_nulls(swap_ticker, swap_network) IN (0, 2)),
    CHECK (swap_id IS NULL OR swap_ticker IS NOT NULL),
    CHECK (swap_ticker IS NULL OR status = 'failed' OR num_nonnulls(swap_id, swap_address_sealed) = 1),
    CONSTRAINT payouts_swap_before_build CHECK (swap_ticker IS NULL OR built_at IS NULL OR swap_id IS NOT NULL)
);
CREATE UNIQUE INDEX payouts_one_at_a_time ON payouts (merchant_id) WHERE status = 'building';
CREATE UNIQUE INDEX payouts_one_of_claim ON payouts (claim_id) WHERE claim_id IS NOT NULL AND status <> 'failed';
CREATE INDEX payouts_of_claim ON payouts (claim_id) WHERE claim_id IS NOT NULL;
CREATE INDEX payouts_open ON payouts (wallet_id) WHERE status = 'broadcast';
CREATE INDEX payouts_list ON payouts (merchant_id, created_at DESC, id DESC);
CREATE INDEX payouts_of_status ON payouts (status, created_at DESC, id DESC);
CREATE INDEX payouts_sent ON payouts (merchant_id, sent_at) WHERE sent_at IS NOT NULL;
CREATE INDEX payouts_unsettled ON payouts (created_at) WHERE status IN ('building', 'broadcast');
COMMENT ON TABLE payouts IS 'sweeps of a merchant''s payments to the merchant';
COMMENT ON COLUMN payouts.status IS 'building: reserved, maybe built, not relayed; broadcast: relayed; confirmed: deep enough; failed: nothing was paid and the payments are free';
COMMENT ON COLUMN payouts.address_sealed IS 'where the transaction goes, the deposit address once there is a swap: AEAD, associated data payouts:address:<id>';
COMMENT ON COLUMN payouts.address_masked IS 'its ends, to be shown';
COMMENT ON COLUMN payouts.gross IS 'piconero of the payments that it takes';
COMMENT ON COLUMN payouts.fee_rate IS 'share of gross, less what is refunded, that the operator keeps, as it was when it was reserved';
COMMENT ON COLUMN payouts.fee IS 'piconero that the operator keeps';
COMMENT ON COLUMN payouts.network_fee IS 'piconero paid to miners';
COMMENT ON COLUMN payouts.amount IS 'piconero that arrive at the merchant';
COMMENT ON COLUMN payouts.charges_paid IS 'number of charges';
COMMENT ON COLUMN payouts.outputs IS 'number of outputs that it spends';
COMMENT ON COLUMN payouts.tx_hash IS 'null: not built';
COMMENT ON COLUMN payouts.height IS 'block that holds it; null: in none yet';
COMMENT ON COLUMN payouts.error IS 'why it failed; null: it did not';
COMMENT ON COLUMN payouts.built_at IS 'null: not built';
COMMENT ON COLUMN payouts.sent_at IS 'when it was first relayed; null: not yet';
COMMENT ON COLUMN payouts.confirmed_at IS 'null unless status is confirmed';
COMMENT ON COLUMN payouts.swap_ticker IS 'with swap_network the coin that is paid in place of Monero; null for a payout in Monero';
COMMENT ON COLUMN payouts.swap_network IS 'null as swap_ticker is';
COMMENT ON COLUMN payouts.swap_address_sealed IS 'where that coin goes, until the swap knows: AEAD, associated data payouts:swap_address:<id>; null without a swap, and from then on';
COMMENT ON COLUMN payouts.swap_id IS 'the swap whose deposit address the transaction pays; it may be pruned before the payout; null: none, or not ordered yet';
COMMENT ON COLUMN payouts.claim_id IS 'the claim of a refund that the transaction pays beside the merchant; null: none';
COMMENT ON COLUMN payouts.refund_amount IS 'piconero that arrive at the address of that claim; 0 without one';
COMMENT ON CONSTRAINT payouts_swap_before_build ON payouts IS 'nothing is built before its swap is known, so that no worker pays it to another address';

CREATE TABLE refunds (
    id            text PRIMARY KEY CHECK (id ~ '^rf_[0-9a-f]{24}$'),
    merchant_id   text NOT NULL REFERENCES merchants (merchant_id),
    charge_id     text NOT NULL,
    status        text NOT NULL DEFAULT 'open'
        CHECK (status IN ('open', 'awaiting_approval', 'awaiting_payment', 'in_progress', 'completed', 'cancelled', 'expired')),
    variant       text NOT NULL CHECK (variant IN ('RateThen', 'CurrentRate', 'OverpaidAmount', 'Fiat', 'Custom')),
    amount        piconero NOT NULL CHECK (amount > 0),
    fiat_amount   numeric CHECK (fiat_amount > 0),
    fiat_currency text CHECK (fiat_currency IN ('USD', 'EUR')),
    name          text NOT NULL DEFAULT '',
    description   text NOT NULL DEFAULT '',
    automatic     boolean NOT NULL DEFAULT false,
    token_hash    bytea NOT NULL,
    token_sealed  bytea,
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    cancelled_at  timestamptz,
    made_by       text,
    made_with     bytea,
    custody       text NOT NULL DEFAULT 'hosted' CHECK (custody IN ('hosted', 'own')),
    CHECK ((fiat_amount IS NULL) = (fiat_currency IS NULL)),
    CHECK (status <> 'cancelled' OR cancelled_at IS NOT NULL)
);
CREATE INDEX refunds_charge ON refunds (charge_id);
CREATE INDEX refunds_list ON refunds (merchant_id, created_at DESC, id DESC);
CREATE INDEX refunds_of_status ON refunds (status, created_at DESC, id DESC);
CREATE INDEX refunds_made_by ON refunds (made_by, merchant_id, created_at) WHERE made_by IS NOT NULL;
CREATE INDEX refunds_unfinished ON refunds (id) WHERE status NOT IN ('completed', 'cancelled', 'expired');
COMMENT ON TABLE refunds IS 'what of a charge is given back to whoever has the link; rows stay as those of payouts do';
COMMENT ON COLUMN refunds.charge_id IS 'the charge; it may be pruned once the refund has ended; empty: it is of no charge';
COMMENT ON COLUMN refunds.status IS 'follows from its claims and its times: written with each change of them';
COMMENT ON COLUMN refunds.variant IS 'how amount was found';
COMMENT ON COLUMN refunds.amount IS 'piconero that may be claimed, fixed when it was made';
COMMENT ON COLUMN refunds.fiat_amount IS 'what amount was reckoned from, in fiat_currency; null: it was reckoned in XMR';
COMMENT ON COLUMN refunds.fiat_currency IS 'null as fiat_amount is';
COMMENT ON COLUMN refunds.name IS 'shown to the buyer; empty: none';
COMMENT ON COLUMN refunds.description IS 'shown to the buyer; empty: none';
COMMENT ON COLUMN refunds.automatic IS 'claims need no approval; decided when it was made';
COMMENT ON COLUMN refunds.token_hash IS 'SHA-256 of the secret in the link, which carries 256 random bits';
COMMENT ON COLUMN refunds.token_sealed IS 'that secret, to show the merchant the link again: AEAD, associated data refunds:token:<id>; null where it is not known any more';
COMMENT ON COLUMN refunds.expires_at IS 'claims that come later are refused; those that are there go on';
COMMENT ON COLUMN refunds.cancelled_at IS 'null: it was not cancelled';
COMMENT ON COLUMN refunds.made_by IS 'the person of the staff who made it; null: the merchant or a key did';
COMMENT ON COLUMN refunds.made_with IS 'SHA-256 of the key that made it; null: a person made it at the desk';
COMMENT ON COLUMN refunds.custody IS 'hosted: payouts pay its claims; own: its charge was paid to the shop''s own wallet, from which the shop pays its claims';

CREATE TABLE refund_claims (
    id                 text PRIMARY KEY CHECK (id ~ '^rc_[0-9a-f]{24}$'),
    refund_id          text NOT NULL REFERENCES refunds (id),
    status             text NOT NULL CHECK (status IN ('awaiting_approval', 'awaiting_payment', 'in_progress', 'completed', 'cancelled')),
    amount             piconero NOT NULL CHECK (amount > 0),
    address_sealed     bytea,
    own_address_sealed bytea,
    address_masked     text NOT NULL,
    proof_sealed       bytea,
    waits_for          text,
    needs              piconero NOT NULL DEFAULT 0,
    failures           integer NOT NULL DEFAULT 0,
    next_at            timestamptz NOT NULL,
    created_at         timestamptz NOT NULL,
    approved_at        timestamptz,
    sent_at            timestamptz,
    confirmed_at       timestamptz,
    CHECK (num_nonnulls(address_sealed, own_address_sealed) = 1 OR (num_nonnulls(address_sealed, own_address_sealed) = 0 AND status IN ('in_progress', 'completed', 'cancelled'))),
    CHECK (status NOT IN ('awaiting_payment', 'in_progress', 'completed') OR approved_at IS NOT NULL OR waits_for = 'shop_payment'),
    CHECK (waits_for <> 'shop_payment' OR own_address_sealed IS NOT NULL),
    CHECK ((status = 'completed') = (confirmed_at IS NOT NULL)),
    CHECK (waits_for IS NULL OR status = 'awaiting_payment')
);
CREATE INDEX refund_claims_refund ON refund_claims (refund_id, created_at, id);
CREATE INDEX refund_claims_to_approve ON refund_claims (refund_id) WHERE status = 'awaiting_approval' OR waits_for = 'shop_payment';
CREATE INDEX refund_claims_waiting ON refund_claims (next_at) WHERE status = 'awaiting_payment';
COMMENT ON TABLE refund_claims IS 'parts of refunds, each to one address; payouts.claim_id names the payout that pays one, refund_payments the payment of a shop';
COMMENT ON COLUMN refund_claims.amount IS 'piconero that arrive';
COMMENT ON COLUMN refund_claims.address_sealed IS 'where a payout pays it: AEAD, associated data refund_claims:address:<id>; null where the shop pays it, or a restored database does not know it';
COMMENT ON COLUMN refund_claims.own_address_sealed IS 'where the shop pays it from its own wallet: AEAD, associated data refund_claims:own_address:<id>; null where a payout pays it';
COMMENT ON COLUMN refund_claims.address_masked IS 'its ends, to be shown';
COMMENT ON COLUMN refund_claims.proof_sealed IS 'proves what was paid to the buyer and the merchant: AEAD, associated data refund_claims:proof:<id>; null before it was sent';
COMMENT ON COLUMN refund_claims.waits_for IS 'what its payment waits for; null: for nothing';
COMMENT ON COLUMN refund_claims.needs IS 'piconero of unpaid payments that it was found to need, by a choice or by a build; 0: not known';
COMMENT ON COLUMN refund_claims.failures IS 'payouts of it that failed after they were built';
COMMENT ON COLUMN refund_claims.next_at IS 'its payment is not tried before';
COMMENT ON COLUMN refund_claims.approved_at IS 'null: it was not approved';
COMMENT ON COLUMN refund_claims.sent_at IS 'when its transaction was first relayed; null: not yet';
COMMENT ON COLUMN refund_claims.confirmed_at IS 'null unless status is completed';

CREATE TABLE refund_payments (
    one_time_key bytea PRIMARY KEY CHECK (length(one_time_key) = 32),
    claim_id     text NOT NULL REFERENCES refund_claims (id),
    tx_hash      text NOT NULL,
    output_index integer NOT NULL CHECK (output_index >= 0),
    height       bigint,
    vanished_at  timestamptz,
    drops        integer NOT NULL DEFAULT 0,
    replaced     boolean NOT NULL DEFAULT false,
    ended_at     timestamptz,
    created_at   timestamptz NOT NULL,
    CHECK (height IS NULL OR vanished_at IS NULL),
    CHECK (NOT replaced OR ended_at IS NOT NULL)
);
CREATE UNIQUE INDEX refund_payments_claim ON refund_payments (claim_id) WHERE NOT replaced;
CREATE INDEX refund_payments_unsettled ON refund_payments (claim_id) WHERE ended_at IS NULL;
COMMENT ON TABLE refund_payments IS 'outputs with which shops have paid claims from their own wallets; each belongs to one claim for ever, so that it proves no other';
COMMENT ON COLUMN refund_payments.one_time_key IS 'of the output; of several outputs with one key only one can be spent';
COMMENT ON COLUMN refund_payments.height IS 'block that holds it; null: in none, as far as was last seen';
COMMENT ON COLUMN refund_payments.vanished_at IS 'since when neither the chain nor the pool has it; null: one has it';
COMMENT ON COLUMN refund_payments.drops IS 'how often it has left both';
COMMENT ON COLUMN refund_payments.replaced IS 'the shop gave another payment of the claim in its place';
COMMENT ON COLUMN refund_payments.ended_at IS 'since when the daemon is not asked about it: it is final, replaced, or was gone for a week; null: it is asked after each block';

CREATE TABLE swap_orders (
    swap_id     text PRIMARY KEY CHECK (swap_id ~ '^swp_[0-9a-f]{24}$'),
    merchant_id text NOT NULL REFERENCES merchants (merchant_id),
    provider    text NOT NULL,
    state       text NOT NULL DEFAULT 'placing' CHECK (state IN ('placing', 'placed', 'refused', 'uncertain')),
    sent_at     timestamptz NOT NULL
);
CREATE INDEX swap_orders_placing ON swap_orders (merchant_id) WHERE state = 'placing';
CREATE INDEX swap_orders_age ON swap_orders (sent_at);
COMMENT ON TABLE swap_orders IS 'merchants'' orders at swap providers; a row is written before the order is sent, so that no order is sent twice; the swap is written with its answer';
COMMENT ON COLUMN swap_orders.swap_id IS 'given before the order is sent; the swap has it too';
COMMENT ON COLUMN swap_orders.state IS 'refused: no such order exists, it may be sent again; uncertain: the provider may hold an order that nobody pays';

CREATE TABLE swaps (
    id              text PRIMARY KEY CHECK (id ~ '^swp_[0-9a-f]{24}$'),
    merchant_id     text NOT NULL REFERENCES merchants (merchant_id),
    provider        text NOT NULL,
    id_provider     text NOT NULL,
    payout_id       text UNIQUE,
    ticker_from     text NOT NULL,
    network_from    text NOT NULL,
    ticker_to       text NOT NULL,
    network_to      text NOT NULL,
    amount_from     numeric NOT NULL CHECK (amount_from > 0),
    amount_expected numeric NOT NULL CHECK (amount_expected > 0),
    rate            numeric NOT NULL CHECK (rate > 0),
    deposit_address text NOT NULL,
    deposit_memo    text,
    address_sealed  bytea,
    refund_sealed   bytea,
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL CHECK (expires_at > created_at),
    status          text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'confirming', 'exchanging', 'sending',
        'finished', 'failed', 'refunded')),
    status_detail   text NOT NULL DEFAULT '',
    word            text NOT NULL DEFAULT '',
    amount_to       numeric CHECK (amount_to > 0),
    deposit_tx      text NOT NULL DEFAULT '',
    payout_tx       text NOT NULL DEFAULT '',
    refund_tx       text NOT NULL DEFAULT '',
    quiet_since     timestamptz NOT NULL,
    polled_at       timestamptz NOT NULL,
    heard_at        timestamptz NOT NULL,
    closed_at       timestamptz,
    updated_at      timestamptz NOT NULL,
    UNIQUE (id_provider, provider),
    CHECK (closed_at IS NULL OR status IN ('finished', 'failed', 'refunded')),
    CHECK (closed_at IS NOT NULL OR status NOT IN ('finished', 'refunded'))
);
CREATE INDEX swaps_list ON swaps (merchant_id, created_at DESC, id DESC);
CREATE INDEX swaps_deposit ON swaps (deposit_address);
CREATE INDEX swaps_waiting ON swaps (merchant_id) WHERE status = 'waiting';
CREATE INDEX swaps_ended ON swaps (created_at) WHERE closed_at IS NOT NULL;
CREATE INDEX swaps_unclosed ON swaps (id) WHERE closed_at IS NULL;
COMMENT ON TABLE swaps IS 'merchants'' swaps, each at a provider that takes the deposit and pays the destination: the coins never pass through this service; what was answered at creation never changes; amounts are in whole coins';
COMMENT ON COLUMN swaps.id_provider IS 'the provider''s name of the swap';
COMMENT ON COLUMN swaps.payout_id IS 'the payout whose transaction pays the deposit; null when the merchant pays it';
COMMENT ON COLUMN swaps.network_from IS 'with the ticker it names a coin of the register';
COMMENT ON COLUMN swaps.network_to IS 'with the ticker it names a coin of the register';
COMMENT ON COLUMN swaps.amount_from IS 'what the provider expects as deposit';
COMMENT ON COLUMN swaps.amount_expected IS 'what the provider promised to pay';
COMMENT ON COLUMN swaps.rate IS 'coin paid out per coin deposited, as promised';
COMMENT ON COLUMN swaps.deposit_address IS 'where the merchant, or the payout, pays the provider';
COMMENT ON COLUMN swaps.deposit_memo IS 'must go with the deposit; null: none';
COMMENT ON COLUMN swaps.address_sealed IS 'destination; AEAD, associated data swaps:address:<id>; null once the account is deleted, or where the swap was recovered from a wallet''s journal';
COMMENT ON COLUMN swaps.refund_sealed IS 'where the provider sends refunds; AEAD, associated data swaps:refund:<id>; null once the account is deleted, or where the swap was recovered from a wallet''s journal';
COMMENT ON COLUMN swaps.expires_at IS 'until when the provider waits for the deposit';
COMMENT ON COLUMN swaps.status_detail IS 'a sentence on why it stands where it does; empty: nothing to say';
COMMENT ON COLUMN swaps.word IS 'the provider''s last word for the state';
COMMENT ON COLUMN swaps.amount_to IS 'what the provider says it pays; null: it says nothing yet';
COMMENT ON COLUMN swaps.deposit_tx IS 'transaction hash, as the provider tells it; empty: not told';
COMMENT ON COLUMN swaps.payout_tx IS 'transaction hash, as the provider tells it; empty: not told';
COMMENT ON COLUMN swaps.refund_tx IS 'transaction hash, as the provider tells it; empty: not told';
COMMENT ON COLUMN swaps.quiet_since IS 'since when the provider, while it answers, says the same';
COMMENT ON COLUMN swaps.polled_at IS 'when the provider was last asked';
COMMENT ON COLUMN swaps.heard_at IS 'when the provider last answered';
COMMENT ON COLUMN swaps.closed_at IS 'since when it is not asked about any more; null: it is';

CREATE VIEW removable_charges AS
SELECT c.id FROM charges c JOIN wallets w ON w.id = c.wallet_id
WHERE (c.status = 'expired' OR (c.status = 'confirmed' AND (c.payout_id IS NOT NULL OR c.mark = 'settled' OR w.role IN ('simulated', 'own'))))
    AND NOT EXISTS (SELECT 1 FROM payouts p WHERE p.id = c.payout_id AND p.status <> 'confirmed')
    AND (w.role IN ('simulated', 'own') OR NOT EXISTS (
        SELECT 1 FROM received_payments t LEFT JOIN payouts p ON p.id = t.payout_id
        WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND NOT t.spent_elsewhere AND p.status IS DISTINCT FROM 'confirmed'))
    AND NOT EXISTS (
        SELECT 1 FROM refunds r WHERE r.charge_id = c.id AND r.status NOT IN ('completed', 'cancelled', 'expired'));
COMMENT ON VIEW removable_charges IS 'charges that may be removed once they are old enough: ended, with every payment that is not gone paid out by a confirmed payout, and no refund that goes on; what was simulated, or paid to a shop''s own wallet, is not paid out';
