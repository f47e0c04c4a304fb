-- name: GetSetup :one
-- What a merchant has done so far. The ledger is never pruned, so a step that was done stays done.
SELECT
    EXISTS (SELECT 1 FROM ledger l WHERE l.merchant_id = @merchant_id::text AND l.mode = 'sandbox') AS test_payment,
    EXISTS (SELECT 1 FROM ledger l WHERE l.merchant_id = @merchant_id::text AND l.mode = 'live') AS live_payment,
    (EXISTS (SELECT 1 FROM webhooks w WHERE w.merchant_id = @merchant_id::text AND w.deleted_at IS NULL AND w.mode = 'live')
        OR EXISTS (SELECT 1 FROM scoped_keys k WHERE k.merchant_id = @merchant_id::text AND k.revoked_at IS NULL AND k.mode = 'live'))::boolean AS shop_connected;
