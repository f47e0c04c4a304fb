-- name: NewestCharges :many
-- One walk down the index for each status, since a walk for several would sort.
SELECT c.id, c.created_at FROM unnest(@statuses::text[]) s (status) CROSS JOIN LATERAL (
    SELECT i.id, i.created_at FROM charges i
    WHERE i.status = s.status AND i.mode = @mode AND (i.created_at, i.id) < (@before::timestamptz, @before_id::text)
    ORDER BY i.created_at DESC, i.id DESC LIMIT @max_rows
) c ORDER BY c.created_at DESC, c.id DESC LIMIT @max_rows;

-- name: NewestChargesOfMerchant :many
SELECT c.id, c.created_at FROM charges c
WHERE c.merchant_id = @merchant_id AND c.mode = @mode AND (c.created_at, c.id) < (@before::timestamptz, @before_id::text)
ORDER BY c.created_at DESC, c.id DESC LIMIT @max_rows;

-- name: NewestPayouts :many
SELECT * FROM payouts WHERE id = ANY(ARRAY(
    SELECT p.id FROM unnest(@statuses::text[]) s (status) CROSS JOIN LATERAL (
        SELECT i.id, i.created_at FROM payouts i
        WHERE i.status = s.status AND (i.created_at, i.id) < (@before::timestamptz, @before_id::text)
        ORDER BY i.created_at DESC, i.id DESC LIMIT @max_rows
    ) p ORDER BY p.created_at DESC, p.id DESC LIMIT @max_rows))
ORDER BY created_at DESC, id DESC;

-- name: NewestPayoutsOfMerchant :many
SELECT * FROM payouts
WHERE merchant_id = @merchant_id AND (created_at, id) < (@before::timestamptz, @before_id::text)
ORDER BY created_at DESC, id DESC LIMIT @max_rows;

-- name: NewestRefunds :many
SELECT * FROM refunds WHERE id = ANY(ARRAY(
    SELECT r.id FROM unnest(@statuses::text[]) s (status) CROSS JOIN LATERAL (
        SELECT i.id, i.created_at FROM refunds i
        WHERE i.status = s.status AND (i.created_at, i.id) < (@before::timestamptz, @before_id::text)
        ORDER BY i.created_at DESC, i.id DESC LIMIT @max_rows
    ) r ORDER BY r.created_at DESC, r.id DESC LIMIT @max_rows))
ORDER BY created_at DESC, id DESC;

-- name: NewestRefundsOfMerchant :many
SELECT * FROM refunds
WHERE merchant_id = @merchant_id AND (created_at, id) < (@before::timestamptz, @before_id::text)
ORDER BY created_at DESC, id DESC LIMIT @max_rows;

-- name: NewestTrades :many
SELECT * FROM trades WHERE id = ANY(ARRAY(
    SELECT t.id FROM unnest(@statuses::text[]) s (status) CROSS JOIN LATERAL (
        SELECT i.id, i.created_at FROM trades i
        WHERE i.status = s.status AND (i.created_at, i.id) < (@before::timestamptz, @before_id::text)
        ORDER BY i.created_at DESC, i.id DESC LIMIT @max_rows
    ) t ORDER BY t.created_at DESC, t.id DESC LIMIT @max_rows))
ORDER BY created_at DESC, id DESC;
