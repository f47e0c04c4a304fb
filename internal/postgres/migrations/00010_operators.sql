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
