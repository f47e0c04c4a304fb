-- +goose Up

CREATE TABLE events (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    merchant_id    text NOT NULL,
    mode           text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    type           text NOT NULL,
    resource_id    text NOT NULL,
    part           text NOT NULL DEFAULT '',
    payload        text NOT NULL,
    created_at     timestamptz NOT NULL,
    has_buyer_info boolean NOT NULL DEFAULT false,
    place          bigint CHECK (place > 0),
    UNIQUE (resource_id, type, part),
    UNIQUE (merchant_id, mode, place)
);
CREATE INDEX events_unnumbered ON events (merchant_id, mode, id) WHERE place IS NULL;
CREATE INDEX events_buyer_info ON events (created_at, id) WHERE has_buyer_info;
CREATE INDEX events_age ON events (created_at, id);
COMMENT ON TABLE events IS 'what a merchant is told: one row for each thing that happened to a charge or payout, and for each ping';
COMMENT ON COLUMN events.type IS 'name of the contract, such as charge.confirmed';
COMMENT ON COLUMN events.resource_id IS 'what it tells of: a charge, a payout, or the delivery of a ping';
COMMENT ON COLUMN events.part IS 'the payment of a charge that it tells of, by transaction; empty where it tells of the whole';
COMMENT ON COLUMN events.payload IS 'the exact body bytes that every delivery of the event sends; in BTCPay''s shape without the fields of the delivery';
COMMENT ON COLUMN events.has_buyer_info IS 'payload may hold buyers'' fields: set when it is written, cleared when they are removed';
COMMENT ON COLUMN events.place IS 'place in the feed of its merchant and mode, from 1 without a gap; null until the feed is read. The identity is no place: a lower one may be committed later';

CREATE TABLE event_feeds (
    merchant_id text NOT NULL,
    mode        text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    last        bigint NOT NULL,
    PRIMARY KEY (merchant_id, mode)
);
COMMENT ON TABLE event_feeds IS 'the feeds that were read; its row is held while events get their places';
COMMENT ON COLUMN event_feeds.last IS 'the highest place that was given; it stays when retention removes events';

CREATE TABLE webhooks (
    id            text PRIMARY KEY CHECK (id ~ '^wh_'),
    merchant_id   text NOT NULL REFERENCES merchants (merchant_id),
    url           text NOT NULL,
    events        text[] NOT NULL,
    secret_sealed bytea NOT NULL,
    use_tor       boolean NOT NULL DEFAULT false,
    dialect       text NOT NULL DEFAULT 'durapay' CHECK (dialect IN ('durapay', 'btcpay')),
    retries       text NOT NULL DEFAULT 'short' CHECK (retries IN ('short', 'long', 'btcpay', 'once')),
    enabled       boolean NOT NULL DEFAULT true,
    mode          text NOT NULL DEFAULT 'live' CHECK (mode IN ('live', 'sandbox')),
    created_at    timestamptz NOT NULL,
    deleted_at    timestamptz
);
CREATE INDEX webhooks_active ON webhooks (merchant_id) WHERE deleted_at IS NULL;
CREATE INDEX webhooks_of_merchant ON webhooks (merchant_id);
CREATE INDEX webhooks_deleted ON webhooks (deleted_at) WHERE deleted_at IS NOT NULL;
COMMENT ON TABLE webhooks IS 'where merchants are told';
COMMENT ON COLUMN webhooks.events IS 'types that are delivered';
COMMENT ON COLUMN webhooks.secret_sealed IS 'AEAD, associated data webhooks:secret:<id>';
COMMENT ON COLUMN webhooks.use_tor IS 'whether url is reached through Tor';
COMMENT ON COLUMN webhooks.dialect IS 'the shape of its deliveries: ours, or that of BTCPay Server';
COMMENT ON COLUMN webhooks.retries IS 'its policy, see internal/webhook';
COMMENT ON COLUMN webhooks.enabled IS 'whether events are delivered to it';
COMMENT ON COLUMN webhooks.mode IS 'the mode whose events it hears';
COMMENT ON COLUMN webhooks.deleted_at IS 'null: in use; a deleted one stays until its log is gone';

CREATE TABLE deliveries (
    id              text PRIMARY KEY CHECK (id ~ '^whd_'),
    webhook_id      text NOT NULL REFERENCES webhooks (id),
    merchant_id     text NOT NULL,
    mode            text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    event_id        bigint NOT NULL REFERENCES events (id),
    status          text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed', 'dropped')),
    http_status     integer,
    attempts        integer NOT NULL DEFAULT 0,
    round_from      integer NOT NULL DEFAULT 0,
    rounds          integer NOT NULL DEFAULT 1,
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
CREATE INDEX deliveries_undelivered ON deliveries (created_at, id) WHERE status IN ('failed', 'dropped');
CREATE INDEX deliveries_pending ON deliveries (next_attempt_at) WHERE status = 'pending';
CREATE INDEX deliveries_age ON deliveries (created_at, id);
COMMENT ON TABLE deliveries IS 'one event to one webhook, and where its attempts stand';
COMMENT ON COLUMN deliveries.status IS 'dropped: its webhook was deleted, or points where nothing may be sent';
COMMENT ON COLUMN deliveries.http_status IS 'of the last answer; null: there was none';
COMMENT ON COLUMN deliveries.attempts IS 'made and recorded';
COMMENT ON COLUMN deliveries.round_from IS 'how many attempts there were before it was last sent again; 0: it was not. Pauses and the number of attempts count from there';
COMMENT ON COLUMN deliveries.rounds IS 'how often it was sent: 1 until it is sent again';
COMMENT ON COLUMN deliveries.error IS 'why the last attempt failed; null: it did not';
COMMENT ON COLUMN deliveries.last_attempt_at IS 'null: none yet';
COMMENT ON COLUMN deliveries.next_attempt_at IS 'when it is attempted next; null once it has ended, and while it waits for the end of another to the same webhook';
COMMENT ON COLUMN deliveries.delivered_at IS 'null unless status is delivered';

CREATE TABLE delivery_attempts (
    delivery_id     text NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    attempt         integer NOT NULL CHECK (attempt > 0),
    at              timestamptz NOT NULL,
    http_status     integer,
    error           text,
    request_headers text NOT NULL,
    answer          text NOT NULL,
    PRIMARY KEY (delivery_id, attempt)
);
CREATE INDEX delivery_attempts_old ON delivery_attempts (at);
COMMENT ON TABLE delivery_attempts IS 'what was sent and answered, for the merchant''s log; kept as long as buyers'' values, which an answer may repeat';
COMMENT ON COLUMN delivery_attempts.at IS 'when the attempt ended';
COMMENT ON COLUMN delivery_attempts.http_status IS 'of the answer; null: there was none';
COMMENT ON COLUMN delivery_attempts.error IS 'why it failed; null: it did not';
COMMENT ON COLUMN delivery_attempts.request_headers IS 'a line for each: name, colon, value';
COMMENT ON COLUMN delivery_attempts.answer IS 'the beginning of the answer''s body';

CREATE TABLE account_notices (
    id           text PRIMARY KEY CHECK (id ~ '^an_[0-9a-f]{24}$'),
    merchant_id  text NOT NULL REFERENCES merchants (merchant_id),
    kind         text NOT NULL,
    email_sealed bytea,
    hold_until   timestamptz,
    created_at   timestamptz NOT NULL,
    sent_at      timestamptz,
    CHECK ((sent_at IS NULL) = (email_sealed IS NOT NULL))
);
CREATE INDEX account_notices_old ON account_notices (created_at);
CREATE INDEX account_notices_of_merchant ON account_notices (merchant_id);
COMMENT ON TABLE account_notices IS 'mails that tell a merchant what was changed of the account';
COMMENT ON COLUMN account_notices.kind IS 'what was changed, see internal/notice';
COMMENT ON COLUMN account_notices.email_sealed IS 'where the mail goes, until it is sent: AEAD, associated data account_notices:email:<id>';
COMMENT ON COLUMN account_notices.hold_until IS 'before when no sweep begins because of the change; null: it holds none';
COMMENT ON COLUMN account_notices.sent_at IS 'when the mail server took the mail; null: not yet';

CREATE TABLE notice_choices (
    merchant_id text NOT NULL REFERENCES merchants (merchant_id),
    kind        text NOT NULL CHECK (kind IN ('charge_paid', 'underpaid', 'late', 'failed_delivery', 'payout_sent', 'refund_dropped', 'new_login')),
    frequency   text NOT NULL CHECK (frequency IN ('off', 'at_once', 'daily')),
    PRIMARY KEY (merchant_id, kind)
);
COMMENT ON TABLE notice_choices IS 'how often a merchant is mailed about a kind of business; without a row the default of internal/businessnotice';

CREATE TABLE notice_mails (
    id          text PRIMARY KEY CHECK (id ~ '^nm_[0-9a-f]{24}$'),
    merchant_id text NOT NULL,
    digest_at   timestamptz,
    created_at  timestamptz NOT NULL,
    sent_at     timestamptz,
    UNIQUE (merchant_id, digest_at)
);
CREATE INDEX notice_mails_of_merchant ON notice_mails (merchant_id, created_at);
CREATE INDEX notice_mails_old ON notice_mails (created_at);
COMMENT ON TABLE notice_mails IS 'mails about business: each tells of the business notices that name it';
COMMENT ON COLUMN notice_mails.digest_at IS 'the moment up to which it tells what happened: 08:00 UTC of a day; null: a mail at once';
COMMENT ON COLUMN notice_mails.sent_at IS 'when the mail server took the mail; null: not yet';

CREATE TABLE business_notices (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    merchant_id text NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('charge_paid', 'underpaid', 'late', 'failed_delivery', 'payout_sent', 'refund_dropped', 'new_login')),
    resource_id text NOT NULL,
    part        integer NOT NULL DEFAULT 0,
    amount      piconero,
    frequency   text NOT NULL CHECK (frequency IN ('at_once', 'daily')),
    happened_at timestamptz NOT NULL,
    mail_id     text REFERENCES notice_mails (id),
    UNIQUE (kind, resource_id, part)
);
CREATE INDEX business_notices_waiting ON business_notices (merchant_id, frequency, id) WHERE mail_id IS NULL;
CREATE INDEX business_notices_of_mail ON business_notices (mail_id, id);
CREATE INDEX business_notices_old ON business_notices (happened_at);
COMMENT ON TABLE business_notices IS 'what merchants chose to be mailed about: a row is written with what it tells of, in one transaction';
COMMENT ON COLUMN business_notices.resource_id IS 'its subject: a charge, a payout, a claim of a refund, a delivery, or a login';
COMMENT ON COLUMN business_notices.part IS 'the round of the delivery that was given up, or how often the payment of the claim has left the chain; else 0';
COMMENT ON COLUMN business_notices.amount IS 'piconero; null where it tells of no money';
COMMENT ON COLUMN business_notices.frequency IS 'what the merchant had chosen when it happened';
COMMENT ON COLUMN business_notices.mail_id IS 'the mail that tells it; null: it waits for one';
