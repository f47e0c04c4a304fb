-- A shop that is old: old.shop charges of one merchant, one a minute, and old.others of another, with what
-- belongs to them. Payments of the last of them, and of some that had expired, are in no payout.
-- The last was made before 2026. Both numbers are settings of the session.
INSERT INTO chains (id, chain_height) VALUES ('xmr-Mainnet', 1000), ('xmr-Stagenet', 1000), ('ltc-Mainnet', 1000);
INSERT INTO wallets (id, chain_id, mode, primary_address) VALUES
    ('live', 'xmr-Mainnet', 'live', 'primary of live'), ('sandbox', 'xmr-Stagenet', 'sandbox', 'primary of sandbox');
INSERT INTO merchants (merchant_id, email_sealed, email_index, business_name, password_hash, live_wallet_id, sandbox_wallet_id, payout_address_sealed, payout_address_masked)
SELECT repeat(m, 32), '\x01', m::bytea, 'Shop', 'hash', 'live', 'sandbox', '\x03', '8…x' FROM (VALUES ('a'), ('b')) v (m);
INSERT INTO webhooks (id, merchant_id, url, events, secret_sealed, created_at)
SELECT 'wh_' || m, repeat(m, 32), 'https://shop.example/', '{charge.confirmed,charge.expired}', '\x01', '2026-01-01Z' FROM (VALUES ('a'), ('b')) v (m);

-- What a charge is, by its number: 78 of 100 are confirmed, 20 expired, one is pending; every 25th expired one had too little.
CREATE TEMPORARY TABLE old AS
SELECT n, m, repeat(m, 32) AS merchant_id, 'ch_' || CASE m WHEN 'a' THEN '1' ELSE '2' END || lpad(to_hex(n), 23, '0') AS id,
    CASE WHEN n % 100 = 0 THEN 'pending' WHEN n % 5 = 1 THEN 'expired' ELSE 'confirmed' END AS status,
    timestamptz '2026-01-01Z' - n * interval '1 minute' AS at, n * 2 + CASE m WHEN 'a' THEN 1 ELSE 2 END AS place, n > 500 AS paid_out,
    n % 100 <> 0 AND (n % 5 <> 1 OR n % 125 = 1) AS paid
FROM (SELECT 'a' AS m, generate_series(1, current_setting('old.shop')::integer) AS n
    UNION ALL SELECT 'b', generate_series(1, current_setting('old.others')::integer)) v;
ANALYZE old;

INSERT INTO addresses (wallet_id, subaddress_index, address) SELECT 'live', place, 'address ' || place FROM old;
INSERT INTO charges (id, merchant_id, mode, source, wallet_id, subaddress_index, subaddress, amount, currency, amount_piconero,
    confirm_from_piconero, status, confirmations_required, metadata, order_id, description, created_at, expires_at, seen_at, confirmed_at, late, payout_id, invoice_status)
SELECT id, merchant_id, 'live', 'api', 'live', place, 'address ' || place, 1.5, 'XMR', 1500000000000, 1500000000000, status, 10,
    '{"order_id": "order-' || n || '", "description": "' || n || ' cups of coffee"}', 'order-' || n,
    CASE WHEN n % 10000 = 7 THEN 'a rare teapot' ELSE n || ' cups of coffee' END, at, at + interval '1 hour', CASE WHEN paid THEN at END,
    CASE status WHEN 'confirmed' THEN at + interval '20 minutes' END, status = 'confirmed' AND n % 250 = 3, CASE WHEN paid AND paid_out AND status = 'confirmed' THEN 'po_' || m || lpad(to_hex(n / 10), 23, '0') END,
    CASE status WHEN 'confirmed' THEN 'Settled' WHEN 'expired' THEN 'Expired' ELSE 'New' END
FROM old;
INSERT INTO received_payments (wallet_id, tx_hash, address, subaddress_index, charge_id, merchant_id, amount, outputs, height, mature_height, mature, first_seen_at, payout_id)
SELECT 'live', 'tx ' || place, 'address ' || place, place, id, merchant_id, CASE status WHEN 'expired' THEN 1000000000 ELSE 1500000000000 END, 1, 100, 110, true, at,
    CASE WHEN paid_out AND status = 'confirmed' THEN 'po_' || m || lpad(to_hex(n / 10), 23, '0') END
FROM old WHERE paid;
INSERT INTO ledger (charge_id, merchant_id, mode, created_at, confirmed_at, amount, currency, amount_piconero, received_piconero, order_id, fiat_value, fiat_currency, fiat_rate)
SELECT id, merchant_id, 'live', at, at + interval '20 minutes', 1.5, 'XMR', 1500000000000, 1500000000000, 'order-' || n, 240.00, 'EUR', 160
FROM old WHERE status = 'confirmed';
INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate, charges_paid, outputs, tx_hash, created_at, sent_at, confirmed_at)
SELECT 'po_' || m || lpad(to_hex(n / 10), 23, '0'), merchant_id, 'live', 'confirmed', '\x01', '8…x', 0, 0, 8, 8, 'payout ' || m || n, at, at, at
FROM old WHERE n % 10 = 0 AND n >= 500;
INSERT INTO outgoing_transactions (wallet_id, purpose, payout_id, state, seq, tx_hash, raw, inputs, payments, paid, fee, height, created_at, built_at, sent_at, confirmed_at)
SELECT 'live', 'payout', id, 'confirmed', row_number() OVER (ORDER BY id), tx_hash, '\x01', ARRAY[tx_hash], '{1}', 1, 0, 100, created_at, created_at, created_at, created_at
FROM payouts;
INSERT INTO events (merchant_id, mode, type, resource_id, payload, created_at, place)
SELECT merchant_id, 'live', 'charge.' || status, id, '{"event": "charge.' || status || '", "charge_id": "' || id || '"}', at,
    row_number() OVER (PARTITION BY merchant_id ORDER BY n DESC)
FROM old WHERE status <> 'pending';
INSERT INTO event_feeds (merchant_id, mode, last) SELECT merchant_id, mode, max(place) FROM events GROUP BY 1, 2;
INSERT INTO deliveries (id, webhook_id, merchant_id, mode, event_id, status, created_at, delivered_at)
SELECT 'whd_' || id, 'wh_' || left(merchant_id, 1), merchant_id, mode, id, CASE id % 200 WHEN 0 THEN 'failed' ELSE 'delivered' END, created_at,
    CASE WHEN id % 200 <> 0 THEN created_at END
FROM events;
INSERT INTO payment_requests (id, merchant_id, mode, amount, currency, description, single_use, created_at)
SELECT 'pr_' || substr(id, 4), merchant_id, 'live', 1, 'EUR', n || ' cups', false, at FROM old WHERE n % 10 = 0;
INSERT INTO refunds (id, merchant_id, charge_id, status, variant, amount, token_hash, created_at, expires_at)
SELECT 'rf_' || substr(id, 4), merchant_id, id, CASE WHEN n > 500 THEN 'completed' ELSE 'open' END, 'Custom', 1, '', at, at + interval '30 days' FROM old WHERE n % 20 = 2;
INSERT INTO refund_claims (id, refund_id, status, amount, address_masked, address_sealed, next_at, created_at, approved_at, sent_at, confirmed_at)
SELECT 'rc_' || substr(id, 4), 'rf_' || substr(id, 4), CASE WHEN n > 500 THEN 'completed' ELSE 'awaiting_approval' END, 1, '8…x', '\x01', at, at, CASE WHEN n > 500 THEN at END,
    CASE WHEN n > 500 THEN at END, CASE WHEN n > 500 THEN at END FROM old WHERE n % 20 = 2;
INSERT INTO chains (id, chain_height) SELECT 'simulated-' || id, 100 FROM old WHERE n % 20 = 3;
INSERT INTO wallets (id, chain_id, role, mode, primary_address)
    SELECT 'simulated-' || id, 'simulated-' || id, 'simulated', 'sandbox', 'simulated ' || id FROM old WHERE n % 20 = 3;
INSERT INTO simulated_chains (wallet_id, charge_id, height) SELECT 'simulated-' || id, id, 100 FROM old WHERE n % 20 = 3;
INSERT INTO simulated_payments (tx_hash, wallet_id, amount, created_at) SELECT 'simulated ' || id, 'simulated-' || id, 1, at FROM old WHERE n % 20 = 3;
INSERT INTO wallets (id, chain_id, role, ticker, network, decimals) VALUES
    ('x', 'xmr-Mainnet', 'exchange', 'xmr', 'Mainnet', 12), ('l', 'ltc-Mainnet', 'exchange', 'ltc', 'Mainnet', 8);
INSERT INTO trades (id, id_provider, details_sealed, provider, risk, wallet_from, wallet_to, ticker_from, network_from, ticker_to, network_to, amount_from, amount_to, rate,
    min_from, max_from, deposit_address, confirmations, created_at, window_seconds, expires_at, reserved, updated_at, status)
SELECT md5(id), 'sw_' || substr(id, 4), '\x01', 'own', 'precheck', 'x', 'l', 'xmr', 'Mainnet', 'ltc', 'Mainnet', 1, 2, 2,
    1, 9, 'deposit ' || place, 1, at, 60, at + interval '1 minute', 0, at, CASE n % 40 WHEN 4 THEN 'completed' ELSE 'expired' END
FROM old WHERE n % 20 = 4;
INSERT INTO addresses (wallet_id, subaddress_index, address) SELECT 'x', place, 'deposit ' || place FROM old WHERE n % 20 = 4;
INSERT INTO received_payments (trade_id, wallet_id, tx_hash, address, subaddress_index, amount, outputs, first_seen_at)
SELECT md5(id), 'x', 'tx ' || place, 'deposit ' || place, place, 1000000000000, 1, at FROM old WHERE n % 20 = 4;
INSERT INTO swaps (id, merchant_id, provider, id_provider, ticker_from, network_from, ticker_to, network_to, amount_from, amount_expected, rate, deposit_address,
    created_at, expires_at, quiet_since, polled_at, heard_at, updated_at)
SELECT 'swp_' || substr(id, 4), merchant_id, 'p', id, 'xmr', 'Mainnet', 'ltc', 'Mainnet', 1, 2, 2, 'deposit ' || place, at, at + interval '1 hour', at, at, at, at
FROM old WHERE n % 20 = 5;
DROP TABLE old;
