package e2e

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/alert"
)

// TestDoubleSpendsInABlockOfMonero takes a block back, in which there are payouts of
// merchants and trades, and a deposit.
func TestDoubleSpendsInABlockOfMonero(t *testing.T) {
	t.Parallel()
	f := forkedStacks.take(t)
	lostSweep, movedSweep := f.openForkedPayout(t, "0.2"), f.openForkedPayout(t, "0.3")
	lost, moved, deposit := f.deal(t, "ltc", "0.3"), f.deal(t, "ltc", "0.4"), f.deal(t, "xmr", "0.25")
	f.pay(t, lost)
	f.pay(t, moved)
	require.NoError(t, f.fork.Part(within(t)))

	// All are built of what both chains have.
	lostSweep.send(t)
	movedSweep.send(t)
	require.NoError(t, f.Coins.Mine(within(t), 2))
	lostTx, movedTx := f.awaitSent(t, lost), f.awaitSent(t, moved)
	f.pay(t, deposit)
	require.NoError(t, f.Chain.Mine(within(t), 1)) // as deep as nothing is settled by
	for _, hash := range []string{lostTx, movedTx, deposit.deposit, *lostSweep.TxHash, *movedSweep.TxHash} {
		f.requireMined(t, hash)
	}
	f.await(t, deposit, "confirming")

	f.give(t, movedTx, *movedSweep.TxHash)
	to, err := f.Customer.Address(within(t))
	require.NoError(t, err)
	foreignTxs := lostSweep.takeBack(t, to)
	made, err := f.copyOf("exchange").TakeBack(within(t), lostTx, to)
	require.NoError(t, err)
	foreignTxs = append(foreignTxs, made...)
	_, err = f.copyOf("customer").TakeBack(within(t), deposit.deposit, to)
	require.NoError(t, err)
	require.NoError(t, f.fork.Outgrow(within(t), 1))
	require.NoError(t, f.fork.Join(within(t)))
	for _, hash := range []string{lostTx, deposit.deposit, *lostSweep.TxHash} {
		f.requireKept(t, hash)
	}

	f.recover(t, foreignTxs, "live", "exchange-xmr-Mainnet")
	lostSweep.checkLost(t)
	movedSweep.checkKept(t)
	f.until(t, moved.TradeID, "completed")
	f.requirePaidOnce(t, moved)
	f.checkLostPayout(t, lost, lostTx, "sending")
	f.checkLostDeposit(t, deposit)
	f.requireKept(t, deposit.deposit)
	f.payAgain(t, deposit)
}

// recover runs the operator's command after a third party has spent from wallets of
// the service. Before it, these wallets send nothing and give out no address.
func (f *forked) recover(t *testing.T, foreignTxs []string, wallets ...string) {
	t.Helper()
	for _, wallet := range wallets {
		f.awaitNotice(t, alert.SafeMode, wallet)
	}
	command := []string{"admin", "--json", "recover", "--apply"}
	for _, hash := range foreignTxs {
		command = append(command, "--accept-unknown", hash)
	}
	eventually(t, "safe mode ends", func(ctx context.Context) error {
		_, err := f.Stack.Durapay(ctx, command...)
		return err
	})
}

// awaitSent waits for the payout of a trade, and until the next block takes it.
func (f *forked) awaitSent(t *testing.T, d *deal) (txHash string) {
	t.Helper()
	txHash = *f.await(t, d, "sending").Payout
	if d.to == "xmr" {
		f.awaitPassedOn(t, txHash)
	}
	return txHash
}

// give lets the second daemon mine transactions that this one has mined.
func (f *forked) give(t *testing.T, hashes ...string) {
	t.Helper()
	for _, hash := range hashes {
		blob, err := f.Chain.Blob(within(t), hash)
		require.NoError(t, err)
		require.NoError(t, f.fork.There().Send(within(t), blob))
	}
	for _, hash := range hashes {
		require.NoError(t, f.fork.There().MineInto(within(t), hash))
	}
}

// checkLostPayout requires that a payout whose coins another transaction spends is
// neither made again by itself nor forgotten: the worker opens an alert, and an
// operator gives the payout up once it can never be mined. Then the customer is
// paid, once. The trade keeps its status until the operator does that.
func (f *forked) checkLostPayout(t *testing.T, d *deal, lost, status string) {
	t.Helper()
	shown, err := f.operate(within(t), "show", d.TradeID)
	require.NoError(t, err)
	require.Len(t, shown.Payments, 1)
	number := fmt.Sprint(shown.Payments[0].ID)
	f.awaitNotice(t, alert.TradePaymentStuck, d.TradeID+"/"+number)
	tried := false
	eventually(t, "an operator may give the payout up", func(context.Context) error {
		now := f.look(t, d.TradeID)
		require.Equal(t, status, now.Status)
		if tried && (now.Payout == nil || *now.Payout != lost) {
			return nil // it was given up, and the answer was lost
		}
		require.Equal(t, lost, *now.Payout, "nothing else is sent")
		f.mineBoth(t)
		tried = true
		return f.follow(t, "double-spend.md", "trades release NUMBER", number)
	})
	eventually(t, "it is sent anew", func(context.Context) error {
		now := f.look(t, d.TradeID)
		if now.Payout == nil || *now.Payout == lost {
			return errors.New(now.Status)
		}
		return nil
	})
	f.until(t, d.TradeID, "completed")
	if d.to == "xmr" {
		f.requireKept(t, lost)
		d.void = lost
	}
	f.untilPaidOnce(t, d)
}

// untilPaidOnce adds blocks until the trade has one transaction, which is deep,
// and nothing else arrived.
func (f *forked) untilPaidOnce(t *testing.T, d *deal) {
	t.Helper()
	conn := f.database(t)
	eventually(t, "the trade is paid once", func(ctx context.Context) error {
		made, err := fixture.ReadTrade(ctx, conn, d.TradeID)
		if faults := made.PaidOnce(f.seen(t, d)); err == nil && len(faults) > 0 {
			f.mineBoth(t)
			err = fmt.Errorf("%v", faults)
		}
		return err
	})
	f.requirePaidOnce(t, d)
}

// checkLostDeposit says of a deposit that was spent otherwise before it counted
// that nothing is paid for it, however many blocks there are.
func (f *forked) checkLostDeposit(t *testing.T, d *deal) {
	t.Helper()
	require.NoError(t, f.Chain.Mine(within(t), deepXMR+2))
	require.NoError(t, f.Coins.Mine(within(t), deepXMR+2))
	f.awaitScans(t)
	require.Equal(t, "awaiting_deposit", f.look(t, d.TradeID).Status)
	f.requireNoTradePayment(t, d)
}

// payAgain pays another deposit in place of a lost one, and requires that the trade completes.
func (f *forked) payAgain(t *testing.T, d *deal) {
	t.Helper()
	f.pay(t, d)
	f.until(t, d.TradeID, "completed")
	f.requirePaidOnce(t, d)
}

// awaitScans waits until the watchers have seen what both chains are now.
func (f *forked) awaitScans(t *testing.T) {
	t.Helper()
	conn := f.database(t)
	var now time.Time
	require.NoError(t, conn.QueryRow(within(t), "SELECT now()").Scan(&now))
	eventually(t, "both wallets are scanned", func(ctx context.Context) error {
		var behind int
		err := conn.QueryRow(ctx, "SELECT count(*) FROM wallets w JOIN chains c ON c.id = w.chain_id WHERE w.role = 'exchange' AND (c.scanned_at IS NULL OR c.scanned_at < $1::timestamptz + interval '2 seconds')", now).Scan(&behind)
		if err == nil && behind > 0 {
			err = fmt.Errorf("%d are not", behind)
		}
		return err
	})
}

// TestDoubleSpendsIn3BlocksOfLitecoin takes three blocks of Litecoin back.
func TestDoubleSpendsIn3BlocksOfLitecoin(t *testing.T) {
	t.Parallel()
	f := forkedStacks.take(t)
	require.NoError(t, f.coinsFork.Join(within(t)))
	paid, moved := f.deal(t, "xmr", "0.2"), f.deal(t, "xmr", "0.22")
	f.pay(t, paid)
	f.pay(t, moved)
	require.NoError(t, f.Chain.MineInto(within(t), moved.deposit))
	require.NoError(t, f.Chain.MineInto(within(t), paid.deposit))
	require.NoError(t, f.coinsFork.Part(within(t)))

	deep, shallow := f.deal(t, "ltc", "0.32"), f.deal(t, "ltc", "0.31")
	// Outputs that the customer received after the fork cannot be spent on the other chain.
	rivals := []string{f.payRevocably(t, deep)}
	require.NoError(t, f.Coins.Mine(within(t), 2))
	f.awaitSent(t, deep)
	require.NoError(t, f.Chain.Mine(within(t), deepXMR))
	paidTx, movedTx := f.awaitSent(t, paid), f.awaitSent(t, moved)
	rivals = append(rivals, f.payRevocably(t, shallow))
	require.NoError(t, f.Coins.Mine(within(t), 1))
	f.await(t, shallow, "confirming")

	other := f.litecoinTakesBack(t, paidTx, movedTx, rivals)
	f.recover(t, []string{other}, "exchange-ltc-Mainnet")
	f.awaitNotice(t, alert.TradeUnbacked, deep.TradeID)
	f.until(t, moved.TradeID, "completed")
	f.requirePaidOnce(t, moved)
	f.checkLostPayout(t, paid, paidTx, "sending")
	f.checkLostDeposit(t, shallow)
	f.payAgain(t, shallow)
	require.Contains(t, []string{"sending", "completed"}, f.look(t, deep.TradeID).Status)
	f.requirePaidOnce(t, deep)
}

// litecoinTakesBack lets the other chain, which both daemons then follow, hold one
// payout, another transaction in place of the other payout, and the customer's
// rival transactions in place of the deposits.
func (f *forked) litecoinTakesBack(t *testing.T, paidTx, movedTx string, rivals []string) (other string) {
	t.Helper()
	require.NoError(t, f.coinsFork.Give(within(t), movedTx))
	require.NoError(t, f.coinsFork.Outgrow(within(t), 0))
	other, err := f.coinsFork.TakeBack(within(t), paidTx, "exchange", f.ltcAddress(t))
	require.NoError(t, err)
	for _, rival := range rivals {
		require.NoError(t, f.coinsFork.Send(within(t), rival))
	}
	require.NoError(t, f.coinsFork.Outgrow(within(t), 2))
	require.NoError(t, f.coinsFork.Join(within(t)))
	return other
}

// deepDeposit is a deposit that lay deep, and was answered, before it was lost.
type deepDeposit struct {
	f *forked
	d *deal
}

func (f *forked) openDeepDeposit(t *testing.T) *deepDeposit {
	t.Helper()
	return &deepDeposit{f, f.deal(t, "xmr", "0.26")}
}

func (p *deepDeposit) answer(t *testing.T) {
	t.Helper()
	p.f.awaitSent(t, p.d)
	require.NoError(t, p.f.Coins.Mine(within(t), 2))
	p.f.await(t, p.d, "completed")
}

func (p *deepDeposit) check(t *testing.T) {
	t.Helper()
	p.f.requireKept(t, p.d.deposit)
	p.f.awaitNotice(t, alert.TradeUnbacked, p.d.TradeID)
	require.Equal(t, "completed", p.f.look(t, p.d.TradeID).Status)
	p.f.requirePaidOnce(t, p.d)
}
