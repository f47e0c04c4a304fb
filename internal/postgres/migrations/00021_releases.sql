-- +goose Up

-- A transaction whose coins another one has spent can never be mined. Once that
-- one is deep an operator may give it up: its payment is built anew.
ALTER TABLE trade_transfers ADD COLUMN lost_height bigint,
    ADD CHECK (lost_height IS NULL OR raw IS NOT NULL);
COMMENT ON COLUMN trade_transfers.lost_height IS 'height of the chain when a block was first seen to spend its coins otherwise; null while none does';

-- What was given up, for whoever asks later.
CREATE TABLE trade_releases (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    transfer_id bigint NOT NULL REFERENCES trade_transfers (id) ON DELETE CASCADE,
    tx_hash     text NOT NULL,
    raw         bytea NOT NULL,
    inputs      text[] NOT NULL,
    lost_height bigint NOT NULL,
    released_at timestamptz NOT NULL,
    actor       text NOT NULL
);
CREATE INDEX trade_releases_transfer ON trade_releases (transfer_id);

-- +goose Down
DROP TABLE trade_releases;
ALTER TABLE trade_transfers DROP COLUMN lost_height;
