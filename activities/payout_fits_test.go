package activities_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// splitFee is the fee of each transaction.
const splitFee = 1_000_000

// sweep makes as many transactions as it takes to spend all that lies at these indices, as
// the wallet of a network does that takes few inputs. There is no such network yet.
func (p *minedWallet) sweep(indices []int32) map[string][]any {
	var images []string
	for _, image := range slices.Sorted(maps.Keys(p.outputs)) {
		if slices.Contains(indices, p.outputs[image].index) {
			images = append(images, image)
		}
	}
	made := map[string][]any{}
	for part := range slices.Chunk(images, p.fits) {
		var amount money.Piconero
		var inputs strings.Builder
		for _, image := range part {
			amount += p.outputs[image].amount
			inputs.WriteString("020000" + image)
		}
		for list, value := range map[string]any{
			"tx_hash_list": part[0], "tx_blob_list": fmt.Sprintf("0200%02x%s", len(part), inputs.String()), "tx_key_list": "key", "fee_list": splitFee,
			"amount_list": uint64(amount) - splitFee, "weight_list": 700 * len(part),
		} {
			made[list] = append(made[list], value)
		}
	}
	return made
}

// TestASweepThatDoesNotFitIsBuiltOfLess: the network takes fewer inputs than a payout was
// chosen with. Measuring and building leave the same payments in the balance, and a
// payment that does not fit alone is refused.
func TestASweepThatDoesNotFitIsBuiltOfLess(t *testing.T) {
	t.Parallel()
	for _, measured := range []bool{false, true} {
		t.Run(fmt.Sprint("measured before: ", measured), func(t *testing.T) {
			t.Parallel()
			s := open(t, 9)
			p := &minedWallet{height: 140, outputs: map[string]walletOutput{}, spenders: map[string]int{}, fits: 3}
			a := s.payouts()
			p.spending(t, a)
			s.payToAddress(t, buyer)
			for range 5 {
				s.earn(t, 100)
			}
			s.mine(t, 140)
			p.holds(t, s)
			in := s.sweep()
			reserved, err := a.ReservePayout(t.Context(), in)
			require.NoError(t, err)
			require.EqualValues(t, 5, reserved.Charges)
			oldest := s.paymentsOf(t, in.PayoutID)[:3]
			if measured {
				var whole payouts.Measured
				require.NoError(t, step(t, a, a.MeasurePayout, in.PayoutID, &whole))
				require.Equal(t, 3*earned-splitFee, whole.Net)
				require.Equal(t, oldest, s.paymentsOf(t, in.PayoutID))
			}
			for range 2 {
				require.NoError(t, step(t, a, a.BuildPayout, in.PayoutID, nil))
				require.Equal(t, oldest, s.paymentsOf(t, in.PayoutID), "the oldest are paid out")
				row, err := s.store.GetPayout(t.Context(), in.PayoutID)
				require.NoError(t, err)
				require.Equal(t, []any{3 * earned, 3*earned - splitFee, int32(3), int32(3)}, []any{row.Gross, row.Amount, row.Outputs, row.ChargesPaid})
			}
			sum, err := s.store.UnpaidSummary(t.Context(), db.UnpaidSummaryParams{MerchantID: s.merchant, WalletID: walletID})
			require.NoError(t, err)
			require.Equal(t, 2*earned, sum.Total, "the rest is in the balance")
		})
	}
	t.Run("one payment in more pieces than fit", func(t *testing.T) {
		t.Parallel()
		s := open(t, 9)
		p := &minedWallet{height: 140, outputs: map[string]walletOutput{}, spenders: map[string]int{}, fits: 1}
		a := s.payouts()
		p.spending(t, a)
		s.payToAddress(t, buyer)
		s.earn(t, 100)
		s.mine(t, 140)
		p.holds(t, s)
		for _, o := range maps.Clone(p.outputs) { // a second output of the same transaction
			p.outputs[strings.Repeat("ab", 32)] = o
		}
		in := s.sweep()
		_, err := a.ReservePayout(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, refusals.TooSmall, reason(t, step(t, a, a.BuildPayout, in.PayoutID, nil)))
		_, err = a.FailPayout(t.Context(), payouts.FailPayout{PayoutID: in.PayoutID})
		require.NoError(t, err)
		require.Equal(t, payout.Failed, s.payoutStatus(t, in.PayoutID))
	})
}

// TestBytesOfAPaymentThatWasLetGoAreNotKept: another run of the build has let payments go
// while this one was at the wallet.
func TestBytesOfAPaymentThatWasLetGoAreNotKept(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	p := &minedWallet{height: 140, outputs: map[string]walletOutput{}, spenders: map[string]int{}, fits: 3}
	a := s.payouts()
	p.spending(t, a)
	s.payToAddress(t, buyer)
	for range 3 {
		s.earn(t, 100)
	}
	s.mine(t, 140)
	p.holds(t, s)
	in := s.sweep()
	_, err := a.ReservePayout(t.Context(), in)
	require.NoError(t, err)
	all := s.paymentsOf(t, in.PayoutID)
	p.swept = func() {
		require.NoError(t, s.store.UnreserveSomePayments(t.Context(), db.UnreserveSomePaymentsParams{Ids: all[2:], PayoutID: in.PayoutID}))
		p.swept = nil
	}
	require.ErrorContains(t, step(t, a, a.BuildPayout, in.PayoutID, nil), "was let go meanwhile")
	row, err := s.store.GetPayout(t.Context(), in.PayoutID)
	require.NoError(t, err)
	require.Nil(t, row.BuiltAt)
	require.NoError(t, step(t, a, a.BuildPayout, in.PayoutID, nil))
	row, err = s.store.GetPayout(t.Context(), in.PayoutID)
	require.NoError(t, err)
	require.Equal(t, 2*earned, row.Gross)
}
