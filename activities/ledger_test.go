package activities_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/report"
)

// ledger returns the shop's transactions as reports show them.
func (s *shop) ledger(t *testing.T) []report.Transaction {
	t.Helper()
	var all []report.Transaction
	span := report.Span{From: start.Add(-time.Hour), To: start.AddDate(1, 0, 0)}
	for entry, err := range s.store.Transactions(t.Context(), s.merchant, config.Live, span) {
		require.NoError(t, err)
		all = append(all, entry)
	}
	return all
}

func (s *shop) reportIn(t *testing.T, currency money.Currency) {
	t.Helper()
	require.NoError(t, s.store.SetReporting(t.Context(), db.SetReportingParams{Enabled: true, Currency: string(currency), MerchantID: s.merchant}))
}

// longOrder is an order ID that no index can hold: reports show it as it was sent.
var longOrder = "A-" + strings.Repeat("7", charge.MaxOrderText)

// confirm makes a charge, pays it twice over and confirms it, twice.
func (s *shop) confirm(t *testing.T) string {
	t.Helper()
	in := s.request()
	key := charge.OrderKey(longOrder)
	in.OrderID, in.Metadata = &key, fmt.Sprintf(`{"order_id":%q}`, longOrder)
	s.create(t, in)
	s.pay(t, in.ChargeID, money.OneXMR/50, 100)
	s.mine(t, 110)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			state, err := s.activity().AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: in.ChargeID, Now: start.Add(time.Minute)})
			require.NoError(t, err)
			require.Equal(t, charge.Confirmed, state.Status)
		})
	}
	wg.Wait()
	_, err := s.activity().AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: in.ChargeID, Now: start.Add(time.Hour)})
	require.NoError(t, err)
	return in.ChargeID
}

func TestConfirmationsAreEnteredOnce(t *testing.T) {
	t.Parallel()
	s := open(t, 3)
	require.Empty(t, s.ledger(t))
	silent := s.confirm(t)
	s.reportIn(t, money.EUR)
	valued := s.confirm(t)
	s.charges.Prices = priced{err: errors.New("all sources are down")}
	in := s.request()
	in.Amount, in.Currency = money.MustDecimal("0.01"), money.XMR
	s.create(t, in)
	s.pay(t, in.ChargeID, money.OneXMR/100, 100)
	s.mine(t, 110)
	state, err := s.activity().AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: in.ChargeID, Now: start.Add(2 * time.Hour)})
	require.NoError(t, err)
	require.Equal(t, charge.Confirmed, state.Status, "a confirmation waits for no price")

	entries := map[string]report.Transaction{}
	all := s.ledger(t)
	require.Len(t, all, 3)
	for _, e := range all {
		entries[e.ChargeID] = e
	}
	require.Equal(t, "3", entries[silent].FiatValue.String(), "reporting was off: it has the value at its own rate")
	require.Equal(t, "150", entries[silent].FiatRate.String())
	require.Equal(t, report.Fiat{}, *entries[in.ChargeID].Fiat, "no price was usable")
	entry := entries[valued]
	require.Equal(t, longOrder, *entry.OrderID)
	require.Equal(t, "1.5", entry.Amount.String())
	require.Equal(t, money.OneXMR/100, entry.AmountXMR)
	require.Equal(t, money.OneXMR/50, entry.AmountReceivedXMR)
	require.Equal(t, "2026-11-21T09:31:00.000Z", entry.ConfirmedAt.String())
	require.Equal(t, "2026-11-21T09:30:00.000Z", entry.CreatedAt.String())
	require.Equal(t, "3", entry.FiatValue.String())
	require.Equal(t, "150", entry.FiatRate.String())
	require.Equal(t, money.EUR, *entry.FiatCurrency)
	require.Nil(t, entry.PayoutID)
}

// TestSumsAreThoseOfTheList has values that are just below half a cent, and one in another currency.
func TestSumsAreThoseOfTheList(t *testing.T) {
	t.Parallel()
	s := open(t, 3)
	for i, l := range []struct {
		currency        string
		asked, received int64
	}{{"USD", 270_817_113_468_338_171, 56_061_007_166_329_542}, {"USD", 3, 1}, {"EUR", 3, 1}} {
		id := s.confirm(t)
		s.exec(t, `UPDATE ledger SET amount = $2, currency = $3, amount_piconero = $4, received_piconero = $5 WHERE charge_id = $1`,
			id, []string{"123.45", "0.01", "7.77"}[i], l.currency, l.asked, l.received)
	}
	total := money.Decimal{}
	for _, e := range s.ledger(t) {
		if *e.FiatCurrency == money.USD {
			total = total.Add(*e.FiatValue)
		}
	}
	require.Equal(t, "25.55", total.String())
	sums, err := s.store.SumLedger(t.Context(), db.SumLedgerParams{
		FiatCurrency: "USD", MerchantID: s.merchant, Mode: "live", Since: start.Add(-day), Until: start.Add(day),
	})
	require.NoError(t, err)
	require.Equal(t, total.String(), sums.TotalFiat.String())
}

func TestChargesThatAreNotConfirmedAreNotEntered(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	in := s.request()
	s.create(t, in)
	look := incoming.AdvanceCharge{ChargeID: in.ChargeID, Now: start.Add(time.Hour)}
	state, err := s.activity().AdvanceCharge(t.Context(), look)
	require.NoError(t, err)
	require.Equal(t, charge.Expired, state.Status)
	require.Empty(t, s.ledger(t))

	s.pay(t, in.ChargeID, money.OneXMR/100, 100)
	s.mine(t, 110)
	_, err = s.activity().AdvanceCharge(t.Context(), look)
	require.NoError(t, err)
	require.Len(t, s.ledger(t), 1, "confirmed late")
}

func TestTheLedgerSurvivesPruning(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	s.reportIn(t, money.USD)
	id := s.confirm(t)
	const payout = "po_0123456789abcdef01234567"
	ctx := t.Context()
	require.NoError(t, s.store.InsertPayout(ctx, db.InsertPayoutParams{
		ID: payout, MerchantID: s.merchant, WalletID: walletID, AddressSealed: []byte{1}, AddressMasked: "x",
		Gross: money.OneXMR / 50, ChargesPaid: 1, Outputs: 1, CreatedAt: start,
	}))
	for _, sql := range []string{
		"UPDATE received_payments SET payout_id = $1", "UPDATE charges SET payout_id = $1",
		"UPDATE payouts SET status = 'confirmed', tx_hash = 'h', sent_at = created_at WHERE id = $1",
	} {
		_, err := s.store.Pool().Exec(ctx, sql, payout)
		require.NoError(t, err)
	}
	before := s.ledger(t)
	require.Equal(t, payout, *before[0].PayoutID)
	s.prune(t, start.Add(31*day))
	_, err := s.store.GetCharge(ctx, id)
	require.Error(t, err, "the charge is gone")
	require.Equal(t, before, s.ledger(t))
}
