-- +goose Up

ALTER TABLE acknowledged_sends ADD COLUMN nowhere boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN acknowledged_sends.nowhere IS 'it was accepted while it was in no block and in no pool: what it paid is paid again, so it is asked about once more should a block have it';
