-- +goose Up
-- The words of docs/glossary.md for what had others.
ALTER TABLE transfers RENAME TO received_payments;
ALTER TABLE wallets RENAME COLUMN looked_at TO scanned_at;
ALTER TABLE exchange_wallets RENAME COLUMN looked_at TO balance_current_at;
ALTER TABLE trade_deposits RENAME COLUMN forgone TO abandoned;
ALTER TABLE trade_deposits RENAME COLUMN gone_at TO missing_at;
ALTER TABLE outgoing_transactions RENAME COLUMN lost_height TO spent_elsewhere_height;
ALTER VIEW kept_inventory RENAME TO reserved_inventory;
UPDATE alerts SET kind = replace(kind, 'transfer_', 'trade_payment_') WHERE kind LIKE 'transfer\_%';
-- +goose StatementBegin
DO $$
DECLARE name text;
BEGIN
    FOR name IN SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND tablename = 'received_payments' AND indexname LIKE 'transfers\_%' LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', name, replace(name, 'transfers_', 'received_payments_'));
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
DECLARE name text;
BEGIN
    FOR name IN SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND tablename = 'received_payments' AND indexname LIKE 'received\_payments\_%' LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', name, replace(name, 'received_payments_', 'transfers_'));
    END LOOP;
END $$;
-- +goose StatementEnd
UPDATE alerts SET kind = replace(kind, 'trade_payment_', 'transfer_') WHERE kind LIKE 'trade\_payment\_%';
ALTER VIEW reserved_inventory RENAME TO kept_inventory;
ALTER TABLE outgoing_transactions RENAME COLUMN spent_elsewhere_height TO lost_height;
ALTER TABLE trade_deposits RENAME COLUMN missing_at TO gone_at;
ALTER TABLE trade_deposits RENAME COLUMN abandoned TO forgone;
ALTER TABLE exchange_wallets RENAME COLUMN balance_current_at TO looked_at;
ALTER TABLE wallets RENAME COLUMN scanned_at TO looked_at;
ALTER TABLE received_payments RENAME TO transfers;
