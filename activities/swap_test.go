package activities_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/provider/providertest"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/sanctions"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swap"
)

// counter is a merchant with a provider at which swaps are ordered.
type counter struct {
	*shop
	*house

	swaps  *payouts.Swaps
	now    time.Time
	listed []string
	noList error
	// away is set if the provider is not configured.
	away bool
}

func counterOf(t *testing.T, h *house) *counter {
	t.Helper()
	c := &counter{shop: open(t, 0), house: h, now: start}
	h.pays, h.paid, h.word = "2.9", "2.9", "wait"
	p := adapter.Exolix(providertest.Serve(t, h.serve), provider.Profile{Name: "ex", Risk: provider.RiskControlled, Rating: provider.RatingC})
	c.swaps = &payouts.Swaps{
		Store: c.store, Clock: func() time.Time { return c.now },
		Orders: &sending.SwapOrders{
			Store: c.store, Secret: c.box, Provider: func(name string) (provider.Provider, bool) { return p, name == "ex" && !c.away },
			Sanctioned: func(_ context.Context, addresses ...string) (bool, error) {
				return slices.ContainsFunc(addresses, func(a string) bool { return slices.Contains(c.listed, a) }), c.noList
			},
		},
	}
	return c
}

func (c *counter) request() sending.PlaceSwap {
	xmr, _ := coin.Lookup("xmr", "Mainnet")
	ltc, _ := coin.Lookup("ltc", "Mainnet")
	return sending.PlaceSwap{
		SwapID: secret.NewID("swp_"), MerchantID: c.merchant, Now: c.now, SwapRequest: sending.SwapRequest{
			Provider: "ex", From: xmr, To: ltc, Amount: money.MustDecimal("1.5"), LeastAmountTo: money.MustDecimal("2.9"),
			Address: providertest.Payout, Refund: providertest.Refund,
		},
	}
}

func (c *counter) run(t *testing.T, activity, in any) (payouts.SwapState, error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(c.swaps)
	value, err := env.ExecuteActivity(activity, in)
	var state payouts.SwapState
	if err == nil {
		require.NoError(t, value.Get(&state))
	}
	return state, err
}

func (c *counter) place(t *testing.T, in sending.PlaceSwap) (payouts.SwapState, error) {
	t.Helper()
	return c.run(t, c.swaps.PlaceSwap, in)
}

func (c *counter) poll(t *testing.T, id string) payouts.SwapState {
	t.Helper()
	state, err := c.run(t, c.swaps.PollSwap, payouts.SwapTask{SwapID: id})
	require.NoError(t, err)
	return state
}

func (c *counter) swapRow(t *testing.T, id string) db.Swap {
	t.Helper()
	row, err := c.store.GetSwap(t.Context(), id)
	require.NoError(t, err)
	return row
}

func (c *counter) noSwap(t *testing.T, id, order string) {
	t.Helper()
	_, err := c.store.GetSwap(t.Context(), id)
	require.True(t, postgres.IsNotFound(err))
	var state string
	require.NoError(t, c.store.Pool().QueryRow(t.Context(), "SELECT state FROM swap_orders WHERE swap_id = $1", id).Scan(&state))
	require.Equal(t, order, state)
}

// alarm is the text of the open alert about a swap; empty when there is none.
func (c *counter) alarm(t *testing.T, id string) string {
	t.Helper()
	for _, a := range c.openAlerts(t) {
		if a.Kind == alert.SwapUnclear && a.Subject == id {
			return a.Detail
		}
	}
	return ""
}

func TestSwapIsOrderedOnceAndKeptAsItWasAnswered(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	in := c.request()
	for range 2 {
		state, err := c.place(t, in)
		require.NoError(t, err)
		require.Equal(t, swap.Waiting, state.Status)
		require.False(t, state.Closed)
	}
	require.Equal(t, 1, c.orders)
	row := c.swapRow(t, in.SwapID)
	require.Equal(t, []string{"ex", "exa8d2f5b31c0e", "1.5", "2.9", providertest.Deposit},
		[]string{row.Provider, row.IDProvider, row.AmountFrom.String(), row.AmountExpected.String(), row.DepositAddress})
	require.Equal(t, start.Add(time.Hour), row.ExpiresAt, "this provider names no end")
	require.Nil(t, row.PayoutID)
	for column, sealed := range map[string][]byte{"address": row.AddressSealed, "refund": row.RefundSealed} {
		plain, err := c.box.Unseal(sealed, secret.AD{Table: "swaps", Column: column, ID: in.SwapID})
		require.NoError(t, err)
		require.Equal(t, map[string]string{"address": providertest.Payout, "refund": providertest.Refund}[column], string(plain))
	}
}

func TestSwapOrderThatMayExistIsNeverSentAgain(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		answer http.HandlerFunc
		reason string
	}{
		"silence after the order": {func(w http.ResponseWriter, _ *http.Request) {
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_ = conn.Close()
			}
		}, refusals.Uncertain},
		"garbage": {providertest.Answer(http.StatusOK, "<html>ok</html>"), refusals.Uncertain},
		"another address": {providertest.Answer(http.StatusOK, `{"id":"1","amount":1.5,"amountTo":2.9,"status":"wait",
			"depositAddress":"`+providertest.Deposit+`","withdrawalAddress":"ltc1qother"}`), refusals.Uncertain},
		"another rate": {providertest.Answer(http.StatusOK, `{"id":"1","amount":1.5,"amountTo":2.89,"status":"wait",
			"depositAddress":"`+providertest.Deposit+`","withdrawalAddress":"`+providertest.Payout+`"}`), refusals.Rate},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := counterOf(t, &house{order: of.answer})
			in := c.request()
			_, err := c.place(t, in)
			requireRefused(t, err, of.reason)
			c.set(func() { c.order = nil })
			_, err = c.place(t, in)
			requireRefused(t, err, refusals.Used)
			require.Equal(t, 1, c.orders, "sent once")
			c.noSwap(t, in.SwapID, "uncertain")
		})
	}
}

// A worker that dies after it sent the order leaves the record behind. The worker that
// takes over does not send the order, and a late write of the dead worker makes no swap.
func TestSwapOrderOfADeadWorkerMakesNoSwap(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	in := c.request()
	c.meanwhile = func() {
		c.meanwhile = nil
		_, err := c.place(t, in)
		requireRefused(t, err, refusals.Uncertain)
	}
	_, err := c.place(t, in)
	requireRefused(t, err, refusals.Uncertain)
	require.Equal(t, 1, c.orders)
	c.noSwap(t, in.SwapID, "uncertain")
}

func TestSwapThatWasRefusedMayBeOrderedAgain(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		answer http.HandlerFunc
		reason string
	}{
		"refused": {providertest.Answer(http.StatusBadRequest, `{"message":"no"}`), refusals.Order},
		"down":    {providertest.Answer(http.StatusTooManyRequests, `{"message":"later"}`), refusals.Route},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := counterOf(t, &house{order: of.answer})
			in := c.request()
			_, err := c.place(t, in)
			requireRefused(t, err, of.reason)
			c.noSwap(t, in.SwapID, "refused")
			c.set(func() { c.order = nil })
			_, err = c.place(t, in) // the same request, of a worker that was presumed dead
			requireRefused(t, err, refusals.Used)
			require.Equal(t, 1, c.orders)
			in.Now = in.Now.Add(time.Millisecond)
			_, err = c.place(t, in)
			require.NoError(t, err)
			require.Equal(t, 2, c.orders)
		})
	}
}

func TestNoSwapIsOrderedForSanctionedAddresses(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	for _, listed := range []string{providertest.Payout, providertest.Refund} {
		c.listed = []string{listed}
		_, err := c.place(t, c.request())
		requireRefused(t, err, refusals.Blocked)
	}
	c.listed, c.noList = nil, sanctions.ErrNoList
	_, err := c.place(t, c.request())
	requireRefused(t, err, refusals.Route)
	require.Zero(t, c.orders)
}

func TestWaitingSwapsOfAMerchantAreCapped(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	c.exec(t, `INSERT INTO swaps (id, merchant_id, provider, id_provider, ticker_from, network_from, ticker_to, network_to,
		amount_from, amount_expected, rate, deposit_address, created_at, expires_at, quiet_since, polled_at, heard_at, updated_at)
		SELECT 'swp_' || lpad(to_hex(n), 24, '0'), $1, 'ex', n::text, 'xmr', 'Mainnet', 'ltc', 'Mainnet', 1, 1, 1, 'd', $2::timestamptz,
			$2::timestamptz + interval '1 hour', $2, $2, $2, $2 FROM generate_series(1, 99) n`, c.merchant, start)
	var orders []sending.PlaceSwap
	c.meanwhile = func() { // a second one while the hundredth is being ordered
		c.meanwhile = nil
		orders = append(orders, c.request())
		_, err := c.place(t, orders[0])
		requireRefused(t, err, refusals.Waiting)
	}
	_, err := c.place(t, c.request())
	require.NoError(t, err)
	_, err = c.place(t, orders[0])
	requireRefused(t, err, refusals.Waiting)

	forPayout := c.request()
	forPayout.PayoutID = "po_0123456789abcdef01234567"
	_, err = c.place(t, forPayout)
	requireRefused(t, err, refusals.Uncertain) // the house has one name for all of its swaps
	c.exec(t, "UPDATE swaps SET status = 'confirming' WHERE id_provider = '1'")
	c.exec(t, "UPDATE swaps SET id_provider = 'other' WHERE id_provider = 'exa8d2f5b31c0e'")
	orders[0].Now = orders[0].Now.Add(time.Millisecond) // a new request
	_, err = c.place(t, orders[0])
	require.NoError(t, err)
}

func TestNoSwapForMerchantsWhoMayHaveNone(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	in := c.request()
	c.exec(t, "UPDATE merchants SET suspended_at = now()")
	_, err := c.place(t, in)
	requireRefused(t, err, refusals.Suspended)
	c.exec(t, "UPDATE merchants SET suspended_at = NULL")
	in.Now = in.Now.Add(time.Millisecond) // a new request
	c.meanwhile = func() {
		require.NoError(t, c.store.EraseMerchant(t.Context(), db.EraseMerchantParams{MerchantID: c.merchant, Now: start}))
	}
	_, err = c.place(t, in)
	requireRefused(t, err, refusals.Merchant)
	_, err = c.store.GetSwap(t.Context(), in.SwapID)
	require.True(t, postgres.IsNotFound(err), "no addresses of a deleted account are kept")
	_, err = c.place(t, c.request())
	requireRefused(t, err, refusals.Merchant)
	require.Equal(t, 1, c.orders)
}

// If the provider gives the same answer twice, only one swap gets it.
func TestOneOrderOfAProviderIsNeverTwoSwaps(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	_, err := c.place(t, c.request())
	require.NoError(t, err)
	second := c.request()
	_, err = c.place(t, second)
	requireRefused(t, err, refusals.Uncertain)
	c.noSwap(t, second.SwapID, "uncertain")
}

func TestSwapKeepsWhatItsProviderReports(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	in := c.request()
	_, err := c.place(t, in)
	require.NoError(t, err)
	for _, step := range []struct {
		word   string
		want   swap.Status
		alarm  bool
		closed bool
	}{
		{"wait", swap.Waiting, false, false},
		{"confirmation", swap.Confirming, false, false},
		{"pondering", swap.Confirming, true, false},
		{"exchanging", swap.Exchanging, false, false},
		{"wait", swap.Exchanging, false, false},
		{"success", swap.Finished, false, true},
		{"refunded", swap.Finished, false, true},
		{"wait", swap.Finished, false, true},
	} {
		c.now = c.now.Add(time.Minute)
		c.set(func() { c.word, c.paid = step.word, "2.91" })
		for range 2 {
			state := c.poll(t, in.SwapID)
			require.Equal(t, step.want, state.Status, step.word)
			require.Equal(t, step.closed, state.Closed, step.word)
			require.Equal(t, step.alarm, state.Alarm, step.word)
			require.Equal(t, step.alarm, c.alarm(t, in.SwapID) != "", step.word)
		}
	}
	row := c.swapRow(t, in.SwapID)
	require.Equal(t, []string{"1.5", "2.9", "2.91", "aa", "bb", "the provider pays 2.91 instead of 2.9"},
		[]string{row.AmountFrom.String(), row.AmountExpected.String(), row.AmountTo.String(), row.DepositTx, row.PayoutTx, row.StatusDetail})
	require.Equal(t, start.Add(6*time.Minute), row.UpdatedAt, "what came after the end is not looked at")
}

func TestSwapStaysWhatItIsWhileItsProviderIsAway(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	in := c.request()
	_, err := c.place(t, in)
	require.NoError(t, err)
	c.set(func() { c.look = providertest.Answer(http.StatusBadGateway, "away") })
	require.Empty(t, c.alarm(t, c.poll(t, in.SwapID).Detail))
	c.now = c.now.Add(3 * time.Hour)
	state := c.poll(t, in.SwapID)
	require.Equal(t, swap.Waiting, state.Status)
	require.Equal(t, c.now, c.swapRow(t, in.SwapID).PolledAt)
	require.Equal(t, "the provider does not answer", c.alarm(t, in.SwapID))

	c.set(func() { c.look = providertest.Answer(http.StatusNotFound, `{"message":"unknown"}`) })
	state = c.poll(t, in.SwapID)
	require.Equal(t, swap.Waiting, state.Status)
	require.True(t, state.Alarm, "a swap that the provider forgot")

	c.set(func() { c.look = nil })
	require.False(t, c.poll(t, in.SwapID).Alarm)

	c.swaps.Orders.Provider = func(string) (provider.Provider, bool) { return nil, false }
	require.Equal(t, swap.Waiting, c.poll(t, in.SwapID).Status, "a provider that is not configured any more")
}

// An answer that was on its way while another was written is about a swap that
// is closed by then.
func TestSlowAnswerDoesNotOverwriteAnEnd(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	in := c.request()
	_, err := c.place(t, in)
	require.NoError(t, err)
	var overtaking swap.Status
	c.look = func(w http.ResponseWriter, r *http.Request) {
		c.look, c.word = nil, "success"
		c.mu.Unlock() // the other answer overtakes this one
		overtaking = c.poll(t, in.SwapID).Status
		c.mu.Lock()
		c.word = "overdue"
		c.transaction(w, r)
	}
	require.Equal(t, swap.Finished, c.poll(t, in.SwapID).Status)
	require.Equal(t, swap.Finished, overtaking)
	require.Equal(t, "success", c.swapRow(t, in.SwapID).Word)
}

// An outcome is dropped if a later question was answered before it: an answer, or
// silence.
func TestOlderAnswerDoesNotOverwriteANewerOne(t *testing.T) {
	t.Parallel()
	for name, older := range map[string]http.HandlerFunc{
		"an answer": providertest.Answer(http.StatusOK, `{"id":"exa8d2f5b31c0e","amount":1.5,"amountTo":2.9,"status":"pondering"}`),
		"silence":   providertest.Answer(http.StatusBadGateway, "away"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := counterOf(t, &house{})
			in := c.request()
			_, err := c.place(t, in)
			require.NoError(t, err)
			c.now = c.now.Add(2 * time.Hour)
			c.look = func(w http.ResponseWriter, r *http.Request) {
				c.look, c.word = nil, "exchanging"
				c.mu.Unlock() // the newer answer is written before this one
				c.poll(t, in.SwapID)
				c.mu.Lock()
				older(w, r)
			}
			state := c.poll(t, in.SwapID)
			require.Equal(t, swap.Exchanging, state.Status)
			require.Empty(t, c.alarm(t, in.SwapID))
			require.Equal(t, "exchanging", c.swapRow(t, in.SwapID).Word)
		})
	}
}

func TestDepositThatWePaidAndThatIsLostIsAnAlert(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	in := c.request()
	in.PayoutID = "po_0123456789abcdef01234567"
	_, err := c.place(t, in)
	require.NoError(t, err)
	c.set(func() { c.word = "overdue" })
	require.Equal(t, swap.Failed, c.poll(t, in.SwapID).Status)
	require.Empty(t, c.alarm(t, in.SwapID), "nothing was sent")
	c.exec(t, `INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate, charges_paid, outputs,
		tx_hash, sent_at, created_at) VALUES ($1, $2, $3, 'broadcast', '', '', 1, 0, 1, 1, 'h', now(), now())`, in.PayoutID, c.merchant, walletID)
	require.True(t, c.poll(t, in.SwapID).Alarm)
	c.set(func() { c.word = "refunded" })
	state := c.poll(t, in.SwapID)
	require.Equal(t, swap.Refunded, state.Status)
	require.False(t, state.Alarm)
}

// After a question about a swap that does not exist, no order of it can become one later.
func TestOrderOfASwapThatIsGoneIsGivenUp(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	in := c.request()
	c.meanwhile = func() {
		_, err := c.swaps.FindSwap(t.Context(), sending.SwapOrder{SwapID: in.SwapID, MerchantID: in.MerchantID, SentUntil: in.Now})
		requireRefused(t, err, refusals.Missing)
	}
	_, err := c.place(t, in)
	requireRefused(t, err, refusals.Uncertain)
	c.noSwap(t, in.SwapID, "uncertain")
}

// A worker was presumed dead before it recorded its order. It continues after another
// attempt was refused, when the reason for the refusal is gone. Its order would have no
// workflow, so it is not sent.
func TestSwapOrderThatComesAfterARefusalIsNotSent(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		refuse, allow func(t *testing.T, c *counter)
		reason        string
	}{
		"the account is suspended": {
			func(t *testing.T, c *counter) { t.Helper(); c.exec(t, "UPDATE merchants SET suspended_at = now()") },
			func(t *testing.T, c *counter) { t.Helper(); c.exec(t, "UPDATE merchants SET suspended_at = NULL") }, refusals.Suspended,
		},
		"the provider is not configured": {
			func(_ *testing.T, c *counter) { c.away = true }, func(_ *testing.T, c *counter) { c.away = false }, refusals.Route,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := counterOf(t, &house{})
			in := c.request()
			of.refuse(t, c)
			_, err := c.place(t, in)
			requireRefused(t, err, of.reason)
			of.allow(t, c)
			c.refusesLateOrder(t, in)
		})
	}
}

// So it is when its workflow has looked for the swap meanwhile, and found none.
func TestSwapOrderThatComesAfterNoneWasFoundIsNotSent(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	in := c.request()
	for range 2 {
		_, err := c.swaps.FindSwap(t.Context(), sending.SwapOrder{SwapID: in.SwapID, MerchantID: in.MerchantID, SentUntil: in.Now})
		requireRefused(t, err, refusals.Missing)
	}
	c.refusesLateOrder(t, in)
}

// refusesLateOrder sees that an attempt that was refused before orders nothing, and
// that a younger one does.
func (c *counter) refusesLateOrder(t *testing.T, in sending.PlaceSwap) {
	t.Helper()
	_, err := c.place(t, in)
	requireRefused(t, err, refusals.Used)
	require.Zero(t, c.orders)
	c.noSwap(t, in.SwapID, "refused")
	in.Now = in.Now.Add(time.Millisecond)
	_, err = c.place(t, in)
	require.NoError(t, err)
	require.Equal(t, 1, c.orders)
}

func TestRetentionRemovesSwapsThatHaveEnded(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	in := c.request()
	_, err := c.place(t, in)
	require.NoError(t, err)
	lost := c.request()
	c.set(func() { c.order = providertest.Answer(http.StatusOK, "<html>") })
	_, err = c.place(t, lost)
	require.Error(t, err)
	count := func() []int {
		return []int{c.number(t, "SELECT count(*) FROM swaps"), c.number(t, "SELECT count(*) FROM swap_orders")}
	}
	c.prune(t, start.Add(29*day))
	require.Equal(t, []int{1, 2}, count())
	c.prune(t, start.Add(31*day))
	require.Equal(t, []int{1, 1}, count(), "what has not ended stays")
	c.set(func() { c.word = "success" })
	c.poll(t, in.SwapID)
	c.exec(t, "INSERT INTO alerts (kind, subject, detail) VALUES ('swap_unclear', $1, '')", in.SwapID)
	c.prune(t, start.Add(31*day))
	require.Equal(t, []int{1, 1}, count(), "an operator has yet to look at it")
	c.exec(t, "UPDATE alerts SET resolved_at = now()")
	c.prune(t, start.Add(31*day))
	require.Equal(t, []int{0, 0}, count())
}

func TestSwapThatIsGoneIsNotLookedForAgain(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	_, err := c.run(t, c.swaps.PollSwap, payouts.SwapTask{SwapID: secret.NewID("swp_")})
	require.Equal(t, refusals.Missing, reason(t, err))
}

// A question that Temporal gave up may end in silence after another one has received the
// provider's final answer. No alert opens for a swap that is over.
func TestSilenceAfterTheEndIsNoAlarm(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	in := c.request()
	_, err := c.place(t, in)
	require.NoError(t, err)
	c.now = c.now.Add(2 * time.Hour)
	c.set(func() {
		c.look = func(w http.ResponseWriter, _ *http.Request) {
			c.exec(t, "UPDATE swaps SET status = 'finished', closed_at = now()")
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	require.True(t, c.poll(t, in.SwapID).Closed)
	require.Empty(t, c.alarm(t, in.SwapID))
}

// The workflow asks about a swap that failed at its provider once an hour, so it is
// overdue only after a longer time.
func TestFailedSwapIsAskedOnceAnHour(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	in := c.request()
	_, err := c.place(t, in)
	require.NoError(t, err)
	c.set(func() { c.word = "overdue" })
	require.Equal(t, swap.Failed, c.poll(t, in.SwapID).Status)
	lost := func(after time.Duration) int {
		return len(allOverdue(t, c.store, outbox.OverdueSearch{Now: c.now.Add(after)}))
	}
	require.Zero(t, lost(minutes(74)))
	require.Equal(t, 1, lost(minutes(75)))
}
