package merchant_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/telemetry"
)

const buyerEmail = "buyer@example.com"

// sold makes a charge with an order, a buyer's email and a payment in a block, and returns the
// charge and the transaction.
func (b *bench) sold(t *testing.T, s shop, order string) (id, tx string) {
	t.Helper()
	id, tx = b.charge(t, s, config.Live, func(r *db.InsertChargeParams) {
		r.OrderID, r.Metadata = &order, `{"order_id":"`+order+`","buyer_info":{"email":"`+buyerEmail+`"}}`
	}), secret.NewSecret()
	height := int64(100)
	require.NoError(t, b.store.InsertReceivedPayment(t.Context(), db.InsertReceivedPaymentParams{
		WalletID: "live-1", TxHash: tx, SubaddressIndex: rowsOf[int32](t, b, "SELECT subaddress_index FROM charges WHERE id = '"+id+"'")[0], ChargeID: &id,
		MerchantID: &s.id, Amount: money.OneXMR, Outputs: 1, Height: &height, MatureHeight: &height, FirstSeenAt: b.clock.Now(),
	}))
	return id, tx
}

// find searches as an operator and returns kind and identifier of each result.
func (b *bench) find(t *testing.T, admin shop, text string) (found []string) {
	t.Helper()
	var answer operator.Found
	a := b.as(t, admin, http.MethodGet, "/api/admin/find?"+url.Values{"text": {text}}.Encode(), "").require(t, http.StatusOK, text)
	require.NoError(t, json.Unmarshal([]byte(a.body), &answer))
	for _, i := range answer.Found {
		found = append(found, string(i.Kind)+" "+i.ID)
	}
	return found
}

// TestOperatorsFindAnything searches for every kind of text.
func TestOperatorsFindAnything(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, admin := b.own(t), b.admin(t)
	id, tx := b.sold(t, s.shop, "1002")
	address := rowsOf[string](t, b, "SELECT subaddress FROM charges WHERE id = '"+id+"'")[0]
	claim := "rc_" + strings.TrimPrefix(s.refund, "rf_")
	b.exec(t, `INSERT INTO refund_claims (id, refund_id, status, amount, address_sealed, address_masked, next_at, created_at)
		VALUES ($1, $2, 'awaiting_approval', 1, '', '', now(), now())`, claim, s.refund)
	payoutTx, stray := secret.NewSecret(), rowsOf[string](t, b, "SELECT tx_hash FROM received_payments WHERE charge_id IS NULL")[0]
	b.exec(t, "UPDATE payouts SET tx_hash = $2 WHERE id = $1", s.payout, payoutTx)
	b.exec(t, "UPDATE swaps SET deposit_address = 'deposit address of the swap' WHERE id = $1", s.swap)
	for text, want := range map[string]string{
		id: "charge " + id, " " + id + "\n": "charge " + id, "https://pay.example/pay/" + id + "?x=1": "charge " + id, "charge-" + id: "charge " + id,
		"1002": "charge " + id, address: "charge " + id, tx: "charge " + id, strings.ToUpper(tx): "charge " + id,
		s.payout: "payout " + s.payout, payoutTx: "payout " + s.payout, s.refund: "refund " + s.refund, claim: "refund " + s.refund,
		s.trade: "trade " + s.trade, "trade-" + s.trade: "trade " + s.trade, "deposit address of " + s.trade[:8]: "trade " + s.trade, "deposit address of the swap": "swap " + s.swap,
		s.id: "merchant " + s.id, s.email: "merchant " + s.id, strings.ToUpper(s.email): "merchant " + s.id, s.swap: "swap " + s.swap,
		s.delivery: "delivery " + s.delivery, s.request: "payment_request " + s.request, stray: "unmatched " + stray,
		"route=/pay id=" + telemetry.LogName(id): "charge " + id, telemetry.LogName(s.trade): "trade " + s.trade, telemetry.LogName(secret.NewID("ch_")): "",
		buyerEmail: "", "nothing": "", secret.NewSecret(): "", secret.NewID("ch_"): "", "ch_": "", "%": "", "_": "", "' OR 1=1": "",
	} {
		found := b.find(t, admin, text)
		if want == "" {
			require.Empty(t, found, text)
			continue
		}
		require.Equal(t, []string{want}, found, text)
	}
	for _, wrong := range []string{"", "text=", "text=%20", "text=" + strings.Repeat("x", operator.MaxSought+1), "text=%00", "text=%ff", "text=a&text=b"} {
		b.as(t, admin, http.MethodGet, "/api/admin/find?"+wrong, "").require(t, http.StatusBadRequest, wrong)
	}
	require.Empty(t, b.actions(t, admin), "a search changes nothing")
}

// TestOneOrderOfManyShops gives charges of two merchants one order, more than a search returns.
func TestOneOrderOfManyShops(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, other, admin := b.signup(t), b.signup(t), b.admin(t)
	var ids []string
	for _, s := range []shop{one, other} {
		id, _ := b.sold(t, s, "77")
		ids = append(ids, "charge "+id)
	}
	require.ElementsMatch(t, ids, b.find(t, admin, "77"))
	b.exec(t, "UPDATE charges SET order_id = 'many'")
	b.exec(t, `INSERT INTO ledger (charge_id, merchant_id, mode, created_at, confirmed_at, amount, currency, amount_piconero, received_piconero, order_id)
		SELECT 'ch_' || lpad(to_hex(n), 24, '0'), $1, 'live', now(), now(), 1, 'XMR', 1, 1, 'many' FROM generate_series(1, 60) n`, one.id)
	a := b.as(t, admin, http.MethodGet, "/api/admin/find?text=many", "").require(t, http.StatusOK)
	require.Len(t, a.field(t, "found"), operator.MaxFound)
	require.Equal(t, true, a.field(t, "more"))
	require.Contains(t, a.body, `"status":"removed"`, "what was pruned is found by the books")
	removed := b.as(t, admin, http.MethodGet, "/api/admin/charges/ch_"+strings.Repeat("0", 23)+"1", "").require(t, http.StatusOK)
	require.Equal(t, operator.Removed, removed.text(t, "status"))
}

// TestAChargeIsShownWithItsTimeline shows what happened to a charge, and nothing of its buyer.
func TestAChargeIsShownWithItsTimeline(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, admin := b.own(t), b.admin(t)
	id, tx := b.sold(t, s.shop, "1002")
	b.deliver(t, s.shop, id)
	b.exec(t, "UPDATE received_payments SET payout_id = $2 WHERE charge_id = $1", id, s.payout)
	a := b.as(t, admin, http.MethodGet, "/api/admin/charges/"+id, "").require(t, http.StatusOK)
	var c operator.WholeCharge
	require.NoError(t, json.Unmarshal([]byte(a.body), &c))
	var what []string
	for i, step := range c.Timeline {
		what = append(what, step.What)
		require.True(t, i == 0 || !time.Time(step.At).Before(time.Time(c.Timeline[i-1].At)), "the oldest first")
	}
	require.Subset(t, what, []string{"created", "payment seen", "payout reserved", "charge.confirmed"})
	require.Equal(t, tx, c.Payments[0].TxHash)
	require.Equal(t, "1002", *c.OrderID)
	for _, hidden := range []string{buyerEmail, "buyer_info", "metadata", "description", "return_url"} {
		require.NotContains(t, a.body, hidden)
	}
	for path, text := range map[string]string{"payouts/" + s.payout: s.payout, "refunds/" + s.refund: s.refund, "trades/" + s.trade: s.trade} {
		a := b.as(t, admin, http.MethodGet, "/api/admin/"+path, "").require(t, http.StatusOK, path)
		require.Contains(t, a.body, text)
		require.NotEmpty(t, a.field(t, "timeline"), path)
		for _, hidden := range []string{"tx_key", "refund_address"} {
			require.NotContains(t, a.body, hidden, path)
		}
		require.NotRegexp(t, `"address":"4[^"…]*"`, a.body, "%s: of an address only its ends", path)
	}
	for _, path := range []string{"charges/ch_x", "charges/" + secret.NewID("ch_"), "payouts/" + secret.NewID("po_"), "refunds/..", "trades/" + strings.Repeat("0", 32)} {
		b.as(t, admin, http.MethodGet, "/api/admin/"+path, "").require(t, http.StatusNotFound, path)
	}
}

// TestOperatorsListsArePaged reads each list a row at a time, by status and by merchant.
func TestOperatorsListsArePaged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, admin := b.own(t), b.admin(t)
	other := b.signup(t)
	b.charge(t, other, config.Live)
	b.charge(t, s.shop, config.Sandbox)
	list := func(name, query string) (ids []string) {
		t.Helper()
		for cursor := ""; ; {
			a := b.as(t, admin, http.MethodGet, "/api/admin/"+name+"?limit=1"+query+cursor, "").require(t, http.StatusOK, name, query)
			for _, row := range a.field(t, name).([]any) {
				ids = append(ids, row.(map[string]any)[strings.TrimSuffix(name, "s")+"_id"].(string))
			}
			next := a.field(t, "next_cursor")
			if next == nil {
				return ids
			}
			cursor = "&cursor=" + url.QueryEscape(next.(string))
		}
	}
	require.ElementsMatch(t, rowsOf[string](t, b, "SELECT id FROM charges WHERE mode = 'live'"), list("charges", ""))
	require.ElementsMatch(t, rowsOf[string](t, b, "SELECT id FROM charges WHERE mode = 'sandbox'"), list("charges", "&mode=sandbox"))
	require.Equal(t, []string{s.charge}, list("charges", "&merchant_id="+s.id))
	require.Empty(t, list("charges", "&status=confirmed"))
	require.Equal(t, []string{s.payout}, list("payouts", "&status=failed"))
	require.Empty(t, list("payouts", "&status=building"))
	require.Equal(t, []string{s.payout}, list("payouts", "&merchant_id="+s.id))
	require.Equal(t, []string{s.refund}, list("refunds", "&status=open"))
	require.Equal(t, []string{s.refund}, list("refunds", "&merchant_id="+s.id))
	require.Equal(t, []string{s.trade}, list("trades", ""))
	require.Equal(t, []string{s.trade}, list("trades", "&status=awaiting_deposit"))
	for _, wrong := range []string{
		"charges?status=lost", "charges?mode=x", "charges?status=pending&merchant_id=" + s.id, "payouts?cursor=x", "refunds?limit=0", "trades?status=gone",
	} {
		b.as(t, admin, http.MethodGet, "/api/admin/"+wrong, "").require(t, http.StatusBadRequest, wrong)
	}
}

// TestHealthNamesWhatIsWrong breaks one thing after the other.
func TestHealthNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	admin := b.admin(t)
	now := b.clock.Now()
	problems := func() string {
		t.Helper()
		var h operator.Health
		a := b.as(t, admin, http.MethodGet, "/api/admin/health", "").require(t, http.StatusOK)
		require.NoError(t, json.Unmarshal([]byte(a.body), &h))
		require.Equal(t, config.Version, h.Version)
		return strings.Join(h.Problems, "\n")
	}
	require.Contains(t, problems(), "live-1: its node has not answered yet")
	require.Contains(t, problems(), "no backup was recorded")
	b.exec(t, "INSERT INTO backups (finished_at) VALUES ($1)", now.Add(-time.Hour))
	b.exec(t, "UPDATE chains SET scanned_at = $1", now)
	b.exec(t, `INSERT INTO nodes (wallet_id, asked_at, answered_at, height, newest_block_at)
		SELECT w.id, $1, $1, c.chain_height, $1::timestamptz - interval '1 minute' FROM wallets w JOIN chains c ON c.id = w.chain_id WHERE w.role = 'merchants'`, now)
	b.exec(t, "DELETE FROM wakeups")
	require.Empty(t, problems())

	for sql, want := range map[string]string{
		"UPDATE backups SET finished_at = finished_at - interval '3 days'":                                                                 "the last backup is 3 days old",
		"UPDATE chains SET scanned_at = scanned_at - interval '3 minutes' WHERE id = 'xmr-live'":                                           "live-1: not scanned for 3 minutes",
		"UPDATE nodes SET answered_at = answered_at - interval '1 hour' WHERE wallet_id = 'live-1'":                                        "live-1: its node has not answered for 60 minutes",
		"UPDATE nodes SET height = height + 3 WHERE wallet_id = 'sandbox-1'":                                                               "sandbox-1: 3 blocks behind its node",
		"INSERT INTO alerts (kind, subject, detail) VALUES ('node_stalled', 'live-1', 'x'), ('network_fork', 'version 17', 'x')":           "version 17",
		"UPDATE nodes SET balance = 5, owed = 6, balance_height = 1, balance_at = asked_at WHERE wallet_id = 'live-1'":                     "live-1: it holds less than the books say",
		"INSERT INTO wakeups (kind, id, owner, urgency, version, since) VALUES ('charges', 'ch_1', '', 0, 1, now() - interval '10 years')": "charges: a workflow has not been woken",
	} {
		b.exec(t, sql)
		require.Contains(t, problems(), want, sql)
	}
	require.NotContains(t, problems(), "live-1: its node has had no new block", "one that does not answer is not called stalled")
	b.exec(t, "UPDATE nodes SET answered_at = asked_at WHERE wallet_id = 'live-1'")
	require.Contains(t, problems(), "live-1: its node has had no new block")
}
