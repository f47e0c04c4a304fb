-- +goose Up

CREATE TABLE sent_forms (
    id         text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{64}$'),
    leads_to   text,
    expires_at timestamptz NOT NULL
);
CREATE INDEX sent_forms_old ON sent_forms (expires_at);
COMMENT ON TABLE sent_forms IS 'forms of the merchants'' desk that were sent and act once: one of these does nothing more';
COMMENT ON COLUMN sent_forms.id IS 'keyed digest of the form''s code, its address and what was filled in; nobody reads these from it';
COMMENT ON COLUMN sent_forms.leads_to IS 'page of what the form made; null: none, or it is still being made';
COMMENT ON COLUMN sent_forms.expires_at IS 'when the session ends that the form is of: it is refused from then on';
