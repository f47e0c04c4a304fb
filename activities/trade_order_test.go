package activities_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/provider/providertest"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/sanctions"
	"github.com/durapay/durapay/internal/trade"
)

// house is a provider that speaks Exolix's recorded shapes over HTTP.
type house struct {
	mu sync.Mutex
	// pays is the price of 1.5 XMR, word the provider's name of the state.
	pays, word string
	paid       string
	// order and look replace the answers to orders and look-ups.
	order, look http.HandlerFunc
	orders      int
	// meanwhile runs after an order has come in.
	meanwhile func()
}

func (h *house) serve(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case r.URL.Path == "/api/v2/rate":
		providertest.Answer(http.StatusOK, fmt.Sprintf(`{"fromAmount":1.5,"toAmount":%s,"rate":1.9,"minAmount":0.05,"maxAmount":250.5}`, h.pays))(w, r)
	case r.Method == http.MethodPost:
		h.orders++
		_, _ = io.Copy(io.Discard, r.Body)
		if h.meanwhile != nil {
			h.meanwhile()
		}
		if h.order != nil {
			h.order(w, r)
			return
		}
		h.transaction(w, r)
	case h.look != nil:
		h.look(w, r)
	default:
		h.transaction(w, r)
	}
}

func (h *house) transaction(w http.ResponseWriter, r *http.Request) {
	hash := func(known bool, text string) map[string]any {
		if !known {
			return map[string]any{"hash": nil, "link": nil}
		}
		return map[string]any{"hash": text, "link": "https://explorer.example/" + text}
	}
	b, _ := json.Marshal(map[string]any{
		"id": "exa8d2f5b31c0e", "amount": json.Number("1.5"), "amountTo": json.Number(h.paid), "status": h.word,
		"depositAddress": providertest.Deposit, "depositExtraId": nil, "withdrawalAddress": providertest.Payout, "withdrawalExtraId": nil,
		"hashIn": hash(h.word != "wait", "aa"), "hashOut": hash(h.word == "success", "bb"),
	})
	providertest.Answer(http.StatusOK, string(b))(w, r)
}

func (h *house) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

// open adds providers of these names, all of them this house.
func (h *house) open(t *testing.T, b *bureau, risk provider.Risk, names ...string) {
	t.Helper()
	h.pays, h.paid, h.word = "2.9", "2.9", "wait"
	client := providertest.Serve(t, h.serve)
	var list []provider.Provider
	for _, name := range names {
		list = append(list, adapter.Exolix(client, provider.Profile{Name: name, Risk: risk, Rating: provider.RatingC}))
	}
	b.trades.Quoter.Fanout = provider.NewFanout(list, provider.FanoutOptions{MaxWait: time.Minute, Now: func() time.Time { return b.now }})
}

func (b *bureau) order(name string) trades.PlaceOrder {
	in := trades.PlaceOrder{NewTrade: b.request("1.5"), Route: trades.Route{Provider: name, AmountTo: money.MustDecimal("2.9")}}
	in.Address, in.Refund = providertest.Payout, providertest.Refund
	return in
}

// place runs the activity as a worker would, and returns the trade.
func (b *bureau) place(t *testing.T, in trades.PlaceOrder) (row db.Trade, err error) {
	t.Helper()
	if _, err = b.environment().ExecuteActivity(b.trades.PlaceOrder, in); err == nil {
		row = b.row(t, in.TradeID)
	}
	return row, err
}

func (b *bureau) follow(t *testing.T, id string) (state trades.TradeState, err error) {
	t.Helper()
	value, err := b.environment().ExecuteActivity(b.trades.FollowTrade, trades.TradeTask{TradeID: id})
	if err == nil {
		require.NoError(t, value.Get(&state))
	}
	return state, err
}

func (b *bureau) environment() *testsuite.TestActivityEnvironment {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(b.trades)
	return env
}

func requireRefused(t *testing.T, err error, reason string) {
	t.Helper()
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.Equal(t, reason, app.Type())
}

func (b *bureau) orderState(t *testing.T, id, name string) string {
	t.Helper()
	var state string
	require.NoError(t, b.store.Pool().QueryRow(t.Context(),
		"SELECT state FROM trade_orders WHERE trade_id = $1 AND provider = $2", id, name).Scan(&state))
	return state
}

func (b *bureau) alerted(t *testing.T, kind, subject string) bool {
	t.Helper()
	var open bool
	require.NoError(t, b.store.Pool().QueryRow(t.Context(),
		"SELECT EXISTS (SELECT FROM alerts WHERE kind = $1 AND subject = $2 AND resolved_at IS NULL)", kind, subject).Scan(&open))
	return open
}

// holding is a provider that stops every deposit, in ChangeNOW's format. Its word for a
// deposit can be changed.
func holding(t *testing.T, risk provider.Risk, word *string) provider.Provider {
	t.Helper()
	return saying(t, risk, func() string { return *word })
}

// saying is a provider, in ChangeNOW's format, that answers each question with the result
// of say.
func saying(t *testing.T, risk provider.Risk, say func() string) provider.Provider {
	t.Helper()
	client := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			providertest.Answer(http.StatusOK, `{"id":"b712390255","fromAmount":1.5,"toAmount":2.9,"payinAddress":"`+providertest.Deposit+`",
				"payoutAddress":"`+providertest.Payout+`","payinExtraId":null}`)(w, r)
			return
		}
		providertest.Answer(http.StatusOK, `{"id":"b712390255","status":"`+say()+`","expectedAmountFrom":1.5,"expectedAmountTo":2.9,
			"amountFrom":1.5,"amountTo":null,"payinHash":"aa","payoutHash":null,"refundHash":null}`)(w, r)
	})
	return adapter.ChangeNOW(client, provider.Profile{Name: "agg", Risk: risk, Rating: provider.RatingC})
}

func TestOrderIsPlacedOnceAndItsAddressIsTheProviders(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex")
	in := b.order("ex")
	for range 2 {
		made, err := b.place(t, in)
		require.NoError(t, err)
		require.Equal(t, string(trade.AwaitingDeposit), made.Status)
	}
	require.Equal(t, 1, h.orders)
	row := b.row(t, in.TradeID)
	require.Equal(t, providertest.Deposit, row.DepositAddress)
	require.Equal(t, "exa8d2f5b31c0e", row.IDProvider)
	require.Equal(t, []string{"ex", "controlled", "1.5", "2.9", "0", "0"},
		[]string{row.Provider, row.Risk, row.AmountFrom.String(), row.AmountTo.String(), row.Reserved.String(), row.CommissionRate.String()})
	require.Nil(t, row.WalletFrom)
	require.Nil(t, row.WalletTo)
}

func TestOrderThatMayExistIsGivenUpAndNeverSentAgain(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"falls silent after creating": func(w http.ResponseWriter, _ *http.Request) {
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_ = conn.Close()
			}
		},
		"answers garbage": providertest.Answer(http.StatusOK, "<html>ok</html>"),
		"makes a swap to another address": providertest.Answer(http.StatusOK, `{"id":"1","amount":1.5,"amountTo":2.9,"status":"wait",
			"depositAddress":"`+providertest.Deposit+`","withdrawalAddress":"ltc1qother"}`),
		"changes its rate": providertest.Answer(http.StatusOK, `{"id":"1","amount":1.5,"amountTo":2.8,"status":"wait",
			"depositAddress":"`+providertest.Deposit+`","withdrawalAddress":"`+providertest.Payout+`"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, h := bureauOf(t), &house{order: answer}
			h.open(t, b, provider.RiskControlled, "ex", "other")
			in := b.order("ex")
			for range 2 {
				_, err := b.place(t, in)
				requireRefused(t, err, refusals.Route)
			}
			require.Equal(t, 1, h.orders, "sent once")
			require.Equal(t, "uncertain", b.orderState(t, in.TradeID, "ex"))
			_, err := b.store.GetTrade(t.Context(), in.TradeID)
			require.True(t, postgres.IsNotFound(err))

			h.set(func() { h.order = nil })
			next := in
			next.Route.Provider = "other"
			_, err = b.place(t, next)
			require.NoError(t, err)
			require.Equal(t, "other", b.row(t, in.TradeID).Provider)
		})
	}
}

// A worker that dies after it sent the order leaves the record behind. The worker that
// takes over does not send the order, and a late write of the dead worker makes no trade.
func TestOrderOfADeadWorkerMakesNoTrade(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex")
	in := b.order("ex")
	h.meanwhile = func() {
		h.meanwhile = nil
		_, err := b.place(t, in)
		requireRefused(t, err, refusals.Route)
	}
	_, err := b.place(t, in)
	requireRefused(t, err, refusals.Route)
	require.Equal(t, 1, h.orders)
	_, err = b.store.GetTrade(t.Context(), in.TradeID)
	require.True(t, postgres.IsNotFound(err), "an order that was given up makes no trade")
	require.Equal(t, "uncertain", b.orderState(t, in.TradeID, "ex"))
}

func TestOrderThatWasRefusedIsNoOrder(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{order: providertest.Answer(http.StatusBadRequest, `{"message":"no"}`)}
	h.open(t, b, provider.RiskControlled, "ex")
	in := b.order("ex")
	_, err := b.place(t, in)
	requireRefused(t, err, refusals.Route)
	require.Equal(t, "refused", b.orderState(t, in.TradeID, "ex"))
}

// An attempt of a trade that was refused twice comes after the second refusal: that
// counts, and not the first.
func TestRefusalRenewsAnOlderOne(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{order: providertest.Answer(http.StatusBadRequest, `{"message":"no"}`)}
	h.open(t, b, provider.RiskControlled, "ex")
	in := b.order("ex")
	_, err := b.place(t, in)
	requireRefused(t, err, refusals.Route)
	h.set(func() { h.order = nil })
	in.Now = in.Now.Add(time.Minute)
	b.listed = []string{providertest.Payout}
	_, err = b.place(t, in)
	requireRefused(t, err, refusals.Blocked)
	b.listed = nil
	_, err = b.place(t, in)
	requireRefused(t, err, refusals.Route)
	require.Equal(t, 1, h.orders)
	require.Equal(t, "refused", b.orderState(t, in.TradeID, "ex"))
	in.Now = in.Now.Add(time.Minute)
	_, err = b.place(t, in)
	require.NoError(t, err)
	require.Equal(t, 2, h.orders)
}

func TestNothingIsOrderedForSanctionedAddresses(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex")
	for _, listed := range []string{providertest.Payout, providertest.Refund} {
		b.listed = []string{listed}
		in := b.order("ex")
		_, err := b.place(t, in)
		requireRefused(t, err, refusals.Blocked)
	}
	b.listed, b.noList = nil, sanctions.ErrNoList
	_, err := b.place(t, b.order("ex"))
	requireRefused(t, err, refusals.Route)
	require.Zero(t, h.orders)
}

func TestRoutesAreOrderedByWhatTheyPay(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex")
	routes := func(amount string, change func(*exchange.RouteRequest)) ([]string, error) {
		b.now = b.now.Add(time.Minute)
		b.look(t)
		want := exchange.RouteRequest{Amount: money.MustDecimal(amount)}
		change(&want)
		found, err := b.trades.Quoter.Routes(t.Context(), b.store.Queries, b.trades.Quoter.Pairs[0], want, b.now)
		var names []string
		for _, r := range found {
			names = append(names, r.Provider)
		}
		return names, err
	}
	are := func(want []string, amount string, change func(*exchange.RouteRequest), why string) {
		t.Helper()
		names, err := routes(amount, change)
		require.NoError(t, err)
		require.Equal(t, want, names, why)
	}
	same := func(*exchange.RouteRequest) {}
	are([]string{"durapay", "ex"}, "1.5", same, "2.94 before 2.9")
	h.set(func() { h.pays = "2.99" })
	are([]string{"ex", "durapay"}, "1.5", same, "2.99 before 2.94")
	are([]string{"durapay", "ex"}, "1.5", func(w *exchange.RouteRequest) { w.Markup = 10 }, "who credits a markup goes first")
	are([]string{"ex"}, "1.5", func(w *exchange.RouteRequest) { w.Provider = "ex" }, "no other is wanted")
	are([]string{"ex"}, "100", same, "above our own maximum")
	b.trades.Quoter.Rules = []exchange.Rule{{From: "*", To: "*", Policy: exchange.PolicyOwn}}
	are([]string{"durapay"}, "1.5", same, "no other may")
	_, err := routes("100", same)
	var limit *trade.LimitError
	require.ErrorAs(t, err, &limit)
}

func TestTradeFollowsItsProvider(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	b.partner(t)
	h.open(t, b, provider.RiskControlled, "ex")
	in, key, hook := b.order("ex"), partnerKeyID, "https://partner.example/hook"
	in.KeyID, in.WebhookURL = &key, &hook
	_, err := b.place(t, in)
	require.NoError(t, err)
	for _, step := range []struct {
		word   string
		want   trade.Status
		events int
	}{
		{"wait", trade.AwaitingDeposit, 0},
		{"confirmation", trade.Confirming, 2},
		{"pondering", trade.Confirming, 2},
		{"exchanging", trade.Processing, 3},
		{"success", trade.Completed, 5},
	} {
		h.set(func() { h.word, h.paid = step.word, "2.91" })
		for range 2 {
			state, err := b.follow(t, in.TradeID)
			require.NoError(t, err, step.word)
			require.Equal(t, step.want, state.Status, step.word)
			require.Len(t, state.Events, step.events, step.word)
			require.Equal(t, step.word == "success", state.Closed, step.word)
		}
		require.Equal(t, step.word == "pondering", b.alerted(t, alert.OrderUnclear, in.TradeID), step.word)
	}
	row := b.row(t, in.TradeID)
	require.Equal(t, "1.5", row.Received.String())
	require.Equal(t, "2.9", row.AmountTo.String(), "what was answered at creation never changes")
	order, err := b.store.PlacedOrder(t.Context(), in.TradeID)
	require.NoError(t, err)
	require.Equal(t, "2.91", order.AmountTo.String())
	txs, err := b.store.TradeTransactions(t.Context(), in.TradeID)
	require.NoError(t, err)
	require.Equal(t, []string{"aa", "bb", ""}, []string{txs.DepositTx, txs.PayoutTx, txs.RefundTx})
}

// TestOddTextsOfAProviderDoNotHoldATradeUp lets a provider answer with texts that no
// database takes. The understandable parts are used.
func TestOddTextsOfAProviderDoNotHoldATradeUp(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex")
	in := b.order("ex")
	_, err := b.place(t, in)
	require.NoError(t, err)
	answer := func(word, in, out string) {
		h.set(func() {
			h.look = providertest.Answer(http.StatusOK, fmt.Sprintf(`{"id":"exa8d2f5b31c0e","amount":1.5,"amountTo":2.9,"status":%q,
				"depositAddress":%q,"withdrawalAddress":%q,"hashIn":{"hash":"%s"},"hashOut":{"hash":"%s"}}`,
				word, providertest.Deposit, providertest.Payout, in, out))
		})
	}
	answer("exchanging", `a\u0000a`, "")
	state, err := b.follow(t, in.TradeID)
	require.NoError(t, err)
	require.Equal(t, trade.Processing, state.Status)
	h.set(func() {
		h.look = providertest.Answer(http.StatusOK, `{"id":"exa8d2f5b31c0e","amount":1.5,"amountTo":2.9,"status":"p\u0000ndering \u2620"}`)
	})
	_, err = b.follow(t, in.TradeID)
	require.NoError(t, err)
	require.True(t, b.alerted(t, alert.OrderUnclear, in.TradeID))
	answer("success", "aa", strings.Repeat("b", 200))
	state, err = b.follow(t, in.TradeID)
	require.NoError(t, err)
	require.Equal(t, trade.Completed, state.Status)
	txs, err := b.store.TradeTransactions(t.Context(), in.TradeID)
	require.NoError(t, err)
	require.Equal(t, []string{"aa", ""}, []string{txs.DepositTx, txs.PayoutTx})
}

func TestTradeWaitsForAProviderThatIsAway(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex")
	in := b.order("ex")
	_, err := b.place(t, in)
	require.NoError(t, err)
	h.set(func() { h.look = providertest.Answer(http.StatusBadGateway, "away") })
	_, err = b.follow(t, in.TradeID)
	require.Error(t, err)
	require.False(t, b.alerted(t, alert.OrderUnclear, in.TradeID))
	b.now = b.now.Add(3 * time.Hour)
	_, err = b.follow(t, in.TradeID)
	require.Error(t, err)
	require.True(t, b.alerted(t, alert.OrderUnclear, in.TradeID))
	require.Equal(t, string(trade.AwaitingDeposit), b.row(t, in.TradeID).Status, "nobody knows whether there was a deposit")

	h.set(func() { h.look = providertest.Answer(http.StatusNotFound, `{"message":"unknown"}`) })
	_, err = b.follow(t, in.TradeID)
	require.NoError(t, err)
	require.True(t, b.alerted(t, alert.OrderUnclear, in.TradeID), "a swap that the provider forgot")

	h.set(func() { h.look = nil })
	state, err := b.follow(t, in.TradeID)
	require.NoError(t, err)
	require.Equal(t, trade.Expired, state.Status)
	require.False(t, state.Closed, "a late deposit is still looked for")
	require.False(t, b.alerted(t, alert.OrderUnclear, in.TradeID))
}

// A question that fails after a later one was answered opens no alert, because nothing
// would close it.
func TestSilenceBeforeAnAnswerIsNoAlert(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex")
	in := b.order("ex")
	_, err := b.place(t, in)
	require.NoError(t, err)
	b.now = b.now.Add(3 * time.Hour)
	newer := errors.New("it was not asked")
	h.look = func(w http.ResponseWriter, r *http.Request) {
		h.look, h.word = nil, "exchanging"
		h.mu.Unlock() // the newer answer is written before this one
		_, newer = b.follow(t, in.TradeID)
		h.mu.Lock()
		providertest.Answer(http.StatusBadGateway, "away")(w, r)
	}
	_, err = b.follow(t, in.TradeID)
	require.Error(t, err)
	require.NoError(t, newer)
	require.False(t, b.alerted(t, alert.OrderUnclear, in.TradeID))
	require.Equal(t, string(trade.Processing), b.row(t, in.TradeID).Status)
}

func TestHoldIsShownOnControlledRoutesOnly(t *testing.T) {
	t.Parallel()
	for risk, want := range map[provider.Risk]trade.Status{
		provider.RiskControlled: trade.Hold, provider.RiskFlexible: trade.Processing,
	} {
		b, word := bureauOf(t), "verifying"
		in := b.order("agg")
		b.trades.Quoter.Fanout = provider.NewFanout([]provider.Provider{holding(t, risk, &word)}, provider.FanoutOptions{MaxWait: time.Minute, Now: func() time.Time { return b.now }})
		_, err := b.place(t, in)
		require.NoError(t, err)
		state, err := b.follow(t, in.TradeID)
		require.NoError(t, err)
		require.Equal(t, want, state.Status, risk)
		require.False(t, state.Closed)
		require.Equal(t, want == trade.Hold, b.alerted(t, alert.TradeFailed, in.TradeID))
		changed := b.row(t, in.TradeID).UpdatedAt
		b.now = b.now.Add(time.Minute)
		word = "exchanging"
		state, err = b.follow(t, in.TradeID)
		require.NoError(t, err)
		require.Equal(t, trade.Processing, state.Status, "it was let go")
		require.False(t, b.alerted(t, alert.TradeFailed, in.TradeID), "nobody has to look any more")
		require.True(t, b.row(t, in.TradeID).UpdatedAt.After(changed))
	}
}

// TestUpstreamRateIsRoundedDown orders a swap without an exact rate. The rate never
// promises more than the provider pays.
func TestUpstreamRateIsRoundedDown(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex")
	h.set(func() { h.paid = "2.86" }) // ÷ 1.5 is 1.90666…
	in := b.order("ex")
	in.Route.AmountTo = money.MustDecimal("2.86")
	_, err := b.place(t, in)
	require.NoError(t, err)
	row := b.row(t, in.TradeID)
	require.Equal(t, "1.906666666666666666", row.Rate.String())
	require.LessOrEqual(t, row.Rate.Mul(row.AmountFrom).Cmp(row.AmountTo), 0)
}

// An order that is being placed when its trade is found missing cannot become a trade
// without a workflow.
func TestOrdersOfATradeThatIsGoneAreGivenUp(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex")
	in := b.order("ex")
	h.meanwhile = func() {
		_, err := b.trades.AdvanceTrade(t.Context(), trades.AdvanceTrade{TradeID: in.TradeID, Now: b.now})
		requireRefused(t, err, refusals.Missing)
	}
	_, err := b.place(t, in)
	requireRefused(t, err, refusals.Route)
	_, err = b.store.GetTrade(t.Context(), in.TradeID)
	require.True(t, postgres.IsNotFound(err))
}

// TestSwapThatFailsBeforeADepositIsOver distinguishes a swap that a provider ended with
// nothing paid, which needs no operator, from one that had a deposit.
func TestSwapThatFailsBeforeADepositIsOver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		word   string
		window time.Duration
		want   trade.Status
	}{{"", 0, trade.Expired}, {"", 2 * time.Hour, trade.Expired}, {"aa", 0, trade.Failed}} {
		b, h := bureauOf(t), &house{}
		h.open(t, b, provider.RiskControlled, "ex")
		in := b.order("ex")
		_, err := b.place(t, in)
		require.NoError(t, err)
		b.now = b.now.Add(c.window)
		_, err = b.follow(t, in.TradeID)
		require.NoError(t, err)
		h.set(func() {
			h.look = providertest.Answer(http.StatusOK, fmt.Sprintf(`{"id":"exa8d2f5b31c0e","amount":1.5,"amountTo":2.9,"status":"error","hashIn":{"hash":%q}}`, c.word))
		})
		b.now = b.now.Add(time.Minute)
		state, err := b.follow(t, in.TradeID)
		require.NoError(t, err)
		require.Equal(t, c.want, state.Status)
		require.True(t, state.Closed)
		require.Equal(t, c.window == 0, state.Detail != "", "one that expired before stays what it is")
		require.Equal(t, c.want == trade.Failed, b.alerted(t, alert.TradeFailed, in.TradeID))
	}
}

// TestSwapThatAProviderForgotIsGivenUp has a provider know nothing of a swap for
// a month: the trade ends all the same.
func TestSwapThatAProviderForgotIsGivenUp(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex")
	in := b.order("ex")
	_, err := b.place(t, in)
	require.NoError(t, err)
	h.set(func() { h.look = providertest.Answer(http.StatusNotFound, `{"message":"unknown"}`) })
	for _, wait := range []time.Duration{29 * 24 * time.Hour, 48 * time.Hour} {
		b.now = b.now.Add(wait)
		state, err := b.follow(t, in.TradeID)
		require.NoError(t, err)
		ended := wait == 48*time.Hour
		require.Equal(t, ended, state.Closed)
		require.Equal(t, ended, state.Status == trade.Expired)
		require.True(t, b.alerted(t, alert.OrderUnclear, in.TradeID))
	}
}
