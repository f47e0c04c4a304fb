-- +goose Up

-- What a watcher needs to go on: everything below settled_height was read when
-- it lay deep, and the block below it had settled_hash. The rows themselves are
-- the memory of what was received.
ALTER TABLE wallets
    ADD COLUMN settled_height bigint NOT NULL DEFAULT 0,
    ADD COLUMN settled_hash text NOT NULL DEFAULT '',
    ADD COLUMN rescan boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN wallets.settled_height IS 'payments in blocks below it are final; scans begin there at the lowest';
COMMENT ON COLUMN wallets.settled_hash IS 'hash of block settled_height - 1; empty when it is not known';
COMMENT ON COLUMN wallets.rescan IS 'the wallet file was older than the addresses that were made: it has to read the chain anew';
UPDATE wallets SET settled_height = GREATEST(chain_height - 60, 0);

-- exchange_wallets counted the blocks from 0 to the tip, one less than wallets.
ALTER TABLE exchange_wallets
    ADD COLUMN settled_height bigint NOT NULL DEFAULT 0,
    ADD COLUMN settled_hash text NOT NULL DEFAULT '',
    ADD COLUMN rescan boolean NOT NULL DEFAULT false,
    ADD COLUMN scanned_at timestamptz,
    ADD COLUMN balance_at timestamptz;
UPDATE exchange_wallets w SET chain_height = chain_height + 1, settled_height = GREATEST(LEAST(chain_height - 60,
    (SELECT min(d.height) FROM trade_deposits d WHERE d.wallet_id = w.id AND d.locked)), 0), balance_at = looked_at, scanned_at = looked_at
WHERE w.top_hash <> '';
ALTER TABLE exchange_wallets DROP COLUMN cursor;
COMMENT ON COLUMN exchange_wallets.chain_height IS 'number of blocks of the chain';
COMMENT ON COLUMN exchange_wallets.scanned_at IS 'when what it received was last looked for';
COMMENT ON COLUMN exchange_wallets.looked_at IS 'when unlocked and total were last known to be current; inventory that was not looked at for long is not quoted';
COMMENT ON COLUMN exchange_wallets.balance_at IS 'when unlocked and total were asked for; they change with blocks, the pool and own payments only';

-- Hashes of deep blocks, to find where a reorganization began that went below
-- settled_height.
CREATE TABLE chain_checkpoints (
    wallet_id text NOT NULL,
    height    bigint NOT NULL CHECK (height > 0),
    hash      text NOT NULL,
    PRIMARY KEY (wallet_id, height)
);
COMMENT ON COLUMN chain_checkpoints.hash IS 'of block height - 1';

-- A payment is shown once the charge was advanced with it, so that an answer is
-- one state.
ALTER TABLE transfers ADD COLUMN fresh boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN transfers.fresh IS 'its charge has not been advanced with it yet: it is not shown';
CREATE INDEX transfers_dropped ON transfers (wallet_id, vanished_at) WHERE vanished_at IS NOT NULL;

-- Money that came before its charge or trade was made belongs to nobody.
ALTER TABLE charges ADD COLUMN created_height bigint;
ALTER TABLE trades ADD COLUMN created_height bigint;
COMMENT ON COLUMN charges.created_height IS 'blocks of the chain when it was made, as far as the wallet was watched';
COMMENT ON COLUMN trades.created_height IS 'blocks of the chain when it was made, as far as wallet_from was watched';

-- A deposit remembers what is needed to say when it can be spent.
ALTER TABLE trade_deposits
    ADD COLUMN unlock_height bigint NOT NULL DEFAULT 0,
    ADD COLUMN unlock_at timestamptz,
    ADD COLUMN spendable_after integer NOT NULL DEFAULT 0,
    ADD COLUMN mature_height bigint,
    ADD COLUMN mature boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN trade_deposits.confirmations IS 'followed until it is mature';
COMMENT ON COLUMN trade_deposits.unlock_height IS 'number of blocks before which its payer locked it; 0 for an ordinary payment';
COMMENT ON COLUMN trade_deposits.spendable_after IS 'confirmations before which consensus does not let it be spent';
COMMENT ON COLUMN trade_deposits.mature_height IS 'number of blocks at which it has the confirmations that its trade wants, and can be spent';
COMMENT ON COLUMN trade_deposits.mature IS 'the daemon showed it in the chain at mature_height, and its trade was told';
UPDATE trade_deposits d SET
    spendable_after = CASE WHEN w.ticker = 'xmr' THEN 10 ELSE 0 END,
    mature_height = d.height + GREATEST(t.confirmations, CASE WHEN w.ticker = 'xmr' THEN 10 ELSE 0 END),
    mature = d.confirmations >= t.confirmations AND NOT d.locked
FROM trades t, exchange_wallets w WHERE t.id = d.trade_id AND w.id = d.wallet_id AND d.height IS NOT NULL;
CREATE INDEX trade_deposits_window ON trade_deposits (wallet_id, height);
CREATE INDEX trade_deposits_unmined ON trade_deposits (wallet_id) WHERE height IS NULL AND gone_at IS NULL;
CREATE INDEX trade_deposits_maturing ON trade_deposits (wallet_id, mature_height) WHERE NOT mature AND height IS NOT NULL;
CREATE INDEX trade_deposits_dropped ON trade_deposits (wallet_id, gone_at) WHERE gone_at IS NOT NULL;

-- Money on deposit addresses that is no trade's.
CREATE TABLE unmatched_deposits (
    wallet_id     text NOT NULL REFERENCES exchange_wallets (id),
    tx_hash       text NOT NULL,
    address       text NOT NULL,
    amount        numeric NOT NULL CHECK (amount > 0),
    first_seen_at timestamptz NOT NULL,
    PRIMARY KEY (wallet_id, tx_hash, address)
);
COMMENT ON TABLE unmatched_deposits IS 'seen before the address was a trade''s, or after the trade was removed; never counted for a trade';

-- A signal that cannot be delivered lets the others pass.
ALTER TABLE charge_signals
    ADD COLUMN attempts integer NOT NULL DEFAULT 0,
    ADD COLUMN next_at timestamptz NOT NULL DEFAULT 'epoch',
    ADD COLUMN since timestamptz NOT NULL DEFAULT now();
ALTER TABLE trade_signals
    ADD COLUMN attempts integer NOT NULL DEFAULT 0,
    ADD COLUMN next_at timestamptz NOT NULL DEFAULT 'epoch',
    ADD COLUMN since timestamptz NOT NULL DEFAULT now();
DROP INDEX charge_signals_wallet, trade_signals_wallet;
CREATE INDEX charge_signals_next ON charge_signals (wallet_id, next_at, version);
CREATE INDEX trade_signals_next ON trade_signals (wallet_id, next_at, version);

-- What a payout took is missing from the balance once that was asked for after
-- it was sent.
CREATE OR REPLACE VIEW kept_inventory AS
SELECT t.wallet_to AS wallet_id, t.reserved, t.status = 'awaiting_deposit' AS unfunded
FROM trades t JOIN exchange_wallets w ON w.id = t.wallet_to
WHERE t.reserved > 0 AND NOT (t.status = 'sending' AND EXISTS (
    SELECT 1 FROM trade_transfers x WHERE x.trade_id = t.id AND x.kind = 'payout' AND x.sent_at < w.balance_at));

-- +goose Down
CREATE OR REPLACE VIEW kept_inventory AS
SELECT t.wallet_to AS wallet_id, t.reserved, t.status = 'awaiting_deposit' AS unfunded
FROM trades t JOIN exchange_wallets w ON w.id = t.wallet_to
WHERE t.reserved > 0 AND NOT (t.status = 'sending' AND EXISTS (
    SELECT 1 FROM trade_transfers x WHERE x.trade_id = t.id AND x.kind = 'payout' AND x.sent_at < w.looked_at));
DROP INDEX charge_signals_next, trade_signals_next;
ALTER TABLE trade_signals DROP COLUMN attempts, DROP COLUMN next_at, DROP COLUMN since;
ALTER TABLE charge_signals DROP COLUMN attempts, DROP COLUMN next_at, DROP COLUMN since;
CREATE INDEX charge_signals_wallet ON charge_signals (wallet_id);
CREATE INDEX trade_signals_wallet ON trade_signals (wallet_id, version);
DROP TABLE unmatched_deposits, chain_checkpoints;
DROP INDEX trade_deposits_window, trade_deposits_unmined, trade_deposits_maturing, trade_deposits_dropped, transfers_dropped;
ALTER TABLE trade_deposits DROP COLUMN unlock_height, DROP COLUMN unlock_at, DROP COLUMN spendable_after,
    DROP COLUMN mature_height, DROP COLUMN mature;
ALTER TABLE trades DROP COLUMN created_height;
ALTER TABLE charges DROP COLUMN created_height;
ALTER TABLE transfers DROP COLUMN fresh;
ALTER TABLE exchange_wallets ADD COLUMN cursor text NOT NULL DEFAULT '', DROP COLUMN settled_height, DROP COLUMN settled_hash,
    DROP COLUMN rescan, DROP COLUMN scanned_at, DROP COLUMN balance_at;
UPDATE exchange_wallets SET chain_height = chain_height - 1 WHERE top_hash <> '';
ALTER TABLE wallets DROP COLUMN settled_height, DROP COLUMN settled_hash, DROP COLUMN rescan;
