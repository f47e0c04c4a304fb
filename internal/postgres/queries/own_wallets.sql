-- name: InsertOwnWallet :execrows
-- Nothing where a wallet has the address or watches with the key.
INSERT INTO wallets (id, chain_id, role, primary_address, merchant_id, first_account, view_key_index, view_key_sealed)
SELECT @id::text, hosted.chain_id, 'own', @primary_address::text, m.merchant_id, @first_account::integer, @view_key_index::bytea, @view_key_sealed::bytea
FROM merchants m JOIN wallets hosted ON hosted.id = m.live_wallet_id WHERE m.merchant_id = @merchant_id::text
ON CONFLICT DO NOTHING;

-- name: WalletsLike :many
-- Those that have the address or watch with the key.
SELECT id, role, merchant_id, primary_address FROM wallets WHERE primary_address = @primary_address::text OR view_key_index = @view_key_index::bytea;

-- name: IsHandedOut :one
SELECT EXISTS (SELECT 1 FROM addresses WHERE address = $1);

-- name: SetFirstAccount :exec
UPDATE wallets SET first_account = @first_account WHERE id = @id AND role = 'own';

-- name: ChooseWallet :exec
-- New charges go on to the wallet of this moment until the change takes effect.
UPDATE merchants m SET own_wallet_id = sqlc.narg(now_id)::text, next_wallet_id = sqlc.narg(next_id)::text, wallet_change_at = sqlc.narg(change_at)::timestamptz
WHERE m.merchant_id = @merchant_id;

-- name: RecordWalletChange :exec
INSERT INTO wallet_changes (merchant_id, wallet_id, created_at, effective_from)
VALUES (@merchant_id, sqlc.narg(wallet_id)::text, @created_at, @effective_from);

-- name: ListWalletChanges :many
SELECT c.created_at, c.effective_from, w.primary_address FROM wallet_changes c LEFT JOIN wallets w ON w.id = c.wallet_id
WHERE c.merchant_id = @merchant_id ORDER BY c.id DESC LIMIT @max_rows;

-- name: HasSold :one
-- Whether a merchant was ever paid in live mode, or chose a wallet before.
SELECT (EXISTS (SELECT 1 FROM ledger l WHERE l.merchant_id = @merchant_id::text AND l.mode = 'live')
    OR EXISTS (SELECT 1 FROM received_payments t WHERE t.merchant_id = @merchant_id::text AND t.charge_id IN (
        SELECT c.id FROM charges c WHERE c.merchant_id = @merchant_id::text AND c.mode = 'live'))
    OR EXISTS (SELECT 1 FROM charges c WHERE c.merchant_id = @merchant_id::text AND c.mode = 'live' AND c.seen_at IS NOT NULL)
    OR EXISTS (SELECT 1 FROM wallet_changes w WHERE w.merchant_id = @merchant_id::text))::boolean;

-- name: OwnWallet :one
-- A shop's own wallet, with the highest number of an address that was handed out.
SELECT w.id, w.primary_address::text AS primary_address, w.first_account, w.paid_account, COALESCE(s.handed_out, 0)::bigint AS handed_out
FROM wallets w LEFT JOIN witnesses s ON s.wallet_id = w.id WHERE w.id = $1 AND w.role = 'own';

-- name: FeeOwed :one
SELECT COALESCE(sum(l.fee_owed), 0)::piconero FROM ledger l WHERE l.merchant_id = $1 AND l.fee_owed > 0;

-- name: NewOwnWallets :many
-- Own wallets that are not known, and those that a scan left out, with their sealed view keys.
SELECT id, primary_address::text AS primary_address, view_key_sealed::bytea AS view_key_sealed, unscanned FROM wallets
WHERE role = 'own' AND view_key_sealed IS NOT NULL AND (unscanned OR id <> ALL(COALESCE(@known::text[], '{}'))) ORDER BY created_at, id;

-- name: SetUnscanned :exec
UPDATE wallets SET unscanned = @unscanned WHERE id = @id AND role = 'own';

-- name: OwnPools :many
-- The own wallets that new charges pay, or will pay, on chains that are scanned. Addresses above a number are still to be handed out:
-- up to which one the account of that number has them, and the highest of all.
SELECT w.id, COALESCE(s.lease_instance = database_instance(), false)::boolean AS current, COALESCE(s.lease_to, 0)::bigint AS lease_to, n.above,
    (SELECT COALESCE(max(a.subaddress_index), n.above) FROM addresses a
        WHERE a.wallet_id = w.id AND a.subaddress_index > n.above AND a.subaddress_index <= (n.above | 1048575))::bigint AS published_here,
    (SELECT COALESCE(max(a.subaddress_index), 0) FROM addresses a WHERE a.wallet_id = w.id)::bigint AS published
FROM wallets w JOIN chains AS chain ON chain.id = w.chain_id LEFT JOIN witnesses s ON s.wallet_id = w.id
    CROSS JOIN LATERAL (SELECT GREATEST(COALESCE(s.lease_from, 0), COALESCE(s.handed_out, 0), w.first_account::bigint << 20)::bigint AS above) n
WHERE w.role = 'own' AND w.view_key_sealed IS NOT NULL AND chain.scanned_at IS NOT NULL
    AND EXISTS (SELECT 1 FROM merchants m WHERE m.merchant_id = w.merchant_id AND (m.own_wallet_id = w.id OR m.next_wallet_id = w.id));

-- name: OwnKeys :one
SELECT primary_address::text AS primary_address, view_key_sealed FROM wallets WHERE id = $1 AND role = 'own';

-- name: LastPaidNumber :one
-- The highest number of an address in a range whose charge a block has paid; 0 for none.
SELECT COALESCE((SELECT c.subaddress_index FROM charges c
    WHERE c.wallet_id = @wallet_id AND c.subaddress_index > @above::integer AND c.subaddress_index <= @up_to::integer
        AND EXISTS (SELECT 1 FROM received_payments t WHERE t.charge_id = c.id AND t.height IS NOT NULL)
    ORDER BY c.subaddress_index DESC LIMIT 1), 0)::integer;

-- name: PublishOwnAddresses :exec
INSERT INTO addresses (wallet_id, subaddress_index, address, spend_key)
SELECT @wallet_id, unnest(@indices::integer[]), unnest(@addresses::text[]), unnest(@spend_keys::bytea[])
ON CONFLICT (wallet_id, subaddress_index) DO NOTHING;

-- name: RaisePaidAccount :exec
UPDATE wallets SET paid_account = @account WHERE id = @id AND paid_account < @account;
