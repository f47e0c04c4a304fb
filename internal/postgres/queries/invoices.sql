-- name: InvoiceIDs :many
SELECT c.id FROM charges c
WHERE c.merchant_id = @merchant_id AND c.mode = @mode AND c.created_at >= @since AND c.created_at < @until
ORDER BY c.created_at DESC, c.id DESC LIMIT @take OFFSET @skip;

-- name: InvoiceIDsByStatus :many
-- One walk down the index for each status, since a walk for several would sort.
SELECT c.id FROM unnest(@statuses::text[]) s (status) CROSS JOIN LATERAL (
    SELECT i.id, i.created_at FROM charges i
    WHERE i.merchant_id = @merchant_id AND i.mode = @mode AND i.invoice_status = s.status
        AND i.created_at >= @since AND i.created_at < @until
    ORDER BY i.created_at DESC, i.id DESC LIMIT @upto
) c ORDER BY c.created_at DESC, c.id DESC LIMIT @take OFFSET @skip;

-- name: InvoiceIDsByOrder :many
SELECT c.id FROM charges c
WHERE c.merchant_id = @merchant_id AND c.mode = @mode AND c.order_id = ANY(@orders::text[])
    AND (cardinality(@statuses::text[]) = 0 OR c.invoice_status = ANY(@statuses::text[]))
    AND c.created_at >= @since AND c.created_at < @until
ORDER BY c.created_at DESC, c.id DESC LIMIT @take OFFSET @skip;

-- name: SearchInvoiceIDs :many
-- What the text names: an invoice, an order, or an address.
SELECT c.id FROM charges c
WHERE c.id = ANY(ARRAY(
        SELECT @text::text UNION SELECT a.charge_id FROM address_owners a WHERE a.address = @text::text AND a.charge_id IS NOT NULL
        UNION SELECT o.id FROM charges o WHERE o.merchant_id = @merchant_id AND o.mode = @mode AND o.order_id = @text_order::text))
    AND c.merchant_id = @merchant_id AND c.mode = @mode
    AND (cardinality(@orders::text[]) = 0 OR c.order_id = ANY(@orders::text[]))
    AND (cardinality(@statuses::text[]) = 0 OR c.invoice_status = ANY(@statuses::text[]))
    AND c.created_at >= @since AND c.created_at < @until
ORDER BY c.created_at DESC, c.id DESC LIMIT @take OFFSET @skip;

-- name: GetCharges :many
SELECT sqlc.embed(c), chain.chain_height, ARRAY(
    SELECT json_build_object(
        'id', t.id, 'tx_hash', t.tx_hash, 'amount', t.amount::text, 'height', t.height, 'mature', t.mature, 'unlock_height', t.unlock_height, 'unlock_at', t.unlock_at,
        'first_seen_at', t.first_seen_at)
    FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND NOT t.fresh)::json[] AS payments
FROM charges c JOIN wallets w ON w.id = c.wallet_id JOIN chains AS chain ON chain.id = w.chain_id
WHERE c.id = ANY(@ids::text[])
ORDER BY c.created_at DESC, c.id DESC;

-- name: SetInvoiceMetadata :exec
UPDATE charges SET metadata = @metadata, order_id = @order_id, description = @description,
    has_buyer_info = @metadata LIKE '%"buyer%'
WHERE id = @id;
