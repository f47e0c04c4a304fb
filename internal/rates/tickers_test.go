package rates

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
)

const krakenUSD = `{"error":[],"result":{"XXMRZUSD":{"a":["331.37000000","4","4.000"],"b":["331.23000000","1","1.000"],
"c":["331.25000000","0.10155000"],"v":["1580.21373419","8206.57024125"],"p":["330.31514735","327.20331206"],"t":[2311,9842],
"l":["326.69000000","318.80000000"],"h":["334.50000000","336.12000000"],"o":"328.50000000"}}}`

const bitfinexUSD = `[331.12,97.45712013,331.4,88.9035618,-3.31,-0.0099,331.05,1201.5544381,337.2,319.01]`

const exmoAll = `{"BTC_USD":{"buy_price":"1","sell_price":"2","last_trade":"589.06","high":"602.082","low":"584.51011695","avg":"591.14698808","vol":"167.59763535","vol_curr":"99095.17162071","updated":1470250973},
"XMR_USD":{"buy_price":"330.7","sell_price":"331.9","last_trade":"331.81000001","high":"338.5","low":"317.2","avg":"327.1","vol":"412.1","vol_curr":"136738.1","updated":1763712000},
"XMR_EUR":{"buy_price":"285.1","sell_price":"286.2","last_trade":"285.9","high":"292","low":"274","avg":"283","vol":"91.4","vol_curr":"26131.2","updated":1763712001}}`

func krakenEUR() string {
	return strings.NewReplacer("XXMRZUSD", "XXMRZEUR", `"331.25000000"`, `"285.12345678"`).Replace(krakenUSD)
}

func requireQuote(t *testing.T, want, got Quote) {
	t.Helper()
	require.Zero(t, want.Price.Cmp(got.Price), "price %s", got.Price)
	require.Zero(t, want.ChangePercent24h.Cmp(got.ChangePercent24h), "change %s", got.ChangePercent24h)
	require.Zero(t, want.High24h.Cmp(got.High24h), "high %s", got.High24h)
	require.Zero(t, want.Low24h.Cmp(got.Low24h), "low %s", got.Low24h)
}

func quote(price, change, high, low string) Quote {
	return Quote{
		Price: money.MustDecimal(price), ChangePercent24h: money.MustDecimal(change),
		High24h: money.MustDecimal(high), Low24h: money.MustDecimal(low),
	}
}

func TestParseKraken(t *testing.T) {
	t.Parallel()
	got, err := parseKraken([]byte(krakenUSD), xmrIn(money.USD))
	require.NoError(t, err)
	requireQuote(t, quote("331.25", "0.84", "336.12", "318.8"), got)
	require.Equal(t, "331.23 331.37", got.Bid.Round(2).String()+" "+got.Ask.Round(2).String())
	require.True(t, got.At.IsZero())

	got, err = parseKraken([]byte(krakenEUR()), xmrIn(money.EUR))
	require.NoError(t, err)
	require.Equal(t, "285.12345678", got.Price.String(), "digit for digit")

	_, err = parseKraken([]byte(krakenUSD), xmrIn(money.EUR))
	require.ErrorIs(t, err, ErrTicker, "another pair is not taken")
}

func TestParseBitfinex(t *testing.T) {
	t.Parallel()
	got, err := parseBitfinex([]byte(bitfinexUSD), xmrIn(money.USD))
	require.NoError(t, err)
	requireQuote(t, quote("331.05", "-0.99", "337.2", "319.01"), got)
	require.Equal(t, "331.12 331.4", got.Bid.String()+" "+got.Ask.String())
}

func TestParseExmo(t *testing.T) {
	t.Parallel()
	got, err := parseExmo([]byte(exmoAll), xmrIn(money.USD))
	require.NoError(t, err)
	requireQuote(t, quote("331.81000001", "0", "338.5", "317.2"), got)
	require.Equal(t, "330.7 331.9", got.Bid.String()+" "+got.Ask.String())
	require.Equal(t, time.Unix(1763712000, 0), got.At)

	got, err = parseExmo([]byte(exmoAll), xmrIn(money.EUR))
	require.NoError(t, err)
	requireQuote(t, quote("285.9", "0", "292", "274"), got)
}

func TestParsersRefuseWhatIsNoTicker(t *testing.T) {
	t.Parallel()
	cut := func(s, old, replacement string) string {
		require.Contains(t, s, old)
		return strings.Replace(s, old, replacement, 1)
	}
	general := []string{"", "null", "{}", "[]", "1", `"x"`, "<html>", "{", "[1,2", "[null,null,null,null,null,null,null,null,null,null]"}
	for name, c := range map[string]struct {
		parse func([]byte, market) (Quote, error)
		bad   []string
	}{
		"kraken": {parseKraken, append([]string{
			`{"error":["EQuery:Unknown asset pair"]}`, `{"error":["EService:Unavailable"],` + krakenUSD[len(`{"error":[],`):],
			cut(krakenUSD, `["331.25000000","0.10155000"]`, `[]`), cut(krakenUSD, `"331.25000000"`, `"NaN"`),
			cut(krakenUSD, `"331.25000000"`, `null`), cut(krakenUSD, `"331.25000000"`, `"1e999"`), cut(krakenUSD, `"331.25000000"`, `" 331"`),
			cut(krakenUSD, `"331.25000000"`, `"331,25"`), cut(krakenUSD, `"331.25000000"`, `["331"]`),
			cut(krakenUSD, `"328.50000000"`, `"0"`), cut(krakenUSD, `["334.50000000","336.12000000"]`, `["334.5"]`),
		}, general...)},
		"bitfinex": {parseBitfinex, append([]string{
			`["error",10020,"symbol: invalid"]`, `[1,2,3]`, cut(bitfinexUSD, "331.05", "null"), cut(bitfinexUSD, "331.05", `"Infinity"`),
		}, general...)},
		"exmo": {parseExmo, append([]string{
			`{"result":false,"error":"Error 40016"}`, `{"XMR_USD":null}`, `{"XMR_USD":{}}`[:12] + `[]}`,
			cut(exmoAll, `"331.81000001"`, `""`), cut(exmoAll, `"331.81000001"`, `true`), cut(exmoAll, "1763712000", `"soon"`),
		}, general...)},
	} {
		for _, body := range c.bad {
			q, err := c.parse([]byte(body), xmrIn(money.USD))
			if err == nil {
				require.False(t, q.plausible(money.MinAmount), "%s: %s gave %s", name, body, q.Price)
				continue
			}
			require.ErrorIs(t, err, ErrTicker, "%s: %s", name, body)
		}
	}
}

func TestPlausible(t *testing.T) {
	t.Parallel()
	for price, want := range map[string]bool{
		"0": false, "-1": false, "0.009": false, "0.01": true, "331.25": true, "10000000": true, "10000000.01": false, "1e30": false,
	} {
		require.Equal(t, want, quote(price, "0", "1", "1").plausible(money.MinAmount), price)
	}
	require.False(t, quote("1", "0", "-1", "1").plausible(money.MinAmount))
	require.False(t, quote("1", "0", "1", "-1").plausible(money.MinAmount))
}

var numeral = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?`)

// fuzzParser checks that a usable price occurs in the answer, digit for digit.
func fuzzParser(f *testing.F, parse func([]byte, market) (Quote, error), seeds ...string) {
	f.Helper()
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, currency := range []money.Currency{money.USD, money.EUR} {
			q, err := parse(body, xmrIn(currency))
			if err != nil {
				require.ErrorIs(t, err, ErrTicker)
				continue
			}
			if !q.plausible(money.MinAmount) {
				continue
			}
			require.Positive(t, q.Price.Sign())
			require.True(t, slices.ContainsFunc(numeral.FindAllString(string(body), -1), func(text string) bool {
				d, err := money.ParseDecimal(text)
				return err == nil && d.Cmp(q.Price) == 0
			}), "%s is not in %s", q.Price, body)
		}
	})
}

func FuzzKraken(f *testing.F)   { fuzzParser(f, parseKraken, krakenUSD, krakenEUR(), `{"error":["x"]}`) }
func FuzzBitfinex(f *testing.F) { fuzzParser(f, parseBitfinex, bitfinexUSD, `["error",1,"x"]`) }
func FuzzExmo(f *testing.F)     { fuzzParser(f, parseExmo, exmoAll, `{"XMR_USD":{}}`) }
