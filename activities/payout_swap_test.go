package activities_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/provider/providertest"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swap"
	"github.com/durapay/durapay/internal/swapquote"
	"github.com/durapay/durapay/internal/witness"
)

// converter is a merchant whose payouts are swapped at a provider.
type converter struct {
	*counter

	payouts *payouts.Handler
	// id is a payout that is reserved.
	id string
}

// net is the amount that the payouts here would pay.
const net = 3 * money.OneXMR / 2

func convert(t *testing.T, h *house) *converter {
	t.Helper()
	c := &converter{counter: counterOf(t, h)}
	p := adapter.Exolix(providertest.Serve(t, h.serve), provider.Profile{Name: "ex", Risk: provider.RiskFlexible, Rating: provider.RatingC})
	c.payouts = c.shop.payouts()
	c.payouts.Swaps, c.payouts.Quotes = c.swaps.Orders, swapquote.New([]provider.Provider{p}, time.Minute, func() time.Time { return c.now })
	c.payouts.Clock = func() time.Time { return c.now }
	ctx := t.Context()
	require.NoError(t, c.store.PublishAddresses(ctx, db.PublishAddressesParams{WalletID: walletID, Indices: []int32{1, 2}, Addresses: []string{"one", "two"}}))
	c.want(t, providertest.Payout)
	c.earn(t, 100)
	in := c.sweep()
	c.id = in.PayoutID
	for range 2 {
		reserved, err := c.payouts.ReservePayout(ctx, in)
		require.NoError(t, err)
		require.True(t, reserved.Swap)
	}
	return c
}

// want sets the merchant's payout address and where swaps go.
func (c *converter) want(t *testing.T, address string) {
	t.Helper()
	seal := func(column, text string) []byte {
		sealed, err := c.box.Seal([]byte(text), secret.AD{Table: "merchants", Column: column, ID: c.merchant})
		require.NoError(t, err)
		return sealed
	}
	masked, ticker, network := "masked", "ltc", "Mainnet"
	_, err := c.store.SetPayoutAddress(t.Context(), db.SetPayoutAddressParams{MerchantID: c.merchant, Sealed: seal("payout_address", providertest.Refund), Masked: &masked})
	require.NoError(t, err)
	_, err = c.store.SetAutoSwap(t.Context(), db.SetAutoSwapParams{
		MerchantID: c.merchant, Enabled: true, Ticker: &ticker, Network: &network,
		AddressSealed: seal("auto_swap_address", address), AddressMasked: &masked,
	})
	require.NoError(t, err)
}

func (c *converter) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := c.store.Pool().Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func (c *converter) order(t *testing.T) error {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(c.payouts)
	_, err := env.ExecuteActivity(c.payouts.OrderPayoutSwap, payouts.OrderPayoutSwap{PayoutID: c.id, Net: net, Now: c.now})
	return err
}

func (c *converter) row(t *testing.T) db.Payout {
	t.Helper()
	p, err := c.store.GetPayout(t.Context(), c.id)
	require.NoError(t, err)
	return p
}

// fails gives the payout up, twice, and requires that nothing is left of it.
func (c *converter) fails(t *testing.T) {
	t.Helper()
	for range 2 {
		released, err := c.payouts.FailPayout(t.Context(), payouts.FailPayout{PayoutID: c.id, Reason: "no"})
		require.NoError(t, err)
		require.False(t, released.AlreadyBroadcast)
	}
	p := c.row(t)
	require.Equal(t, "failed", p.Status)
	require.Nil(t, p.SwapAddressSealed, "where the coins would have gone is forgotten")
	again, err := c.payouts.ReservePayout(t.Context(), c.sweep())
	require.NoError(t, err)
	require.EqualValues(t, 1, again.Charges, "the charges are released")
}

func TestPayoutOrdersItsSwapOnceAndPaysItsDepositAddress(t *testing.T) {
	t.Parallel()
	c := convert(t, &house{})
	require.Equal(t, "masked", c.row(t).AddressMasked)
	for range 2 {
		require.NoError(t, c.order(t))
	}
	require.Equal(t, 1, c.orders)
	p := c.row(t)
	require.Equal(t, swap.OfPayout(c.id), *p.SwapID)
	require.Equal(t, payout.MaskAddress(providertest.Deposit), p.AddressMasked)
	require.Nil(t, p.SwapAddressSealed, "the swap knows it now")
	plain, err := c.box.Unseal(p.AddressSealed, secret.AD{Table: "payouts", Column: "address", ID: p.ID})
	require.NoError(t, err)
	require.Equal(t, providertest.Deposit, string(plain))
	row := c.swapRow(t, *p.SwapID)
	require.Equal(t, p.ID, *row.PayoutID)
	require.Equal(t, "1.5", row.AmountFrom.String())
	for column, want := range map[string]string{"address": providertest.Payout, "refund": providertest.Refund} {
		sealed := map[string][]byte{"address": row.AddressSealed, "refund": row.RefundSealed}[column]
		plain, err := c.box.Unseal(sealed, secret.AD{Table: "swaps", Column: column, ID: row.ID})
		require.NoError(t, err)
		require.Equal(t, want, string(plain))
	}
}

// A worker that dies between the provider's answer and the payout finds the
// swap, and sends no second order.
func TestPayoutAdoptsTheSwapOfADeadRun(t *testing.T) {
	t.Parallel()
	c := convert(t, &house{})
	require.NoError(t, c.order(t))
	sealed, err := c.box.Seal([]byte(providertest.Refund), secret.AD{Table: "payouts", Column: "address", ID: c.id})
	require.NoError(t, err)
	c.exec(t, "UPDATE payouts SET swap_id = NULL, address_sealed = $1, swap_address_sealed = $1", sealed)
	require.NoError(t, c.order(t))
	require.Equal(t, 1, c.orders)
	require.NotNil(t, c.row(t).SwapID)
}

func TestLaterSettingsDoNotRedirectAPayout(t *testing.T) {
	t.Parallel()
	c := convert(t, &house{})
	c.want(t, "ltc1qelsewhere")
	c.exec(t, "UPDATE merchants SET auto_swap_enabled = false")
	require.NoError(t, c.order(t))
	row := c.swapRow(t, swap.OfPayout(c.id))
	plain, err := c.box.Unseal(row.AddressSealed, secret.AD{Table: "swaps", Column: "address", ID: row.ID})
	require.NoError(t, err)
	require.Equal(t, providertest.Payout, string(plain))
	next, err := c.payouts.ReservePayout(t.Context(), payouts.ReservePayout{PayoutID: c.id, MerchantID: c.merchant, Now: start})
	require.NoError(t, err)
	require.True(t, next.Swap)
}

// If the provider fails in any way before there is a swap, the sweep is refused, nothing
// is paid and the charges are released.
func TestProviderTroubleMovesNothing(t *testing.T) {
	t.Parallel()
	made := func(fields string) http.HandlerFunc {
		return providertest.Answer(http.StatusOK, `{"id":"1","status":"wait",`+fields+`,"withdrawalAddress":"`+providertest.Payout+`"}`)
	}
	for name, of := range map[string]struct {
		order http.HandlerFunc
		pays  string
	}{
		"no offer":                {nil, "0"},
		"garbage for an offer":    {nil, `"much"`},
		"refuses the order":       {providertest.Answer(http.StatusUnprocessableEntity, `{"error":"no"}`), ""},
		"away when ordered":       {providertest.Answer(http.StatusServiceUnavailable, "away"), ""},
		"garbage for an answer":   {providertest.Answer(http.StatusOK, "<html>ok</html>"), ""},
		"another rate":            {made(`"amount":1.5,"amountTo":2.8,"depositAddress":"` + providertest.Deposit + `"`), ""},
		"another amount":          {made(`"amount":1.6,"amountTo":2.9,"depositAddress":"` + providertest.Deposit + `"`), ""},
		"no deposit address":      {made(`"amount":1.5,"amountTo":2.9,"depositAddress":"` + providertest.Payout + `"`), ""},
		"the refund address":      {made(`"amount":1.5,"amountTo":2.9,"depositAddress":"` + providertest.Refund + `"`), ""},
		"a memo that is not sent": {made(`"amount":1.5,"amountTo":2.9,"depositExtraId":"7","depositAddress":"` + providertest.Deposit + `"`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := convert(t, &house{order: of.order})
			if of.pays != "" {
				c.set(func() { c.pays = of.pays })
			}
			for range 2 {
				require.Equal(t, refusals.Swap, reason(t, c.order(t)), name)
			}
			require.Nil(t, c.row(t).SwapID)
			orders := c.orders
			c.fails(t)
			require.Equal(t, orders, c.orders)
			_, err := c.store.Pool().Exec(t.Context(), "SELECT 1")
			require.NoError(t, err)
			if row, err := c.store.GetSwap(t.Context(), swap.OfPayout(c.id)); err == nil {
				require.Equal(t, "failed", row.Status)
				require.NotNil(t, row.ClosedAt)
			}
		})
	}
}

func TestAmountsOutsideOfTheProvidersLimitsAreNotSwapped(t *testing.T) {
	t.Parallel()
	c := convert(t, &house{})
	for _, net := range []money.Piconero{0, 1, money.OneXMR / 20, 250*money.OneXMR + money.OneXMR/2} {
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestActivityEnvironment()
		env.RegisterActivity(c.payouts)
		_, err := env.ExecuteActivity(c.payouts.OrderPayoutSwap, payouts.OrderPayoutSwap{PayoutID: c.id, Net: net, Now: c.now})
		require.Equal(t, refusals.Swap, reason(t, err), "%s: what the transaction may pay must lie within the limits", net)
	}
	require.Zero(t, c.orders)
	c.fails(t)
}

func TestDepositAddressesOfOurOwnAreNotPaid(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"a published subaddress":      "UPDATE addresses SET address = $1 WHERE subaddress_index = 2",
		"the primary address":         "UPDATE wallets SET primary_address = $1 WHERE id = 'live-1'",
		"another wallet's subaddress": "INSERT INTO addresses (wallet_id, subaddress_index, address) VALUES ('sandbox-1', 9, $1)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := convert(t, &house{})
			c.exec(t, sql, providertest.Deposit)
			require.Equal(t, refusals.Swap, reason(t, c.order(t)))
			require.Nil(t, c.row(t).SwapID)
			c.fails(t)
			require.Equal(t, "failed", c.swapRow(t, swap.OfPayout(c.id)).Status)
		})
	}
}

// TestPayoutIsSwappedAtOurOwnExchange: its deposit addresses are in the table of those of charges.
func TestPayoutIsSwappedAtOurOwnExchange(t *testing.T) {
	t.Parallel()
	c := convert(t, &house{})
	c.exec(t, "INSERT INTO wallets (id, chain_id, role) VALUES ('exchange-xmr-Mainnet', 'xmr-live', 'exchange')")
	c.exec(t, "INSERT INTO addresses (wallet_id, subaddress_index, address) VALUES ('exchange-xmr-Mainnet', 9, $1)", providertest.Deposit)
	for range 2 {
		require.NoError(t, c.order(t))
	}
	require.NotNil(t, c.row(t).SwapID)
}

func TestSanctionedAddressesAreNotPaidBySwap(t *testing.T) {
	t.Parallel()
	for _, listed := range []string{providertest.Payout, providertest.Refund, providertest.Deposit} {
		c := convert(t, &house{})
		c.listed = []string{listed}
		require.Equal(t, refusals.Swap, reason(t, c.order(t)), listed)
		require.Nil(t, c.row(t).SwapID)
		c.fails(t)
	}
}

// The swap of a payout that is not sent fails with it, in one transaction.
func TestSwapFailsWithItsPayout(t *testing.T) {
	t.Parallel()
	c := convert(t, &house{})
	require.NoError(t, c.order(t))
	c.fails(t)
	row := c.swapRow(t, swap.OfPayout(c.id))
	require.Equal(t, []string{"failed", "the payout that was to pay the swap was not sent"}, []string{row.Status, row.StatusDetail})
	require.NotNil(t, row.ClosedAt)
	require.Equal(t, refusals.Swap, reason(t, func() error {
		c.exec(t, "UPDATE payouts SET swap_id = NULL WHERE id = $1", c.id)
		return c.order(t)
	}()), "a run that comes late takes no swap")
}

// An order that is answered after its payout was given up is not taken.
func TestAnswerAfterTheEndMakesNoSwap(t *testing.T) {
	t.Parallel()
	c := convert(t, &house{})
	c.meanwhile = func() { c.fails(t) }
	require.Equal(t, refusals.Swap, reason(t, c.order(t)))
	c.noSwap(t, swap.OfPayout(c.id), "uncertain")
	require.Nil(t, c.row(t).SwapID)
}

// A worker of a version without swaps cannot build a payout that pays one.
func TestNothingIsBuiltBeforeTheSwapIsKnown(t *testing.T) {
	t.Parallel()
	c := convert(t, &house{})
	hash, at := "aa", start
	_, err := c.store.StoreBuild(t.Context(), db.StoreBuildParams{
		ID: c.id, TxHash: &hash, Gross: net, Amount: net,
		Outputs: 1, ChargesPaid: 1, BuiltAt: &at,
	})
	require.ErrorContains(t, err, "payouts_swap_before_build")
}

// A swap that was paid is followed through all states of its provider, to the refund.
func TestPaidSwapIsFollowedToItsRefund(t *testing.T) {
	t.Parallel()
	c := convert(t, &house{})
	require.NoError(t, c.order(t))
	c.exec(t, "UPDATE payouts SET status = 'broadcast', tx_hash = 'aa', sent_at = now() WHERE id = $1", c.id)
	for _, step := range []struct {
		word string
		want swap.Status
	}{{"confirmation", swap.Confirming}, {"exchanging", swap.Exchanging}, {"refunded", swap.Refunded}} {
		c.now = c.now.Add(time.Minute)
		c.set(func() { c.word = step.word })
		require.Equal(t, step.want, c.poll(t, swap.OfPayout(c.id)).Status)
	}
	require.NotNil(t, c.swapRow(t, swap.OfPayout(c.id)).ClosedAt)
	require.Equal(t, "broadcast", c.row(t).Status, "the money left once")
}

var _ payouts.Quotes = (*swapquote.Quotes)(nil)

// TestWitnessKnowsTheOrderOfAPayout: the witness entry of a payout that was sent names
// the order that it paid. So a copy of the database that has lost both can follow it. No
// entry has the merchant's address.
func TestWitnessKnowsTheOrderOfAPayout(t *testing.T) {
	t.Parallel()
	c, n := convert(t, &house{}), &node{}
	n.daemon(t, c.payouts)
	require.NoError(t, c.order(t))
	c.built(t, c.id)
	require.NoError(t, step(t, c.payouts, c.payouts.RelayPayout, c.id, nil))
	row := c.swapRow(t, swap.OfPayout(c.id))
	for _, place := range c.payouts.Witness.Wallets[walletID].Places() {
		noted, err := place.Journal(t.Context(), []string{"aa"})
		require.NoError(t, err)
		require.Equal(t, []witness.Reference{{PayoutID: c.id, MerchantID: c.merchant, Order: witness.OrderOf(row)}}, noted["aa"].Pays)
		text, err := json.Marshal(noted["aa"])
		require.NoError(t, err)
		require.Contains(t, string(text), row.IDProvider)
		require.NotContains(t, string(text), providertest.Payout)
		require.NotContains(t, string(text), providertest.Refund)
	}
}
