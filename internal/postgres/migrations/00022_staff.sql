-- +goose Up

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
COMMENT ON COLUMN staff.role IS 'what the person may do, see internal/staff';
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

ALTER TABLE refunds ADD COLUMN made_by text;
COMMENT ON COLUMN refunds.made_by IS 'the person of the staff who made it; null: the merchant or a key did';
CREATE INDEX refunds_made_by ON refunds (made_by, merchant_id, created_at) WHERE made_by IS NOT NULL;
