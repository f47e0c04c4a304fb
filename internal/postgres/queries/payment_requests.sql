-- name: InsertPaymentRequest :one
INSERT INTO payment_requests (id, merchant_id, mode, amount, currency, description, reference, single_use, fields, required_fields, expires_at, created_at)
VALUES (@id, @merchant_id, @mode, @amount, @currency, @description, @reference, @single_use, @fields, COALESCE(@required_fields::text[], '{}'), @expires_at, @created_at)
RETURNING *;

-- name: GetPaymentRequest :one
SELECT sqlc.embed(r), m.business_name, m.contact, m.mails_receipts, (m.suspended_at IS NOT NULL)::boolean AS suspended
FROM payment_requests r JOIN merchants m ON m.merchant_id = r.merchant_id
WHERE r.id = $1;

-- name: HoldPaymentRequest :one
SELECT * FROM payment_requests WHERE id = $1 FOR SHARE;

-- name: ListPaymentRequests :many
SELECT * FROM payment_requests
WHERE merchant_id = $1 AND mode = $2
ORDER BY created_at DESC, id DESC LIMIT $3;

-- name: TogglePaymentRequest :one
UPDATE payment_requests SET active = NOT active
WHERE id = $1 AND merchant_id = $2 AND mode = $3
RETURNING *;

-- name: DeletePaymentRequest :execrows
DELETE FROM payment_requests
WHERE id = $1 AND merchant_id = $2 AND mode = $3 AND NOT active AND completed_payments = 0;

-- name: CompletePaymentRequest :exec
UPDATE payment_requests SET completed_payments = completed_payments + 1,
    consumed_at = CASE WHEN single_use THEN COALESCE(consumed_at, @now::timestamptz) END
WHERE id = @id;
