-- +goose Up

CREATE TABLE notice_choices (
    merchant_id text NOT NULL REFERENCES merchants (merchant_id),
    kind        text NOT NULL CHECK (kind IN ('charge_paid', 'underpaid', 'late', 'failed_delivery', 'payout_sent', 'new_login')),
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
    kind        text NOT NULL CHECK (kind IN ('charge_paid', 'underpaid', 'late', 'failed_delivery', 'payout_sent', 'new_login')),
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
COMMENT ON COLUMN business_notices.resource_id IS 'what it tells of: a charge, a payout, a delivery, or a login';
COMMENT ON COLUMN business_notices.part IS 'the round of the delivery that was given up; else 0';
COMMENT ON COLUMN business_notices.amount IS 'piconero; null where it tells of no money';
COMMENT ON COLUMN business_notices.frequency IS 'what the merchant had chosen when it happened';
COMMENT ON COLUMN business_notices.mail_id IS 'the mail that tells it; null: it waits for one';

CREATE TABLE login_networks (
    merchant_id text NOT NULL REFERENCES merchants (merchant_id),
    network     bytea NOT NULL CHECK (length(network) = 32),
    seen_at     timestamptz NOT NULL,
    PRIMARY KEY (merchant_id, network)
);
CREATE INDEX login_networks_old ON login_networks (seen_at);
COMMENT ON TABLE login_networks IS 'networks that a merchant has logged in from';
COMMENT ON COLUMN login_networks.network IS 'HMAC of merchant and network (/24 of IPv4, /48 of IPv6); no address is kept';
COMMENT ON COLUMN login_networks.seen_at IS 'the last login from there';
