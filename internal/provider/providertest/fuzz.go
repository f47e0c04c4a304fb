package providertest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
)

// Fuzz lets the provider return any answer. If an adapter accepts an answer to
// an order, the swap can be paid: to an address of the coin, with the ordered
// amount.
func Fuzz(f *testing.F, s Shape) {
	f.Helper()
	for _, body := range []string{s.Created, s.Status, "[" + s.Status + "]", "", "null", "[]", `{"error":"x"}`} {
		for _, status := range []int{200, 400, 404, 500} {
			f.Add(status, body)
		}
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			status = 200
		}
		p := s.New(Serve(t, Answer(status, body)))
		order := Order(t)
		if swap, err := p.Create(t.Context(), order); err == nil {
			require.NotEmpty(t, swap.ID)
			require.NoError(t, order.From.CheckAddress(swap.DepositAddress, coin.Main))
			require.Zero(t, swap.AmountFrom.Cmp(order.Amount))
		}
		if quote, err := p.Quote(t.Context(), order.Request); err == nil {
			require.Positive(t, quote.AmountTo.Cmp(money.DecimalFromInt(0)))
		}
		_, _ = p.Status(t.Context(), s.SwapID) // it must end, whatever the answer is
	})
}
