-- +goose Up

ALTER TABLE wallets ADD COLUMN simulated boolean NOT NULL DEFAULT false CHECK (NOT simulated OR mode = 'sandbox');
COMMENT ON COLUMN wallets.simulated IS 'no wallet: a charge of the sandbox that is paid by the sandbox''s operations; the row named simulated stands for the sandbox of merchants where no wallet has it';
INSERT INTO wallets (id, mode, primary_address, simulated) VALUES ('simulated', 'sandbox', 'simulated', true);

CREATE TABLE simulated_chains (
    wallet_id text PRIMARY KEY REFERENCES wallets (id) ON DELETE CASCADE,
    charge_id text NOT NULL UNIQUE,
    height    bigint NOT NULL CHECK (height > 0),
    forks     bigint[] NOT NULL DEFAULT '{}',
    changed   bigint NOT NULL DEFAULT 0,
    scanned   bigint NOT NULL DEFAULT 0
);
CREATE INDEX simulated_chains_changed ON simulated_chains (wallet_id) WHERE changed > scanned;
COMMENT ON TABLE simulated_chains IS 'the chain of a simulated charge: each has its own, so that none gets deeper by another''s blocks';
COMMENT ON COLUMN simulated_chains.height IS 'number of blocks';
COMMENT ON COLUMN simulated_chains.forks IS 'one for each reorganization: the height from which it replaced all blocks';
COMMENT ON COLUMN simulated_chains.changed IS 'how often it was changed, scanned: up to which change the watcher has seen and told it';

CREATE TABLE simulated_payments (
    tx_hash    text PRIMARY KEY,
    wallet_id  text NOT NULL REFERENCES simulated_chains (wallet_id) ON DELETE CASCADE,
    amount     piconero NOT NULL,
    height     bigint,
    dropped    boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    CHECK (NOT dropped OR height IS NULL)
);
CREATE INDEX simulated_payments_wallet ON simulated_payments (wallet_id);
COMMENT ON TABLE simulated_payments IS 'what was paid to simulated charges; no coin moved';
COMMENT ON COLUMN simulated_payments.height IS 'block that holds it; null in the pool, or when it was dropped';

CREATE OR REPLACE VIEW removable_charges AS
SELECT c.id FROM charges c JOIN wallets w ON w.id = c.wallet_id
WHERE (c.status = 'expired' OR (c.status = 'confirmed' AND (c.payout_id IS NOT NULL OR c.mark = 'settled' OR w.simulated)))
    AND NOT EXISTS (SELECT 1 FROM payouts p WHERE p.id = c.payout_id AND p.status <> 'confirmed')
    AND (w.simulated OR NOT EXISTS (
        SELECT 1 FROM received_payments t LEFT JOIN payouts p ON p.id = t.payout_id
        WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND p.status IS DISTINCT FROM 'confirmed'))
    AND NOT EXISTS (
        SELECT 1 FROM refunds r WHERE r.charge_id = c.id AND r.status NOT IN ('completed', 'cancelled', 'expired'));
COMMENT ON VIEW removable_charges IS 'charges that may be removed once they are old enough: ended, with every payment that is not gone paid out by a confirmed payout, and no refund that goes on; what was simulated need not be paid out';
