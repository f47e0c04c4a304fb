-- name: BeginCharge :one
-- What a new charge depends on: the settings of its merchant, and what may refuse it.
SELECT (CASE WHEN @mode::text = 'live' THEN COALESCE(own_wallet_at(m.own_wallet_id, m.next_wallet_id, m.wallet_change_at, @now::timestamptz), m.live_wallet_id)
        ELSE m.sandbox_wallet_id END)::text AS wallet_id,
    (own_wallet_at(m.own_wallet_id, m.next_wallet_id, m.wallet_change_at, @now::timestamptz) IS NULL)::boolean AS hosted, m.confirmations_required, m.tolerance_percent,
    EXISTS (SELECT 1 FROM webhooks h WHERE h.merchant_id = m.merchant_id AND h.deleted_at IS NULL AND h.enabled AND h.dialect = 'btcpay') AS has_invoice_webhook,
    (m.suspended_at IS NOT NULL)::boolean AS suspended, COALESCE(m.pending_charges_max, @pending_max::bigint)::bigint AS pending_max,
    (SELECT COALESCE(sum(p.charges), 0) FROM pending_charges p WHERE p.merchant_id = m.merchant_id AND p.mode = @mode::text)::bigint AS pending
FROM merchants m WHERE m.merchant_id = @merchant_id AND m.deleted_at IS NULL;

-- name: InsertCharge :one
-- The charge with its event, its deliveries and its wakeup. Nothing is inserted unless the merchant
-- may have it and has the settings that it was made from, and its address was handed out by this
-- instance of the database, under a lease that goes on. The account stays until the transaction
-- ends: one that is deleted meanwhile gets no charge. Charges that are made at the same moment may
-- exceed the room by their number, because none waits for the count. The process that inserts it
-- starts the workflow itself, so loops leave the wakeup alone at first.
WITH merchant AS MATERIALIZED (
    SELECT m.merchant_id FROM merchants m
    WHERE m.merchant_id = @merchant_id::text AND m.deleted_at IS NULL AND m.suspended_at IS NULL
        AND (SELECT COALESCE(sum(p.charges), 0) FROM pending_charges p WHERE p.merchant_id = @merchant_id::text AND p.mode = @mode::text)
            < COALESCE(m.pending_charges_max, @pending_max::bigint)
        AND CASE WHEN @mode::text = 'live' THEN COALESCE(own_wallet_at(m.own_wallet_id, m.next_wallet_id, m.wallet_change_at, @created_at::timestamptz), m.live_wallet_id)
            ELSE m.sandbox_wallet_id END = @chosen_wallet_id::text
        AND m.confirmations_required IS NOT DISTINCT FROM sqlc.narg(own_confirmations)::integer
        AND m.tolerance_percent IS NOT DISTINCT FROM sqlc.narg(own_tolerance)::numeric
        AND EXISTS (SELECT 1 FROM webhooks h WHERE h.merchant_id = @merchant_id::text AND h.deleted_at IS NULL AND h.enabled AND h.dialect = 'btcpay')
            = @has_invoice_webhook::boolean
    FOR KEY SHARE OF m
), lease AS MATERIALIZED (
    SELECT (@simulated::boolean OR EXISTS (
        SELECT 1 FROM witnesses w WHERE w.wallet_id = @wallet_id::text AND w.safe_since IS NULL
            AND w.lease_instance = database_instance() AND w.lease_instance = @lease_instance::text
            AND @subaddress_index::integer > w.lease_from AND @subaddress_index::integer <= w.lease_to))::boolean AS goes_on
), made AS (
    INSERT INTO charges (id, merchant_id, mode, source, payment_request_id, wallet_id, subaddress_index, subaddress,
        amount, currency, amount_piconero, confirm_from_piconero, xmr_rate, rate_at, confirmations_required,
        metadata, has_buyer_info, order_id, description, return_url, fields,
        link_expires_at, created_at, expires_at, created_height,
        client_code, crowd_code, checkout, counts_until)
    SELECT @id::text, @merchant_id::text, @mode::text, @source::text, sqlc.narg(payment_request_id)::text, @wallet_id::text, @subaddress_index::integer, @subaddress::text,
        @amount::numeric, @currency::text, @amount_piconero::piconero, @confirm_from_piconero::piconero, sqlc.narg(xmr_rate)::numeric, sqlc.narg(rate_at)::timestamptz, @confirmations_required::integer,
        @metadata::text, @metadata::text LIKE '%"buyer_info"%' OR (sqlc.narg(checkout)::text IS NOT NULL AND @metadata::text LIKE '%"buyer%'), sqlc.narg(order_id)::text, sqlc.narg(description)::text, sqlc.narg(return_url)::text, @fields::text[],
        sqlc.narg(link_expires_at)::timestamptz, @created_at::timestamptz, @expires_at::timestamptz, (SELECT chain.chain_height FROM chains AS chain JOIN wallets w ON w.chain_id = chain.id WHERE w.id = @wallet_id::text),
        @client_code::bytea, @crowd_code::bytea, sqlc.narg(checkout)::text, sqlc.narg(counts_until)::timestamptz
    FROM merchant, lease WHERE lease.goes_on
    RETURNING charges.id
), event AS (
    INSERT INTO events (merchant_id, mode, type, resource_id, payload, has_buyer_info, created_at)
    SELECT @merchant_id::text, @mode::text, @event_type::text, made.id, @payload::text,
        @payload::text LIKE '%"buyer_info"%' OR (sqlc.narg(checkout)::text IS NOT NULL AND @payload::text LIKE '%"buyer%'), @created_at::timestamptz
    FROM made RETURNING events.id
), delivered AS (
    INSERT INTO deliveries (id, webhook_id, merchant_id, mode, event_id, created_at, next_attempt_at)
    SELECT 'whd_' || left(replace(gen_random_uuid()::text, '-', ''), 24), h.id, h.merchant_id, h.mode, event.id, @created_at::timestamptz, @created_at::timestamptz
    FROM event, webhooks h
    WHERE h.merchant_id = @merchant_id::text AND h.deleted_at IS NULL AND h.enabled AND h.mode = @mode::text AND @event_type::text = ANY(h.events)
), woken AS (
    INSERT INTO wakeups (kind, id, owner, urgency, version, next_at)
    SELECT 'charges', made.id, @merchant_id::text, 3, 0, now() + make_interval(secs => @grace_seconds::float8) FROM made ON CONFLICT (kind, id) DO NOTHING
)
SELECT EXISTS (SELECT 1 FROM made)::boolean AS made, lease.goes_on AS leased FROM lease;

-- name: CountPendingButtons :one
-- All of a merchant, those of a client, and those of its crowd.
SELECT count(*) AS pending, count(*) FILTER (WHERE client_code = @client_code) AS of_client,
    count(*) FILTER (WHERE crowd_code = @crowd_code) AS of_crowd
FROM charges WHERE merchant_id = @merchant_id AND status = 'pending' AND source <> 'api';

-- name: LockCharge :one
SELECT * FROM charges WHERE id = $1 FOR UPDATE;

-- name: ChargeFacts :one
-- Payments and height are of one moment: both belong to the same scan.
SELECT chain.chain_height, ARRAY(
    SELECT json_build_object(
        'id', t.id, 'tx_hash', t.tx_hash, 'amount', t.amount::text, 'height', t.height, 'mature', t.mature, 'unlock_height', t.unlock_height, 'unlock_at', t.unlock_at,
        'first_seen_at', t.first_seen_at, 'fresh', t.fresh)
    FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL)::json[] AS payments,
    EXISTS (SELECT 1 FROM webhooks h WHERE h.merchant_id = c.merchant_id AND h.deleted_at IS NULL AND h.enabled AND h.dialect = 'btcpay') AS has_invoice_webhook
FROM charges c JOIN wallets w ON w.id = c.wallet_id JOIN chains AS chain ON chain.id = w.chain_id
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
SELECT sqlc.embed(c), chain.chain_height, ARRAY(
    SELECT json_build_object(
        'id', t.id, 'tx_hash', t.tx_hash, 'amount', t.amount::text, 'height', t.height, 'mature', t.mature, 'unlock_height', t.unlock_height, 'unlock_at', t.unlock_at,
        'first_seen_at', t.first_seen_at)
    FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND NOT t.fresh)::json[] AS payments
FROM charges c JOIN wallets w ON w.id = c.wallet_id JOIN chains AS chain ON chain.id = w.chain_id
WHERE c.id = $1;

-- name: GetPublicCharge :one
-- What its customer sees. The height of the chain comes with the payments, which need it:
-- both are of one moment.
SELECT c.id, c.amount, c.currency, c.amount_piconero, c.confirm_from_piconero, c.subaddress, c.status, c.confirmations_required,
    c.created_at, c.expires_at, c.seen_at, c.confirmed_at, c.description, c.return_url, c.fields, c.link_active, c.link_expires_at, c.late, ARRAY(
    SELECT json_build_object(
        'id', t.id, 'tx_hash', t.tx_hash, 'amount', t.amount::text, 'height', t.height, 'mature', t.mature, 'unlock_height', t.unlock_height, 'unlock_at', t.unlock_at,
        'first_seen_at', t.first_seen_at, 'chain_height', (SELECT chain.chain_height FROM chains AS chain JOIN wallets w ON w.chain_id = chain.id WHERE w.id = c.wallet_id))
    FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND NOT t.fresh)::json[] AS payments, COALESCE((
    SELECT CASE WHEN r.consumed_at IS NOT NULL THEN 'paid'
        WHEN EXISTS (SELECT 1 FROM charges o WHERE o.payment_request_id = r.id AND o.seen_at IS NOT NULL AND o.id <> c.id) THEN 'seen' END
    FROM payment_requests r WHERE r.id = c.payment_request_id AND r.single_use), '')::text AS rival
FROM charges c WHERE c.id = $1;

-- name: GetChargePage :one
SELECT sqlc.embed(c), chain.chain_height, ARRAY(
    SELECT json_build_object(
        'id', t.id, 'tx_hash', t.tx_hash, 'amount', t.amount::text, 'height', t.height, 'mature', t.mature, 'unlock_height', t.unlock_height, 'unlock_at', t.unlock_at,
        'first_seen_at', t.first_seen_at)
    FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND NOT t.fresh)::json[] AS payments, m.business_name, m.contact, m.names_in_links, m.mails_receipts,
    (w.role <> 'simulated' AND (chain.scanned_at IS NULL OR chain.scanned_at < @scanned_since::timestamptz))::boolean AS unwatched, COALESCE((
    SELECT CASE WHEN r.consumed_at IS NOT NULL THEN 'paid'
        WHEN EXISTS (SELECT 1 FROM charges o WHERE o.payment_request_id = r.id AND o.seen_at IS NOT NULL AND o.id <> c.id) THEN 'seen' END
    FROM payment_requests r WHERE r.id = c.payment_request_id AND r.single_use), '')::text AS rival
FROM charges c JOIN wallets w ON w.id = c.wallet_id JOIN chains AS chain ON chain.id = w.chain_id JOIN merchants m ON m.merchant_id = c.merchant_id
WHERE c.id = @id;

-- name: ListCharges :many
SELECT sqlc.embed(c), chain.chain_height, ARRAY(
    SELECT json_build_object(
        'id', t.id, 'tx_hash', t.tx_hash, 'amount', t.amount::text, 'height', t.height, 'mature', t.mature, 'unlock_height', t.unlock_height, 'unlock_at', t.unlock_at,
        'first_seen_at', t.first_seen_at)
    FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND NOT t.fresh)::json[] AS payments
FROM charges c JOIN wallets w ON w.id = c.wallet_id JOIN chains AS chain ON chain.id = w.chain_id
WHERE c.merchant_id = $1 AND c.mode = $2
ORDER BY c.created_at DESC, c.id DESC LIMIT $3;

-- name: FindCharges :many
-- A page of a search, the newest first. It looks at so many charges at most, and says
-- which was the last, so that a search for what is rare goes on from there.
WITH looked AS (
    SELECT f.id, f.created_at, f.order_id, f.subaddress, f.payment_request_id, f.description, f.amount FROM charges f
    WHERE f.merchant_id = @merchant_id AND f.mode = @mode AND (f.created_at, f.id) < (@before::timestamptz, @before_id::text) AND f.created_at >= @since::timestamptz
    ORDER BY f.created_at DESC, f.id DESC LIMIT @max_rows
)
SELECT k.id, k.created_at, COALESCE(k.amount BETWEEN @amount_from::numeric AND @amount_to::numeric AND (
    @text::text = '' OR k.id = @text::text OR k.order_id = @order_key::text OR k.subaddress = @text::text
        OR k.payment_request_id = @text::text OR strpos(lower(k.description), lower(@text::text)) > 0), false)::boolean AS found
FROM looked k ORDER BY k.created_at DESC, k.id DESC;

-- name: FindChargesByStatus :many
-- The same down the index of a status.
WITH looked AS (
    SELECT f.id, f.created_at, f.order_id, f.subaddress, f.payment_request_id, f.description, f.amount FROM charges f
    WHERE f.merchant_id = @merchant_id AND f.mode = @mode AND f.invoice_status = @status::text
        AND (f.created_at, f.id) < (@before::timestamptz, @before_id::text) AND f.created_at >= @since::timestamptz
    ORDER BY f.created_at DESC, f.id DESC LIMIT @max_rows
)
SELECT k.id, k.created_at, COALESCE(k.amount BETWEEN @amount_from::numeric AND @amount_to::numeric AND (
    @text::text = '' OR k.id = @text::text OR k.order_id = @order_key::text OR k.subaddress = @text::text
        OR k.payment_request_id = @text::text OR strpos(lower(k.description), lower(@text::text)) > 0), false)::boolean AS found
FROM looked k ORDER BY k.created_at DESC, k.id DESC;

-- name: ListChargesByOrder :many
SELECT sqlc.embed(c), chain.chain_height, ARRAY(
    SELECT json_build_object(
        'id', t.id, 'tx_hash', t.tx_hash, 'amount', t.amount::text, 'height', t.height, 'mature', t.mature, 'unlock_height', t.unlock_height, 'unlock_at', t.unlock_at,
        'first_seen_at', t.first_seen_at)
    FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND NOT t.fresh)::json[] AS payments
FROM charges c JOIN wallets w ON w.id = c.wallet_id JOIN chains AS chain ON chain.id = w.chain_id
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
