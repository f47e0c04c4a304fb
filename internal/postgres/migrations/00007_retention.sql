-- +goose Up

-- Where buyers' fields are, so that they are found without reading every
-- text. Set when a text that may hold them is written, cleared when they are
-- removed; a text with the same name further inside is looked at once for
-- nothing.
ALTER TABLE charges ADD COLUMN has_buyer_info boolean NOT NULL DEFAULT false;
ALTER TABLE events ADD COLUMN has_buyer_info boolean NOT NULL DEFAULT false;
UPDATE charges SET has_buyer_info = true WHERE metadata LIKE '%"buyer_info"%';
UPDATE events SET has_buyer_info = true WHERE payload LIKE '%"buyer_info"%';

-- Each walk goes on after the last row that it looked at.
CREATE INDEX charges_buyer_info ON charges (created_at, id) WHERE has_buyer_info AND status <> 'pending';
CREATE INDEX events_buyer_info ON events (created_at, id) WHERE has_buyer_info;
CREATE INDEX charges_ended ON charges (created_at, id) WHERE status <> 'pending';
CREATE INDEX events_age ON events (created_at, id);
CREATE INDEX deliveries_age ON deliveries (created_at, id);
DROP INDEX charges_old;
DROP INDEX deliveries_old;
CREATE INDEX webhooks_deleted ON webhooks (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX login_failures_age ON login_failures (last_at);
CREATE INDEX login_ip_failures_age ON login_ip_failures (window_start);

-- The charges that may be removed once they are old enough: ended, with every
-- payment that is not gone paid out by a confirmed payout.
CREATE VIEW removable_charges AS
SELECT c.id FROM charges c
WHERE (c.status = 'expired' OR (c.status = 'confirmed' AND c.payout_id IS NOT NULL))
    AND NOT EXISTS (SELECT 1 FROM payouts p WHERE p.id = c.payout_id AND p.status <> 'confirmed')
    AND NOT EXISTS (
        SELECT 1 FROM transfers t LEFT JOIN payouts p ON p.id = t.payout_id
        WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND p.status IS DISTINCT FROM 'confirmed');

-- +goose Down
DROP VIEW removable_charges;
DROP INDEX login_ip_failures_age, login_failures_age, webhooks_deleted, deliveries_age, events_age, charges_ended,
    events_buyer_info, charges_buyer_info;
CREATE INDEX charges_old ON charges (created_at);
CREATE INDEX deliveries_old ON deliveries (created_at);
ALTER TABLE events DROP COLUMN has_buyer_info;
ALTER TABLE charges DROP COLUMN has_buyer_info;
