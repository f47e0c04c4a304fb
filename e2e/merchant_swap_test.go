package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

// swapper is a merchant who swaps.
type swapper struct {
	*bourse
	*clients.Merchant
}

func openSwapper(t *testing.T, full *fullStack) *swapper {
	t.Helper()
	s, err := full.merchants.SignUp(within(t), "Test shop")
	require.NoError(t, err)
	require.NoError(t, s.PayOutTo(within(t), full.Customer))
	return &swapper{full.bourse, s.Merchant}
}

// quote asks what an amount would bring in litecoins.
func (s *swapper) quote(t *testing.T, amount string) (quote clients.SwapQuote) {
	t.Helper()
	eventually(t, "there is a quote", func(ctx context.Context) (err error) {
		quote, err = s.SwapQuote(ctx, "ltc", money.MustDecimal(amount))
		return err
	})
	return quote
}

// accepting is the order of what a quote offers.
func accepting(quote clients.SwapQuote, payee string) clients.NewSwap {
	return clients.NewSwap{From: quote.From, To: quote.To, Amount: quote.Amount, Address: payee, QuoteID: quote.QuoteID}
}

// place has the swap of a quote made, and says of which quote it was: one whose
// order died is used up, and another takes its place.
func (s *swapper) place(t *testing.T, quote clients.SwapQuote, payee string) (clients.SwapQuote, clients.Swap) {
	t.Helper()
	var made clients.Swap
	eventually(t, "the swap is ordered", func(ctx context.Context) (err error) {
		made, err = s.CreateSwap(ctx, accepting(quote, payee))
		if clients.Status(err) != http.StatusBadRequest {
			return err
		}
		fresh, quoteErr := s.SwapQuote(ctx, "ltc", quote.Amount)
		if quoteErr == nil {
			quote = fresh
		}
		return errors.Join(err, quoteErr)
	})
	return quote, made
}

// order creates a swap of XMR for litecoins, twice: a second answer is the
// first one's.
func (s *swapper) order(t *testing.T, amount, payee string) clients.Swap {
	t.Helper()
	quote, made := s.place(t, s.quote(t, amount), payee)
	require.Equal(t, "waiting", made.Status)
	require.Equal(t, made.AmountToExpected, quote.OutputAmount.String())
	again, err := s.CreateSwap(within(t), accepting(quote, payee))
	require.NoError(t, err)
	require.Equal(t, made, again)
	return made
}

// deposit pays for a swap. The next block has the payment.
func (s *swapper) deposit(t *testing.T, made clients.Swap) fixture.Sent {
	t.Helper()
	amount, err := money.PiconeroFromXMR(money.MustDecimal(made.AmountFrom))
	require.NoError(t, err)
	sent, err := s.Customer.Pay(within(t), fixture.Output{Address: made.DepositAddress, Amount: amount})
	require.NoError(t, err)
	s.awaitPassedOn(t, sent.Hash)
	return sent
}

// comes waits for a status without touching the chains.
func (s *swapper) comes(t *testing.T, id, status string) (now clients.Swap) {
	t.Helper()
	eventually(t, "the swap is "+status, func(ctx context.Context) (err error) {
		now, err = s.standing(ctx, t, id, status)
		return err
	})
	return now
}

// finishes waits until a swap is finished, letting both chains grow meanwhile.
func (s *swapper) finishes(t *testing.T, id string) (now clients.Swap) {
	t.Helper()
	s.grow(t, "the swap is finished", func() (err error) {
		now, err = s.standing(within(t), t, id, "finished")
		return err
	})
	return now
}

// standing returns a swap, and an error while it has another status. A swap that has
// ended keeps its status, so standing then fails the test.
func (s *swapper) standing(ctx context.Context, t *testing.T, id, status string) (clients.Swap, error) {
	t.Helper()
	now, err := s.SwapStatus(ctx, id)
	if err == nil && now.Status != status {
		require.NotContains(t, []string{"finished", "failed", "refunded"}, now.Status, "%+v", now)
		err = fmt.Errorf("%+v", now)
	}
	return now, err
}

// paid compares a swap that has ended with the Litecoin chain.
func (s *swapper) paid(t *testing.T, made, done clients.Swap, payee string) {
	t.Helper()
	require.NotNil(t, done.AmountTo)
	require.Equal(t, made.AmountToExpected, *done.AmountTo)
	require.Equal(t, made.AmountToExpected, s.ltcReceived(t, payee))
	require.NotNil(t, done.TxPayout)
	var tx struct {
		TxID string `json:"txid"`
	}
	s.ltc(t, &tx, "gettransaction", *done.TxPayout)
	require.Equal(t, *done.TxPayout, tx.TxID, "the hash is that of the litecoins")
}

// TestMerchantSwaps has a merchant swap at the stack's own exchange, through the front doors of
// both services and two chains; the exchange is away for a while, and the
// worker dies in the middle.
func TestMerchantSwaps(t *testing.T) {
	t.Parallel()
	s := openSwapper(t, fullStacks.take(t))
	payee := s.ltcAddress(t)
	made := s.order(t, "0.3", payee)

	require.NoError(t, s.Stack.Kill("swap-api"))
	away, err := s.SwapStatus(within(t), made.ID)
	require.NoError(t, err, "what is known is told while the provider is away")
	require.Equal(t, "waiting", away.Status)
	require.NoError(t, s.Stack.StartPart(within(t), "swap-api"))

	deposit := s.deposit(t, made)
	require.NoError(t, s.Chain.MineInto(within(t), deposit.Hash))
	s.comes(t, made.ID, "confirming")
	require.NoError(t, s.Stack.Kill("worker"))
	stored, err := s.SwapStatus(within(t), made.ID)
	require.NoError(t, err)
	require.Equal(t, "confirming", stored.Status)
	require.NoError(t, s.Stack.StartPart(within(t), "worker"))

	done := s.finishes(t, made.ID)
	s.paid(t, made, done, payee)
	require.NotNil(t, done.TxDeposit)
	require.Equal(t, deposit.Hash, *done.TxDeposit, "the merchant is shown what the exchange received")
	list, err := s.Swaps(within(t))
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, made.ID, list[0].ID)
}
