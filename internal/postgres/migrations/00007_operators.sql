-- +goose Up

CREATE TABLE alerts (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text NOT NULL,
    subject     text NOT NULL,
    detail      text NOT NULL,
    opened_at   timestamptz NOT NULL DEFAULT now(),
    resolved_at timestamptz,
    note        text
);
CREATE UNIQUE INDEX alerts_open ON alerts (kind, subject) WHERE resolved_at IS NULL;
CREATE INDEX alerts_resolved ON alerts (id) WHERE resolved_at IS NOT NULL;
COMMENT ON TABLE alerts IS 'what an operator must look at: open until resolved_at is set';
COMMENT ON COLUMN alerts.kind IS 'name of internal/alert';
COMMENT ON COLUMN alerts.subject IS 'what it is about, mostly an identifier; internal/alert says which';
COMMENT ON COLUMN alerts.detail IS 'a sentence for the operator';
COMMENT ON COLUMN alerts.resolved_at IS 'null: open';
COMMENT ON COLUMN alerts.note IS 'what the operator wrote who closed it; null: it is open, or closed by itself';

CREATE TABLE audit (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      timestamptz NOT NULL,
    actor   text NOT NULL,
    action  text NOT NULL,
    subject text NOT NULL,
    detail  text NOT NULL
);
COMMENT ON TABLE audit IS 'what operators changed: written with the change, never removed';
COMMENT ON COLUMN audit.actor IS 'merchant_id of an admin, or of a merchant who reset the password; or cli: and the user of the machine';
COMMENT ON COLUMN audit.action IS 'what was done';
COMMENT ON COLUMN audit.subject IS 'identifier of what was changed';
COMMENT ON COLUMN audit.detail IS 'from what to what';

CREATE TABLE sanctions_lists (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state        text NOT NULL CHECK (state IN ('in_force', 'refused', 'superseded')),
    digest       bytea NOT NULL CHECK (length(digest) = 32),
    entries      integer NOT NULL CHECK (entries > 0),
    published_at timestamptz,
    read_at      timestamptz NOT NULL,
    checked_at   timestamptz NOT NULL,
    in_force_at  timestamptz,
    CHECK (state <> 'in_force' OR in_force_at IS NOT NULL)
);
CREATE UNIQUE INDEX sanctions_lists_current ON sanctions_lists (state) WHERE state IN ('in_force', 'refused');
COMMENT ON TABLE sanctions_lists IS 'the sanctions lists that were read; rows stay as the record of what was in force when';
COMMENT ON COLUMN sanctions_lists.state IS 'refused: it lost more than half of the entries and waits for an operator';
COMMENT ON COLUMN sanctions_lists.digest IS 'SHA-256 of the file';
COMMENT ON COLUMN sanctions_lists.entries IS 'number of addresses';
COMMENT ON COLUMN sanctions_lists.published_at IS 'day of issue, as the list says; null when it does not';
COMMENT ON COLUMN sanctions_lists.read_at IS 'when it was first read';
COMMENT ON COLUMN sanctions_lists.checked_at IS 'when the source last held exactly this list';
COMMENT ON COLUMN sanctions_lists.in_force_at IS 'since when it is or was in force; null: it never was';

CREATE TABLE sanctioned_addresses (
    list_id bigint NOT NULL REFERENCES sanctions_lists (id) ON DELETE CASCADE,
    address text NOT NULL CHECK (address <> ''),
    asset   text NOT NULL,
    PRIMARY KEY (list_id, address)
);
COMMENT ON TABLE sanctioned_addresses IS 'addresses of the list in force and of the refused one; those of others are removed';
COMMENT ON COLUMN sanctioned_addresses.address IS 'in the spelling of sanctions.Normalise';
COMMENT ON COLUMN sanctioned_addresses.asset IS 'the asset it is listed under; it is blocked for all';
