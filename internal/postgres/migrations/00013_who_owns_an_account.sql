-- +goose Up

ALTER TABLE merchants ADD COLUMN refund_hold_until timestamptz;
COMMENT ON COLUMN merchants.refund_hold_until IS 'before, every claim of a refund needs the approval of a session, since more was let go without one; null: it never was';
COMMENT ON COLUMN merchants.refund_auto_up_to IS 'piconero up to which a refund needs no approval, and a tenth of what such refunds may be worth on a day; 0: each needs one';

ALTER TABLE account_notices ADD COLUMN session_id text;
ALTER TABLE account_notices ADD COLUMN version integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN account_notices.version IS 'the account''s token_version when it was written';
COMMENT ON COLUMN account_notices.session_id IS 'the session that the notice is about; null: it is about none';
COMMENT ON COLUMN account_notices.hold_until IS 'until when what the change allows waits; null: it waits for nothing';
