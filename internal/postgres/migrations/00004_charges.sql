-- +goose Up

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
    underpaid_accepted_at  timestamptz,
    has_buyer_info         boolean NOT NULL DEFAULT false,
    created_height         bigint,
    client_code            bytea,
    crowd_code             bytea,
    checkout               text,
    counts_until           timestamptz,
    mark                   text CHECK (mark IN ('settled', 'invalid')),
    invoice_status         text NOT NULL DEFAULT 'New' CHECK (invoice_status IN ('New', 'Processing', 'Settled', 'Expired', 'Invalid')),
    UNIQUE (wallet_id, subaddress_index),
    CHECK ((status = 'confirmed') = (confirmed_at IS NOT NULL)),
    CHECK ((currency = 'XMR') = (xmr_rate IS NULL)),
    CHECK (confirm_from_piconero <= amount_piconero),
    CHECK (NOT late OR status = 'confirmed'),
    CHECK (mark IS NULL OR status = CASE mark WHEN 'settled' THEN 'confirmed' ELSE 'expired' END)
);
CREATE VIEW address_owners AS
SELECT a.wallet_id, a.subaddress_index, a.address, COALESCE(c.id, a.former_charge_id) AS charge_id
FROM addresses a LEFT JOIN charges c ON c.wallet_id = a.wallet_id AND c.subaddress_index = a.subaddress_index;
COMMENT ON VIEW address_owners IS 'the charge that an address was given to, for ever, even if that was removed since; null: none';
CREATE INDEX charges_list ON charges (merchant_id, mode, created_at DESC, id DESC);
CREATE INDEX charges_order ON charges (order_id, merchant_id, mode, created_at DESC, id DESC) WHERE order_id IS NOT NULL;
CREATE INDEX charges_invoice_status ON charges (merchant_id, mode, invoice_status, created_at DESC, id DESC);
CREATE INDEX charges_status ON charges (status, mode, created_at DESC, id DESC);
CREATE INDEX charges_pending_button ON charges (merchant_id) WHERE status = 'pending' AND source <> 'api';
CREATE INDEX charges_late ON charges (merchant_id, mode) WHERE late AND payout_id IS NULL;
CREATE INDEX charges_unbacked_live ON charges (confirmed_at) WHERE unbacked AND mode = 'live';
CREATE INDEX charges_buyer_info ON charges (created_at, id) WHERE has_buyer_info AND status <> 'pending';
CREATE INDEX charges_ended ON charges (created_at, id) WHERE status <> 'pending';
CREATE INDEX charges_seen_of_request ON charges (payment_request_id) WHERE payment_request_id IS NOT NULL AND seen_at IS NOT NULL;
COMMENT ON TABLE charges IS 'what a buyer is asked to pay, at a subaddress of its own';
COMMENT ON COLUMN charges.source IS 'how it was made: with a key, from a button, or from a payment request';
COMMENT ON COLUMN charges.payment_request_id IS 'the request it was made from; null: from none';
COMMENT ON COLUMN charges.subaddress_index IS 'as in addresses';
COMMENT ON COLUMN charges.amount IS 'in the natural unit of currency';
COMMENT ON COLUMN charges.currency IS 'of amount; USD and EUR are converted at creation';
COMMENT ON COLUMN charges.amount_piconero IS 'what is asked for, in piconero';
COMMENT ON COLUMN charges.confirm_from_piconero IS 'piconero that confirm the charge: amount_piconero less the tolerance';
COMMENT ON COLUMN charges.xmr_rate IS 'currency per XMR at which amount was converted; null for XMR';
COMMENT ON COLUMN charges.rate_at IS 'when xmr_rate was quoted; null for XMR';
COMMENT ON COLUMN charges.status IS 'expired: ended without the money in time; it may still be confirmed late';
COMMENT ON COLUMN charges.metadata IS 'JSON as the merchant sent it, digit for digit';
COMMENT ON COLUMN charges.order_id IS 'the merchant''s own identifier; null: none';
COMMENT ON COLUMN charges.description IS 'shown to the buyer; null: none';
COMMENT ON COLUMN charges.return_url IS 'where the page sends the buyer afterwards; null: nowhere';
COMMENT ON COLUMN charges.fields IS 'names of what the page asks the buyer for';
COMMENT ON COLUMN charges.link_active IS 'whether the page can be opened; the merchant turns it off and on';
COMMENT ON COLUMN charges.link_expires_at IS 'until when the page can be opened; null: for ever';
COMMENT ON COLUMN charges.expires_at IS 'payment timeout; moved once when the full amount is seen in time';
COMMENT ON COLUMN charges.extended IS 'expires_at was moved';
COMMENT ON COLUMN charges.seen_at IS 'when charge.pending was emitted; null: not yet';
COMMENT ON COLUMN charges.confirmed_at IS 'null unless status is confirmed';
COMMENT ON COLUMN charges.late IS 'confirmed after it had expired';
COMMENT ON COLUMN charges.unbacked IS 'confirmed, but its money left the chain again: not swept';
COMMENT ON COLUMN charges.payout_id IS 'the first payout that takes a payment of it; null: none does';
COMMENT ON COLUMN charges.underpaid_accepted_at IS 'when the merchant took less than was asked for; confirm_from_piconero is then what had come; null: never';
COMMENT ON COLUMN charges.has_buyer_info IS 'metadata may hold buyers'' fields: set when it is written, cleared when they are removed';
COMMENT ON COLUMN charges.created_height IS 'number of blocks of the chain when it was made, as far as the wallet was watched; money of before is not its own; null: unknown';
COMMENT ON COLUMN charges.client_code IS 'who made it: a keyed code of address or circuit; null for charges made with a key, and once the charge is not pending';
COMMENT ON COLUMN charges.crowd_code IS 'the same of all who came through Tor together';
COMMENT ON COLUMN charges.checkout IS 'options of an invoice of the Greenfield surface, as JSON; null: not made there';
COMMENT ON COLUMN charges.counts_until IS 'a payment that is first seen later does not confirm the charge by itself; null: all do';
COMMENT ON COLUMN charges.mark IS 'what the merchant said of it by hand; null: nothing';
COMMENT ON COLUMN charges.invoice_status IS 'status as an invoice of the Greenfield surface, written with what it follows from; lists are filtered by it';

CREATE TABLE received_payments (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    wallet_id        text NOT NULL REFERENCES wallets (id),
    tx_hash          text NOT NULL,
    address          text NOT NULL,
    subaddress_index integer NOT NULL,
    charge_id        text,
    merchant_id      text,
    trade_id         text,
    amount           piconero NOT NULL,
    outputs          integer NOT NULL CHECK (outputs > 0),
    height           bigint,
    unlock_height    bigint NOT NULL DEFAULT 0,
    unlock_at        timestamptz,
    spendable_after  integer NOT NULL DEFAULT 0,
    mature_height    bigint,
    mature           boolean NOT NULL DEFAULT false,
    contested        boolean NOT NULL DEFAULT false,
    first_seen_at    timestamptz NOT NULL,
    mined_at         timestamptz,
    vanished_at      timestamptz,
    payout_id        text,
    spent_elsewhere  boolean NOT NULL DEFAULT false,
    resolved_at      timestamptz,
    note             text,
    fresh            boolean NOT NULL DEFAULT false,
    shown_amount     piconero,
    blocked          boolean NOT NULL DEFAULT false,
    abandoned        boolean NOT NULL DEFAULT false,
    origins_due_at   timestamptz,
    origins_sealed   bytea,
    origins_asked    integer NOT NULL DEFAULT 0 CHECK (origins_asked >= 0),
    UNIQUE (wallet_id, tx_hash, address),
    CHECK (charge_id IS NULL OR trade_id IS NULL),
    CHECK ((height IS NULL) = (mature_height IS NULL)),
    CHECK (NOT mature OR height IS NOT NULL),
    CHECK (vanished_at IS NULL OR height IS NULL),
    CHECK ((resolved_at IS NULL) = (note IS NULL))
);
CREATE INDEX received_payments_charge ON received_payments (charge_id) WHERE charge_id IS NOT NULL;
CREATE INDEX received_payments_trade ON received_payments (trade_id, first_seen_at, id) WHERE trade_id IS NOT NULL;
CREATE INDEX received_payments_window ON received_payments (wallet_id, height);
CREATE INDEX received_payments_unmined ON received_payments (wallet_id) WHERE height IS NULL AND vanished_at IS NULL;
CREATE INDEX received_payments_maturing ON received_payments (wallet_id, mature_height) WHERE NOT mature AND height IS NOT NULL;
CREATE INDEX received_payments_unpaid ON received_payments (merchant_id, wallet_id) WHERE payout_id IS NULL AND vanished_at IS NULL;
CREATE INDEX received_payments_payout ON received_payments (payout_id) WHERE payout_id IS NOT NULL;
CREATE INDEX received_payments_unmatched ON received_payments (wallet_id, id) WHERE charge_id IS NULL AND trade_id IS NULL;
CREATE INDEX received_payments_unmatched_newest ON received_payments (id) WHERE charge_id IS NULL AND trade_id IS NULL;
CREATE INDEX received_payments_dropped ON received_payments (wallet_id, vanished_at) WHERE vanished_at IS NOT NULL;
CREATE INDEX received_payments_unmatched_index ON received_payments (wallet_id, subaddress_index) WHERE charge_id IS NULL AND trade_id IS NULL;
CREATE INDEX received_payments_origins_due ON received_payments (wallet_id, origins_asked, origins_due_at) WHERE origins_due_at IS NOT NULL AND vanished_at IS NULL;
CREATE INDEX received_payments_sealed ON received_payments (id) WHERE origins_sealed IS NOT NULL;
-- No payment of a trade is in a payout. Without this the planner would take a merchant's unpaid payments for many.
CREATE STATISTICS received_payments_unpaid_of_wallet (mcv) ON wallet_id, payout_id FROM received_payments;
COMMENT ON TABLE received_payments IS 'outputs of one transaction that were paid to one address: of a charge, of a trade, or of nobody';
COMMENT ON COLUMN received_payments.subaddress_index IS 'of the address, as in addresses; minor index where it is not there';
COMMENT ON COLUMN received_payments.charge_id IS 'the charge whose address it is; null: it is a trade''s, or unmatched';
COMMENT ON COLUMN received_payments.merchant_id IS 'of that charge; null as charge_id is';
COMMENT ON COLUMN received_payments.trade_id IS 'the trade whose address it is; null: it is a charge''s, or unmatched';
COMMENT ON COLUMN received_payments.amount IS 'sum of the outputs, in atomic units of the wallet''s coin';
COMMENT ON COLUMN received_payments.outputs IS 'number of outputs';
COMMENT ON COLUMN received_payments.height IS 'block that holds it; null while it is in the pool or gone';
COMMENT ON COLUMN received_payments.unlock_height IS 'number of blocks before which its payer locked it; 0 for an ordinary payment';
COMMENT ON COLUMN received_payments.unlock_at IS 'moment before which its payer locked it; null for an ordinary payment';
COMMENT ON COLUMN received_payments.spendable_after IS 'confirmations before which consensus does not let it be spent';
COMMENT ON COLUMN received_payments.mature_height IS 'number of blocks at which it has the confirmations that its charge or trade wants, and is unlocked; a trade''s can also be spent; null as height is';
COMMENT ON COLUMN received_payments.mature IS 'the daemon showed it in the chain at mature_height, and its charge or trade was told';
COMMENT ON COLUMN received_payments.contested IS 'another transaction was seen that spends the same coins, and no block has decided between them; a charge ignores it';
COMMENT ON COLUMN received_payments.mined_at IS 'when it was first seen in a block; null when it never was';
COMMENT ON COLUMN received_payments.vanished_at IS 'since when it is missing: neither in the pool nor in the chain; null: it is there';
COMMENT ON COLUMN received_payments.payout_id IS 'the payout that reserves or paid it; null: none';
COMMENT ON COLUMN received_payments.spent_elsewhere IS 'a transaction that is not of this service has spent it, 10 blocks deep: it is in no balance and no payout';
COMMENT ON COLUMN received_payments.resolved_at IS 'when an operator dealt with an unmatched payment; null: open, or not unmatched';
COMMENT ON COLUMN received_payments.note IS 'what an operator did about money that belongs to no charge';
COMMENT ON COLUMN received_payments.fresh IS 'its charge has not been advanced with it yet: it is not shown';
COMMENT ON COLUMN received_payments.shown_amount IS 'what the wallet shows in its block, where a payout or a trade had taken another amount; null where it is that';
COMMENT ON COLUMN received_payments.blocked IS 'an origin is on a sanctions list; never taken back';
COMMENT ON COLUMN received_payments.abandoned IS 'it was unconfirmed or locked for too long: the trade sends it back once it can be spent';
COMMENT ON COLUMN received_payments.origins_due_at IS 'when the daemon is asked again where it comes from; null once that is known, and for charges. Until then it counts for nothing';
COMMENT ON COLUMN received_payments.origins_sealed IS 'addresses that it was spent from, null where the chain shows none; AEAD, associated data received_payments:origins:<wallet_id>/<tx_hash>/<address>';
COMMENT ON COLUMN received_payments.origins_asked IS 'how often it was asked in vain where it comes from';

CREATE SEQUENCE wakeup_version;

CREATE TABLE wakeups (
    kind     text NOT NULL CHECK (kind IN ('charges', 'payouts', 'refunds', 'trades', 'mails', 'deliveries', 'trade_events')),
    id       text NOT NULL,
    owner    text NOT NULL,
    urgency  smallint NOT NULL,
    version  bigint NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    next_at  timestamptz NOT NULL DEFAULT now(),
    since    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (kind, id)
);
CREATE INDEX wakeups_next ON wakeups (next_at);
COMMENT ON TABLE wakeups IS 'the outbox: rows that were changed and whose workflows Temporal must wake. A wakeup is written in the transaction of the change, and deleted once Temporal has it';
COMMENT ON COLUMN wakeups.kind IS 'table of the row, see workflows/dispatch';
COMMENT ON COLUMN wakeups.id IS 'identifier of the row';
COMMENT ON COLUMN wakeups.owner IS 'merchant, or swap key; empty: none. Owners take turns';
COMMENT ON COLUMN wakeups.urgency IS 'lower goes first: 0 news of a charge or trade, 1 money that leaves, 2 mails and deliveries without a charge or trade, 3 the start of a new charge or trade';
COMMENT ON COLUMN wakeups.version IS '0 for the start of a new row, and otherwise the next number of wakeup_version: a wakeup is deleted only in the version that was sent';
COMMENT ON COLUMN wakeups.attempts IS 'attempts that failed';
COMMENT ON COLUMN wakeups.next_at IS 'when it is sent next, by the database''s clock';
COMMENT ON COLUMN wakeups.since IS 'when it was written, by the database''s clock';

-- Shards let concurrent creations rarely wait for each other. A reader sums at most 16
-- rows instead of counting thousands. Each mode counts apart, so that tests in the
-- sandbox stop no sales.
CREATE TABLE pending_charges (
    merchant_id text NOT NULL REFERENCES merchants (merchant_id) ON DELETE CASCADE,
    mode        text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    shard       smallint NOT NULL CHECK (shard BETWEEN 0 AND 15),
    charges     integer NOT NULL,
    PRIMARY KEY (merchant_id, mode, shard)
) WITH (fillfactor = 50);
COMMENT ON TABLE pending_charges IS 'how many charges of a merchant are pending in a mode, kept by a trigger on charges; the sum of the shards is exact';
COMMENT ON COLUMN pending_charges.charges IS 'charges that became pending less those that ended, as far as this shard counted them; one shard alone may be negative';

-- A trigger sees every statement that moves a charge in or out of pending.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_pending_charge() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    merchant text := CASE WHEN TG_OP = 'DELETE' THEN OLD.merchant_id ELSE NEW.merchant_id END;
    in_mode text := CASE WHEN TG_OP = 'DELETE' THEN OLD.mode ELSE NEW.mode END;
    change integer := (TG_OP <> 'DELETE' AND NEW.status = 'pending')::integer - (TG_OP <> 'INSERT' AND OLD.status = 'pending')::integer;
BEGIN
    IF change <> 0 THEN
        INSERT INTO pending_charges AS p (merchant_id, mode, shard, charges) VALUES (merchant, in_mode, floor(random() * 16)::smallint, change)
        ON CONFLICT (merchant_id, mode, shard) DO UPDATE SET charges = p.charges + excluded.charges;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER count_pending AFTER INSERT OR DELETE OR UPDATE OF status ON charges
    FOR EACH ROW EXECUTE FUNCTION count_pending_charge();

CREATE TABLE payment_requests (
    id                 text PRIMARY KEY CHECK (id ~ '^pr_[0-9a-f]{24}$'),
    merchant_id        text NOT NULL REFERENCES merchants (merchant_id),
    mode               text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    amount             numeric NOT NULL CHECK (amount >= 0.01 AND amount <= 10000000),
    currency           text NOT NULL CHECK (currency IN ('USD', 'EUR', 'XMR')),
    description        text,
    reference          text,
    single_use         boolean NOT NULL,
    fields             text[] NOT NULL DEFAULT '{}',
    required_fields    text[] NOT NULL DEFAULT '{}' CHECK (required_fields <@ fields),
    expires_at         timestamptz,
    active             boolean NOT NULL DEFAULT true,
    completed_payments integer NOT NULL DEFAULT 0 CHECK (completed_payments >= 0),
    consumed_at        timestamptz,
    created_at         timestamptz NOT NULL,
    CHECK ((consumed_at IS NOT NULL) = (single_use AND completed_payments > 0))
);
CREATE INDEX payment_requests_list ON payment_requests (merchant_id, mode, created_at DESC, id DESC);
COMMENT ON TABLE payment_requests IS 'links from which a charge is made when they are visited';
COMMENT ON COLUMN payment_requests.amount IS 'in the natural unit of currency';
COMMENT ON COLUMN payment_requests.currency IS 'of amount; converted when a charge is made';
COMMENT ON COLUMN payment_requests.description IS 'shown to the buyer; null: none';
COMMENT ON COLUMN payment_requests.reference IS 'the merchant''s own identifier; null: none';
COMMENT ON COLUMN payment_requests.single_use IS 'whether one confirmed charge consumes it';
COMMENT ON COLUMN payment_requests.fields IS 'names of what the page asks the buyer for';
COMMENT ON COLUMN payment_requests.required_fields IS 'those of fields without which no charge is made on the page';
COMMENT ON COLUMN payment_requests.expires_at IS 'until when charges are made of it; null: for ever';
COMMENT ON COLUMN payment_requests.active IS 'the merchant turns it off and on';
COMMENT ON COLUMN payment_requests.completed_payments IS 'confirmed charges; written with the confirmation';
COMMENT ON COLUMN payment_requests.consumed_at IS 'first confirmed charge of a request for one payment; later ones confirm all the same; null: none yet';

CREATE TABLE ledger (
    charge_id         text PRIMARY KEY CHECK (charge_id ~ '^ch_[0-9a-f]{24}$'),
    merchant_id       text NOT NULL REFERENCES merchants (merchant_id),
    mode              text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    created_at        timestamptz NOT NULL,
    confirmed_at      timestamptz NOT NULL,
    amount            numeric NOT NULL CHECK (amount >= 0.01 AND amount <= 10000000),
    currency          text NOT NULL CHECK (currency IN ('USD', 'EUR', 'XMR')),
    amount_piconero   piconero NOT NULL CHECK (amount_piconero > 0),
    received_piconero piconero NOT NULL CHECK (received_piconero > 0),
    order_id          text,
    fiat_value        numeric CHECK (fiat_value >= 0),
    fiat_currency     text CHECK (fiat_currency IN ('USD', 'EUR')),
    fiat_rate         numeric CHECK (fiat_rate > 0),
    fee_owed          piconero NOT NULL DEFAULT 0,
    CHECK ((fiat_value IS NULL) = (fiat_currency IS NULL) AND (fiat_value IS NULL) = (fiat_rate IS NULL))
);
-- Sums of a period are read from the index alone, however long the ledger is.
CREATE INDEX ledger_sums ON ledger (merchant_id, mode, confirmed_at, charge_id) INCLUDE (received_piconero);
CREATE INDEX ledger_owed ON ledger (merchant_id) INCLUDE (fee_owed) WHERE fee_owed > 0;
CREATE INDEX ledger_order ON ledger (order_id) WHERE order_id IS NOT NULL;
COMMENT ON TABLE ledger IS 'what reports are made of: one row for each confirmed charge, written with the confirmation and never removed; it holds nothing about the buyer';
COMMENT ON COLUMN ledger.created_at IS 'of the charge';
COMMENT ON COLUMN ledger.confirmed_at IS 'of the charge; when blocks first held money of it, if it was settled by hand; reports go by it';
COMMENT ON COLUMN ledger.amount IS 'in the natural unit of currency, as it was asked for';
COMMENT ON COLUMN ledger.amount_piconero IS 'as it was asked for';
COMMENT ON COLUMN ledger.received_piconero IS 'piconero of the payments seen at confirmation; of all that blocks hold, if it was settled by hand';
COMMENT ON COLUMN ledger.order_id IS 'the merchant''s own identifier; null: none';
COMMENT ON COLUMN ledger.fiat_value IS 'received_piconero at fiat_rate; null when reporting was off or no price was usable';
COMMENT ON COLUMN ledger.fiat_currency IS 'null as fiat_value is';
COMMENT ON COLUMN ledger.fee_owed IS 'piconero: the operator''s share of money that the shop''s own wallet received; it is owed and never taken. 0 for hosted money, from which payouts take it';
COMMENT ON COLUMN ledger.fiat_rate IS 'fiat_currency per XMR at confirmation; null as fiat_value is';
