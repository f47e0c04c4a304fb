-- +goose Up

CREATE TABLE workflow_starts (
    id          text PRIMARY KEY,
    kind        text NOT NULL CHECK (kind IN ('charge')),
    merchant_id text NOT NULL,
    mode        text NOT NULL CHECK (mode IN ('live', 'sandbox')),
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX workflow_starts_age ON workflow_starts (created_at);
COMMENT ON TABLE workflow_starts IS 'what was written and has no workflow yet: a row is written with what it is about, and goes once Temporal has the workflow';
COMMENT ON COLUMN workflow_starts.id IS 'identifier of what the workflow is to carry';
COMMENT ON COLUMN workflow_starts.kind IS 'which workflow';
COMMENT ON COLUMN workflow_starts.created_at IS 'by the database''s clock';
