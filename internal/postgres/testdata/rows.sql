-- A row of every table, for the database of a release: see CONTRIBUTING.md. A
-- new table gets its row here; a new column gets a value that is not its default.
INSERT INTO chains (id, chain_height, top_hash, scanned_at, settled_height, settled_hash, rescan) VALUES
    ('xmr-Mainnet', 1000, 'top', '2026-01-02Z', 940, 'settled', true),
    ('xmr-Stagenet', 1000, 'top', '2026-01-02Z', 940, 'settled', false),
    ('ltc-Mainnet', 2000, 'top', '2026-01-02Z', 1940, 'settled', false);
INSERT INTO wallets (id, chain_id, configured, mode, primary_address, created_at) VALUES
    ('live', 'xmr-Mainnet', true, 'live', 'primary of live', '2026-01-01Z'),
    ('sandbox', 'xmr-Stagenet', false, 'sandbox', 'primary of sandbox', '2026-01-01Z');
INSERT INTO chain_checkpoints (chain_id, height, hash) VALUES ('xmr-Mainnet', 900, 'deep');
INSERT INTO one_time_keys (wallet_id, key, tx_hash) VALUES ('live', decode(repeat('3a', 32), 'hex'), 'received');

INSERT INTO merchants (merchant_id, email_sealed, email_index, business_name, contact, password_hash, token_version, live_wallet_id,
    sandbox_wallet_id, payout_address_sealed, payout_address_masked, fee_rate, confirmations_required, tolerance_percent, suspended_at,
    created_at, reporting_enabled, reporting_currency, email_verified_at, totp_secret_sealed, totp_enabled_at, totp_used_steps, deleted_at,
    admin, auto_swap_enabled, auto_swap_ticker, auto_swap_network, auto_swap_address_sealed, auto_swap_address_masked,
    pending_charges_max, verify_by, payout_hold_until, time_zone, default_currency) VALUES
    (repeat('a', 32), '\x01', '\x02', 'Shop', 'mail', 'hash', 2, 'live', 'sandbox', '\x03', '8…x', 0.005, 12, 1.5, '2026-01-03Z',
    '2026-01-01Z', true, 'EUR', '2026-01-02Z', '\x04', '2026-01-02Z', '{58000000}', NULL, true, true, 'usdt', 'TRC20', '\x05', 'T…y', 500,
    '2026-01-09Z', '2026-01-04Z', 'Europe/Berlin', 'USD'),
    (repeat('b', 32), NULL, NULL, 'Gone', '', 'hash', 1, 'live', 'sandbox', NULL, NULL, NULL, NULL, NULL, NULL, '2026-01-01Z', false, 'USD',
    NULL, NULL, NULL, '{}', '2026-01-05Z', false, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'UTC', 'EUR');
INSERT INTO wallets (id, chain_id, role, primary_address, created_at, merchant_id, first_account, paid_account, view_key_index, view_key_sealed, unscanned) VALUES
    ('own_' || repeat('1', 24), (SELECT w.chain_id FROM wallets w WHERE w.id = 'live'), 'own', 'primary of the shop', '2026-01-01Z', repeat('a', 32), 10, 11, '\x40', '\x41', true);
UPDATE merchants SET own_wallet_id = 'own_' || repeat('1', 24), wallet_change_at = '2026-01-06Z' WHERE merchant_id = repeat('a', 32);
INSERT INTO wallet_changes (merchant_id, wallet_id, created_at, effective_from) VALUES (repeat('a', 32), 'own_' || repeat('1', 24), '2026-01-01Z', '2026-01-02Z');
INSERT INTO fee_tiers (volume_from, fee_rate) VALUES (100000000000000, 0.004);
INSERT INTO api_keys (merchant_id, mode, key_hash, prefix, created_at) VALUES (repeat('a', 32), 'live', '\x06', 'live_', '2026-01-01Z');

INSERT INTO login_failures (email_index, failures, locked_until, last_at) VALUES ('\x02', 3, '2026-01-02Z', '2026-01-01Z');
INSERT INTO login_ip_failures (ip, failures, window_start, blocked_until) VALUES ('192.0.2.1', 4, '2026-01-01Z', '2026-01-02Z');
INSERT INTO backup_codes (merchant_id, code_hash) VALUES (repeat('a', 32), '\x07');
INSERT INTO email_verifications (id, merchant_id, email_sealed, token_hash, token_sealed, created_at, expires_at) VALUES
    ('em_' || repeat('1', 24), repeat('a', 32), '\x08', '\x09', '\x0a', '2026-01-01Z', '2026-01-02Z');
INSERT INTO invites (id, token_hash, note, created_at, expires_at, used_at, merchant_id) VALUES
    ('in_' || repeat('1', 24), '\x0b', 'for Shop', '2026-01-01Z', '2026-01-02Z', '2026-01-01Z', repeat('a', 32));
INSERT INTO sessions (id, merchant_id, confirmed_until, token_version, expires_at) VALUES
    ('session', repeat('a', 32), '2026-01-02Z', 2, '2026-01-03Z');
INSERT INTO scoped_keys (id, merchant_id, mode, label, permissions, key_hash, prefix, application_identifier, redirect_host, created_at, last_used_at, revoked_at) VALUES
    ('sk_' || repeat('1', 24), repeat('a', 32), 'live', 'Shop', '{btcpay.store.canviewinvoices}', '\x3f', 'dk_live_0123', 'shop', 'shop.example', '2026-01-01Z',
    '2026-01-02Z', '2026-01-03Z');
INSERT INTO account_notices (id, merchant_id, kind, email_sealed, hold_until, created_at) VALUES
    ('an_' || repeat('1', 24), repeat('a', 32), 'api_key', '\x0c', '2026-01-02Z', '2026-01-01Z');
INSERT INTO password_resets (id, email_index, merchant_id, token_hash, token_sealed, created_at, expires_at) VALUES
    ('rs_' || repeat('1', 24), '\x02', repeat('a', 32), '\x0d', '\x0e', '2026-01-01Z', '2026-01-02Z');

INSERT INTO rate_counts (bucket, key_hash, window_start, count) VALUES ('charges', '\x0f', '2026-01-01Z', 7);

INSERT INTO addresses (wallet_id, subaddress_index, address, former_charge_id) VALUES
    ('live', 1, 'address 1', NULL), ('live', 2, 'address 2', NULL), ('live', 3, 'address 3', 'ch_' || repeat('3', 24));
INSERT INTO charges (id, merchant_id, mode, source, payment_request_id, wallet_id, subaddress_index, subaddress, amount, currency,
    amount_piconero, confirm_from_piconero, xmr_rate, rate_at, status, confirmations_required, metadata, order_id, description, return_url,
    fields, link_active, link_expires_at, created_at, expires_at, extended, seen_at, confirmed_at, late, unbacked, payout_id,
    underpaid_accepted_at, has_buyer_info, created_height, client_code, crowd_code) VALUES
    ('ch_' || repeat('1', 24), repeat('a', 32), 'live', 'api', NULL, 'live', 1, 'address 1', 123.45, 'EUR', 700000000001, 693000000001,
    176.357, '2026-01-01Z', 'confirmed', 12, '{"a": 1.0}', 'order', 'Cup', 'https://shop.example/', '{name}', false, '2026-02-01Z',
    '2026-01-01Z', '2026-01-02Z', true, '2026-01-01T01:00Z', '2026-01-03Z', true, true, 'po_' || repeat('1', 24), '2026-01-02Z', true, 900,
    NULL, NULL),
    ('ch_' || repeat('2', 24), repeat('a', 32), 'live', 'button', 'pr_' || repeat('1', 24), 'live', 2, 'address 2', 10000000, 'XMR',
    10000000000000000000, 10000000000000000000, NULL, NULL, 'pending', 10, '{}', NULL, NULL, NULL, '{}', true, NULL, '2026-01-01Z',
    '2026-01-02Z', false, NULL, NULL, false, false, NULL, NULL, false, NULL, '\x10', '\x11');
INSERT INTO received_payments (wallet_id, tx_hash, address, subaddress_index, charge_id, merchant_id, amount, outputs, height, unlock_height,
    unlock_at, mature_height, mature, first_seen_at, vanished_at, payout_id, resolved_at, note, fresh, shown_amount) VALUES
    ('live', 'paid', 'address 1', 1, 'ch_' || repeat('1', 24), repeat('a', 32), 700000000001, 2, 950, 940, '2026-01-01Z', 962, true, '2026-01-01Z', NULL,
    'po_' || repeat('1', 24), NULL, NULL, true, 700000000000),
    ('live', 'unmatched', 'address 9', 9, NULL, NULL, 1, 1, NULL, 0, NULL, NULL, false, '2026-01-01Z', '2026-01-02Z', NULL, '2026-01-03Z', 'sent back',
    false, NULL);

INSERT INTO payment_requests (id, merchant_id, mode, amount, currency, description, reference, single_use, fields, required_fields, expires_at, active,
    completed_payments, consumed_at, created_at) VALUES
    ('pr_' || repeat('1', 24), repeat('a', 32), 'live', 12.5, 'USD', 'Cup', 'invoice', true, '{name}', '{name}', '2026-02-01Z', false, 1,
    '2026-01-02Z', '2026-01-01Z');

INSERT INTO events (merchant_id, mode, type, resource_id, payload, created_at, has_buyer_info, place) VALUES
    (repeat('a', 32), 'live', 'charge.confirmed', 'ch_' || repeat('1', 24), '{"a": 1.0}', '2026-01-03Z', true, 1);
INSERT INTO event_feeds (merchant_id, mode, last) VALUES (repeat('a', 32), 'live', 1);
INSERT INTO webhooks (id, merchant_id, url, events, secret_sealed, use_tor, created_at, deleted_at) VALUES
    ('wh_' || repeat('1', 24), repeat('a', 32), 'https://shop.example/hook', '{charge.confirmed}', '\x12', true, '2026-01-01Z', '2026-01-09Z');
INSERT INTO deliveries (id, webhook_id, merchant_id, mode, event_id, status, http_status, attempts, round_from, error, created_at, last_attempt_at,
    next_attempt_at, delivered_at)
SELECT 'whd_' || repeat('1', 24), 'wh_' || repeat('1', 24), repeat('a', 32), 'live', id, 'delivered', 200, 2, 1, 'slow', '2026-01-03Z',
    '2026-01-04Z', '2026-01-05Z', '2026-01-04Z' FROM events;

INSERT INTO delivery_attempts (delivery_id, attempt, at, http_status, error, request_headers, answer) VALUES
    ('whd_' || repeat('1', 24), 2, '2026-01-04Z', 200, 'slow', 'Content-Type: application/json', 'thanks');

INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate, fee, network_fee, amount,
    charges_paid, outputs, tx_hash, height, error, created_at, built_at, sent_at, confirmed_at, swap_ticker, swap_network,
    swap_address_sealed, swap_id) VALUES
    ('po_' || repeat('1', 24), repeat('a', 32), 'live', 'confirmed', '\x13', '8…x', 700000000001, 0.005, 3500000000, 500000000,
    696000000001, 1, 2, 'payout', 970, NULL, '2026-01-04Z', '2026-01-04Z', '2026-01-04Z', '2026-01-05Z', 'usdt', 'TRC20', NULL,
    'swp_' || repeat('1', 24)),
    ('po_' || repeat('2', 24), repeat('a', 32), 'live', 'failed', '\x14', '8…x', 1, 0.005, 0, 0, 0, 1, 1, NULL, NULL, 'no wallet',
    '2026-01-04Z', NULL, NULL, NULL, 'usdt', 'TRC20', '\x15', NULL);

INSERT INTO refunds (id, merchant_id, charge_id, status, variant, amount, fiat_amount, fiat_currency, name, description, automatic,
    token_hash, token_sealed, created_at, expires_at, cancelled_at) VALUES
    ('rf_' || repeat('1', 24), repeat('a', 32), 'ch_' || repeat('1', 24), 'awaiting_payment', 'Fiat', 200000000000, 35.27, 'EUR', 'Order', 'Late',
    true, sha256('token'), '\x31', '2026-01-04Z', '2026-02-04Z', NULL);
UPDATE refunds SET made_by = repeat('b', 32);
INSERT INTO refund_claims (id, refund_id, status, amount, address_sealed, address_masked, proof_sealed, waits_for, needs, failures, next_at,
    created_at, approved_at, sent_at, confirmed_at) VALUES
    ('rc_' || repeat('1', 24), 'rf_' || repeat('1', 24), 'awaiting_payment', 100000000000, '\x32', '4…y', NULL, 'money', 100100000000, 1,
    '2026-01-05Z', '2026-01-04Z', '2026-01-04Z', NULL, NULL),
    ('rc_' || repeat('2', 24), 'rf_' || repeat('1', 24), 'completed', 100000000000, '\x33', '4…y', '\x34', NULL, 0, 0,
    '2026-01-04Z', '2026-01-04Z', '2026-01-04Z', '2026-01-04Z', '2026-01-05Z');
UPDATE refunds SET custody = 'own';
UPDATE refund_claims SET address_sealed = NULL, own_address_sealed = '\x35' WHERE id = 'rc_' || repeat('2', 24);
INSERT INTO refund_payments (one_time_key, claim_id, tx_hash, output_index, height, vanished_at, drops, replaced, ended_at, created_at) VALUES
    (decode(repeat('3b', 32), 'hex'), 'rc_' || repeat('2', 24), 'given', 1, 990, NULL, 1, false, '2026-01-06Z', '2026-01-05Z'),
    (decode(repeat('3c', 32), 'hex'), 'rc_' || repeat('2', 24), 'before', 1, NULL, '2026-01-05Z', 1, true, '2026-01-05Z', '2026-01-04Z');

INSERT INTO ledger (charge_id, merchant_id, mode, created_at, confirmed_at, amount, currency, amount_piconero, received_piconero, order_id,
    fiat_value, fiat_currency, fiat_rate) VALUES
    ('ch_' || repeat('1', 24), repeat('a', 32), 'live', '2026-01-01Z', '2026-01-03Z', 123.45, 'EUR', 700000000001, 700000000001, 'order',
    123.45, 'EUR', 176.357);

INSERT INTO alerts (kind, subject, detail, opened_at, resolved_at, note) VALUES
    ('payout_stuck', 'po_' || repeat('1', 24), 'the daemon refuses it', '2026-01-04Z', '2026-01-05Z', 'sent by hand');
INSERT INTO audit (at, actor, action, subject, detail) VALUES ('2026-01-05Z', 'cli:ann', 'suspend', repeat('a', 32), 'on');

INSERT INTO sanctions_lists (state, digest, entries, published_at, read_at, checked_at, in_force_at) VALUES
    ('in_force', sha256('list'), 1, '2026-01-01Z', '2026-01-02Z', '2026-01-03Z', '2026-01-02Z');
INSERT INTO sanctioned_addresses (list_id, address, asset) SELECT id, 'listed', 'XBT' FROM sanctions_lists;

INSERT INTO swap_orders (swap_id, merchant_id, provider, state, sent_at) VALUES
    ('swp_' || repeat('1', 24), repeat('a', 32), 'other', 'placed', '2026-01-04Z');
INSERT INTO swaps (id, merchant_id, provider, id_provider, payout_id, ticker_from, network_from, ticker_to, network_to, amount_from,
    amount_expected, rate, deposit_address, deposit_memo, address_sealed, refund_sealed, created_at, expires_at, status, status_detail,
    word, amount_to, deposit_tx, payout_tx, refund_tx, quiet_since, polled_at, heard_at, closed_at, updated_at) VALUES
    ('swp_' || repeat('1', 24), repeat('a', 32), 'other', 'order', 'po_' || repeat('1', 24), 'xmr', 'Mainnet', 'usdt', 'TRC20',
    0.696000000001, 122.123456, 175.46, 'deposit', 'memo', '\x16', '\x17', '2026-01-04Z', '2026-01-05Z', 'finished', 'done', 'FINISHED',
    122.1, 'payout', 'paid out', 'refunded', '2026-01-04Z', '2026-01-05Z', '2026-01-05Z', '2026-01-06Z', '2026-01-05Z');

INSERT INTO swap_keys (id, class, key_hash, prefix, secret_sealed, markup_cap, created_at, revoked_at, last_used_at) VALUES
    ('sk_' || repeat('1', 24), 'partner', '\x18', 'par_', '\x19', 100, '2026-01-01Z', '2026-01-09Z', '2026-01-08Z');
INSERT INTO wallets (id, chain_id, role, ticker, network, decimals, unlocked, total, network_fee, balance_current_at, balance_at, safe_mode) VALUES
    ('xmr', 'xmr-Mainnet', 'exchange', 'xmr', 'Mainnet', 12, 10.000000000001, 11, 0.0001, '2026-01-01Z', '2026-01-03Z', true),
    ('ltc', 'ltc-Mainnet', 'exchange', 'ltc', 'Mainnet', 8, 5, 6, 0.00001, '2026-01-01Z', '2026-01-03Z', false);
INSERT INTO addresses (wallet_id, subaddress_index, address) VALUES ('xmr', 1, 'deposit 1'), ('ltc', 2, 'deposit 2');

INSERT INTO trades (id, id_provider, key_id, client_code, provider, risk, wallet_from, wallet_to, ticker_from, network_from, ticker_to,
    network_to, amount_from, amount_to, rate, markup, commission_rate, min_from, max_from, deposit_address, confirmations, created_at,
    window_seconds, expires_at, status, status_detail, reserved, received, updated_at, created_height, details_sealed, has_webhook) VALUES
    (repeat('1', 32), 'sw_' || repeat('1', 24), 'sk_' || repeat('1', 24), NULL, 'durapay', 'precheck', 'xmr', 'ltc', 'xmr', 'Mainnet',
    'ltc', 'Mainnet', 1, 2, 2, 50, 0.01, 0.05, 20, 'deposit 1', 10, '2026-01-01Z', 3600, '2026-01-01T01:00Z', 'sending', 'on its way', 2,
    1, '2026-01-02Z', 900, '\x1a', true),
    (repeat('2', 32), 'order', NULL, '\x1b', 'other', 'auto', NULL, NULL, 'xmr', 'Mainnet', 'btc', 'Mainnet', 1, 0.005, 0.005, 0, 0, 0.05,
    20, 'deposit at other', 10, '2026-01-01Z', 3600, '2026-01-01T01:00Z', 'awaiting_deposit', '', 0, 0, '2026-01-01Z', NULL, '\x1c', false);
INSERT INTO received_payments (trade_id, wallet_id, tx_hash, address, subaddress_index, amount, outputs, height, contested, blocked, first_seen_at,
    vanished_at, abandoned, unlock_height, unlock_at, spendable_after, mature_height, mature, mined_at, shown_amount, origins_due_at,
    origins_sealed, origins_asked) VALUES
    (repeat('1', 32), 'xmr', 'deposit', 'deposit 1', 1, 1000000000000, 2, 950, true, true, '2026-01-01Z', NULL, true, 940, '2026-01-01Z', 10, 960,
    true, '2026-01-01Z', 900000000000, '2026-01-02Z', '\x1d', 3),
    (repeat('1', 32), 'xmr', 'dropped', 'deposit 1', 1, 2000000000000, 1, NULL, false, false, '2026-01-01Z', '2026-01-02Z', false, 0, NULL, 0, NULL,
    false, NULL, NULL, NULL, NULL, 0),
    (NULL, 'xmr', 'stray', 'deposit 9', 9, 500000000000, 1, NULL, false, false, '2026-01-01Z', NULL, false, 0, NULL, 0, NULL, false, NULL, NULL, NULL,
    NULL, 0);
UPDATE trades SET counted_deposit = d.id, payout = 2 FROM received_payments d WHERE d.trade_id = trades.id AND d.tx_hash = 'deposit';
INSERT INTO trade_orders (trade_id, provider, state, id_provider, word, amount_to, deposit_tx, payout_tx, refund_tx, sent_at, heard_at,
    closed_at) VALUES
    (repeat('2', 32), 'other', 'placed', 'order', 'WAITING', 0.005, 'deposit', 'payout', 'refund', '2026-01-01Z', '2026-01-02Z',
    '2026-01-03Z');
INSERT INTO trade_events (trade_id, status, prev_status, occurred_at, payload, delivery, begun_at, attempts, round_from, http_status, error,
    last_attempt_at, next_attempt_at, delivered_at) VALUES
    (repeat('1', 32), 'sending', 'processing', '2026-01-02Z', '{"a": 1.0}', 'delivered', '2026-01-02Z', 2, 1, 200, 'slow', '2026-01-03Z',
    '2026-01-04Z', '2026-01-03Z');
INSERT INTO idempotency_keys (scope, key_hash, query_hash, trade_id, response_sealed, created_at) VALUES
    ('sk_' || repeat('1', 24), '\x1e', '\x1f', repeat('1', 32), '\x20', '2026-01-01Z');
INSERT INTO commissions (trade_id, key_id, ticker, network, amount, credited_at) VALUES
    (repeat('3', 32), 'sk_' || repeat('1', 24), 'ltc', 'Mainnet', 0.01, '2026-01-01Z');

INSERT INTO outgoing_sequences (wallet_id, seq) VALUES ('live', 1), ('ltc', 2);
INSERT INTO outgoing_transactions (wallet_id, purpose, payout_id, trade_ids, state, reason, seq, tx_hash, raw, inputs, payments, paid, fee,
    proof_sealed, spent_elsewhere_height, height, created_at, built_at, sent_at, confirmed_at, abandoned_at, abandoned_by) VALUES
    ('live', 'payout', 'po_' || repeat('1', 24), '{}', 'confirmed', NULL, 1, 'payout', '\x21', '{image}', '{1}', 0.696000000001, 0.0005, '\x22',
    NULL, 970, '2026-01-04Z', '2026-01-04Z', '2026-01-04Z', '2026-01-05Z', NULL, NULL),
    ('ltc', 'trade_payout', NULL, ARRAY[repeat('1', 32)], 'abandoned', NULL, 1, 'given up', '\x23', '{coin}', NULL, 2, 0.00001, '\x24', 1990,
    NULL, '2026-01-02Z', '2026-01-02Z', '2026-01-02Z', NULL, '2026-01-03Z', 'cli:ann'),
    ('ltc', 'trade_payout', NULL, ARRAY[repeat('1', 32)], 'failed', 'refused', 2, 'trade payout', '\x25', '{coin}', NULL, 2, 0.00001, '\x26',
    NULL, NULL, '2026-01-03Z', '2026-01-03Z', NULL, NULL, NULL, NULL);
INSERT INTO trade_payments (trade_id, deposit_id, kind, wallet_id, amount, reason, transaction_id, paid, fee, created_at, dust)
SELECT repeat('1', 32), d.id, 'payout', 'ltc', 2, NULL, x.id, 2, 0.00001, timestamptz '2026-01-02Z', false
FROM received_payments d, outgoing_transactions x WHERE d.tx_hash = 'deposit' AND x.tx_hash = 'trade payout'
UNION ALL
SELECT repeat('1', 32), id, 'refund', 'xmr', 2, 'too small', NULL, NULL, NULL, '2026-01-02Z', true FROM received_payments WHERE tx_hash = 'dropped';

INSERT INTO unseen_deposits (trade_id, tx_hash, address, transaction_id, kind, wallet_id, amount, paid, fee, created_at)
SELECT repeat('1', 32), 'unseen', 'deposit 1', id, 'payout', 'ltc', 2, 2, 0.00001, '2026-01-02Z' FROM outgoing_transactions WHERE tx_hash = 'trade payout';

INSERT INTO witnesses (wallet_id, begun_at, sends, addresses, lease_from, lease_to, handed_out, lease_instance, lease_copy, known_height, safe_since, safe_reason)
VALUES ('live', '2026-01-01Z', 1, 50, 10, 40, 30, 'instance', 'copy', 990, '2026-01-02Z', 'restored');
INSERT INTO acknowledged_sends (wallet_id, tx_hash, kind, note, acknowledged_at) VALUES
    ('live', 'by hand', 'accepted', 'rent', '2026-01-02Z');

INSERT INTO chains (id, chain_height) VALUES ('simulated-ch_5555555555555555555555aa', 100);
INSERT INTO wallets (id, chain_id, role, mode, primary_address) VALUES
    ('simulated-ch_5555555555555555555555aa', 'simulated-ch_5555555555555555555555aa', 'simulated', 'sandbox', 'address of a simulated charge');
INSERT INTO simulated_chains (wallet_id, charge_id, height, forks, changed, scanned) VALUES ('simulated-ch_5555555555555555555555aa', 'ch_5555555555555555555555aa', 103, '{101}', 2, 1);
INSERT INTO simulated_payments (tx_hash, wallet_id, amount, height, created_at) VALUES (repeat('5d', 32), 'simulated-ch_5555555555555555555555aa', 1000000000000, 101, '2026-11-23 12:00:00+00');

INSERT INTO notice_choices (merchant_id, kind, frequency) VALUES (repeat('a', 32), 'charge_paid', 'daily');
INSERT INTO notice_mails (id, merchant_id, digest_at, created_at, sent_at) VALUES
    ('nm_' || repeat('1', 24), repeat('a', 32), '2026-01-02Z', '2026-01-02Z', '2026-01-03Z');
INSERT INTO business_notices (merchant_id, kind, resource_id, part, amount, frequency, happened_at, mail_id) VALUES
    (repeat('a', 32), 'charge_paid', 'ch_' || repeat('1', 24), 1, 5, 'daily', '2026-01-01Z', 'nm_' || repeat('1', 24));
INSERT INTO receipts (charge_id, language, sent_at) VALUES ('ch_' || repeat('1', 24), 'de', '2026-01-04Z');
INSERT INTO login_networks (merchant_id, network, seen_at) VALUES (repeat('a', 32), decode(repeat('2b', 32), 'hex'), '2026-01-01Z');

INSERT INTO staff (merchant_id, person_id, role, refunds_a_day, created_at) VALUES (repeat('a', 32), repeat('b', 32), 'support', 5, '2026-01-01Z');
INSERT INTO staff_invites (id, merchant_id, role, refunds_a_day, note, token_hash, created_at, expires_at) VALUES
    ('si_' || repeat('1', 24), repeat('a', 32), 'cashier', 0, 'Saturdays', '\x2c', '2026-01-01Z', '2026-01-08Z');
INSERT INTO actions (merchant_id, person_id, role, operation, path, status, at) VALUES
    (repeat('a', 32), repeat('b', 32), 'support', 'createRefund', '/api/charges/ch_1/refunds', 200, '2026-01-01Z');

INSERT INTO wakeups (kind, id, owner, urgency, version, attempts, next_at, since) VALUES
    ('charges', 'ch_' || repeat('1', 24), repeat('a', 32), 0, nextval('wakeup_version'), 2, '2026-01-02Z', '2026-01-01Z');

INSERT INTO sent_forms (id, leads_to, expires_at) VALUES (repeat('1', 64), '/charges/ch_1', '2026-01-02Z');

INSERT INTO nodes (wallet_id, asked_at, answered_at, error, height, highest, target_height, newest_block_at, balance, owed, balance_height, balance_at) VALUES
    ('live', '2026-01-02Z', '2026-01-01Z', 'it does not answer', 1000, 1000, 1010, '2026-01-01Z', 7, 6, 990, '2026-01-01Z');
INSERT INTO backups (finished_at) VALUES ('2026-01-01Z');
