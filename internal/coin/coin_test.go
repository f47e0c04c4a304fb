package coin_test

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
)

func lookup(tb testing.TB, key string) coin.Coin {
	tb.Helper()
	ticker, network, _ := strings.Cut(key, ":")
	c, ok := coin.Lookup(ticker, network)
	require.True(tb, ok, key)
	return c
}

func TestLookupFindsNetworksWithoutCase(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"ERC20", "erc20", "Erc20"} {
		c, ok := coin.Lookup("usdt", network)
		require.True(t, ok)
		require.Equal(t, "ERC20", c.Network, "written as clients compare it")
	}
	for _, miss := range [][2]string{
		{"usdt", "Mainnet"}, {"USDT", "ERC20"}, {"xmr", ""}, {"", "Mainnet"}, {"xmr", "ERC20"}, {"xmr ", "Mainnet"},
	} {
		_, ok := coin.Lookup(miss[0], miss[1])
		require.False(t, ok, miss)
	}
}

func TestRegisterIsComplete(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range coin.All() {
		require.False(t, seen[c.Key()], c.Key())
		seen[c.Key()] = true
		require.Equal(t, c, lookup(t, c.Key()))
		require.Equal(t, strings.ToLower(c.Ticker), c.Ticker)
		require.NotEmpty(t, c.Name)
		require.Positive(t, c.Decimals)
		require.Equal(t, "/images/coins/"+c.Ticker+".svg", c.Image)
		require.Contains(t, string(c.Picture()), ">"+strings.ToUpper(c.Ticker)+"</text>")
		require.NotEmpty(t, valid(c.Key()), "an address of every coin is in the tables")
	}
	require.Equal(t, "xmr", coin.All()[0].Ticker)
}

func TestCoinsAreTheirNamesInJSON(t *testing.T) {
	t.Parallel()
	for _, c := range coin.All() {
		b, err := json.Marshal(map[string]coin.Coin{"coin": c})
		require.NoError(t, err)
		require.Equal(t, `{"coin":"`+c.Key()+`"}`, string(b))
		var back map[string]coin.Coin
		require.NoError(t, json.Unmarshal(b, &back))
		require.Equal(t, c, back["coin"])
		require.NoError(t, back["coin"].CheckAddress(valid(c.Key())[0], coin.Main))
	}
	var c coin.Coin
	for _, text := range []string{`"ltc"`, `"dash:Mainnet"`, `""`, `7`, `{}`} {
		require.Error(t, json.Unmarshal([]byte(text), &c), text)
	}
	require.ErrorIs(t, c.CheckAddress(valid("btc:Mainnet")[0], coin.Main), coin.ErrAddress, "no coin has no addresses")
}

func TestAmountsAreExact(t *testing.T) {
	t.Parallel()
	ltc, xmr := lookup(t, "ltc:Mainnet"), lookup(t, "xmr:Mainnet")
	n, err := money.MustDecimal("1.23456789").ToAtomic(ltc.Decimals)
	require.NoError(t, err)
	require.EqualValues(t, 123456789, n)
	require.Equal(t, "1.23456789", money.FromAtomic(123456789, ltc.Decimals).String())
	require.Equal(t, "0.000000000001", money.FromAtomic(1, xmr.Decimals).String())
	require.Equal(t, "18446744.073709551615", money.FromAtomic(1<<64-1, xmr.Decimals).String())

	for text, want := range map[string]error{
		"0.00000001": nil, "20": nil, "0.10": nil, "0.000000001": money.ErrDecimals, "0": money.ErrRange,
		"-1": money.ErrRange, "1000000000001": money.ErrRange,
	} {
		require.ErrorIs(t, ltc.CheckAmount(money.MustDecimal(text)), want, text)
	}
	_, err = money.MustDecimal("0.000000001").ToAtomic(ltc.Decimals)
	require.ErrorIs(t, err, money.ErrDecimals)
	for _, text := range []string{"-0.00000001", "184467440737.09551616"} {
		_, err = money.MustDecimal(text).ToAtomic(ltc.Decimals)
		require.ErrorIs(t, err, money.ErrRange, text)
	}
}

func TestFindTakesWhatPeopleWrite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ticker, network, want string }{
		{"xmr", "", "xmr:Mainnet"}, {"XMR", "", "xmr:Mainnet"}, {"usdt", "", "usdt:ERC20"}, {"usdt", "trc20", "usdt:TRC20"},
		{"USDT:trc20", "", "usdt:TRC20"}, {"usdt:", "", "usdt:ERC20"},
		{"", "", ""}, {":", "", ""}, {"none", "", ""}, {"usdt:TRC20", "ERC20", ""}, {"xmr", "ERC20", ""}, {"xmr ", "", ""}, {"xmr:Mainnet:", "", ""},
	} {
		found, ok := coin.Find(c.ticker, c.network)
		require.Equal(t, c.want != "", ok, "%s %s", c.ticker, c.network)
		if ok {
			require.Equal(t, c.want, found.Key())
		}
	}
	for _, c := range coin.All() {
		found, ok := coin.Find(c.Symbol(), "")
		require.True(t, ok, c.Key())
		require.Equal(t, c, found)
	}
}

func TestMagicDistinguishesNetworks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key  string
		net  coin.Net
		want string
	}{
		{"ltc:Mainnet", coin.Main, "fbc0b6db"}, {"ltc:Mainnet", coin.Regtest, "fabfb5da"},
		{"btc:Mainnet", coin.Main, "f9beb4d9"}, {"btc:Mainnet", coin.Regtest, "fabfb5da"},
	} {
		magic, known := lookup(t, c.key).Magic(c.net)
		require.True(t, known, c.key)
		require.Equal(t, c.want, hex.EncodeToString(magic[:]), c.key)
	}
	for _, key := range []string{"xmr:Mainnet", "eth:ERC20", "bch:Mainnet"} {
		_, known := lookup(t, key).Magic(coin.Main)
		require.False(t, known, key)
	}
}
