-- +goose Up

-- How many charges of a merchant are pending, kept in shards: charges that are
-- made at once rarely wait for each other, and a sum of 16 rows at most is read
-- where thousands would be counted.
CREATE TABLE pending_charges (
    merchant_id text NOT NULL REFERENCES merchants (merchant_id) ON DELETE CASCADE,
    shard       smallint NOT NULL CHECK (shard BETWEEN 0 AND 15),
    charges     integer NOT NULL,
    PRIMARY KEY (merchant_id, shard)
) WITH (fillfactor = 50);
COMMENT ON TABLE pending_charges IS 'kept by a trigger on charges; one shard alone may be negative, the sum is exact';

-- Several statements could move a charge in or out of pending; a trigger sees
-- them all.
-- +goose StatementBegin
CREATE FUNCTION count_pending_charge() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    merchant text := CASE WHEN TG_OP = 'DELETE' THEN OLD.merchant_id ELSE NEW.merchant_id END;
    change integer := (TG_OP <> 'DELETE' AND NEW.status = 'pending')::integer - (TG_OP <> 'INSERT' AND OLD.status = 'pending')::integer;
BEGIN
    IF change <> 0 THEN
        INSERT INTO pending_charges AS p (merchant_id, shard, charges) VALUES (merchant, floor(random() * 16)::smallint, change)
        ON CONFLICT (merchant_id, shard) DO UPDATE SET charges = p.charges + excluded.charges;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- No charge is made between the count and the trigger.
LOCK TABLE charges IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO pending_charges (merchant_id, shard, charges)
SELECT merchant_id, 0, count(*) FROM charges WHERE status = 'pending' GROUP BY merchant_id;
CREATE TRIGGER count_pending AFTER INSERT OR DELETE OR UPDATE OF status ON charges
    FOR EACH ROW EXECUTE FUNCTION count_pending_charge();

ALTER TABLE merchants ADD COLUMN pending_charges_max integer CHECK (pending_charges_max BETWEEN 1 AND 10000000);
COMMENT ON COLUMN merchants.pending_charges_max IS 'charges that may be pending at the same time; null stands for the configuration';

-- Who made a charge that anybody may make, while it is pending: one client may
-- not take all that a merchant can have.
ALTER TABLE charges ADD COLUMN client_code bytea, ADD COLUMN crowd_code bytea;
COMMENT ON COLUMN charges.client_code IS 'who made it: a keyed code of address or circuit; null for charges made with a key, and once the charge is not pending';
COMMENT ON COLUMN charges.crowd_code IS 'the same of all who came through Tor together';

-- +goose Down
ALTER TABLE charges DROP COLUMN client_code, DROP COLUMN crowd_code;
ALTER TABLE merchants DROP COLUMN pending_charges_max;
DROP TRIGGER count_pending ON charges;
DROP FUNCTION count_pending_charge;
DROP TABLE pending_charges;
