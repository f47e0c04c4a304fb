package chain_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/jsonrpc"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

type moneroFixture struct {
	stack    *stack.Stack
	daemon   *monero.Daemon
	customer *monero.Wallet
	reward   string
}

func startMonero(t *testing.T) *bench {
	t.Helper()
	s := startStack(t, "wallet-customer", "wallet-exchange-spend")
	options := unhurried()
	w := &moneroFixture{
		stack:    s,
		daemon:   monero.NewDaemon(monero.Endpoint{URL: s.Env()["MONEROD_RPC_URL"]}, options),
		customer: monero.NewWallet(monero.Endpoint{URL: s.Env()["CUSTOMER_WALLET_RPC_URL"]}, options),
	}
	reward, _, err := w.customer.AddressAt(t.Context(), 0)
	require.NoError(t, err)
	w.reward = reward
	return newBench(t, s, w, coinFacts{
		ticker: "xmr", atomic: uint64(money.OneXMR) / 10,
		parts: []string{"monerod", "wallet-exchange-spend"},
	})
}

func (w *moneroFixture) customerAddress(t *testing.T) string {
	t.Helper()
	made, err := w.customer.CreateAddresses(t.Context(), 1)
	require.NoError(t, err)
	return made[0].Address
}

func (w *moneroFixture) refresh(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		_, err := w.customer.Refresh(t.Context())
		return err == nil
	}, maxWait, 50*time.Millisecond)
}

func (w *moneroFixture) received(t *testing.T, txHash, address string) uint64 {
	t.Helper()
	w.refresh(t)
	transfers, err := w.customer.TransfersOf(t.Context(), txHash)
	require.NoError(t, err)
	var sum uint64
	for _, tr := range transfers {
		if at, _, err := w.customer.AddressAt(t.Context(), tr.SubaddressIndex); err == nil && at == address {
			sum += uint64(tr.Amount)
		}
	}
	return sum
}

func (w *moneroFixture) transfer(t *testing.T, address string, amount uint64, from uint32) transaction {
	t.Helper()
	w.refresh(t)
	tx, err := w.customer.Transfer(t.Context(), []monero.Destination{{Address: address, Amount: money.Piconero(amount)}}, []uint32{from})
	require.NoError(t, err)
	return transaction{hash: tx.Hash, raw: tx.BlobHex}
}

func (w *moneroFixture) pay(t *testing.T, address string, amount uint64) transaction {
	t.Helper()
	tx := w.transfer(t, address, amount, 0)
	w.send(t, tx)
	return tx
}

// rivals spends the one output of a fresh subaddress twice.
func (w *moneroFixture) rivals(t *testing.T, first, second string, amount uint64) (a, b transaction) {
	t.Helper()
	made, err := w.customer.CreateAddresses(t.Context(), 1)
	require.NoError(t, err)
	w.pay(t, made[0].Address, 2*amount)
	w.mine(t, 1) // until it is in a block
	w.mine(t, 10)
	return w.transfer(t, first, amount, made[0].Index), w.transfer(t, second, amount, made[0].Index)
}

func (w *moneroFixture) send(t *testing.T, tx transaction) {
	t.Helper()
	require.NoError(t, w.daemon.Relay(t.Context(), tx.raw))
}

// mine continues until the pool is empty, because the daemon mines transactions
// that it has relayed, which it does in a separate thread.
func (w *moneroFixture) mine(t *testing.T, n int) {
	t.Helper()
	_, err := w.daemon.GenerateBlocks(t.Context(), w.reward, uint64(n))
	require.NoError(t, err)
	for begun := time.Now(); ; {
		info, err := w.daemon.Info(t.Context())
		require.NoError(t, err)
		if info.PoolSize == 0 {
			return
		}
		require.Less(t, time.Since(begun), maxWait, "%d transactions are not mined", info.PoolSize)
		_, err = w.daemon.GenerateBlocks(t.Context(), w.reward, 1)
		require.NoError(t, err)
	}
}

func (w *moneroFixture) pop(t *testing.T, n int) {
	t.Helper()
	_, err := w.daemon.PopBlocks(t.Context(), uint64(n))
	require.NoError(t, err)
}

// replace drops tx from the pool, if it is there, and sends the rival.
func (w *moneroFixture) replace(t *testing.T, tx transaction, rival *transaction) {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":"0","method":"flush_txpool","params":{"txids":[%q]}}`, tx.hash)
	resp, err := http.Post(w.stack.Env()["MONEROD_RPC_URL"]+"/json_rpc", "application/json", bytes.NewBufferString(body))
	require.NoError(t, err)
	defer resp.Body.Close()
	var answer struct {
		Result struct {
			Status string `json:"status"`
		} `json:"result"`
	}
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&answer))
	require.Equal(t, "OK", answer.Result.Status)
	w.send(t, *rival)
}

// raised skips the test: Monero has no such feature.
func (w *moneroFixture) raised(t *testing.T, _ string, _ uint64) (first, second transaction) {
	t.Helper()
	t.Skip("the fee of a payment cannot be raised")
	return first, second
}

// lock sends with an unlock time.
func (w *moneroFixture) lock(t *testing.T, address string, amount uint64) transaction {
	t.Helper()
	w.refresh(t)
	info, err := w.daemon.Info(t.Context())
	require.NoError(t, err)
	var made struct {
		Hash string `json:"tx_hash"`
	}
	w.call(t, w.stack.Env()["CUSTOMER_WALLET_RPC_URL"], "transfer", map[string]any{
		"destinations": []map[string]any{{"address": address, "amount": amount}}, "unlock_time": info.Height + 80,
	}, &made)
	w.mine(t, 1)
	return transaction{hash: made.Hash}
}

// call makes calls for which the clients have no method.
func (w *moneroFixture) call(t *testing.T, url, method string, params, out any) {
	t.Helper()
	client := jsonrpc.New(jsonrpc.Process{
		Name: method, URL: url, HTTP: &http.Client{}, Answers: func(int) bool { return false },
		Unavailable: monero.ErrUnavailable, Login: monero.ErrLogin, Response: monero.ErrResponse,
	}, unhurried())
	require.NoError(t, client.RPC(t.Context(), jsonrpc.Call{Method: method, Params: params, Long: true}, "/json_rpc", out), method)
}

// mineWithout skips the test: monerod's blocks contain the whole pool. A double
// spend in a longer chain leaves a payment in the pool, see package e2e.
func (w *moneroFixture) mineWithout(t *testing.T, _ transaction, n int) {
	t.Helper()
	w.mine(t, n) // the chain must become as long as it was
	t.Skip("the daemon mines what is in its pool")
}
