package activities_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// TestACopyOfTheDatabaseDoesNotShowWhoPaid has a partner's trade get its deposit and its
// webhook fail, and searches every table for the people involved.
func TestACopyOfTheDatabaseDoesNotShowWhoPaid(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	key, hook, note := partnerKeyID, "https://127.0.0.1:9/hooks/of-the-partner", "note of the user"
	partnerSecret := b.partner(t)
	in := b.request("1")
	in.Address, in.Refund, in.KeyID, in.WebhookURL, in.Note = "who-is-paid-out", "who-is-paid-back", &key, &hook, &note
	row := b.create(t, in)
	d := b.deposit(row, "deposit", "1", 2)
	b.xmr.origins[d.TxHash] = []string{"who-paid-first", "who-paid-second"}
	b.xmr.show(d)
	state := b.advance(t, row.ID)
	require.Len(t, state.Payments, 1)
	require.NotEmpty(t, state.Events)
	_, err := hooksOf(b).AttemptDelivery(t.Context(), deliveries.AttemptDelivery{Receiver: webhook.Partner, ID: strconv.FormatInt(state.Events[0], 10), Attempt: 1})
	require.NoError(t, err)

	dump := pgtest.Dump(t, b.store)
	require.NotEmpty(t, pgtest.Traces(dump, row.ID), "the rows are in the copy")
	for _, text := range append(b.xmr.origins[d.TxHash], in.Address, in.Refund, hook, note, partnerSecret) {
		require.Empty(t, pgtest.Traces(dump, text), text)
	}
}

// TestOriginsOpenAtTheirDepositAlone moves the sealed origins of one deposit to another.
// Nothing is sent for a deposit whose origins cannot be read.
func TestOriginsOpenAtTheirDepositAlone(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	clean, dirty := b.create(t, b.request("1")), b.create(t, b.request("1"))
	for row, from := range map[string]string{clean.ID: "clean", dirty.ID: "dirty"} {
		d := b.deposit(b.row(t, row), "deposit of "+from, "1", 2)
		b.xmr.origins[d.TxHash] = []string{from}
		b.xmr.show(d)
	}
	b.advance(t, clean.ID)
	state := b.advance(t, dirty.ID)
	b.listed = []string{"dirty"}
	_, err := b.store.Pool().Exec(t.Context(), `UPDATE received_payments SET origins_sealed =
		(SELECT o.origins_sealed FROM received_payments o WHERE o.trade_id = $2) WHERE trade_id = $1`, dirty.ID, clean.ID)
	require.NoError(t, err)
	_, err = b.trades.AdvanceTrade(t.Context(), trades.AdvanceTrade{TradeID: dirty.ID, Now: b.now})
	require.ErrorIs(t, err, secret.ErrUnseal)
	err = b.payments.SendTradePayment(t.Context(), trades.TradePaymentTask{TradePaymentID: state.Payments[0].ID})
	require.ErrorIs(t, err, secret.ErrUnseal)
	require.Zero(t, b.ltc.builds)
}

// TestNoTradeIsPaidAtAnAddressOfAnotherTrade moves the sealed details of one trade to
// another.
func TestNoTradeIsPaidAtAnAddressOfAnotherTrade(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	other := b.request("1")
	other.Address = "of the other"
	b.create(t, other)
	_, err := b.store.Pool().Exec(t.Context(), `UPDATE trades SET details_sealed =
		(SELECT o.details_sealed FROM trades o WHERE o.id = $2) WHERE id = $1`, row.ID, other.TradeID)
	require.NoError(t, err)
	for range 2 {
		require.ErrorIs(t, b.payments.SendTradePayment(t.Context(), task), secret.ErrUnseal)
	}
	require.Zero(t, b.ltc.builds)
	_, err = b.store.Pool().Exec(t.Context(), "UPDATE trades SET details_sealed = $2 WHERE id = $1", row.ID, row.DetailsSealed)
	require.NoError(t, err)
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	require.Equal(t, 1, b.ltc.builds)
}
