package monero

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWalletCodesHaveMeanings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code    int
		message string
		want    error
	}{
		{0, "", ErrUnavailable},
		{-3, "daemon is busy. Please try again later.", ErrUnavailable},
		{-38, "no connection to daemon", ErrUnavailable},
		{-4, "failed to get output distribution", ErrUnavailable},
		{-4, "No unlocked balance in the specified account", ErrNotUnlocked},
		{-4, "transaction was rejected by daemon", nil},
		{-8, "Transaction not found.", ErrNotFound},
		{-18, "Transaction would be too large.  try /transfer_split.", ErrTooLarge},
		{-37, "not enough unlocked money", ErrNotUnlocked},
		{-32601, "Method not found", nil},
	} {
		require.Equal(t, c.want, walletMeaning(c.code, c.message), c.message)
	}
}

func TestDaemonCodesHaveMeaningsOfTheirOwn(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, daemonMeaning(0, "BUSY"), ErrUnavailable)
	require.ErrorIs(t, daemonMeaning(-9, "Core is busy"), ErrUnavailable)
	require.NoError(t, daemonMeaning(0, "Failed"))
}

func TestRefusalsGiveTheFirstReason(t *testing.T) {
	t.Parallel()
	for want, answer := range map[Refusal]relayResult{
		RefusedDoubleSpend: {DoubleSpend: true, InvalidInput: true},
		RefusedFeeTooLow:   {FeeTooLow: true},
		RefusedTooBig:      {TooBig: true},
		RefusedRules:       {NonzeroUnlock: true},
		RefusedOther:       {},
	} {
		require.Equal(t, want, answer.refusal())
		require.ErrorIs(t, answer.refusal(), ErrRefused)
	}
}

func TestASplitSweepIsNotOneTransaction(t *testing.T) {
	t.Parallel()
	_, err := make(Built, 2).One()
	require.ErrorIs(t, err, ErrTooLarge)
}

// A payer can give an output the one-time key of an earlier, smaller one, which the wallet
// then replaces: it shows the difference as the amount. That stops no list, and counts what
// can be spent. An entry that counts more than its outputs have is refused.
func TestAPaymentWithTheKeyOfAnotherStopsNoList(t *testing.T) {
	t.Parallel()
	list := func(amount int) ([]Transfer, error) {
		answer := fmt.Sprintf(`{"id":"0","jsonrpc":"2.0","result":{"in":[
			{"amount":2000,"amounts":[2000],"height":120,"subaddr_index":{"major":0,"minor":7},"txid":%q},
			{"amount":%d,"amounts":[5000],"height":121,"subaddr_index":{"major":0,"minor":7},"txid":%q}]}}`,
			strings.Repeat("a", 64), amount, strings.Repeat("b", 64))
		return (&Wallet{client: answering(answer, walletMeaning)}).Transfers(t.Context(), Range{To: NoEnd})
	}
	got, err := list(3000)
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.EqualValues(t, 2000, got[0].Amount)
	require.EqualValues(t, 3000, got[1].Amount)
	_, err = list(5001)
	require.ErrorIs(t, err, ErrResponse)
}
