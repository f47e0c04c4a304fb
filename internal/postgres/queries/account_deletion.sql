-- name: LockMerchantForDeletion :one
SELECT * FROM merchants WHERE merchant_id = $1 AND deleted_at IS NULL FOR UPDATE;

-- name: OwedToMerchant :one
SELECT EXISTS (
        SELECT 1 FROM received_payments t JOIN charges c ON c.id = t.charge_id JOIN merchants m ON m.merchant_id = t.merchant_id
        WHERE t.merchant_id = @merchant_id::text AND t.wallet_id = m.live_wallet_id AND t.payout_id IS NULL
            AND t.vanished_at IS NULL AND NOT t.spent_elsewhere AND c.status = 'confirmed') AS unpaid,
    EXISTS (
        SELECT 1 FROM received_payments t JOIN charges c ON c.id = t.charge_id JOIN merchants m ON m.merchant_id = t.merchant_id
        WHERE t.merchant_id = @merchant_id::text AND t.wallet_id = m.live_wallet_id AND t.payout_id IS NULL
            AND t.vanished_at IS NULL AND NOT t.spent_elsewhere AND c.status = 'expired' AND t.mature AND (
                SELECT sum(p.amount) FROM received_payments p
                WHERE p.charge_id = c.id AND p.vanished_at IS NULL AND p.mature) >= c.confirm_from_piconero) AS untaken,
    EXISTS (
        SELECT 1 FROM received_payments t JOIN charges c ON c.id = t.charge_id JOIN merchants m ON m.merchant_id = t.merchant_id
        WHERE t.merchant_id = @merchant_id::text AND t.wallet_id = m.live_wallet_id AND t.payout_id IS NULL
            AND t.vanished_at IS NULL AND NOT t.spent_elsewhere AND c.status <> 'confirmed' AND (c.status = 'pending' OR NOT t.mature)) AS arriving,
    (EXISTS (
        SELECT 1 FROM payouts p WHERE p.merchant_id = @merchant_id::text AND p.status IN ('building', 'broadcast'))
        OR EXISTS (
        SELECT 1 FROM refunds r WHERE r.merchant_id = @merchant_id::text AND r.status NOT IN ('completed', 'cancelled', 'expired')))::boolean AS sending;

-- name: EraseMerchant :exec
-- Nothing finds what a deleted shop's own wallets receive. Their rows stay, so that no address gets a second owner.
WITH watched AS (UPDATE wallets w SET view_key_sealed = NULL WHERE w.merchant_id = @merchant_id::text)
UPDATE merchants m SET deleted_at = @now::timestamptz, email_sealed = NULL, email_index = NULL, email_verified_at = NULL,
    business_name = '', contact = '', password_hash = '', token_version = m.token_version + 1,
    totp_secret_sealed = NULL, totp_enabled_at = NULL, totp_used_steps = '{}', admin = false
WHERE m.merchant_id = @merchant_id::text;

-- name: EndGrants :exec
-- Everything that lets others act for a merchant, and where the merchant's money goes. The
-- second factor stays. Where the account itself ends the payout address stays in its books,
-- and its work in other shops ends too. Links of refunds that needed no approval need one.
WITH keys AS (DELETE FROM scoped_keys k WHERE k.merchant_id = @merchant_id),
    people AS (DELETE FROM staff f WHERE f.merchant_id = @merchant_id OR (@account_ends::boolean AND f.person_id = @merchant_id)),
    links AS (UPDATE refunds r SET automatic = false
        WHERE r.merchant_id = @merchant_id AND r.automatic AND r.status NOT IN ('completed', 'cancelled', 'expired')),
    invited AS (DELETE FROM staff_invites i WHERE i.merchant_id = @merchant_id),
    hooks AS (UPDATE webhooks w SET deleted_at = @now::timestamptz WHERE w.merchant_id = @merchant_id AND w.deleted_at IS NULL)
UPDATE merchants m SET refund_auto_up_to = 0, refund_key_approves = false,
    payout_address_sealed = CASE WHEN @account_ends::boolean THEN m.payout_address_sealed END,
    payout_address_masked = CASE WHEN @account_ends::boolean THEN m.payout_address_masked END,
    own_wallet_id = NULL, next_wallet_id = NULL, wallet_change_at = NULL,
    auto_swap_enabled = false, auto_swap_ticker = NULL, auto_swap_network = NULL, auto_swap_address_sealed = NULL, auto_swap_address_masked = NULL
WHERE m.merchant_id = @merchant_id;

-- name: GetGrants :one
-- What EndGrants ends, and the account's own keys.
SELECT (SELECT COALESCE(array_agg(k.prefix ORDER BY k.mode), '{}') FROM api_keys k WHERE k.merchant_id = m.merchant_id)::text[] AS keys,
    (SELECT count(*) FROM scoped_keys k WHERE k.merchant_id = m.merchant_id AND k.revoked_at IS NULL) AS applications,
    ((SELECT count(*) FROM staff f WHERE f.merchant_id = m.merchant_id)
        + (SELECT count(*) FROM staff_invites i WHERE i.merchant_id = m.merchant_id AND i.expires_at > @now::timestamptz))::bigint AS staff,
    (SELECT count(*) FROM webhooks w WHERE w.merchant_id = m.merchant_id AND w.deleted_at IS NULL) AS webhooks,
    COALESCE(m.payout_address_masked, '')::text AS payout_address,
    (SELECT COALESCE(array_agg(left(w.primary_address, 6) || '…' || right(w.primary_address, 6) ORDER BY w.id), '{}') FROM wallets w
        WHERE w.id IN (m.own_wallet_id, m.next_wallet_id))::text[] AS wallets,
    (CASE WHEN m.auto_swap_enabled THEN m.auto_swap_ticker ELSE '' END)::text AS swap
FROM merchants m WHERE m.merchant_id = @merchant_id AND m.deleted_at IS NULL;

-- name: DropAPIKeys :exec
DELETE FROM api_keys WHERE merchant_id = $1;

-- name: EraseWebhooks :exec
-- The addresses of those that have ended.
UPDATE webhooks SET url = '' WHERE merchant_id = $1 AND deleted_at IS NOT NULL;

-- name: CloseLinks :exec
UPDATE charges SET link_active = false WHERE merchant_id = $1 AND status = 'pending';

-- name: CloseRequests :exec
UPDATE payment_requests SET active = false WHERE merchant_id = $1 AND active;

-- name: IsOwedToDeleted :one
SELECT EXISTS (
    SELECT 1 FROM received_payments t JOIN merchants m ON m.merchant_id = t.merchant_id
    WHERE t.charge_id = @charge_id::text AND t.wallet_id = m.live_wallet_id AND m.deleted_at IS NOT NULL
        AND t.payout_id IS NULL AND t.vanished_at IS NULL AND NOT t.spent_elsewhere);

-- name: UnverifiedAccounts :many
-- Accounts whose address nobody confirmed in time and to whom nothing belongs;
-- of one merchant, where one is named. Staff is nothing that belongs to it: one
-- person who joined would keep an address for ever.
SELECT m.merchant_id, m.email_index FROM merchants m
WHERE m.verify_by < @before::timestamptz AND m.email_verified_at IS NULL AND m.deleted_at IS NULL
    AND m.payout_address_sealed IS NULL AND NOT m.admin AND m.suspended_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM charges c WHERE c.merchant_id = m.merchant_id)
    AND NOT EXISTS (SELECT 1 FROM ledger l WHERE l.merchant_id = m.merchant_id)
    AND NOT EXISTS (SELECT 1 FROM received_payments t WHERE t.merchant_id = m.merchant_id)
    AND NOT EXISTS (SELECT 1 FROM payouts p WHERE p.merchant_id = m.merchant_id)
    AND NOT EXISTS (SELECT 1 FROM payment_requests r WHERE r.merchant_id = m.merchant_id)
    AND NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.merchant_id = m.merchant_id AND w.deleted_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM swaps s WHERE s.merchant_id = m.merchant_id)
    AND (@merchant_id::text = '' OR m.merchant_id = @merchant_id::text)
ORDER BY m.verify_by LIMIT @batch;
