-- +goose Up

CREATE TABLE test_clocks (
    id              text PRIMARY KEY CHECK (id ~ '^clock_[0-9a-f]{24}$'),
    merchant_id     text NOT NULL REFERENCES merchants (merchant_id) ON DELETE CASCADE,
    name            text,
    status          text NOT NULL DEFAULT 'ready' CHECK (status IN ('ready', 'advancing', 'internal_failure')),
    frozen_time     timestamptz NOT NULL,
    target_time     timestamptz CHECK (target_time > frozen_time),
    first_time      timestamptz NOT NULL,
    idempotency_key text,
    advance_key     text,
    created_at      timestamptz NOT NULL,
    deletes_after   timestamptz NOT NULL,
    deleted_at      timestamptz,
    UNIQUE (merchant_id, idempotency_key),
    CHECK ((status = 'advancing') = (target_time IS NOT NULL))
);
CREATE INDEX test_clocks_list ON test_clocks (merchant_id, created_at DESC, id DESC);
CREATE INDEX test_clocks_advancing ON test_clocks (id) WHERE status = 'advancing';
CREATE INDEX test_clocks_age ON test_clocks (deletes_after);
COMMENT ON TABLE test_clocks IS 'clocks of the sandbox that a merchant moves: charges that are bound to one live by its time';
COMMENT ON COLUMN test_clocks.name IS 'what the merchant calls it; null: nothing';
COMMENT ON COLUMN test_clocks.frozen_time IS 'its time, in whole seconds; the time before the advance while it is advancing';
COMMENT ON COLUMN test_clocks.target_time IS 'the time it advances to, which what is bound lives by already; null unless it is advancing';
COMMENT ON COLUMN test_clocks.first_time IS 'frozen_time as it was made, for a request that is repeated';
COMMENT ON COLUMN test_clocks.idempotency_key IS 'of the request that made it; null: none';
COMMENT ON COLUMN test_clocks.advance_key IS 'idempotency key of the last advance; null: none';
COMMENT ON COLUMN test_clocks.deletes_after IS 'from when on it counts as deleted';
COMMENT ON COLUMN test_clocks.deleted_at IS 'when the merchant deleted it; null: it was not';

ALTER TABLE charges ADD COLUMN test_clock_id text REFERENCES test_clocks (id),
    ADD CHECK (test_clock_id IS NULL OR mode = 'sandbox');
CREATE INDEX charges_test_clock ON charges (test_clock_id, id) WHERE test_clock_id IS NOT NULL;
COMMENT ON COLUMN charges.test_clock_id IS 'the test clock whose time it lives by; null: real time';

CREATE VIEW test_clock_times AS
SELECT id, merchant_id, COALESCE(target_time, frozen_time)::timestamptz AS at, (deleted_at IS NOT NULL OR deletes_after <= now())::boolean AS gone
FROM test_clocks;
COMMENT ON VIEW test_clock_times IS 'the time that charges of a test clock live by, and whether the clock is deleted';

CREATE OR REPLACE VIEW removable_charges AS
SELECT c.id FROM charges c JOIN wallets w ON w.id = c.wallet_id
WHERE (c.status = 'expired' OR (c.status = 'confirmed' AND (c.payout_id IS NOT NULL OR c.mark = 'settled' OR w.simulated)))
    AND (c.test_clock_id IS NULL OR EXISTS (SELECT 1 FROM test_clock_times k WHERE k.id = c.test_clock_id AND k.gone))
    AND NOT EXISTS (SELECT 1 FROM payouts p WHERE p.id = c.payout_id AND p.status <> 'confirmed')
    AND (w.simulated OR NOT EXISTS (
        SELECT 1 FROM received_payments t LEFT JOIN payouts p ON p.id = t.payout_id
        WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND p.status IS DISTINCT FROM 'confirmed'))
    AND NOT EXISTS (
        SELECT 1 FROM refunds r WHERE r.charge_id = c.id AND r.status NOT IN ('completed', 'cancelled', 'expired'));
COMMENT ON VIEW removable_charges IS 'charges that may be removed once they are old enough: ended, with every payment that is not gone paid out by a confirmed payout, no refund that goes on, and no test clock that is kept; what was simulated need not be paid out';
