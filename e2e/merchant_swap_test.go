package e2e

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/merchant"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/money"
)

// openArcade is a stack of both services: its merchants swap with its own
// exchange. One test has it.
var openArcade = sync.OnceValues(func() (*bourse, error) {
	return openBourseWith(settings(nil), append(stack.MerchantParts(), "swap-api"), nil, "MERCHANT_URL")
})

// swapper is a merchant who swaps.
type swapper struct {
	*bourse
	*merchant.Client
}

func openSwapper(t *testing.T) *swapper {
	t.Helper()
	b, err := openArcade()
	require.NoError(t, err)
	_, c, err := merchant.SignUp(within(t), b.url, fmt.Sprintf("owner-%s@shop.example", rand.Text()), "correct horse battery", "Test shop")
	require.NoError(t, err)
	refund, err := b.customer.NewAccount(within(t))
	require.NoError(t, err)
	require.NoError(t, c.SetPayoutAddress(within(t), refund.Address))
	return &swapper{b, c}
}

// quote asks what an amount would bring in litecoins.
func (s *swapper) quote(t *testing.T, amount string) (quote merchant.SwapQuote) {
	t.Helper()
	eventually(t, "there is a quote", func(ctx context.Context) (err error) {
		quote, err = s.SwapQuote(ctx, "ltc", money.MustDecimal(amount))
		return err
	})
	return quote
}

// accepting is the order of what a quote offers.
func accepting(quote merchant.SwapQuote, payee string) merchant.NewSwap {
	return merchant.NewSwap{From: quote.From, To: quote.To, Amount: quote.Amount, Address: payee, QuoteID: quote.QuoteID}
}

// place has the swap of a quote made, and says of which quote it was: one whose
// order died is used up, and another takes its place.
func (s *swapper) place(t *testing.T, quote merchant.SwapQuote, payee string) (merchant.SwapQuote, merchant.Swap) {
	t.Helper()
	var made merchant.Swap
	eventually(t, "the swap is ordered", func(ctx context.Context) (err error) {
		made, err = s.CreateSwap(ctx, accepting(quote, payee))
		if merchant.Status(err) != http.StatusBadRequest {
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
func (s *swapper) order(t *testing.T, amount, payee string) merchant.Swap {
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
func (s *swapper) deposit(t *testing.T, made merchant.Swap) regtest.Sent {
	t.Helper()
	amount, err := money.PiconeroFromXMR(money.MustDecimal(made.AmountFrom))
	require.NoError(t, err)
	sent, err := s.customer.Pay(within(t), regtest.Output{Address: made.DepositAddress, Amount: amount})
	require.NoError(t, err)
	s.awaitPassedOn(t, sent.Hash)
	return sent
}

// comes waits for a status; both chains grow meanwhile when it is mined for, by
// a block a second, so that the services see each.
func (s *swapper) comes(t *testing.T, id, status string, mine bool) merchant.Swap {
	t.Helper()
	var now merchant.Swap
	for deadline := time.Now().Add(4 * patience); ; time.Sleep(time.Second) {
		var err error
		now, err = s.SwapStatus(within(t), id)
		if err == nil && now.Status == status {
			return now
		}
		require.NotContains(t, []string{"finished", "failed", "refunded"}, now.Status, "%+v", now)
		require.True(t, time.Now().Before(deadline), "still %+v, %v", now, err)
		if mine {
			s.mineBoth(t)
		}
	}
}

// paid compares a swap that has ended with the Litecoin chain.
func (s *swapper) paid(t *testing.T, made, done merchant.Swap, payee string) {
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

// TestMerchantSwaps breaks parts of one stack, one test after the other.
func TestMerchantSwaps(t *testing.T) {
	t.Parallel()
	b, err := openArcade()
	require.NoError(t, err)
	b.endWith(t)
	t.Run("from quote to litecoins", testSwapOfAMerchant)
	t.Run("ordered by a dying worker", testSwapOfADyingWorker)
	t.Run("ordered over Tor", testSwapOverTor)
}

// A merchant swaps at the stack's own exchange, through the front doors of
// both services and two chains; the exchange is away for a while, and the
// worker dies in the middle.
func testSwapOfAMerchant(t *testing.T) {
	s := openSwapper(t)
	payee := s.ltcAddress(t)
	made := s.order(t, "0.3", payee)

	require.NoError(t, s.stack.Kill("swap-api"))
	away, err := s.SwapStatus(within(t), made.ID)
	require.NoError(t, err, "what is known is told while the provider is away")
	require.Equal(t, "waiting", away.Status)
	require.NoError(t, s.stack.StartPart(within(t), "swap-api"))

	deposit := s.deposit(t, made)
	require.NoError(t, s.chain.MineInto(within(t), deposit.Hash))
	s.comes(t, made.ID, "confirming", false)
	require.NoError(t, s.stack.Kill("worker"))
	stored, err := s.SwapStatus(within(t), made.ID)
	require.NoError(t, err)
	require.Equal(t, "confirming", stored.Status)
	require.NoError(t, s.stack.StartPart(within(t), "worker"))

	done := s.comes(t, made.ID, "finished", true)
	s.paid(t, made, done, payee)
	require.NotNil(t, done.TxDeposit)
	require.Equal(t, deposit.Hash, *done.TxDeposit, "the merchant is shown what the exchange received")
	list, err := s.Swaps(within(t))
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, made.ID, list[0].ID)
}

// A worker that is killed while orders are under way leaves swaps that finish,
// or none.
func testSwapOfADyingWorker(t *testing.T) {
	s := openSwapper(t)
	quote, payee := s.quote(t, "0.2"), s.ltcAddress(t)
	answered := make(chan error, 1)
	go func() {
		_, err := s.CreateSwap(context.WithoutCancel(t.Context()), accepting(quote, payee))
		answered <- err
	}()
	require.NoError(t, s.stack.Kill("worker"))
	require.NoError(t, s.stack.StartPart(within(t), "worker"))
	<-answered // whatever it was: the client was there, or gave up
	_, made := s.place(t, quote, payee)
	s.deposit(t, made)
	s.paid(t, made, s.comes(t, made.ID, "finished", true), payee)
	list, err := s.Swaps(within(t))
	require.NoError(t, err)
	require.Len(t, list, 1, "one order, one swap")
}
