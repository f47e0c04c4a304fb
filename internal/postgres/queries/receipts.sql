-- name: PutReceipt :exec
INSERT INTO receipts (charge_id, language) VALUES (@charge_id, @language)
ON CONFLICT (charge_id) DO UPDATE SET language = excluded.language;

-- name: WakeReceipt :exec
-- Once a live charge is confirmed whose buyer gave an address. None goes if the merchant sends none.
INSERT INTO wakeups (kind, id, owner, urgency, version)
SELECT 'mails', @mail_id::text, c.merchant_id, 2, nextval('wakeup_version')
FROM receipts r JOIN charges c ON c.id = r.charge_id JOIN merchants m ON m.merchant_id = c.merchant_id
WHERE r.charge_id = @charge_id AND r.sent_at IS NULL AND c.mode = 'live' AND m.mails_receipts
ON CONFLICT (kind, id) DO NOTHING;

-- name: GetReceipt :one
-- Strangers write the descriptions of button charges, so no mail shows those.
SELECT r.language, r.sent_at, c.id AS charge_id, c.amount, c.currency, c.confirmed_at, c.metadata, m.business_name, m.contact,
    (CASE WHEN c.source = 'button' THEN '' ELSE COALESCE(c.description, '') END)::text AS description, COALESCE((
    SELECT sum(t.amount) FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND NOT t.fresh), 0)::piconero AS received
FROM receipts r JOIN charges c ON c.id = r.charge_id JOIN merchants m ON m.merchant_id = c.merchant_id
WHERE r.charge_id = $1;

-- name: MarkReceiptSent :exec
UPDATE receipts SET sent_at = @now::timestamptz WHERE charge_id = @id AND sent_at IS NULL;

-- name: UnwatchedWallet :one
-- Whether the merchant's wallet of a mode was not scanned since a moment. A simulated one never is.
SELECT (w.role <> 'simulated' AND (chain.scanned_at IS NULL OR chain.scanned_at < @since::timestamptz))::boolean AS unwatched
FROM merchants m JOIN wallets w ON w.id = CASE @mode::text WHEN 'live' THEN m.live_wallet_id ELSE m.sandbox_wallet_id END JOIN chains AS chain ON chain.id = w.chain_id
WHERE m.merchant_id = @merchant_id;
