package activities_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/report"
)

// mark marks a charge from four sides at once, an hour and a minute after it was
// made.
func (s *shop) mark(t *testing.T, id string, as charge.Mark) charge.Charge {
	t.Helper()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			err := s.markOnce(t, id, as, start.Add(61*time.Minute))
			require.NoError(t, err)
		})
	}
	wg.Wait()
	return mustCharge(t, s, id)
}

func (s *shop) invoiceStatus(t *testing.T, id string) (status string) {
	t.Helper()
	require.NoError(t, s.store.Pool().QueryRow(t.Context(), "SELECT invoice_status FROM charges WHERE id = $1", id).Scan(&status))
	return status
}

func TestChargeWithoutMoneyIsSettledWithNothingInTheBooks(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	in := s.request()
	s.create(t, in)
	c := s.mark(t, in.ChargeID, charge.MarkedSettled)
	require.Equal(t, charge.Confirmed, c.Status)
	require.Equal(t, charge.MarkedSettled, c.Mark)
	require.Equal(t, "Settled", s.invoiceStatus(t, in.ChargeID))
	require.Empty(t, s.ledger(t))
	require.Empty(t, s.openAlerts(t))
	require.Equal(t, []string{charge.EventCreated, charge.EventExpired, charge.EventLateConfirmed}, s.events(t, in.ChargeID))
	err := s.markOnce(t, in.ChargeID, charge.MarkedInvalid, start.Add(2*time.Hour))
	require.Equal(t, refusals.Accept, reason(t, err))
}

func TestChargeIsSettledWithWhatHasCome(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	s.payTo(t)
	id := s.half(t, s.request())
	s.mine(t, 105)
	require.Equal(t, "New", s.invoiceStatus(t, id))
	c := s.mark(t, id, charge.MarkedSettled)
	require.Equal(t, charge.Confirmed, c.Status)
	books := s.ledger(t)
	require.Len(t, books, 1)
	require.Equal(t, money.OneXMR/200, books[0].AmountReceivedXMR, "what a block holds")
	s.mine(t, 110)
	s.advance(t, id, start.Add(3*time.Hour))
	reserved, err := s.payouts().ReservePayout(t.Context(), s.sweep())
	require.NoError(t, err)
	require.Equal(t, money.OneXMR/200, reserved.Gross, "swept once it is deep enough")
}

// TestMoneyOfASettledChargeIsInTheBooksOnceABlockHoldsIt: the buyer had paid before
// the shop settled the invoice by hand, and pays more afterwards.
func TestMoneyOfASettledChargeIsInTheBooksOnceABlockHoldsIt(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	s.payTo(t)
	s.reportIn(t, money.EUR)
	in := s.request()
	s.create(t, in)
	s.pay(t, in.ChargeID, money.OneXMR/100, 0)
	s.advance(t, in.ChargeID, start.Add(2*time.Minute))
	s.mark(t, in.ChargeID, charge.MarkedSettled)
	require.Empty(t, s.ledger(t), "no block holds it")
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE received_payments SET height = 100, mature_height = 110")
	require.NoError(t, err)
	for _, got := range []money.Piconero{money.OneXMR / 100, money.OneXMR / 100, money.OneXMR / 50} {
		if got == money.OneXMR/50 {
			s.pay(t, in.ChargeID, money.OneXMR/100, 101)
		}
		s.mine(t, 111)
		s.advance(t, in.ChargeID, start.Add(time.Hour))
		books := s.ledger(t)
		require.Len(t, books, 1)
		require.Equal(t, got, books[0].AmountReceivedXMR)
		require.Zero(t, report.ValueOf(got, *books[0].FiatRate).Cmp(*books[0].FiatValue))
	}
	reserved, err := s.payouts().ReservePayout(t.Context(), s.sweep())
	require.NoError(t, err)
	require.Equal(t, s.ledger(t)[0].AmountReceivedXMR, reserved.Gross)
}

func TestSettledChargeWithoutMoneyMayBeRemoved(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	in := s.request()
	s.create(t, in)
	removable := func() (n int) {
		require.NoError(t, s.store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM removable_charges").Scan(&n))
		return n
	}
	s.mark(t, in.ChargeID, charge.MarkedSettled)
	require.Equal(t, 1, removable())
	s.pay(t, in.ChargeID, money.OneXMR/100, 100)
	require.Zero(t, removable(), "its money is not paid out")
}

// TestMoneyThatConfirmsNothingIsOwedAndNotOverdue: of an invoice that is invalid, and
// of one whose monitoring is over.
func TestMoneyThatConfirmsNothingIsOwedAndNotOverdue(t *testing.T) {
	t.Parallel()
	none := time.Duration(0)
	for name, terms := range map[string]chargestore.Terms{"invalid": {}, "after monitoring": {Timeout: time.Minute, Monitoring: &none}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, 2)
			in := s.request()
			in.Terms, in.Now = terms, start.Add(-time.Hour)
			s.create(t, in)
			s.advance(t, in.ChargeID, start.Add(-30*time.Minute))
			if terms.Monitoring == nil {
				s.mark(t, in.ChargeID, charge.MarkedInvalid)
			}
			s.pay(t, in.ChargeID, money.OneXMR/100, 100)
			s.mine(t, 200)
			require.Equal(t, charge.Expired, s.advance(t, in.ChargeID, start.Add(time.Hour)).Status)
			owed, err := s.store.OwedToMerchant(t.Context(), s.merchant)
			require.NoError(t, err)
			require.True(t, owed.Untaken)
			overdue, err := s.store.OverdueCharges(t.Context(), db.OverdueChargesParams{Before: start.Add(24 * time.Hour), RecentBlocks: 5000, SettledBlocks: 5, MaxRows: 10})
			require.NoError(t, err)
			require.Empty(t, overdue)
			open, err := s.store.OpenCharges(t.Context())
			require.NoError(t, err)
			require.Empty(t, open)
			s.mark(t, in.ChargeID, charge.MarkedSettled)
			owed, err = s.store.OwedToMerchant(t.Context(), s.merchant)
			require.NoError(t, err)
			require.True(t, owed.Unpaid)
			require.False(t, owed.Untaken)
		})
	}
}

func TestInvalidChargeKeepsItsMoneyOutOfTheBooks(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	s.payTo(t)
	in := s.request()
	s.create(t, in)
	s.mark(t, in.ChargeID, charge.MarkedInvalid)
	require.Equal(t, "Invalid", s.invoiceStatus(t, in.ChargeID))
	s.pay(t, in.ChargeID, money.OneXMR/50, 100)
	s.mine(t, 110)
	require.Equal(t, charge.Expired, s.advance(t, in.ChargeID, start.Add(2*time.Hour)).Status)
	require.Empty(t, s.ledger(t))
	_, err := s.payouts().ReservePayout(t.Context(), s.sweep())
	require.Error(t, err, "it is nobody's balance")
	c := s.mark(t, in.ChargeID, charge.MarkedSettled)
	require.Equal(t, charge.Confirmed, c.Status)
	require.Len(t, s.ledger(t), 1)
	reserved, err := s.payouts().ReservePayout(t.Context(), s.sweep())
	require.NoError(t, err)
	require.Equal(t, money.OneXMR/50, reserved.Gross)
	require.Equal(t, []string{charge.EventCreated, charge.EventExpired, charge.EventLateConfirmed}, s.events(t, in.ChargeID))
}

func TestStatusAsAnInvoiceFollowsTheMoney(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	in := s.request()
	s.create(t, in)
	require.Equal(t, "New", s.invoiceStatus(t, in.ChargeID))
	s.pay(t, in.ChargeID, money.OneXMR/50, 100)
	s.advance(t, in.ChargeID, start.Add(time.Minute))
	require.Equal(t, "Processing", s.invoiceStatus(t, in.ChargeID))
	s.mine(t, 110)
	s.advance(t, in.ChargeID, start.Add(2*time.Minute))
	require.Equal(t, "Settled", s.invoiceStatus(t, in.ChargeID))
}

// TestTermsOfAnInvoice: an invoice gets its requested terms, within the operators'
// settings for the merchant.
func TestTermsOfAnInvoice(t *testing.T) {
	t.Parallel()
	s := open(t, 4)
	two, ten, hour := money.DecimalFromInt(2), money.DecimalFromInt(10), time.Hour
	created := func(terms chargestore.Terms) charge.Charge {
		in := s.request()
		in.Terms = terms
		return s.create(t, in)
	}
	c := created(chargestore.Terms{Confirmations: 1, Timeout: 5 * time.Minute, Tolerance: &ten, Monitoring: &hour})
	require.EqualValues(t, 1, c.ConfirmationsRequired)
	require.Equal(t, c.CreatedAt.Add(5*time.Minute), c.ExpiresAt)
	require.Equal(t, c.CreatedAt.Add(65*time.Minute), *c.CountsUntil)
	require.Equal(t, c.AmountXMR/10*9, c.ConfirmFrom)
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE merchants SET confirmations_required = 4, tolerance_percent = 2 WHERE merchant_id = $1", s.merchant)
	require.NoError(t, err)
	bounded := created(chargestore.Terms{Confirmations: 1, Tolerance: &ten})
	require.EqualValues(t, 4, bounded.ConfirmationsRequired)
	slack, err := bounded.AmountXMR.Percent(two)
	require.NoError(t, err)
	require.Equal(t, bounded.AmountXMR-slack, bounded.ConfirmFrom)
	zero := money.DecimalFromInt(0)
	stricter := created(chargestore.Terms{Confirmations: 6, Tolerance: &zero})
	require.EqualValues(t, 6, stricter.ConfirmationsRequired)
	require.Equal(t, stricter.AmountXMR, stricter.ConfirmFrom)
}

// TestTermsDoNotUndoBlocksByValue: an operator who requires more blocks for more money
// gets them, whatever a plugin requests.
func TestTermsDoNotUndoBlocksByValue(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	require.NoError(t, s.charges.ConfirmationSteps.UnmarshalText([]byte("100:2,1000:6,*:10")))
	for amount, blocks := range map[string]int32{"50": 2, "500": 6} {
		in := s.request()
		in.Amount = money.MustDecimal(amount)
		in.Terms = chargestore.Terms{Confirmations: 1}
		require.Equal(t, blocks, s.create(t, in).ConfirmationsRequired)
	}
}
