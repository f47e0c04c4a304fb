package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
)

// TestMerchantSwapsOverTor quotes visitors of the merchants' onion swaps of an exchange
// that is known by its onion address alone, and orders one: both ways are
// Tor's.
func TestMerchantSwapsOverTor(t *testing.T) {
	t.Parallel()
	full := fullStacks.take(t)
	n, b := onTor(t), openSwapper(t, full)
	require.NoError(t, b.Stack.JoinTor(within(t), n.Torrc()))
	env := b.Stack.Env()
	require.Contains(t, env["SWAP_ONION_URL"], ".onion")
	b.swapWith(t, adapter.ConfigEntry{
		Name: "hidden", Kind: "durapay", URL: env["SWAP_ONION_URL"],
		Risk: provider.RiskPrecheck, Rating: provider.RatingA, Private: true,
	})
	ann := visitor(t, n, "ann of the swaps")
	eventually(t, "the quote that the exchange gives", func(ctx context.Context) error {
		return sameQuote(ctx, ann, env["ONION_URL"]+"/api/swap/quote", env["SWAP_URL"])
	})
	b.ordersOverTor(t, env["SWAP_URL"])

	require.NoError(t, b.Stack.Kill("tor"))
	got, err := ask(within(t), http.DefaultClient, http.MethodGet, full.merchants.url+"/api/swap/quote?to=ltc&amount=0.9", "")
	require.NoError(t, err)
	require.Equal(t, http.StatusInternalServerError, got.status, "without the proxy nobody is asked: %s", got.body)
	require.NotEmpty(t, got.header.Get("Retry-After"))
	require.NoError(t, b.Stack.StartPart(within(t), "tor"))
}

// ordersOverTor orders a swap, and compares it with the trade that the exchange
// has. An order whose answer a broken circuit takes along is given up: the next
// one has a quote of its own.
func (s *swapper) ordersOverTor(t *testing.T, exchange string) {
	t.Helper()
	payee := s.ltcAddress(t)
	var made clients.Swap
	eventually(t, "an order over Tor", func(ctx context.Context) error {
		quote, err := s.SwapQuote(ctx, "ltc", money.MustDecimal("0.3"))
		if err != nil {
			return err
		}
		made, err = s.CreateSwap(ctx, clients.NewSwap{From: quote.From, To: quote.To, Amount: quote.Amount, Address: payee, QuoteID: quote.QuoteID})
		return err
	})
	var trades []map[string]any
	require.NoError(t, fetch(within(t), http.DefaultClient, exchange+"/api/v1/trade?id="+made.SwapID, &trades))
	require.Len(t, trades, 1)
	for name, want := range map[string]string{
		"status": "awaiting_deposit", "address_provider": made.DepositAddress, "address_user": payee,
		"amount_from": "0.3", "amount_to": made.AmountToExpected,
	} {
		require.Equal(t, want, trades[0][name], name)
	}
	require.Equal(t, "hidden", made.Provider)
	stands, err := s.SwapStatus(within(t), made.ID)
	require.NoError(t, err)
	require.Equal(t, "waiting", stands.Status)
}

// swapWith makes a provider the only one that merchants have: the API quotes
// it, and the worker orders.
func (b *bourse) swapWith(t *testing.T, e adapter.ConfigEntry) {
	t.Helper()
	list, err := json.Marshal([]adapter.ConfigEntry{e})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "providers.json")
	require.NoError(t, os.WriteFile(file, list, 0o600))
	b.with(t, map[string]string{"MERCHANT_SWAP_PROVIDERS_FILE": file})
}

// sameQuote compares a merchants' quote with what the exchange itself says. A
// quote may come late over Tor, and be older than what the exchange says now.
func sameQuote(ctx context.Context, through *http.Client, quotes, exchange string) error {
	var quoted struct {
		From, To, Provider string
		OutputAmount       money.Decimal
		MinAmount          money.Decimal
		MaxAmount          money.Decimal
	}
	var said struct {
		AmountTo money.Decimal `json:"amount_to"`
		Quotes   struct {
			Min money.Decimal `json:"min_deposit"`
			Max money.Decimal `json:"max_deposit"`
		} `json:"quotes"`
	}
	if err := fetch(ctx, through, quotes+"?to=ltc&amount=1", &quoted); err != nil {
		return err
	}
	if err := fetch(ctx, http.DefaultClient, exchange+"/api/new_rate?"+oneXMR, &said); err != nil {
		return err
	}
	got := []string{quoted.From, quoted.To, quoted.Provider, quoted.OutputAmount.String(), quoted.MinAmount.String(), quoted.MaxAmount.String()}
	want := []string{"xmr", "ltc", "hidden", said.AmountTo.String(), said.Quotes.Min.String(), said.Quotes.Max.String()}
	if fmt.Sprint(got) != fmt.Sprint(want) || quoted.OutputAmount.Sign() <= 0 {
		return fmt.Errorf("the quote is %v, the exchange says %v", got, want)
	}
	return nil
}

// fetch reads a 200's JSON.
func fetch(ctx context.Context, c *http.Client, url string, into any) error {
	got, err := ask(ctx, c, http.MethodGet, url, "")
	if err != nil {
		return err
	}
	if got.status != http.StatusOK {
		return fmt.Errorf("%s: %d %s", url, got.status, got.body)
	}
	return json.Unmarshal([]byte(got.body), into)
}
