-- +goose NO TRANSACTION
-- +goose Up

-- Ordered by an expression, so that the primary key, which has the addresses that are taken as well, is never read in its place.
DROP INDEX CONCURRENTLY IF EXISTS addresses_next;
CREATE INDEX CONCURRENTLY addresses_next ON addresses (wallet_id, (subaddress_index + 0)) WHERE charge_id IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS addresses_free;
