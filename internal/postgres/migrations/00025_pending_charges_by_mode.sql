-- +goose Up

-- Each mode is counted apart, so that tests in the sandbox stop no sales.
LOCK TABLE charges IN SHARE ROW EXCLUSIVE MODE;
ALTER TABLE pending_charges ADD COLUMN mode text NOT NULL DEFAULT 'live' CHECK (mode IN ('live', 'sandbox'));
ALTER TABLE pending_charges DROP CONSTRAINT pending_charges_pkey, ADD PRIMARY KEY (merchant_id, mode, shard);
ALTER TABLE pending_charges ALTER COLUMN mode DROP DEFAULT;
COMMENT ON TABLE pending_charges IS 'how many charges of a merchant are pending in a mode, kept by a trigger on charges; the sum of the shards is exact';

-- What was counted is of both modes: that of the sandbox goes over.
INSERT INTO pending_charges (merchant_id, mode, shard, charges)
SELECT merchant_id, 'sandbox', 0, count(*) FROM charges WHERE status = 'pending' AND mode = 'sandbox' GROUP BY merchant_id;
INSERT INTO pending_charges AS p (merchant_id, mode, shard, charges)
SELECT merchant_id, 'live', 0, -count(*) FROM charges WHERE status = 'pending' AND mode = 'sandbox' GROUP BY merchant_id
ON CONFLICT (merchant_id, mode, shard) DO UPDATE SET charges = p.charges + excluded.charges;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_pending_charge() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    merchant text := CASE WHEN TG_OP = 'DELETE' THEN OLD.merchant_id ELSE NEW.merchant_id END;
    in_mode text := CASE WHEN TG_OP = 'DELETE' THEN OLD.mode ELSE NEW.mode END;
    change integer := (TG_OP <> 'DELETE' AND NEW.status = 'pending')::integer - (TG_OP <> 'INSERT' AND OLD.status = 'pending')::integer;
BEGIN
    IF change <> 0 THEN
        INSERT INTO pending_charges AS p (merchant_id, mode, shard, charges) VALUES (merchant, in_mode, floor(random() * 16)::smallint, change)
        ON CONFLICT (merchant_id, mode, shard) DO UPDATE SET charges = p.charges + excluded.charges;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- What operators look at is money; what was simulated is none.
CREATE INDEX charges_unbacked_live ON charges (confirmed_at) WHERE unbacked AND mode = 'live';
DROP INDEX charges_unbacked;
