package adapter_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/provider/providertest"
)

const (
	exolixRate = `{"fromAmount":1.5,"toAmount":2.85714285,"rate":1.9047619,"message":null,"minAmount":0.05,"withdrawMin":0.0012,"maxAmount":250.5,"priceImpact":0.1}`

	exolixCreated = `{"id":"exa8d2f5b31c0e","amount":1.5,"amountTo":2.85714285,"comment":null,"createdAt":"2026-11-21T09:30:00.000Z",
		"depositAddress":"` + providertest.Deposit + `","depositExtraId":null,"withdrawalAddress":"` + providertest.Payout + `",
		"withdrawalExtraId":null,"refundAddress":"` + providertest.Refund + `","refundExtraId":null,
		"hashIn":{"hash":null,"link":null},"hashOut":{"hash":null,"link":null},"rate":1.9047619,"rateType":"float","status":"wait"}`

	exolixDone = `{"id":"exa8d2f5b31c0e","amount":1.5,"amountTo":2.85,"depositAddress":"` + providertest.Deposit + `","depositExtraId":null,
		"withdrawalAddress":"` + providertest.Payout + `","hashIn":{"hash":"aa","link":"https://x"},"hashOut":{"hash":"bb","link":null},"status":"success"}`
)

func exolixAdapter(c *adapter.Client) provider.Provider {
	return adapter.Exolix(c, provider.Profile{Name: "exolix", Risk: provider.RiskControlled, Rating: provider.RatingC})
}

func exolixShape() shape {
	return shape{
		New: exolixAdapter, CreatePath: "/api/v2/transactions", Created: exolixCreated, ID: "id", Deposit: "depositAddress", PaidTo: "withdrawalAddress",
		AmountFrom: "amount", AmountTo: "amountTo", Status: exolixDone, StatusWord: "status", SwapID: "exa8d2f5b31c0e",
		UnknownSwap: `{"message":"Transaction not found"}`,
	}
}

func TestExolixContract(t *testing.T) {
	t.Parallel()
	exolixShape().run(t)
	exolixShape().states(t, map[string]provider.State{
		"wait": provider.Waiting, "confirmation": provider.Confirming, "confirmed": provider.Exchanging,
		"exchanging": provider.Exchanging, "sending": provider.Sending, "success": provider.Finished, "overdue": provider.Expired,
		"refund": provider.Refunding, "refunded": provider.Refunded, "deleted": provider.Expired, "error": provider.Failed,
	})
}

func TestExolixSwapFromQuoteToEnd(t *testing.T) {
	t.Parallel()
	client, asked := keyed(t, adapter.ExolixKeyHeader, map[string]http.HandlerFunc{
		"GET /api/v2/rate":                        providertest.Answer(http.StatusOK, exolixRate),
		"POST /api/v2/transactions":               providertest.Answer(http.StatusCreated, exolixCreated),
		"GET /api/v2/transactions/exa8d2f5b31c0e": providertest.Answer(http.StatusOK, exolixDone),
	})
	p := exolixAdapter(client)

	quote, err := p.Quote(t.Context(), providertest.Request(t))
	require.NoError(t, err)
	require.Equal(t, "amount=1.5&coinFrom=XMR&coinTo=LTC&networkFrom=XMR&networkTo=LTC&rateType=float", asked.Queries["/api/v2/rate"])
	require.Equal(t, "2.85714285", quote.AmountTo.String())
	require.Equal(t, "1.9047619", quote.Rate.String())
	require.Equal(t, "0.05", quote.Min.String())
	require.Equal(t, "250.5", quote.Max.String())
	require.Equal(t, provider.RatingC, quote.Rating)

	swap, err := p.Create(t.Context(), providertest.Order(t))
	require.NoError(t, err)
	require.Equal(t, `{"coinFrom":"XMR","networkFrom":"XMR","coinTo":"LTC","networkTo":"LTC","amount":1.5,"withdrawalAddress":"`+
		providertest.Payout+`","refundAddress":"`+providertest.Refund+`","rateType":"float"}`, asked.Body)
	require.Equal(t, provider.Waiting, swap.State)
	require.Equal(t, providertest.Deposit, swap.DepositAddress)
	require.Empty(t, swap.DepositMemo)

	swap, err = p.Status(t.Context(), swap.ID)
	require.NoError(t, err)
	require.Equal(t, provider.Finished, swap.State)
	require.Equal(t, [3]string{"aa", "bb", ""}, [3]string{swap.DepositTx, swap.PayoutTx, swap.RefundTx})
}

func TestExolixRefusals(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]error{
		`{"fromAmount":1.5,"toAmount":0,"rate":0,"message":"Amount to exchange is below the possible min amount","minAmount":3,"maxAmount":9}`: provider.ErrBelowMin,
		`{"message":"too much","minAmount":0.1,"maxAmount":1.49999999}`:                                                                        provider.ErrAboveMax,
		`{"error":"Such exchange pair is not available"}`:                                                                                      provider.ErrPairUnsupported,
		`{"message":null}`: provider.ErrUnavailable,
	} {
		p := exolixAdapter(providertest.Serve(t, providertest.Answer(http.StatusUnprocessableEntity, body)))
		_, err := p.Quote(t.Context(), providertest.Request(t))
		require.ErrorIs(t, err, want, body)
	}
	p := exolixAdapter(providertest.Serve(t, providertest.Answer(http.StatusUnprocessableEntity, `{"error":"address is invalid"}`)))
	_, err := p.Create(t.Context(), providertest.Order(t))
	require.ErrorIs(t, err, provider.ErrRefused)
	p = exolixAdapter(providertest.Serve(t, providertest.Answer(http.StatusUnprocessableEntity, `{"minAmount":3,"maxAmount":9}`)))
	_, err = p.Create(t.Context(), providertest.Order(t))
	var limit *provider.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, "3", limit.Limit.String())
}

func FuzzExolix(f *testing.F) { fuzzAnswers(f, exolixShape()) }
