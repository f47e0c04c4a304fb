package merchant_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/sanctions"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swapquote"
)

const (
	litecoinAddress = "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"
	ethereumAddress = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	tronAddress     = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
)

// autoSwap sends the settings and returns the answer.
func (b *bench) autoSwap(t *testing.T, s shop, body string) answer {
	t.Helper()
	return b.send(t, http.MethodPut, "/api/merchants/auto-swap", session(s.token), body)
}

// payable returns a shop with a payout address.
func (b *bench) payable(t *testing.T) shop {
	t.Helper()
	s := b.signup(t)
	b.send(t, http.MethodPut, "/api/account/payout", session(s.token), fmt.Sprintf(`{"address":%q}`, payoutAddress)).require(t, http.StatusOK)
	return s
}

func enable(currency, address string) string {
	return fmt.Sprintf(`{"enabled":true,"currency":%q,"address":%q}`, currency, address)
}

func TestAutoSwapIsSetAndShown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.payable(t)
	me := func() any {
		return b.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").require(t, http.StatusOK).field(t, "merchant.autoSwap")
	}
	require.Equal(t, map[string]any{"enabled": false, "currency": nil, "address": nil}, me())
	for _, c := range []struct{ ticker, network, address string }{
		{"ltc", "Mainnet", litecoinAddress}, {"usdt", "ERC20", ethereumAddress}, {"usdt", "TRC20", tronAddress},
	} {
		masked := c.address[:6] + "…" + c.address[len(c.address)-6:]
		a := b.autoSwap(t, s, enable(c.ticker, c.address)).require(t, http.StatusOK)
		require.JSONEq(t, fmt.Sprintf(`{"ok":true,"enabled":true,"currency":%q,"address":%q}`, c.ticker, masked), a.body)
		require.Equal(t, map[string]any{"enabled": true, "currency": c.ticker, "address": masked}, me())
		row, err := b.store.GetMerchant(t.Context(), s.id)
		require.NoError(t, err)
		require.Equal(t, c.network, *row.AutoSwapNetwork, "the address tells the network")
		require.NotContains(t, string(row.AutoSwapAddressSealed), c.address[:10])
		plain, err := b.box.Unseal(row.AutoSwapAddressSealed, secret.AD{Table: "merchants", Column: "auto_swap_address", ID: s.id})
		require.NoError(t, err)
		require.Equal(t, c.address, string(plain))
	}
	b.autoSwap(t, s, `{"enabled":false}`).require(t, http.StatusOK)
	masked := tronAddress[:6] + "…" + tronAddress[len(tronAddress)-6:]
	require.Equal(t, map[string]any{"enabled": false, "currency": "usdt", "address": masked}, me(), "where it would go is kept")
	b.autoSwap(t, s, `{"enabled":false}`).require(t, http.StatusOK, "twice")
	b.autoSwap(t, s, fmt.Sprintf(`{"enabled":false,"currency":"ltc","address":%q}`, litecoinAddress)).require(t, http.StatusOK)
	require.Equal(t, "ltc", me().(map[string]any)["currency"])
}

func TestBadAutoSwapSettingsChangeNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.payable(t)
	b.autoSwap(t, s, enable("ltc", litecoinAddress)).require(t, http.StatusOK)
	before := b.digest(t)
	for body, reason := range map[string]string{
		`{}`: "enabled is required", `{"enabled":null}`: "enabled is required",
		`{"enabled":true}`: "currency and address are required", `{"enabled":true,"currency":"ltc"}`: "currency and address",
		fmt.Sprintf(`{"enabled":true,"address":%q}`, litecoinAddress): "currency and address",
		`{"enabled":false,"currency":"ltc"}`:                          "currency and address",
		enable("", litecoinAddress):                                   "currency must be one of: bch, btc, doge, eth, ltc, sol, trx, usdc, usdt",
		enable("LTC", litecoinAddress):                                "currency must be one of",
		enable("gold", litecoinAddress):                               "currency must be one of",
		enable("xmr", payoutAddress):                                  "currency must be one of",
		enable("ltc", ""):                                             "not an address of ltc",
		enable("ltc", payoutAddress):                                  "not an address of ltc",
		enable("ltc", ethereumAddress):                                "not an address of ltc",
		enable("ltc", litecoinAddress[:42]+"8"):                       "not an address of ltc",
		enable("ltc", " "+litecoinAddress):                            "not an address of ltc",
		enable("ltc", strings.Repeat("l", 5000)):                      "not an address of ltc",
		enable("usdt", litecoinAddress):                               "not an address of usdt",
		enable("ltc", "rltc1qzsmfjtj8dy83dvjqr5dhrnhty7ktmwmetpzums"): "not an address of ltc",
		`{"enabled":"true"}`:                                          "enabled", `{"enabled":1}`: "enabled",
		`{"enabled":true,"currency":1,"address":"x"}`: "currency", `{"enabled":true,"currency":"ltc","address":[]}`: "address",
	} {
		require.Contains(t, b.autoSwap(t, s, body).require(t, http.StatusBadRequest, body).body, reason, body)
	}
	b.send(t, http.MethodPut, "/api/merchants/auto-swap", anonymous(), `{"enabled":false}`).require(t, http.StatusUnauthorized)
	b.send(t, http.MethodPut, "/api/merchants/auto-swap", key(s.live), `{"enabled":false}`).require(t, http.StatusUnauthorized)
	require.Equal(t, before, b.digest(t))
}

func TestAutoSwapNeedsAPayoutAddressForRefunds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	a := b.autoSwap(t, s, enable("ltc", litecoinAddress)).require(t, http.StatusBadRequest)
	require.Contains(t, a.body, "payout address")
	b.autoSwap(t, s, `{"enabled":false}`).require(t, http.StatusOK)
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE merchants SET auto_swap_enabled = true WHERE merchant_id = $1", s.id)
	require.Error(t, err, "nor does the database take it")
}

func TestAutoSwapTakesNoSanctionedAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.payable(t)
	_, err := sanctions.Register{Store: b.store}.Offer(t.Context(), sanctions.List{
		Entries: []sanctions.Entry{{Address: sanctions.Normalise(ethereumAddress), Asset: "ETH"}}, Digest: make([]byte, 32),
	}, b.clock.Now())
	require.NoError(t, err)
	for _, body := range []string{
		enable("eth", ethereumAddress), enable("usdt", strings.ToLower(ethereumAddress)),
		strings.Replace(enable("eth", ethereumAddress), "true", "false", 1),
	} {
		require.Contains(t, b.autoSwap(t, s, body).require(t, http.StatusBadRequest, body).body, "cannot be used")
	}
	b.autoSwap(t, s, enable("ltc", litecoinAddress)).require(t, http.StatusOK)
}

func TestAutoSwapOnPrivateChains(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *merchant.Deps) {
		private := adapter.Exolix(nil, provider.Profile{Name: "private", Net: coin.Regtest})
		d.Quotes = swapquote.New([]provider.Provider{private}, time.Second, time.Now)
	})
	s := b.payable(t)
	b.autoSwap(t, s, enable("ltc", "rltc1qzsmfjtj8dy83dvjqr5dhrnhty7ktmwmetpzums")).require(t, http.StatusOK)
	b.autoSwap(t, s, enable("ltc", litecoinAddress)).require(t, http.StatusBadRequest)
}

func TestDeletionForgetsTheAutoSwap(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.payable(t)
	b.autoSwap(t, s, enable("ltc", litecoinAddress)).require(t, http.StatusOK)
	b.deleteAccount(t, s, password).require(t, http.StatusOK)
	row, err := b.store.GetMerchant(t.Context(), s.id)
	require.NoError(t, err)
	require.False(t, row.AutoSwapEnabled)
	require.Nil(t, row.AutoSwapAddressSealed)
	require.Nil(t, row.AutoSwapAddressMasked)
	require.Nil(t, row.AutoSwapTicker)
	b.autoSwap(t, s, `{"enabled":false}`).require(t, http.StatusUnauthorized)
}
