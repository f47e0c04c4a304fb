-- +goose Up

ALTER TABLE merchants
    ADD COLUMN admin boolean NOT NULL DEFAULT false,
    ALTER COLUMN fee_rate DROP DEFAULT,
    ALTER COLUMN fee_rate DROP NOT NULL;
UPDATE merchants SET fee_rate = NULL WHERE fee_rate = 0;
COMMENT ON COLUMN merchants.admin IS 'may use the operators'' routes; set by the command line only';
COMMENT ON COLUMN merchants.fee_rate IS 'own share of a payout kept by the operator: 0.005 is half a percent; null: the volume tiers and the default';
COMMENT ON COLUMN merchants.confirmations_required IS 'own number for every amount; null: the configured steps';
COMMENT ON COLUMN merchants.tolerance_percent IS 'own tolerance; null: the configured one';

-- Fee rates by volume: the highest tier that a merchant's volume reaches.
CREATE TABLE fee_tiers (
    volume_from piconero PRIMARY KEY CHECK (volume_from > 0),
    fee_rate    numeric NOT NULL CHECK (fee_rate >= 0 AND fee_rate < 1)
);
COMMENT ON COLUMN fee_tiers.volume_from IS 'confirmed in the last 30 days, live wallet, from which the rate is in force';

ALTER TABLE charges ADD COLUMN underpaid_accepted_at timestamptz;
COMMENT ON COLUMN charges.underpaid_accepted_at IS 'when the merchant took less than was asked for; confirm_from_piconero is then what had come';
CREATE INDEX charges_unbacked ON charges (confirmed_at) WHERE unbacked;

-- Money that belongs to no charge waits for an operator.
ALTER TABLE transfers
    ADD COLUMN resolved_at timestamptz,
    ADD COLUMN note text,
    ADD CHECK ((resolved_at IS NULL) = (note IS NULL));
CREATE INDEX transfers_unmatched_newest ON transfers (id) WHERE charge_id IS NULL;
COMMENT ON COLUMN transfers.note IS 'what an operator did about money that belongs to no charge';

ALTER TABLE alerts ADD COLUMN note text;
CREATE INDEX alerts_resolved ON alerts (id) WHERE resolved_at IS NOT NULL;

CREATE INDEX deliveries_undelivered ON deliveries (created_at, id) WHERE status IN ('failed', 'dropped');
CREATE INDEX payouts_unsettled ON payouts (created_at) WHERE status IN ('building', 'broadcast');

-- What operators changed: written with the change, never removed.
CREATE TABLE audit (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      timestamptz NOT NULL,
    actor   text NOT NULL,
    action  text NOT NULL,
    subject text NOT NULL,
    detail  text NOT NULL
);
COMMENT ON COLUMN audit.actor IS 'merchant_id of an admin, or cli: and the user of the machine';

-- +goose Down
DROP TABLE audit;
DROP INDEX payouts_unsettled, deliveries_undelivered, alerts_resolved, transfers_unmatched_newest, charges_unbacked;
ALTER TABLE alerts DROP COLUMN note;
ALTER TABLE transfers DROP COLUMN note, DROP COLUMN resolved_at;
ALTER TABLE charges DROP COLUMN underpaid_accepted_at;
DROP TABLE fee_tiers;
UPDATE merchants SET fee_rate = 0 WHERE fee_rate IS NULL;
ALTER TABLE merchants DROP COLUMN admin, ALTER COLUMN fee_rate SET NOT NULL, ALTER COLUMN fee_rate SET DEFAULT 0;
