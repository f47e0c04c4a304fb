package activities_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/exolix"
	"github.com/durapay/durapay/internal/provider/providertest"
	"github.com/durapay/durapay/internal/sanctions"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swap"
)

// counter is a merchant with a provider at which swaps are ordered.
type counter struct {
	*shop
	*house

	swaps  *activities.Swaps
	now    time.Time
	listed []string
	noList error
}

func counterOf(t *testing.T, h *house) *counter {
	t.Helper()
	c := &counter{shop: open(t, 0), house: h, now: start}
	h.pays, h.paid, h.word = "2.9", "2.9", "wait"
	p := &exolix.Provider{
		Client: providertest.Serve(t, h.serve), About: provider.Profile{Name: "ex", Risk: provider.RiskControlled, Rating: provider.RatingC},
	}
	c.swaps = &activities.Swaps{
		Store: c.store, Secret: c.box, Clock: func() time.Time { return c.now },
		Provider: func(name string) (provider.Provider, bool) { return p, name == "ex" },
		Listed: func(_ context.Context, addresses ...string) (bool, error) {
			return slices.ContainsFunc(addresses, func(a string) bool { return slices.Contains(c.listed, a) }), c.noList
		},
	}
	return c
}

func (c *counter) request() activities.PlaceSwap {
	xmr, _ := coin.Lookup("xmr", "Mainnet")
	ltc, _ := coin.Lookup("ltc", "Mainnet")
	return activities.PlaceSwap{
		SwapID: secret.NewID("swp_"), MerchantID: c.merchant, Provider: "ex", From: xmr, To: ltc, Amount: money.MustDecimal("1.5"),
		LeastAmountTo: money.MustDecimal("2.9"), Address: providertest.Payout, Refund: providertest.Refund, Now: c.now,
	}
}

func (c *counter) run(t *testing.T, activity, in any) (activities.SwapState, error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(c.swaps)
	value, err := env.ExecuteActivity(activity, in)
	var state activities.SwapState
	if err == nil {
		require.NoError(t, value.Get(&state))
	}
	return state, err
}

func (c *counter) place(t *testing.T, in activities.PlaceSwap) (activities.SwapState, error) {
	t.Helper()
	return c.run(t, c.swaps.PlaceSwap, in)
}

func (c *counter) poll(t *testing.T, id string) activities.SwapState {
	t.Helper()
	state, err := c.run(t, c.swaps.PollSwap, activities.SwapTask{SwapID: id})
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
		if a.Kind == activities.AlertSwapUnclear && a.Subject == id {
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
		}, activities.RefusedUncertain},
		"garbage": {providertest.Answer(http.StatusOK, "<html>ok</html>"), activities.RefusedUncertain},
		"another address": {providertest.Answer(http.StatusOK, `{"id":"1","amount":1.5,"amountTo":2.9,"status":"wait",
			"depositAddress":"`+providertest.Deposit+`","withdrawalAddress":"ltc1qother"}`), activities.RefusedUncertain},
		"another rate": {providertest.Answer(http.StatusOK, `{"id":"1","amount":1.5,"amountTo":2.89,"status":"wait",
			"depositAddress":"`+providertest.Deposit+`","withdrawalAddress":"`+providertest.Payout+`"}`), activities.RefusedRate},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := counterOf(t, &house{order: of.answer})
			in := c.request()
			_, err := c.place(t, in)
			requireRefused(t, err, of.reason)
			c.set(func() { c.order = nil })
			_, err = c.place(t, in)
			requireRefused(t, err, activities.RefusedUsed)
			require.Equal(t, 1, c.orders, "sent once")
			c.noSwap(t, in.SwapID, "uncertain")
		})
	}
}

// A worker that dies after the order was sent leaves the note behind; the one
// that takes over does not send it again, and what the dead one still writes
// makes no swap.
func TestSwapOrderOfADeadWorkerMakesNoSwap(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	in := c.request()
	c.meanwhile = func() {
		c.meanwhile = nil
		_, err := c.place(t, in)
		requireRefused(t, err, activities.RefusedUncertain)
	}
	_, err := c.place(t, in)
	requireRefused(t, err, activities.RefusedUncertain)
	require.Equal(t, 1, c.orders)
	c.noSwap(t, in.SwapID, "uncertain")
}

func TestSwapThatWasRefusedMayBeOrderedAgain(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		answer http.HandlerFunc
		reason string
	}{
		"refused": {providertest.Answer(http.StatusBadRequest, `{"message":"no"}`), activities.RefusedOrder},
		"down":    {providertest.Answer(http.StatusTooManyRequests, `{"message":"later"}`), activities.RefusedRoute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := counterOf(t, &house{order: of.answer})
			in := c.request()
			_, err := c.place(t, in)
			requireRefused(t, err, of.reason)
			c.noSwap(t, in.SwapID, "refused")
			c.set(func() { c.order = nil })
			_, err = c.place(t, in)
			require.NoError(t, err)
			require.Equal(t, 2, c.orders)
		})
	}
}

func TestNoSwapIsOrderedForListedAddresses(t *testing.T) {
	t.Parallel()
	c := counterOf(t, &house{})
	for _, listed := range []string{providertest.Payout, providertest.Refund} {
		c.listed = []string{listed}
		_, err := c.place(t, c.request())
		requireRefused(t, err, activities.RefusedBlocked)
	}
	c.listed, c.noList = nil, sanctions.ErrNoList
	_, err := c.place(t, c.request())
	requireRefused(t, err, activities.RefusedRoute)
	require.Zero(t, c.orders)
}
