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

CREATE TABLE trades (
    id              text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{32}$'),
    id_provider     text NOT NULL,
    key_id          text REFERENCES swap_keys (id),
    client_code     bytea,
    provider        text NOT NULL,
    risk            text NOT NULL CHECK (risk IN ('auto', 'flexible', 'precheck', 'controlled')),
    wallet_from     text REFERENCES wallets (id),
    wallet_to       text REFERENCES wallets (id),
    ticker_from     text NOT NULL,
    network_from    text NOT NULL,
    ticker_to       text NOT NULL,
    network_to      text NOT NULL,
    amount_from     numeric NOT NULL CHECK (amount_from > 0),
    amount_to       numeric NOT NULL CHECK (amount_to > 0),
    rate            numeric NOT NULL CHECK (rate > 0),
    markup          integer NOT NULL DEFAULT 0 CHECK (markup BETWEEN 0 AND 5000),
    commission_rate numeric NOT NULL DEFAULT 0 CHECK (commission_rate >= 0),
    min_from        numeric NOT NULL CHECK (min_from > 0),
    max_from        numeric NOT NULL CHECK (max_from >= min_from),
    deposit_address text NOT NULL,
    confirmations   integer NOT NULL CHECK (confirmations BETWEEN 1 AND 1000),
    created_at      timestamptz NOT NULL,
    window_seconds  integer NOT NULL CHECK (window_seconds > 0),
    expires_at      timestamptz NOT NULL CHECK (expires_at > created_at),
    status          text NOT NULL DEFAULT 'awaiting_deposit' CHECK (status IN ('awaiting_deposit', 'deposit_detected',
        'confirming', 'processing', 'sending', 'completed', 'refunded', 'failed', 'expired', 'hold')),
    status_detail   text NOT NULL DEFAULT '',
    reserved        numeric NOT NULL CHECK (reserved >= 0),
    received        numeric NOT NULL DEFAULT 0 CHECK (received >= 0),
    payout          numeric NOT NULL DEFAULT 0 CHECK (payout >= 0),
    counted_deposit bigint,
    updated_at      timestamptz NOT NULL,
    created_height  bigint,
    details_sealed  bytea NOT NULL,
    has_webhook     boolean NOT NULL DEFAULT false,
    UNIQUE (wallet_from, deposit_address),
    CHECK (wallet_from <> wallet_to),
    CHECK (payout <= received * rate),
    CHECK (payout = 0 OR counted_deposit IS NOT NULL),
    CHECK (reserved = 0 OR status IN ('awaiting_deposit', 'deposit_detected', 'confirming', 'processing', 'sending')),
    CHECK (commission_rate = 0 OR key_id IS NOT NULL),
    CONSTRAINT trades_id_provider UNIQUE (provider, id_provider),
    CONSTRAINT trades_own_id CHECK (wallet_from IS NULL OR id_provider ~ '^sw_[0-9a-f]{24}$'),
    CONSTRAINT trades_both_wallets CHECK ((wallet_from IS NULL) = (wallet_to IS NULL)),
    CONSTRAINT trades_upstream CHECK (wallet_from IS NOT NULL OR (reserved = 0 AND payout = 0 AND markup = 0 AND commission_rate = 0)),
    CONSTRAINT trades_webhook CHECK (NOT has_webhook OR key_id IS NOT NULL)
);
CREATE INDEX trades_reserved ON trades (wallet_to) INCLUDE (status, reserved) WHERE reserved > 0;
CREATE INDEX trades_unfunded ON trades (wallet_to, client_code) INCLUDE (reserved)
    WHERE status IN ('awaiting_deposit', 'deposit_detected');
CREATE INDEX trades_list ON trades (created_at DESC, id DESC);
CREATE INDEX trades_status ON trades (status, created_at DESC, id DESC);
CREATE INDEX trades_counted ON trades (counted_deposit) WHERE counted_deposit IS NOT NULL;
CREATE INDEX trades_of_key ON trades (key_id) WHERE key_id IS NOT NULL;
COMMENT ON TABLE trades IS 'swaps at our own exchange, or filled by another provider; amounts are in whole coins';
COMMENT ON COLUMN trades.id_provider IS 'the provider''s name of the swap; sw_… where we are the provider';
COMMENT ON COLUMN trades.key_id IS 'the key it was made with; null: without one';
COMMENT ON COLUMN trades.client_code IS 'who keeps inventory without a deposit: a keyed code of key or address; null once a deposit is settled';
COMMENT ON COLUMN trades.provider IS 'who fills it';
COMMENT ON COLUMN trades.risk IS 'how the route is labelled; see internal/trade';
COMMENT ON COLUMN trades.wallet_from IS 'the wallet that takes deposits; null when another provider fills the trade';
COMMENT ON COLUMN trades.wallet_to IS 'the wallet that pays; null when another provider fills the trade';
COMMENT ON COLUMN trades.network_from IS 'with the ticker it names a coin of the register';
COMMENT ON COLUMN trades.network_to IS 'with the ticker it names a coin of the register';
COMMENT ON COLUMN trades.amount_from IS 'deposit that was announced';
COMMENT ON COLUMN trades.amount_to IS 'what that deposit pays';
COMMENT ON COLUMN trades.rate IS 'coin paid out per coin deposited, fees included; locked';
COMMENT ON COLUMN trades.markup IS 'basis points of the rate that are credited to key_id';
COMMENT ON COLUMN trades.commission_rate IS 'coin paid out per coin deposited that is credited to key_id';
COMMENT ON COLUMN trades.min_from IS 'least that a deposit may be, locked at creation';
COMMENT ON COLUMN trades.max_from IS 'most that a deposit may be, locked at creation';
COMMENT ON COLUMN trades.confirmations IS 'depth of a deposit at which it counts';
COMMENT ON COLUMN trades.window_seconds IS 'seconds from creation in which a deposit must come';
COMMENT ON COLUMN trades.expires_at IS 'end of the window';
COMMENT ON COLUMN trades.status_detail IS 'a sentence on why it stands where it does; empty: nothing to say';
COMMENT ON COLUMN trades.reserved IS 'inventory of wallet_to that is kept for the payout: of amount_to, or of what the deposit pays once there is one';
COMMENT ON COLUMN trades.received IS 'amount of the deposit that the status follows; 0: none';
COMMENT ON COLUMN trades.payout IS 'what that deposit pays; 0: nothing is paid';
COMMENT ON COLUMN trades.counted_deposit IS 'the deposit that is settled as this trade''s, swapped or sent back; null: none yet';
COMMENT ON COLUMN trades.updated_at IS 'when its status or amounts last changed';
COMMENT ON COLUMN trades.created_height IS 'number of blocks of the chain when it was made, as far as wallet_from was watched; money of before is not its own; null: unknown';
COMMENT ON COLUMN trades.details_sealed IS 'password, addresses, memos, note and webhook, see internal/exchange; AEAD, associated data trades:details:<id>';
COMMENT ON COLUMN trades.has_webhook IS 'a partner is notified of each status';

ALTER TABLE received_payments ADD FOREIGN KEY (trade_id) REFERENCES trades (id);
ALTER TABLE trades ADD FOREIGN KEY (counted_deposit) REFERENCES received_payments (id);

-- A lock is over once the daemon has shown the deposit in the chain at mature_height. Until then one without a lock is
-- not as deep as its trade wants, however many blocks there are: nobody has asked the daemon.
CREATE VIEW trade_deposits AS
SELECT p.id, t.id AS trade_id, p.wallet_id, p.tx_hash, p.address,
    trim_scale(p.amount * ('1e-' || w.decimals)::numeric)::numeric AS amount, p.height,
    (CASE WHEN p.height IS NULL THEN 0
        WHEN p.mature THEN GREATEST(chain.chain_height, p.mature_height) - p.height
        WHEN p.spendable_after > 0 OR p.unlock_height > p.height OR p.unlock_at IS NOT NULL THEN GREATEST(chain.chain_height - p.height, 1)
        ELSE GREATEST(LEAST(chain.chain_height - p.height, t.confirmations - 1), 1) END)::bigint AS confirmations,
    (NOT p.mature AND (p.spendable_after > 0 OR p.unlock_height > COALESCE(p.height, p.unlock_height) OR p.unlock_at IS NOT NULL))::boolean AS locked,
    p.contested, p.blocked, p.first_seen_at, p.vanished_at AS missing_at, p.abandoned, p.mature, p.mined_at, p.origins_due_at, p.origins_sealed, p.origins_asked
FROM received_payments p JOIN trades t ON t.id = p.trade_id JOIN wallets w ON w.id = p.wallet_id JOIN chains AS chain ON chain.id = w.chain_id;
COMMENT ON VIEW trade_deposits IS 'received payments of trades, with their depth as the chain''s watcher last saw it; amounts are in whole coins';

CREATE TABLE trade_orders (
    trade_id    text NOT NULL CHECK (trade_id ~ '^[0-9a-f]{32}$'),
    provider    text NOT NULL,
    state       text NOT NULL DEFAULT 'placing' CHECK (state IN ('placing', 'placed', 'refused', 'uncertain')),
    id_provider text,
    word        text NOT NULL DEFAULT '',
    amount_to   numeric CHECK (amount_to >= 0),
    deposit_tx  text NOT NULL DEFAULT '',
    payout_tx   text NOT NULL DEFAULT '',
    refund_tx   text NOT NULL DEFAULT '',
    sent_at     timestamptz NOT NULL,
    heard_at    timestamptz,
    closed_at   timestamptz,
    PRIMARY KEY (trade_id, provider),
    UNIQUE (provider, id_provider),
    CHECK ((state = 'placed') = (id_provider IS NOT NULL)),
    CHECK ((state = 'placed') = (heard_at IS NOT NULL)),
    CHECK (closed_at IS NULL OR state = 'placed')
);
CREATE UNIQUE INDEX trade_orders_one_placed ON trade_orders (trade_id) WHERE state = 'placed';
CREATE INDEX trade_orders_open ON trade_orders (heard_at) WHERE state = 'placed' AND closed_at IS NULL;
CREATE INDEX trade_orders_sent ON trade_orders (sent_at, trade_id);
COMMENT ON TABLE trade_orders IS 'orders at other providers for trades; a row is written before the order is sent, so that no order is sent twice; the trade is written with its answer';
COMMENT ON COLUMN trade_orders.state IS 'uncertain: the provider may hold an order that nobody pays; its deposit address was shown to nobody';
COMMENT ON COLUMN trade_orders.id_provider IS 'the provider''s name of the order; null unless state is placed';
COMMENT ON COLUMN trade_orders.word IS 'the provider''s last word for the state';
COMMENT ON COLUMN trade_orders.amount_to IS 'what the provider pays, or expects to, in the coin paid out; null: not told';
COMMENT ON COLUMN trade_orders.deposit_tx IS 'transaction hash, as the provider tells it; empty: not told';
COMMENT ON COLUMN trade_orders.payout_tx IS 'transaction hash, as the provider tells it; empty: not told';
COMMENT ON COLUMN trade_orders.refund_tx IS 'transaction hash, as the provider tells it; empty: not told';
COMMENT ON COLUMN trade_orders.heard_at IS 'when the provider last answered; null unless state is placed';
COMMENT ON COLUMN trade_orders.closed_at IS 'since when it is not asked about any more; null: it is';

CREATE TABLE trade_events (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    trade_id        text NOT NULL REFERENCES trades (id),
    status          text NOT NULL,
    prev_status     text NOT NULL,
    occurred_at     timestamptz NOT NULL,
    payload         text NOT NULL,
    delivery        text NOT NULL CHECK (delivery IN ('none', 'pending', 'delivered', 'failed', 'dropped')),
    begun_at        timestamptz,
    attempts        integer NOT NULL DEFAULT 0,
    round_from      integer NOT NULL DEFAULT 0,
    http_status     integer,
    error           text,
    last_attempt_at timestamptz,
    next_attempt_at timestamptz,
    delivered_at    timestamptz,
    CHECK ((delivery = 'delivered') = (delivered_at IS NOT NULL)),
    CHECK (status <> prev_status)
);
CREATE INDEX trade_events_trade ON trade_events (trade_id, id);
CREATE INDEX trade_events_dead ON trade_events (id) WHERE delivery IN ('failed', 'dropped');
CREATE INDEX trade_events_pending ON trade_events (next_attempt_at) WHERE delivery = 'pending';
COMMENT ON TABLE trade_events IS 'every change of a trade''s status, and where its webhook stands';
COMMENT ON COLUMN trade_events.status IS 'what it became';
COMMENT ON COLUMN trade_events.prev_status IS 'what it was';
COMMENT ON COLUMN trade_events.payload IS 'the exact body bytes that every attempt sends';
COMMENT ON COLUMN trade_events.delivery IS 'none: the trade has no webhook; failed: given up after 24 hours, the dead letters';
COMMENT ON COLUMN trade_events.begun_at IS 'when attempts began, from which the 24 hours count; null: not begun';
COMMENT ON COLUMN trade_events.attempts IS 'made and recorded';
COMMENT ON COLUMN trade_events.round_from IS 'how many attempts there were before it was last sent again; 0: it was not. Pauses count from there';
COMMENT ON COLUMN trade_events.http_status IS 'of the last answer; null: there was none';
COMMENT ON COLUMN trade_events.error IS 'why the last attempt failed; null: it did not';
COMMENT ON COLUMN trade_events.last_attempt_at IS 'null: none yet';
COMMENT ON COLUMN trade_events.next_attempt_at IS 'when it is attempted next; null once it has ended, and without a webhook';
COMMENT ON COLUMN trade_events.delivered_at IS 'null unless delivery is delivered';

CREATE TABLE idempotency_keys (
    scope           text NOT NULL,
    key_hash        bytea NOT NULL,
    query_hash      bytea NOT NULL,
    trade_id        text NOT NULL UNIQUE,
    response_sealed bytea,
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (scope, key_hash)
);
CREATE INDEX idempotency_keys_old ON idempotency_keys (created_at);
COMMENT ON TABLE idempotency_keys IS 'what was answered to a key that came with the creation of a trade, for 24 hours';
COMMENT ON COLUMN idempotency_keys.scope IS 'id of the API key, or empty for callers without one';
COMMENT ON COLUMN idempotency_keys.key_hash IS 'keyed code of the key';
COMMENT ON COLUMN idempotency_keys.query_hash IS 'keyed code of the decoded parameters in one order';
COMMENT ON COLUMN idempotency_keys.trade_id IS 'the trade that the key is bound to before it is made';
COMMENT ON COLUMN idempotency_keys.response_sealed IS 'body as it was answered; AEAD, associated data idempotency_keys:response:<trade_id>; null: not answered yet';

CREATE TABLE commissions (
    trade_id    text PRIMARY KEY,
    key_id      text NOT NULL REFERENCES swap_keys (id),
    ticker      text NOT NULL,
    network     text NOT NULL,
    amount      numeric NOT NULL CHECK (amount > 0),
    credited_at timestamptz NOT NULL
);
CREATE INDEX commissions_key ON commissions (key_id, ticker, network);
COMMENT ON TABLE commissions IS 'what is owed to keys for their markup: written with the completion of the trade, and kept when the trade is removed';
COMMENT ON COLUMN commissions.key_id IS 'who earned it';
COMMENT ON COLUMN commissions.network IS 'with the ticker it names a coin of the register';
COMMENT ON COLUMN commissions.amount IS 'in whole coins';
