package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/secret"
)

// bourse is a running exchange with a customer on both chains.
type bourse struct {
	*testbed

	litecoin string
	// litecoind is between the worker and the daemon of Litecoin, where the stack has that.
	litecoind *proxy
}

// get calls the exchange.
func (b *bourse) get(t *testing.T, path string, query url.Values, key string, into any) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/api/v1/"+path+"?"+query.Encode(), nil)
	require.NoError(t, err)
	req.Header.Set("Idempotency-Key", key)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, "1", res.Header.Get("X-SWAP-API-Version"))
	if into != nil {
		require.NoError(t, json.Unmarshal(text, into), string(text))
	}
	return res.StatusCode, string(text)
}

// swap is a trade as clients see it.
type swap struct {
	TradeID  string  `json:"trade_id"`
	Status   string  `json:"status"`
	Rate     string  `json:"rate"`
	Deposit  string  `json:"address_provider"`
	Detail   string  `json:"status_detail"`
	Received string  `json:"amount_received"`
	Paid     *string `json:"deposit_tx_hash"`
	Payout   *string `json:"payout_tx_hash"`
	Refund   *string `json:"refund_tx_hash"`
}

func (b *bourse) trade(t *testing.T, from, to, amount, address, refund string) swap {
	t.Helper()
	return b.newTrade(t, url.Values{
		"ticker_from": {from}, "ticker_to": {to}, "network_from": {"Mainnet"}, "network_to": {"Mainnet"},
		"amount_from": {amount}, "address": {address}, "refund": {refund},
	})
}

// newTrade makes a trade. If the exchange answers that it may work later, because
// other tests have taken every deposit address that is ready, newTrade repeats the
// request with the same key, which makes one trade.
func (b *bourse) newTrade(t *testing.T, query url.Values) (made swap) {
	t.Helper()
	key := secret.NewTradeID()
	eventually(t, "the trade is made", func(context.Context) error {
		status, body := b.get(t, "new_trade", query, key, nil)
		if status >= http.StatusInternalServerError {
			return errors.New(body)
		}
		require.Equal(t, http.StatusCreated, status, body)
		return json.Unmarshal([]byte(body), &made)
	})
	return made
}

// mineBoth adds a block to each chain. It only logs an error, because a waiting
// test mines further blocks until its condition is met.
func (b *bourse) mineBoth(t *testing.T) {
	t.Helper()
	if err := errors.Join(b.Chain.Mine(within(t), 1), b.Stack.MineLitecoin(within(t), 1)); err != nil {
		t.Log(err)
	}
}

func (b *bourse) look(t *testing.T, id string) swap {
	t.Helper()
	var found []swap
	eventually(t, "the trade is looked up", func(context.Context) error {
		status, body := b.get(t, "trade", url.Values{"id": {id}}, "", nil)
		if status >= http.StatusInternalServerError {
			return errors.New(body)
		}
		require.Equal(t, http.StatusOK, status, body)
		return json.Unmarshal([]byte(body), &found)
	})
	require.Len(t, found, 1)
	return found[0]
}

// grow waits for a condition, and adds a block to both chains whenever a second has
// passed without it, so that the services see each.
func (b *bourse) grow(t *testing.T, what string, check func() error) {
	t.Helper()
	last := time.Now()
	eventually(t, what, func(context.Context) error {
		err := check()
		if err != nil && time.Since(last) > time.Second {
			b.mineBoth(t)
			last = time.Now()
		}
		return err
	})
}

// until waits for a status, letting both chains grow meanwhile.
func (b *bourse) until(t *testing.T, id, status string) (now swap) {
	t.Helper()
	b.grow(t, "the trade is "+status, func() error {
		if now = b.look(t, id); now.Status == status {
			return nil
		}
		require.NotContains(t, []string{"completed", "refunded", "failed"}, now.Status, "%+v", now)
		return fmt.Errorf("%+v", now)
	})
	return now
}

// ltc calls the customer's Litecoin wallet.
func (b *bourse) ltc(t *testing.T, into any, method string, params ...any) {
	t.Helper()
	callLitecoin(t, b.litecoin, into, method, params...)
}

// callLitecoin calls the wallet at a URL.
func callLitecoin(t *testing.T, at string, into any, method string, params ...any) {
	t.Helper()
	if params == nil {
		params = []any{}
	}
	call, err := json.Marshal(map[string]any{"method": method, "params": params})
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, bytes.NewReader(call))
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  any             `json:"error"`
	}
	require.NoError(t, json.NewDecoder(res.Body).Decode(&answer))
	require.Nil(t, answer.Error, method)
	require.NoError(t, json.Unmarshal(answer.Result, into))
}

func (b *bourse) ltcAddress(t *testing.T) (address string) {
	t.Helper()
	b.ltc(t, &address, "getnewaddress")
	return address
}

// ltcReceived is what an address of the customer got, pool included.
func (b *bourse) ltcReceived(t *testing.T, address string) string {
	t.Helper()
	var amount json.Number
	b.ltc(t, &amount, "getreceivedbyaddress", address, 0)
	return money.MustDecimal(amount.String()).String()
}

func (b *bourse) payLTC(t *testing.T, address, amount string) (hash string) {
	t.Helper()
	b.ltc(t, &hash, "sendtoaddress", address, json.Number(amount))
	return hash
}

func pays(t *testing.T, s swap, amount string, decimals int32) string {
	t.Helper()
	return money.MustDecimal(amount).Mul(money.MustDecimal(s.Rate)).Floor(decimals).String()
}

func TestSwapOfMoneroForLitecoin(t *testing.T) {
	t.Parallel()
	b := fullStacks.take(t).bourse
	refund, err := b.Customer.Address(t.Context())
	require.NoError(t, err)
	payee := b.ltcAddress(t)
	made := b.trade(t, "xmr", "ltc", "0.5", payee, refund)
	require.Equal(t, "pending", made.Status)
	require.Equal(t, "awaiting_deposit", b.look(t, made.TradeID).Status)
	amount, err := money.PiconeroFromXMR(money.MustDecimal("0.4"))
	require.NoError(t, err)
	_, err = b.Customer.Pay(t.Context(), fixture.Output{Address: made.Deposit, Amount: amount})
	require.NoError(t, err)
	done := b.until(t, made.TradeID, "completed")
	require.Equal(t, "0.4", done.Received)
	require.Equal(t, pays(t, made, "0.4", 8), b.ltcReceived(t, payee), "what came × the locked rate")
	require.NotNil(t, done.Payout)
	require.Nil(t, done.Refund)
}

func TestSwapOfLitecoinForMonero(t *testing.T) {
	t.Parallel()
	b := fullStacks.take(t).bourse
	payee, err := b.Customer.Address(t.Context())
	require.NoError(t, err)
	made := b.trade(t, "ltc", "xmr", "1", payee, b.ltcAddress(t))
	b.payLTC(t, made.Deposit, "1")
	done := b.until(t, made.TradeID, "completed")
	require.NotNil(t, done.Payout)
	require.Equal(t, "1", done.Received)
}

func TestSwapBelowTheMinimumIsSentBack(t *testing.T) {
	t.Parallel()
	b := fullStacks.take(t).bourse
	payee, err := b.Customer.Address(t.Context())
	require.NoError(t, err)
	refund := b.ltcAddress(t)
	made := b.trade(t, "ltc", "xmr", "1", payee, refund)
	b.payLTC(t, made.Deposit, "0.04")
	done := b.until(t, made.TradeID, "refunded")
	require.Contains(t, done.Detail, "below the minimum")
	back := money.MustDecimal(b.ltcReceived(t, refund))
	require.Positive(t, back.Sign())
	require.Negative(t, back.Cmp(money.MustDecimal("0.04")), "less the chain fee")
	require.NotNil(t, done.Refund)
	require.Nil(t, done.Payout)
}
