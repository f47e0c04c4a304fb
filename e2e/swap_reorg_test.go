package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/utxo"
)

// deepXMR is the depth at which the chain lets Monero be spent.
const deepXMR = 10

// TestReorgBeforeTheFill takes deposits away that are not deep enough yet: nothing
// is paid for them, until they are back or another one comes.
func TestReorgBeforeTheFill(t *testing.T) {
	t.Parallel()
	b := newMarket(t, fullStacks.take(t).bourse)
	t.Run("a deposit in Litecoin that another transaction takes back", func(t *testing.T) {
		d := b.deal(t, "ltc", "0.31")
		rival := b.payRevocably(t, d)
		require.NoError(t, b.Coins.Mine(within(t), 1))
		b.await(t, d, "confirming")
		b.rewriteLitecoin(t, 1, rival)
		require.Equal(t, "0", b.await(t, d, "awaiting_deposit").Received)
		b.requireNoTradePayment(t, d)

		b.pay(t, d) // once more, for good
		b.await(t, d, "deposit_detected")
		b.until(t, d.TradeID, "completed")
		b.requirePaidOnce(t, d)
	})
	t.Run("a deposit in Litecoin that comes into another block", func(t *testing.T) {
		d := b.deal(t, "ltc", "0.32")
		b.pay(t, d)
		require.NoError(t, b.Coins.Mine(within(t), 1))
		b.await(t, d, "confirming")
		require.NoError(t, b.Coins.Pop(within(t), 1))
		require.NoError(t, b.Coins.Mine(within(t), 2))
		b.await(t, d, "processing", "sending")
		b.until(t, d.TradeID, "completed")
		b.requirePaidOnce(t, d)
	})
	t.Run("a deposit in Monero that is lost, and sent again", func(t *testing.T) {
		d := b.deal(t, "xmr", "0.21")
		sent := b.payXMR(t, d)
		require.NoError(t, b.Chain.MineInto(within(t), sent.Hash))
		b.await(t, d, "confirming")
		b.rewriteMonero(t, 1, sent)
		require.Equal(t, "0", b.await(t, d, "awaiting_deposit").Received)
		b.requireNoTradePayment(t, d)

		require.NoError(t, b.Chain.Send(within(t), sent.Blob))
		// The wallet does not list in the pool what it has seen there before; the
		// daemon does.
		b.await(t, d, "deposit_detected")
		require.NoError(t, b.Chain.MineInto(within(t), sent.Hash))
		b.await(t, d, "confirming")
		b.until(t, d.TradeID, "completed")
		b.requirePaidOnce(t, d)
	})
}

// TestReorgAfterTheFill takes deposits away that were answered already: the
// exchange bears the loss, says so, and pays nothing twice.
func TestReorgAfterTheFill(t *testing.T) {
	t.Parallel()
	b := newMarket(t, fullStacks.take(t).bourse)
	t.Run("while the payout waits for its block", b.rewriteWhileSending)
	t.Run("after the trade is completed", b.rewriteCompleted)
}

func (b *pairSetup) rewriteWhileSending(t *testing.T) {
	before := b.settled(t)
	d := b.deal(t, "xmr", "0.25")
	bottom, err := b.Chain.Height(within(t))
	require.NoError(t, err)
	sent := b.payXMR(t, d)
	require.NoError(t, b.Chain.MineInto(within(t), sent.Hash))
	require.NoError(t, b.Chain.Mine(within(t), deepXMR-1))
	b.await(t, d, "sending")
	top, err := b.Chain.Height(within(t))
	require.NoError(t, err)
	b.rewriteMonero(t, int(top-bottom), sent)
	b.awaitNotice(t, alert.TradeUnbacked, d.TradeID)
	require.Equal(t, "sending", b.look(t, d.TradeID).Status, "what was sent stays sent")
	require.NoError(t, b.Coins.Mine(within(t), 2))
	b.await(t, d, "completed")
	paid, fee := b.requirePaidOnce(t, d)
	b.awaitHoldings(t, vault{"xmr": before["xmr"], "ltc": before["ltc"].Sub(paid).Sub(fee)})

	// The deposit comes back after all: it is the one that was answered.
	require.NoError(t, b.Chain.Send(within(t), sent.Blob))
	require.NoError(t, b.Chain.MineInto(within(t), sent.Hash))
	require.NoError(t, b.Chain.Mine(within(t), deepXMR-1))
	b.awaitNoNotice(t, alert.TradeUnbacked, d.TradeID)
	b.requirePaidOnce(t, d)
	b.awaitHoldings(t, vault{"xmr": before["xmr"].Add(money.MustDecimal(d.amount)), "ltc": before["ltc"].Sub(paid).Sub(fee)})
}

func (b *pairSetup) rewriteCompleted(t *testing.T) {
	before := b.settled(t)
	d := b.deal(t, "ltc", "0.35")
	rival := b.payRevocably(t, d)
	require.NoError(t, b.Coins.Mine(within(t), 2))
	b.until(t, d.TradeID, "completed")
	depth, err := b.Coins.Confirmations(within(t), d.deposit)
	require.NoError(t, err)
	b.rewriteLitecoin(t, int(depth), rival)
	b.awaitNotice(t, alert.TradeUnbacked, d.TradeID)
	require.Equal(t, "completed", b.look(t, d.TradeID).Status)
	paid, fee := b.requirePaidOnce(t, d)
	b.awaitHoldings(t, vault{"ltc": before["ltc"], "xmr": before["xmr"].Sub(paid).Sub(fee)})
}

// settled are the holdings once every earlier trade is at rest.
func (b *pairSetup) settled(t *testing.T) vault {
	t.Helper()
	require.NoError(t, b.Chain.Mine(within(t), deepXMR))
	require.NoError(t, b.Coins.Mine(within(t), 2))
	conn := b.database(t)
	var since time.Time
	require.NoError(t, conn.QueryRow(within(t), "SELECT now()").Scan(&since))
	eventually(t, "both wallets are looked at", func(ctx context.Context) error {
		var looked int
		err := conn.QueryRow(ctx, "SELECT count(*) FROM wallets WHERE balance_current_at > $1", since).Scan(&looked)
		if err == nil && looked != 2 {
			err = fmt.Errorf("%d are", looked)
		}
		return err
	})
	now, err := holdings(within(t), conn)
	require.NoError(t, err)
	return now
}

func (b *pairSetup) awaitHoldings(t *testing.T, want vault) {
	t.Helper()
	conn := b.database(t)
	eventually(t, "the exchange bears it", func(ctx context.Context) error {
		got, err := holdings(ctx, conn)
		if err == nil && (got["ltc"].Cmp(want["ltc"]) != 0 || got["xmr"].Cmp(want["xmr"]) != 0) {
			err = fmt.Errorf("the wallets hold %v, not %v", got, want)
		}
		return err
	})
}

// payXMR makes the deposit of a trade, and keeps its bytes.
func (b *pairSetup) payXMR(t *testing.T, d *deal) fixture.Sent {
	t.Helper()
	sent, err := b.Customer.Pay(within(t), fixture.Output{Address: d.Deposit, Amount: xmr(d.amount)})
	require.NoError(t, err)
	d.deposit = sent.Hash
	b.awaitPassedOn(t, sent.Hash)
	return sent
}

// rewriteMonero replaces the last blocks by one more that do not hold a
// transaction, which is forgotten altogether.
func (b *pairSetup) rewriteMonero(t *testing.T, blocks int, without fixture.Sent) {
	t.Helper()
	require.NoError(t, b.Chain.Pop(within(t), blocks))
	require.NoError(t, b.Chain.Forget(within(t), without.Hash))
	require.NoError(t, b.Chain.Mine(within(t), blocks+1))
	found, err := b.Chain.Where(within(t), without.Hash)
	require.NoError(t, err)
	require.Equal(t, monero.Missed, found.State)
}

// payRevocably makes the deposit of a trade with a coin that the returned
// transaction pays back to the customer.
func (b *pairSetup) payRevocably(t *testing.T, d *deal) (rival string) {
	t.Helper()
	amount, err := utxo.ParseAmount(d.amount)
	require.NoError(t, err)
	const fee = 10_000
	coin := b.oldCoin(t, 2*amount)
	sign := func(to string) string {
		outputs := []map[string]utxo.Amount{{to: amount}, {b.ltcAddress(t): coin.Amount - amount - fee}}
		var draft string
		b.ltc(t, &draft, "createrawtransaction", []utxo.Coin{coin.Coin}, outputs, 0, true)
		var signed struct {
			Hex string `json:"hex"`
		}
		b.ltc(t, &signed, "signrawtransactionwithwallet", draft)
		return signed.Hex
	}
	deposit := sign(d.Deposit)
	rival = sign(b.ltcAddress(t))
	b.ltc(t, &d.deposit, "sendrawtransaction", deposit)
	return rival
}

// oldCoin is a coin of the customer that no rewriting of the chain here takes
// away.
func (b *pairSetup) oldCoin(t *testing.T, least utxo.Amount) utxo.Unspent {
	t.Helper()
	wallet, err := utxo.New(utxo.Endpoint{URL: b.litecoin}, utxo.Options{CallTimeout: maxWait})
	require.NoError(t, err)
	defer wallet.Close()
	coins, err := wallet.Unspent(within(t), 100)
	require.NoError(t, err)
	for _, c := range coins {
		if c.Amount > least {
			return c
		}
	}
	require.Fail(t, "the customer has no old coin left")
	return utxo.Unspent{}
}

// rewriteLitecoin replaces the last blocks by one more in which the rival
// stands in place of the transaction that it takes back: it counts as if it
// paid much more.
func (b *pairSetup) rewriteLitecoin(t *testing.T, blocks int, rival string) {
	t.Helper()
	require.NoError(t, b.Coins.Pop(within(t), blocks))
	var decoded struct {
		Hash string `json:"txid"`
	}
	b.ltc(t, &decoded, "decoderawtransaction", rival)
	var done any
	b.ltc(t, &done, "prioritisetransaction", decoded.Hash, 0, 1_000_000)
	b.ltc(t, &done, "sendrawtransaction", rival)
	require.NoError(t, b.Coins.Mine(within(t), blocks+1))
}

func (b *pairSetup) requireNoTradePayment(t *testing.T, d *deal) {
	t.Helper()
	var made int
	require.NoError(t, b.database(t).QueryRow(within(t), "SELECT count(*) FROM trade_payment_states WHERE trade_id = $1", d.TradeID).Scan(&made))
	require.Zero(t, made, "nothing is even planned")
}

// requirePaidOnce requires that the trade has one transaction, that it is on the
// chain, and that only that one arrived.
func (b *pairSetup) requirePaidOnce(t *testing.T, d *deal) (paid, fee money.Decimal) {
	t.Helper()
	return b.checkPayout(t, b.database(t), d)
}
