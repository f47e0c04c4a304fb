-- name: BeginCharge :one
-- What a charge begins with: the settings of its merchant, and an address. The account
-- stays until the transaction ends: one that is deleted meanwhile gets no charge. The
-- wallet is the merchant's own; in the sandbox, where that is not one of those that are
-- given, the other one. Whoever is refused by the settings takes no address. Index 0,
-- which nobody is given, says that there is none. The next address is looked for by the
-- expression of the index addresses_next.
WITH merchant AS (
    SELECT m.confirmations_required, m.tolerance_percent, (m.suspended_at IS NOT NULL)::boolean AS suspended,
        COALESCE(m.pending_charges_max, @pending_max::bigint)::bigint AS pending_max,
        CASE WHEN @mode::text = 'live' THEN m.live_wallet_id
            WHEN m.sandbox_wallet_id = ANY (@sandbox_wallets::text[]) THEN m.sandbox_wallet_id ELSE @other_wallet::text END AS wallet_id,
        EXISTS (SELECT 1 FROM webhooks h WHERE h.merchant_id = m.merchant_id AND h.deleted_at IS NULL AND h.enabled AND h.dialect = 'btcpay') AS has_invoice_webhook,
        (SELECT COALESCE(sum(p.charges), 0) FROM pending_charges p WHERE p.merchant_id = m.merchant_id AND p.mode = @mode::text)::bigint AS pending
    FROM merchants m WHERE m.merchant_id = @merchant_id AND m.deleted_at IS NULL FOR KEY SHARE OF m),
lease AS (
    SELECT w.wallet_id, w.lease_from, w.lease_to FROM witnesses w JOIN merchant m ON m.wallet_id = w.wallet_id
    WHERE w.lease_instance = database_instance() AND w.safe_since IS NULL AND NOT m.suspended AND m.pending < m.pending_max),
taken AS (
    UPDATE addresses a SET charge_id = @charge_id::text
    WHERE (a.wallet_id, a.subaddress_index) = (
        SELECT f.wallet_id, f.subaddress_index FROM addresses f
        WHERE f.wallet_id = (SELECT wallet_id FROM lease) AND f.charge_id IS NULL
            AND f.subaddress_index + 0 > (SELECT lease_from FROM lease) AND f.subaddress_index + 0 <= (SELECT lease_to FROM lease)
        ORDER BY f.subaddress_index + 0 LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING a.subaddress_index, a.address)
SELECT merchant.*, COALESCE((SELECT subaddress_index FROM taken), 0)::integer AS subaddress_index,
    COALESCE((SELECT address FROM taken), '')::text AS address
FROM merchant;

-- name: InsertCharge :one
INSERT INTO charges (id, merchant_id, mode, source, payment_request_id, wallet_id, subaddress_index, subaddress,
    amount, currency, amount_piconero, confirm_from_piconero, xmr_rate, rate_at, confirmations_required,
    metadata, has_buyer_info, order_id, description, return_url, fields, link_expires_at, created_at, expires_at,
    created_height, client_code, crowd_code, checkout, counts_until)
VALUES (@id, @merchant_id, @mode, @source, @payment_request_id, @wallet_id, @subaddress_index, @subaddress,
    @amount, @currency, @amount_piconero, @confirm_from_piconero, @xmr_rate, @rate_at, @confirmations_required,
    @metadata, @metadata LIKE '%"buyer_info"%' OR (sqlc.narg('checkout')::text IS NOT NULL AND @metadata LIKE '%"buyer%'), @order_id, @description, @return_url, @fields, @link_expires_at, @created_at, @expires_at,
    (SELECT chain_height FROM wallets WHERE id = @wallet_id), @client_code, @crowd_code, sqlc.narg('checkout')::text, @counts_until)
RETURNING id;

-- name: CountPendingButtons :one
-- All of a merchant, those of a client, and those of its crowd.
SELECT count(*) AS pending, count(*) FILTER (WHERE client_code = @client_code) AS of_client,
    count(*) FILTER (WHERE crowd_code = @crowd_code) AS of_crowd
FROM charges WHERE merchant_id = @merchant_id AND status = 'pending' AND source <> 'api';

-- name: LockCharge :one
SELECT * FROM charges WHERE id = $1 FOR UPDATE;

-- name: ChargeFacts :one
-- Payments and height are of one moment: both belong to the same scan.
SELECT w.chain_height, ARRAY(
    SELECT json_build_object(
        'id', t.id, 'tx_hash', t.tx_hash, 'amount', t.amount::text, 'height', t.height, 'mature', t.mature, 'unlock_height', t.unlock_height, 'unlock_at', t.unlock_at,
        'first_seen_at', t.first_seen_at, 'fresh', t.fresh)
    FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL)::json[] AS payments,
    EXISTS (SELECT 1 FROM webhooks h WHERE h.merchant_id = c.merchant_id AND h.deleted_at IS NULL AND h.enabled AND h.dialect = 'btcpay') AS has_invoice_webhook
FROM charges c JOIN wallets w ON w.id = c.wallet_id
WHERE c.id = $1;

-- name: SaveCharge :exec
UPDATE charges SET status = @status, expires_at = @expires_at, extended = @extended, seen_at = @seen_at,
    confirmed_at = @confirmed_at, late = @late, unbacked = @unbacked,
    mark = @mark, counts_until = @counts_until, invoice_status = @invoice_status,
    client_code = CASE WHEN @status = 'pending' THEN client_code END, crowd_code = CASE WHEN @status = 'pending' THEN crowd_code END
WHERE id = @id;

-- name: SaveAcceptance :exec
UPDATE charges SET confirm_from_piconero = @confirm_from_piconero, underpaid_accepted_at = @underpaid_accepted_at
WHERE id = @id;

-- name: GetCharge :one
SELECT sqlc.embed(c), w.chain_height, ARRAY(
    SELECT json_build_object(
        'id', t.id, 'tx_hash', t.tx_hash, 'amount', t.amount::text, 'height', t.height, 'mature', t.mature, 'unlock_height', t.unlock_height, 'unlock_at', t.unlock_at,
        'first_seen_at', t.first_seen_at)
    FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND NOT t.fresh)::json[] AS payments
FROM charges c JOIN wallets w ON w.id = c.wallet_id
WHERE c.id = $1;

-- name: GetPublicCharge :one
-- What its customer sees. The height of the chain comes with the payments, which need it:
-- both are of one moment.
SELECT c.id, c.amount, c.currency, c.amount_piconero, c.confirm_from_piconero, c.subaddress, c.status, c.confirmations_required,
    c.created_at, c.expires_at, c.seen_at, c.confirmed_at, c.description, c.return_url, c.fields, c.link_active, c.link_expires_at, c.late, ARRAY(
    SELECT json_build_object(
        'id', t.id, 'tx_hash', t.tx_hash, 'amount', t.amount::text, 'height', t.height, 'mature', t.mature, 'unlock_height', t.unlock_height, 'unlock_at', t.unlock_at,
        'first_seen_at', t.first_seen_at, 'chain_height', (SELECT w.chain_height FROM wallets w WHERE w.id = c.wallet_id))
    FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND NOT t.fresh)::json[] AS payments, COALESCE((
    SELECT CASE WHEN r.consumed_at IS NOT NULL THEN 'paid'
        WHEN EXISTS (SELECT 1 FROM charges o WHERE o.payment_request_id = r.id AND o.seen_at IS NOT NULL AND o.id <> c.id) THEN 'seen' END
    FROM payment_requests r WHERE r.id = c.payment_request_id AND r.single_use), '')::text AS rival
FROM charges c WHERE c.id = $1;

-- name: GetChargePage :one
SELECT sqlc.embed(c), w.chain_height, ARRAY(
    SELECT json_build_object(
        'id', t.id, 'tx_hash', t.tx_hash, 'amount', t.amount::text, 'height', t.height, 'mature', t.mature, 'unlock_height', t.unlock_height, 'unlock_at', t.unlock_at,
        'first_seen_at', t.first_seen_at)
    FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND NOT t.fresh)::json[] AS payments, m.business_name, COALESCE((
    SELECT CASE WHEN r.consumed_at IS NOT NULL THEN 'paid'
        WHEN EXISTS (SELECT 1 FROM charges o WHERE o.payment_request_id = r.id AND o.seen_at IS NOT NULL AND o.id <> c.id) THEN 'seen' END
    FROM payment_requests r WHERE r.id = c.payment_request_id AND r.single_use), '')::text AS rival
FROM charges c JOIN wallets w ON w.id = c.wallet_id JOIN merchants m ON m.merchant_id = c.merchant_id
WHERE c.id = $1;

-- name: ListCharges :many
SELECT sqlc.embed(c), w.chain_height, ARRAY(
    SELECT json_build_object(
        'id', t.id, 'tx_hash', t.tx_hash, 'amount', t.amount::text, 'height', t.height, 'mature', t.mature, 'unlock_height', t.unlock_height, 'unlock_at', t.unlock_at,
        'first_seen_at', t.first_seen_at)
    FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND NOT t.fresh)::json[] AS payments
FROM charges c JOIN wallets w ON w.id = c.wallet_id
WHERE c.merchant_id = $1 AND c.mode = $2
ORDER BY c.created_at DESC, c.id DESC LIMIT $3;

-- name: FindCharges :many
-- A page of a search, the newest first. It looks at so many charges at most, and says
-- which was the last, so that a search for what is rare goes on from there.
WITH looked AS (
    SELECT f.id, f.created_at, f.order_id, f.subaddress, f.payment_request_id, f.description FROM charges f
    WHERE f.merchant_id = @merchant_id AND f.mode = @mode AND (f.created_at, f.id) < (@before::timestamptz, @before_id::text) AND f.created_at >= @since::timestamptz
    ORDER BY f.created_at DESC, f.id DESC LIMIT @max_rows
)
SELECT k.id, k.created_at, COALESCE(
    @text::text = '' OR k.id = @text::text OR k.order_id = @order_key::text OR k.subaddress = @text::text
        OR k.payment_request_id = @text::text OR strpos(lower(k.description), lower(@text::text)) > 0, false)::boolean AS found
FROM looked k ORDER BY k.created_at DESC, k.id DESC;

-- name: FindChargesByStatus :many
-- The same down the index of a status.
WITH looked AS (
    SELECT f.id, f.created_at, f.order_id, f.subaddress, f.payment_request_id, f.description FROM charges f
    WHERE f.merchant_id = @merchant_id AND f.mode = @mode AND f.invoice_status = @status::text
        AND (f.created_at, f.id) < (@before::timestamptz, @before_id::text) AND f.created_at >= @since::timestamptz
    ORDER BY f.created_at DESC, f.id DESC LIMIT @max_rows
)
SELECT k.id, k.created_at, COALESCE(
    @text::text = '' OR k.id = @text::text OR k.order_id = @order_key::text OR k.subaddress = @text::text
        OR k.payment_request_id = @text::text OR strpos(lower(k.description), lower(@text::text)) > 0, false)::boolean AS found
FROM looked k ORDER BY k.created_at DESC, k.id DESC;

-- name: ListChargesByOrder :many
SELECT sqlc.embed(c), w.chain_height, ARRAY(
    SELECT json_build_object(
        'id', t.id, 'tx_hash', t.tx_hash, 'amount', t.amount::text, 'height', t.height, 'mature', t.mature, 'unlock_height', t.unlock_height, 'unlock_at', t.unlock_at,
        'first_seen_at', t.first_seen_at)
    FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND NOT t.fresh)::json[] AS payments
FROM charges c JOIN wallets w ON w.id = c.wallet_id
WHERE c.merchant_id = $1 AND c.mode = $2 AND c.order_id = @order_id::text
ORDER BY c.created_at DESC, c.id DESC LIMIT $3;

-- name: SetBuyerInfo :exec
UPDATE charges SET metadata = @metadata, has_buyer_info = true WHERE id = @id AND status = 'pending';

-- name: ToggleLink :one
UPDATE charges SET link_active = NOT link_active
WHERE id = $1 AND merchant_id = $2 AND mode = $3
RETURNING id, link_active, link_expires_at;

-- name: CountPendingCharges :many
SELECT mode, sum(charges)::bigint AS charges FROM pending_charges GROUP BY mode;
