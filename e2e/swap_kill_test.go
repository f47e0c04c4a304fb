package e2e

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/regtest"
)

// pairSetup is an exchange of which parts die.
type pairSetup struct {
	*bourse

	coins *regtest.Litecoin
	// opening is what the exchange held before the first trade.
	opening vault
	deals   []*deal
}

func troubledBourse() (*bourse, error) {
	daemon, err := startProxy()
	if err != nil {
		return nil, err
	}
	litecoind, err := startProxy()
	if err != nil {
		return nil, err
	}
	litecoind.methods = true
	house, err := providersFile()
	if err != nil {
		return nil, err
	}
	b, err := startExchange(settings(map[string]string{
		"MONEROD_RPC_URL": daemon.url, "EXCHANGE_LITECOIND_URL": litecoind.url, "SWAP_PROVIDERS_FILE": house,
	}), func(s *stack.Stack) {
		daemon.forwardTo(s.Addr("monerod"))
		litecoind.forwardTo(s.Addr("litecoind"))
	})
	if err == nil {
		b.daemon, b.litecoind = daemon, litecoind
	}
	return b, err
}

// openPair is the exchange before its first trade.
func openPair(t *testing.T) *pairSetup {
	t.Helper()
	b, err := troubledBourse()
	require.NoError(t, err)
	b.endWith(t)
	return newMarket(t, b)
}

// newMarket is an exchange before its first trade.
func newMarket(t *testing.T, b *bourse) *pairSetup {
	t.Helper()
	coins, err := regtest.NewLitecoin(within(t), b.litecoin)
	require.NoError(t, err)
	t.Cleanup(coins.Close)
	m := &pairSetup{bourse: b, coins: coins}
	conn := m.database(t)
	eventually(t, "both wallets are looked at", func(ctx context.Context) error {
		var looked int
		err := conn.QueryRow(ctx, "SELECT count(*) FROM exchange_wallets WHERE balance_current_at IS NOT NULL").Scan(&looked)
		if err == nil && looked != 2 {
			err = fmt.Errorf("%d are", looked)
		}
		return err
	})
	m.opening, err = holdings(within(t), conn)
	require.NoError(t, err)
	return m
}

// killDuringTrades kills a part while one trade waits for its deposit, the
// deposit of another is in the pool, that of a third in a block, a payout in
// either coin is built and not relayed, and another is relayed and not mined.
func (b *pairSetup) killDuringTrades(t *testing.T, part string) {
	sending := b.deal(t, "ltc", "0.3")
	b.pay(t, sending)
	require.NoError(t, b.coins.Mine(within(t), 2))
	b.awaitPassedOn(t, *b.await(t, sending, "sending").Payout)

	built := b.deal(t, "xmr", "0.14")
	b.pay(t, built)
	require.NoError(t, b.chain.MineInto(within(t), built.deposit))
	confirming := b.deal(t, "xmr", "0.11")
	b.pay(t, confirming)
	require.NoError(t, b.chain.MineInto(within(t), confirming.deposit))

	heldLTC := b.litecoind.holdBefore(sendMethod)
	require.NoError(t, b.chain.Mine(within(t), deepXMR-2)) // one block is missing to the later deposit
	wait(t, heldLTC.reached)
	b.await(t, confirming, "confirming")

	processing, held := b.deal(t, "ltc", "0.4"), b.daemon.holdBefore(relayPath)
	b.pay(t, processing)
	require.NoError(t, b.coins.Mine(within(t), 2))
	wait(t, held.reached)
	b.await(t, processing, "processing", "sending") // what is held long goes on

	detected := b.deal(t, "xmr", "0.12")
	b.pay(t, detected)
	b.await(t, detected, "deposit_detected")

	awaiting := b.deal(t, "xmr", "0.13")
	require.NoError(t, b.stack.Kill(part))
	close(held.release)
	close(heldLTC.release)
	b.restart(t, part)

	b.pay(t, awaiting)
	b.finish(t)
}

// restart starts a killed part and waits until the exchange works.
func (b *pairSetup) restart(t *testing.T, part string) {
	t.Helper()
	require.NoError(t, b.stack.StartPart(within(t), part))
	require.NoError(t, errors.Join(b.stack.WaitReady(within(t), "worker"), b.stack.WaitReady(within(t), "swap-api")))
}
