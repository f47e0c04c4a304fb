package utxo_test

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/jsonrpc"
	"github.com/durapay/durapay/internal/utxo"
)

const unknownHash = "5c831d5e03fca34a5529034a0bc4c4f06cc23425dbf71bbcc954046f5d9a113b"

// TestOnLitecoind runs the scenarios on one daemon, one after another. The last
// ones stop it.
func TestOnLitecoind(t *testing.T) {
	t.Parallel()
	s := stack.ForTest(t, stack.Options{Parts: []string{"litecoind"}})
	for _, scenario := range []struct {
		name string
		run  func(*testing.T, *stack.Stack)
	}{
		{"chain", scenarioChain},
		{"logins and wallets", scenarioLogins},
		{"payment", scenarioPayment},
		{"errors", scenarioErrors},
		{"locks", scenarioLocks},
		{"encrypted wallet", scenarioEncrypted},
		{"daemon stands still", scenarioPaused},
		{"daemon is down", scenarioDown},
	} {
		if !t.Run(scenario.name, func(t *testing.T) { scenario.run(t, s) }) {
			return
		}
	}
}

// maxWait is the time that tests wait on a busy machine.
const maxWait = 8 * time.Minute

// unhurried returns options with which calls wait however busy the machine is.
func unhurried() utxo.Options { return utxo.Options{CallTimeout: maxWait} }

func open(t *testing.T, s *stack.Stack, o utxo.Options) *utxo.Client {
	t.Helper()
	c, err := utxo.New(utxo.Endpoint{URL: s.Env()["LITECOIN_RPC_URL"]}, o)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func scenarioChain(t *testing.T, s *stack.Stack) {
	c, ctx := open(t, s, unhurried()), t.Context()
	info, err := c.Info(ctx)
	require.NoError(t, err)
	require.Equal(t, "regtest", info.Chain)
	require.False(t, info.Syncing)
	require.Equal(t, info.Headers, info.Blocks)
	hash, err := c.BlockHash(ctx, info.Blocks)
	require.NoError(t, err)
	require.Equal(t, info.BestHash, hash)
	height, err := c.BlockHeight(ctx, hash)
	require.NoError(t, err)
	require.Equal(t, info.Blocks, height)
	_, err = c.BlockHash(ctx, info.Blocks+1)
	require.ErrorIs(t, err, utxo.ErrNotFound)
	_, err = c.BlockHeight(ctx, unknownHash)
	require.ErrorIs(t, err, utxo.ErrNotFound)
	_, ok, err := c.TxIndex(ctx)
	require.NoError(t, err)
	require.True(t, ok)
	_, err = c.FeeRate(ctx, 6)
	require.ErrorIs(t, err, utxo.ErrNotFound, "a young chain has no fees to estimate from")
	least, err := c.MinFeeRate(ctx)
	require.NoError(t, err)
	require.Equal(t, utxo.Amount(1000), least)
	scanning, err := c.IsScanning(ctx)
	require.NoError(t, err)
	require.False(t, scanning)
}

func scenarioLogins(t *testing.T, s *stack.Stack) {
	at := "http://" + s.Addr("litecoind")
	for name, c := range map[string]struct {
		at   utxo.Endpoint
		want error
	}{
		"no login":       {utxo.Endpoint{URL: at}, utxo.ErrLogin},
		"wrong password": {utxo.Endpoint{URL: at, Login: "durapay:a-secret"}, utxo.ErrLogin},
		"unknown wallet": {utxo.Endpoint{URL: s.Env()["LITECOIN_RPC_URL"], Wallet: "nobody's"}, utxo.ErrUnavailable},
	} {
		stranger, err := utxo.New(c.at, unhurried())
		require.NoError(t, err)
		_, err = stranger.Balances(t.Context())
		require.ErrorIs(t, err, c.want, name)
		require.NotContains(t, err.Error(), "a-secret")
		stranger.Close()
	}
	for _, bad := range []string{"", "127.0.0.1:1", "http://", ":"} {
		_, err := utxo.New(utxo.Endpoint{URL: bad}, utxo.Options{})
		require.Error(t, err, bad)
	}
	login, err := os.ReadFile(s.Dir() + "/secrets/litecoin-login")
	require.NoError(t, err)
	c, err := utxo.New(utxo.Endpoint{URL: at, Login: strings.TrimSpace(string(login)), Wallet: "customer"}, unhurried())
	require.NoError(t, err)
	defer c.Close()
	has, err := c.Balances(t.Context())
	require.NoError(t, err)
	require.Positive(t, has.Trusted)
}

// coin returns the customer's largest coin.
func coin(t *testing.T, c *utxo.Client) utxo.Unspent {
	t.Helper()
	list, err := c.Unspent(t.Context(), 1)
	require.NoError(t, err)
	require.NotEmpty(t, list)
	return slices.MaxFunc(list, func(a, b utxo.Unspent) int { return cmp.Compare(a.Amount, b.Amount) })
}

func scenarioPayment(t *testing.T, s *stack.Stack) {
	c, ctx := open(t, s, unhurried()), t.Context()
	to, err := c.NewAddress(ctx)
	require.NoError(t, err)
	path, err := c.KeyPath(ctx, to)
	require.NoError(t, err)
	require.Regexp(t, `^m/`, path)
	from := coin(t, c)
	raw, fee, err := c.Create(ctx, utxo.Spend{Coins: []utxo.Coin{from.Coin}, Payees: []utxo.Payee{{Address: to, Amount: utxo.OneCoin}}, FeeRate: 10_000})
	require.NoError(t, err)
	tx, err := c.Decode(ctx, raw)
	require.NoError(t, err)
	require.Equal(t, []utxo.Coin{from.Coin}, tx.Inputs)
	require.Len(t, tx.Outputs, 2)
	require.Equal(t, []string{to}, tx.Outputs[0].Addresses)
	require.Equal(t, from.Amount, tx.Outputs[0].Value+tx.Outputs[1].Value+fee)
	script, err := c.Script(ctx, strings.ToUpper(to))
	require.NoError(t, err)
	require.Equal(t, tx.Outputs[0].Script, script, "another spelling of the same address")

	require.NoError(t, c.TestAccept(ctx, raw))
	_, err = c.Transaction(ctx, tx.Hash)
	require.ErrorIs(t, err, utxo.ErrNotFound)
	for range 2 {
		require.NoError(t, c.Send(ctx, raw), "again is harmless")
	}
	pool, err := c.InPool(ctx, tx.Hash)
	require.NoError(t, err)
	require.True(t, pool)
	for withPool, want := range map[bool]bool{true: false, false: true} {
		unspent, err := c.IsUnspent(ctx, from.Coin, withPool)
		require.NoError(t, err)
		require.Equal(t, want, unspent)
	}
	hashes, err := c.Generate(ctx, to, 2)
	require.NoError(t, err)
	require.NoError(t, c.Send(ctx, raw), "again is harmless when it was mined")
	found, err := c.Transaction(ctx, tx.Hash)
	require.NoError(t, err)
	require.Equal(t, hashes[0], found.BlockHash)
	require.EqualValues(t, 2, found.Confirmations)
	list, err := c.ReceivedBy(ctx, tx.Hash)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, utxo.OneCoin, list[0].Amount)
	require.EqualValues(t, 2, list[0].Confirmations)
}

func scenarioErrors(t *testing.T, s *stack.Stack) {
	c, ctx := open(t, s, unhurried()), t.Context()
	from := coin(t, c)
	to, err := c.NewAddress(ctx)
	require.NoError(t, err)
	spend := utxo.Spend{Coins: []utxo.Coin{from.Coin}, Payees: []utxo.Payee{{Address: to, Amount: utxo.OneCoin}}, FeeRate: 10_000}
	for name, test := range map[string]struct {
		change func(*utxo.Spend)
		want   error
	}{
		"address":      {func(s *utxo.Spend) { s.Payees[0].Address = "LTC" }, utxo.ErrAddress},
		"too much":     {func(s *utxo.Spend) { s.Payees[0].Amount = from.Amount + 1 }, utxo.ErrNotEnoughMoney},
		"no fee left":  {func(s *utxo.Spend) { s.Payees[0].Amount = from.Amount }, utxo.ErrNotEnoughMoney},
		"dust":         {func(s *utxo.Spend) { s.Payees[0].Amount = 10 }, utxo.ErrTooSmall},
		"fee eats all": {func(s *utxo.Spend) { s.Payees[0].Amount, s.SubtractFee = 600, true }, utxo.ErrTooSmall},
	} {
		changed := spend
		changed.Payees = slices.Clone(spend.Payees)
		test.change(&changed)
		_, _, err := c.Create(ctx, changed)
		require.ErrorIs(t, err, test.want, name)
	}
	require.ErrorIs(t, c.Send(ctx, "00"), utxo.ErrRefused)
	_, err = c.Script(ctx, "LTC")
	require.ErrorIs(t, err, utxo.ErrAddress)
	_, err = c.ReceivedBy(ctx, unknownHash)
	require.ErrorIs(t, err, utxo.ErrNotFound)
	require.ErrorIs(t, c.Abandon(ctx, unknownHash), utxo.ErrNotFound)
	var rpc *jsonrpc.MethodError
	require.ErrorAs(t, c.Abandon(ctx, unknownHash), &rpc)
	require.Equal(t, "abandontransaction", rpc.Method)
	require.NotContains(t, rpc.Message, unknownHash)
}

func scenarioLocks(t *testing.T, s *stack.Stack) {
	c, ctx := open(t, s, unhurried()), t.Context()
	held := coin(t, c)
	require.NoError(t, c.Lock(ctx, nil))
	unknown := utxo.Coin{TxHash: unknownHash, Output: 1}
	for range 2 {
		require.NoError(t, c.Lock(ctx, []utxo.Coin{unknown, held.Coin, {TxHash: held.TxHash, Output: 999}}), "the others are passed over")
	}
	locked, err := c.Locked(ctx)
	require.NoError(t, err)
	require.Equal(t, []utxo.Coin{held.Coin}, locked)
	require.NotEqual(t, held.Coin, coin(t, c).Coin)
	require.NoError(t, c.Unlock(ctx, held.Coin))
	require.NoError(t, c.Lock(ctx, []utxo.Coin{held.Coin}))
	for range 2 {
		require.NoError(t, c.UnlockAll(ctx))
	}
	locked, err = c.Locked(ctx)
	require.NoError(t, err)
	require.Empty(t, locked)
}

func scenarioPaused(t *testing.T, s *stack.Stack) {
	var failing atomic.Bool
	c := open(t, s, utxo.Options{
		CallTimeout: 500 * time.Millisecond, BreakerFailures: 2, BreakerPause: time.Millisecond,
		Observe: func(_ string, err error) { failing.Store(err != nil) },
	})
	require.NoError(t, s.Pause("litecoind"))
	// After the signal it takes a while until every thread has stopped.
	require.Eventually(t, func() bool {
		for range 4 {
			if _, err := c.Info(t.Context()); !errors.Is(err, utxo.ErrUnavailable) || !failing.Load() {
				return false
			}
		}
		return true
	}, maxWait, time.Millisecond)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Info(gone)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, utxo.ErrUnavailable)
	require.NoError(t, s.Resume("litecoind"))
	require.Eventually(t, func() bool { _, err := c.Info(t.Context()); return err == nil }, maxWait, 10*time.Millisecond)
}

func scenarioDown(t *testing.T, s *stack.Stack) {
	c := open(t, s, unhurried())
	require.NoError(t, s.Kill("litecoind"))
	for _, ask := range []func() error{
		func() error { _, err := c.Info(t.Context()); return err },
		func() error { _, err := c.NewAddress(t.Context()); return err },
		func() error { return c.Send(t.Context(), "00") },
	} {
		err := ask()
		require.ErrorIs(t, err, utxo.ErrUnavailable)
		require.NotErrorIs(t, err, utxo.ErrRefused)
	}
}
