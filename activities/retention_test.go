package activities_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/activities/upkeep"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/webhook"
)

const day = 24 * time.Hour

func (s *shop) retention() *upkeep.Retention {
	return &upkeep.Retention{Store: s.store, BuyerData: 14 * day, Records: 30 * day, UnusedKeys: 90 * day, VerifyEmail: true}
}

// prune walks to the end, from a position that an earlier run recorded before it died,
// and returns the number of batches.
func (s *shop) prune(t *testing.T, at time.Time, from ...upkeep.Position) (batches int) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	r := s.retention()
	env.RegisterActivity(r)
	if len(from) > 0 {
		env.SetHeartbeatDetails(from[0])
	}
	in := upkeep.Prune{Now: at}
	for {
		result, err := env.ExecuteActivity(r.PruneData, in)
		require.NoError(t, err)
		var done upkeep.Pruned
		require.NoError(t, result.Get(&done))
		batches += done.Batches
		if done.Done {
			return batches
		}
		require.NotEqual(t, in.From, done.Next)
		in.From = done.Next
	}
}

// remaining are the charges that are there.
func (s *shop) remaining(t *testing.T) map[string]bool {
	t.Helper()
	charges := map[string]bool{}
	all, err := s.store.Charges(t.Context(), s.merchant, "live", nil, 10_000, start)
	require.NoError(t, err)
	for _, c := range all {
		charges[c.Charge.ID] = true
	}
	return charges
}

func (s *shop) requestWith(metadata string) chargestore.New {
	in := s.request()
	in.Metadata = metadata
	return in
}

// expire lets the time to pay pass.
func (s *shop) expire(t *testing.T, ids ...string) {
	t.Helper()
	for _, id := range ids {
		_, err := s.activity().AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: id, Now: start.Add(10 * time.Hour)})
		require.NoError(t, err)
	}
}

func (s *shop) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := s.store.Pool().Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func (s *shop) number(t *testing.T, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, s.store.Pool().QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

func TestRetentionNeverRemovesMoneyThatIsNotPaidOut(t *testing.T) {
	t.Parallel()
	s := open(t, 10)
	s.payTo(t)
	s.webhook(t, "https://shop.example", charge.EventConfirmed)
	owed, short, unpaid, open := s.earn(t, 100), s.create(t, s.request()).ID, s.create(t, s.request()).ID, s.create(t, s.request()).ID
	s.pay(t, short, 1, 100)
	s.expire(t, short, unpaid)

	s.prune(t, start.Add(31*day))
	s.prune(t, start.Add(31*day))
	require.Equal(t, map[string]bool{owed: true, short: true, open: true}, s.remaining(t),
		"confirmed and not paid out, holding money, and still open; the unpaid one is gone")
}

func TestRetentionWaitsForThePayoutToBeConfirmed(t *testing.T) {
	t.Parallel()
	s := open(t, 10)
	s.payTo(t)
	id := s.earn(t, 100)
	reserved, err := s.payouts().ReservePayout(t.Context(), s.sweep())
	require.NoError(t, err)
	require.EqualValues(t, 1, reserved.Charges)
	later := s.earn(t, 100)
	s.pay(t, id, money.OneXMR, 120) // more money for the charge that is being paid out
	s.mine(t, 130)
	for _, status := range []string{"building", "broadcast", "confirmed"} {
		if status != "building" {
			s.exec(t, `UPDATE payouts SET status = $1, sent_at = now(), tx_hash = 'h'`, status)
		}
		s.prune(t, start.Add(31*day))
		require.Equal(t, map[string]bool{id: true, later: true}, s.remaining(t), status)
	}
	_, err = s.payouts().ReservePayout(t.Context(), s.sweep())
	require.NoError(t, err)
	s.prune(t, start.Add(31*day))
	require.Equal(t, map[string]bool{id: true, later: true}, s.remaining(t), "the rest of its money is in a payout that is not confirmed")
	s.exec(t, `UPDATE received_payments SET payout_id = (SELECT id FROM payouts WHERE status = 'confirmed') WHERE charge_id = $1`, id)
	s.prune(t, start.Add(31*day))
	require.Equal(t, map[string]bool{later: true}, s.remaining(t), "all of its money is paid out now")
}

func TestBooksStayExactWhenPaidOutChargesArePruned(t *testing.T) {
	t.Parallel()
	s := open(t, 10)
	s.payTo(t)
	s.reportIn(t, money.USD)
	paid, owed := s.confirm(t), s.confirm(t)
	_, err := s.payouts().ReservePayout(t.Context(), s.sweep())
	require.NoError(t, err)
	s.exec(t, `UPDATE received_payments SET payout_id = NULL WHERE charge_id = $1`, owed)
	s.exec(t, `UPDATE charges SET payout_id = NULL WHERE id = $1`, owed)
	s.exec(t, `UPDATE payouts SET status = 'confirmed', sent_at = $1, tx_hash = 'h', amount = gross`, start)
	books := func() (any, any, any) {
		wallet := db.UnpaidSummaryParams{MerchantID: s.merchant, WalletID: walletID}
		balance, err := s.store.UnpaidSummary(t.Context(), wallet)
		require.NoError(t, err)
		sums, err := s.store.SumLedger(t.Context(), db.SumLedgerParams{
			FiatCurrency: "USD", MerchantID: s.merchant, Mode: "live", Since: start.Add(-day), Until: start.Add(day),
		})
		require.NoError(t, err)
		return balance, sums, s.ledger(t)
	}
	balance, sums, report := books()
	s.prune(t, start.Add(31*day))
	require.Equal(t, map[string]bool{owed: true}, s.remaining(t))
	afterBalance, afterSums, afterReport := books()
	require.Equal(t, balance, afterBalance)
	require.Equal(t, sums, afterSums)
	require.Equal(t, report, afterReport, "with the payout of %s", paid)
	require.Equal(t, 1, s.number(t, "SELECT count(*) FROM address_owners WHERE charge_id = $1", paid), "its address keeps its name")
}

func TestRetentionStripsBuyersFromChargesAndEvents(t *testing.T) {
	t.Parallel()
	s := open(t, 3)
	s.webhook(t, "https://shop.example", charge.EventCreated, charge.EventExpired)
	id := s.create(t, s.requestWith(`{"z":1.10,"buyer_info":{"email":"hidden"},"a":{"buyer_info":"the merchant's own"}}`)).ID
	nested := s.create(t, s.requestWith(`{"a":{"buyer_info":1}}`)).ID
	waiting := s.create(t, s.requestWith(`{"buyer_info":{"email":"hidden"}}`)).ID
	s.expire(t, id, nested, waiting)
	s.exec(t, `UPDATE deliveries SET status = 'failed' FROM events e WHERE e.id = event_id AND e.resource_id <> $1`, waiting)
	traces := func() (n int) {
		return s.number(t, `SELECT (SELECT count(*) FROM charges WHERE metadata LIKE '%hidden%')
			+ (SELECT count(*) FROM events WHERE payload LIKE '%hidden%')`)
	}
	before := traces()
	require.Equal(t, 6, before, "two charges with two events each")

	s.prune(t, start.Add(13*day))
	require.Equal(t, before, traces(), "young enough")
	s.prune(t, start.Add(15*day))
	require.Equal(t, 2, traces(), "events that wait for their delivery keep what they have to tell")
	require.Equal(t, `{"z":1.10,"a":{"buyer_info":"the merchant's own"}}`, string(mustCharge(t, s, id).Metadata))
	require.Equal(t, `{"a":{"buyer_info":1}}`, string(mustCharge(t, s, nested).Metadata))
	require.Equal(t, money.OneXMR/100, mustCharge(t, s, id).AmountXMR)
	s.exec(t, `UPDATE deliveries SET status = 'failed'`)
	s.prune(t, start.Add(15*day))
	require.Zero(t, traces())
	require.Zero(t, s.number(t, `SELECT (SELECT count(*) FROM charges WHERE has_buyer_info)
		+ (SELECT count(*) FROM events WHERE has_buyer_info)`), "nothing is read again")
	require.Equal(t, 6, s.number(t, `SELECT count(*) FROM deliveries d JOIN events e ON e.id = d.event_id
		WHERE e.payload::json->'data'->>'id' = e.resource_id`), "what is left of the bodies is whole")
}

// TestRetentionStripsWhatAShopSaysOfABuyer from invoices, and leaves the same
// names in charges that were not made as invoices.
func TestRetentionStripsWhatAShopSaysOfABuyer(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	options, metadata := "{}", `{"orderId":"A-1","buyerEmail":"hidden","buyerCity":"hidden","n":1.10}`
	asInvoice := s.requestWith(metadata)
	asInvoice.Checkout = &options
	invoice, plain := s.create(t, asInvoice).ID, s.create(t, s.requestWith(metadata)).ID
	s.expire(t, invoice, plain)
	s.prune(t, start.Add(15*day))
	require.Equal(t, `{"orderId":"A-1","n":1.10}`, string(mustCharge(t, s, invoice).Metadata))
	require.Equal(t, metadata, string(mustCharge(t, s, plain).Metadata))
	require.Zero(t, s.number(t, `SELECT count(*) FROM events WHERE resource_id = $1 AND payload LIKE '%hidden%'`, invoice))
	require.Equal(t, 2, s.number(t, `SELECT count(*) FROM events WHERE resource_id = $1 AND payload LIKE '%hidden%'`, plain))
}

// TestWhatReceiversAnswerGoesWithWhatBuyersSay asks a receiver that answers with what it was sent.
func TestWhatReceiversAnswerGoesWithWhatBuyersSay(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
	t.Cleanup(echo.Close)
	s.webhook(t, echo.URL, charge.EventCreated)
	state := s.advance(t, s.create(t, s.requestWith(`{"buyer_info":{"email":"hidden"}}`)).ID, start)
	require.Equal(t, webhook.Delivered, attempt(t, s.webhooks(loopback), deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: state.Deliveries[0], Attempt: 1}))
	kept := func() int { return s.number(t, "SELECT count(*) FROM delivery_attempts WHERE answer LIKE '%hidden%'") }
	s.prune(t, start.Add(13*day))
	require.Equal(t, 1, kept())
	for range 2 {
		s.prune(t, start.Add(15*day))
		require.Zero(t, kept())
	}
	require.Equal(t, 1, s.number(t, "SELECT count(*) FROM deliveries WHERE status = 'delivered'"), "what became of it is kept longer")
}

func TestAReceiptGoesWithItsCharge(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	old, young := s.create(t, s.request()).ID, s.create(t, s.request()).ID
	for _, id := range []string{old, young} {
		require.NoError(t, s.store.PutReceipt(t.Context(), db.PutReceiptParams{ChargeID: id, Language: "en"}))
	}
	s.expire(t, old)
	s.prune(t, start.Add(40*day))
	require.Zero(t, s.number(t, "SELECT count(*) FROM receipts WHERE charge_id = $1", old))
	require.Equal(t, 1, s.number(t, "SELECT count(*) FROM receipts WHERE charge_id = $1", young))
}

func TestStrippedDeliveryIsSentAgainSignedAsItIsNow(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	url, got := receiver(t, 204)
	key := s.webhook(t, url, charge.EventCreated)
	id := s.create(t, s.requestWith(`{"n":1.10,"buyer_info":{"email":"hidden"}}`)).ID
	s.exec(t, `UPDATE deliveries SET status = 'failed'`)
	s.expire(t, id)
	s.prune(t, start.Add(15*day))
	var delivery string
	require.NoError(t, s.store.Pool().QueryRow(t.Context(), "SELECT id FROM deliveries").Scan(&delivery))
	hooks := s.webhooks(loopback)
	require.NoError(t, s.redeliver(t, delivery, start.Add(15*day)))
	found, err := hooks.FindDelivery(t.Context(), deliveries.FindDelivery{Receiver: webhook.Merchant, ID: delivery})
	require.NoError(t, err)
	require.Equal(t, webhook.Delivered, attempt(t, hooks, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: delivery, Attempt: found.Attempts + 1}))
	sent := (*got)[0]
	require.Equal(t, webhook.Sign(key, []byte(sent.body)), sent.signature)
	require.NotContains(t, sent.body, "hidden")
	require.Contains(t, sent.body, `"metadata":{"n":1.10}`)
}

func TestRetentionWalksInBatchesOverWhatItMustKeep(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	const all, owed = 1300, 700
	steps := s.prune(t, start) // each finds nothing in one batch
	s.exec(t, `INSERT INTO charges (id, merchant_id, mode, source, wallet_id, subaddress_index, subaddress, amount, currency,
			amount_piconero, confirm_from_piconero, status, confirmations_required, created_at, expires_at, confirmed_at)
		SELECT 'ch_' || lpad(to_hex(n), 24, '0'), $1, 'live', 'api', $2, 1000 + n, 'a' || n, 1, 'XMR', 1, 1,
			CASE WHEN n < $3 THEN 'confirmed' ELSE 'expired' END, 10, $4::timestamptz, $4::timestamptz,
			CASE WHEN n < $3 THEN $4::timestamptz END
		FROM generate_series(0, $5::int - 1) n`, s.merchant, walletID, owed, start, all)
	s.exec(t, `INSERT INTO events (merchant_id, mode, type, resource_id, payload, created_at)
		SELECT $1, 'live', 'x', 'r' || n, '{}', $2 FROM generate_series(1, $3::int) n`, s.merchant, start, all)
	batches := s.prune(t, start.Add(31*day))
	require.Len(t, s.remaining(t), owed)
	require.Zero(t, s.number(t, "SELECT count(*) FROM events"))
	require.LessOrEqual(t, batches-steps, 2*all/100, "each row is looked at once")
}

func TestRetentionContinuesWhereADeadWorkerWas(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	later := s.request()
	later.Now = start.Add(time.Minute)
	first, second := s.create(t, s.request()).ID, s.create(t, later).ID
	s.expire(t, first, second)
	s.prune(t, start.Add(31*day), upkeep.Position{Step: "charges", At: start, ID: first})
	require.Equal(t, map[string]bool{first: true}, s.remaining(t), "what the killed run had read is not read again")
	s.prune(t, start.Add(31*day), upkeep.Position{Step: "of an older version"})
	require.Empty(t, s.remaining(t))
}

func TestPaymentsThatLeftTheChainGoWithTheirCharge(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	id := s.create(t, s.request()).ID
	s.pay(t, id, 5, 0)
	s.exec(t, "UPDATE received_payments SET vanished_at = now()")
	s.expire(t, id)
	s.prune(t, start.Add(31*day))
	require.Empty(t, s.remaining(t))
	require.Zero(t, s.number(t, "SELECT count(*) FROM received_payments"), "should it come back, it is unmatched")
}

func TestLeftoversAreRemovedByAge(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	for _, c := range []struct {
		insert string
		keep   time.Duration
	}{
		{"rate_counts (bucket, key_hash, window_start, count) VALUES ('b', '\\x01', $1, 1)", 2 * day},
		{"login_ip_failures (ip, failures, window_start) VALUES ('192.0.2.1', 20, $1)", day},
		{"invites (id, token_hash, created_at, expires_at) VALUES ('in_0123456789abcdef01234567', '\\x01', $1, $1)", 30 * day},
		{`scoped_keys (id, merchant_id, mode, label, permissions, key_hash, prefix, created_at, revoked_at)
			VALUES ('sk_0123456789abcdef01234567', '` + s.merchant + `', 'live', 'x', '{btcpay.store.canviewinvoices}', '\x01', 'dk_live_0123', $1, $1)`, 30 * day},
		{"login_failures (email_index, failures, last_at) VALUES ('\\x01', 5, $1)", 30 * day},
		{"idempotency_keys (scope, key_hash, query_hash, trade_id, created_at) VALUES ('', '\\x01', '\\x02', 't', $1)", 2 * day},
		{`webhooks (id, merchant_id, url, events, secret_sealed, created_at, deleted_at)
			VALUES ('wh_1', '` + s.merchant + `', 'https://x.example', '{}', '\x01', $1, $1)`, 30 * day},
	} {
		s.exec(t, "INSERT INTO "+c.insert, start)
		var table string
		_, err := fmt.Sscan(c.insert, &table)
		require.NoError(t, err)
		s.prune(t, start.Add(c.keep-time.Minute))
		require.Equal(t, 1, s.number(t, "SELECT count(*) FROM "+table), table)
		s.prune(t, start.Add(c.keep+time.Minute))
		require.Zero(t, s.number(t, "SELECT count(*) FROM "+table), table)
	}
}

func TestWebhooksStayUntilTheirLogIsGone(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	s.webhook(t, "https://shop.example", charge.EventCreated)
	s.create(t, s.request())
	s.exec(t, "UPDATE webhooks SET deleted_at = $1", start.Add(-day))
	s.prune(t, start.Add(30*day-time.Minute))
	require.Equal(t, 1, s.number(t, "SELECT count(*) FROM webhooks"))
	s.exec(t, "UPDATE deliveries SET status = 'failed'")
	s.prune(t, start.Add(31*day))
	require.Zero(t, s.number(t, "SELECT count(*) FROM webhooks"))
}

func mustCharge(t *testing.T, s *shop, id string) charge.Charge {
	t.Helper()
	c, err := s.store.Charge(t.Context(), id, start)
	require.NoError(t, err)
	return c.Charge
}

// age makes every trade a month older.
func (b *bureau) age(t *testing.T) {
	t.Helper()
	_, err := b.store.Pool().Exec(t.Context(), `UPDATE trades SET created_at = created_at - interval '31 days', expires_at = expires_at - interval '31 days'`)
	require.NoError(t, err)
}

func (b *bureau) prune(t *testing.T) {
	t.Helper()
	for range 2 {
		(&shop{store: b.store}).prune(t, b.now)
	}
}

func (b *bureau) number(t *testing.T, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// TestTradesArePrunedOnceTheirMoneyIsSettled ages a trade of each kind: trades with money
// that was not paid out stay, whatever their age.
func TestTradesArePrunedOnceTheirMoneyIsSettled(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	b.partner(t)
	key := partnerKeyID
	in := b.request("1")
	in.KeyID, in.Markup = &key, 100
	done := b.create(t, in)
	b.deposit(done, "deposit of done", "1", 2)
	state := b.advance(t, done.ID)
	b.send(t, state)
	open, late := b.create(t, b.request("1")), b.create(t, b.request("1"))
	paying, _ := b.ready(t)
	b.age(t)
	b.prune(t)
	all := map[string]bool{done.ID: true, open.ID: true, late.ID: true, paying.ID: true}
	require.Equal(t, all, b.kept(t), "sent and not confirmed, waiting, being paid")

	b.mine(t, done.ID)
	require.Equal(t, trade.Completed, b.advance(t, done.ID).Status)
	b.deposit(late, "deposit of late", "1", 2)
	late2 := b.advance(t, late.ID)
	require.Equal(t, trade.Expired, late2.Status)
	require.Len(t, late2.Payments, 1)
	require.Equal(t, trade.Expired, b.advance(t, open.ID).Status)
	further := b.deposit(done, "further", "1", 2)
	b.advance(t, done.ID)
	b.prune(t)
	require.Equal(t, map[string]bool{done.ID: true, late.ID: true, paying.ID: true}, b.kept(t),
		"a further deposit and a late one are not sent back yet")

	b.send(t, b.advance(t, done.ID))
	b.mine(t, done.ID)
	b.advance(t, done.ID)
	_, err := b.store.Pool().Exec(t.Context(), `UPDATE trade_events SET delivery = 'pending' WHERE trade_id = $1 AND status = 'completed'`, done.ID)
	require.NoError(t, err)
	b.prune(t)
	require.Contains(t, b.kept(t), done.ID, "its partner is not told yet")
	for _, sql := range []string{
		`UPDATE trade_events SET delivery = 'none' WHERE delivery = 'pending'`,
		`INSERT INTO unseen_deposits SELECT trade_id, 'never seen', 'address', transaction_id, kind, wallet_id, amount, paid, fee, created_at
			FROM trade_payments WHERE transaction_id IS NOT NULL LIMIT 1`,
	} {
		_, err = b.store.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	b.prune(t)
	require.Equal(t, map[string]bool{late.ID: true, paying.ID: true}, b.kept(t))
	for _, table := range []string{"trade_deposits", "trade_payments", "trade_events", "unseen_deposits"} {
		require.Zero(t, b.number(t, "SELECT count(*) FROM "+table+" WHERE trade_id = $1", done.ID), table)
	}
	require.Zero(t, b.number(t, "SELECT count(*) FROM outgoing_transactions WHERE $1 = ANY(trade_ids)", done.ID))
	require.Equal(t, 1, b.number(t, "SELECT count(*) FROM commissions WHERE trade_id = $1", done.ID), "what is owed stays")
	require.Equal(t, 1, b.number(t, `SELECT count(*) FROM addresses a JOIN witnesses w USING (wallet_id)
		WHERE a.address = $1 AND a.subaddress_index <= w.handed_out`, done.DepositAddress), "its address is never given out again")

	require.Empty(t, b.alerts(t))
	clear(b.xmr.deposits)
	further.TxHash = "after the end"
	b.xmr.show(further)
	b.look(t)
	b.look(t)
	require.Equal(t, []string{alert.DepositOrphaned}, b.alerts(t), "money for a trade that is gone is not overlooked")
}

func tradeStatuses() []string {
	var all []string
	for _, s := range trade.Statuses() {
		all = append(all, string(s))
	}
	return all
}

func (b *bureau) kept(t *testing.T) map[string]bool {
	t.Helper()
	rows, err := b.store.NewestTrades(t.Context(), db.NewestTradesParams{Statuses: tradeStatuses(), Before: time.Now().AddDate(1, 0, 0), MaxRows: 100})
	require.NoError(t, err)
	kept := map[string]bool{}
	for _, r := range rows {
		kept[r.ID] = true
	}
	return kept
}
