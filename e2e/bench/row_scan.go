package main

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/e2e/merchant"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/money"
)

const (
	// scanBar is how much more a scan may cost with many payments in the past.
	scanBar = 1.20
	// scanCharges get all payments in turn. Each gets less than it asks for, so
	// that its payments wait for a payout for ever.
	scanCharges = 150
	scanXMR     = "0.0000001"
	// restlessly is the pause between two scans while they are counted.
	restlessly = "1ms"
	// settling is until what a part does after its start is done.
	settling = 15 * time.Second
)

// scanned is what scans of a wallet cost.
type scanned struct {
	// perSecond is how many calls the watcher makes when it scans without a
	// pause: as many for each scan, so fewer when scans take longer. yardstick is
	// how many simple questions daemon and database answered in a second meanwhile:
	// the two measurements lie far apart, and the machine may be busier in one.
	perSecond, yardstick float64
	// bytes is what the wallet answered to the initial scans of a worker.
	bytes int64
}

// scan compares scans of a wallet with few payments behind it with scans of one
// with very many, of which so many are in the wallet itself.
func (b *bench) scan(ctx context.Context) error {
	s, err := b.fixture.openShop(ctx, nil)
	if err != nil {
		return err
	}
	charges, err := s.charges(ctx, scanCharges)
	if err != nil {
		return err
	}
	if err := b.fixture.receive(ctx, charges, b.sizes.pastFew); err != nil {
		return err
	}
	few, err := b.fixture.scanCost(ctx, b.sizes.rest)
	if err != nil {
		return err
	}
	if err := b.fixture.receive(ctx, charges, b.sizes.pastReal-b.sizes.pastFew); err != nil {
		return err
	}
	if err := b.insertCharges(ctx, s.id, 0, b.sizes.past-b.sizes.pastReal); err != nil {
		return err
	}
	many, err := b.fixture.scanCost(ctx, b.sizes.rest)
	if err != nil {
		return err
	}
	ratio := (few.perSecond / few.yardstick) / (many.perSecond / many.yardstick)
	behind := fmt.Sprintf("%s payments behind it, %s in the wallet", thousands(b.sizes.past), thousands(b.sizes.pastReal))
	b.table.add(row{
		measure: "wallet RPC calls of scans without a pause, " + behind, value: perSecond(many.perSecond),
		reference: fmt.Sprintf("with %s: %s; yardstick %s, then %s",
			thousands(b.sizes.pastFew), perSecond(few.perSecond), perSecond(few.yardstick), perSecond(many.yardstick)),
		ratio:     ratioText(ratio), bar: fmt.Sprintf("a scan ≤ %.1f times", scanBar), met: ratio <= scanBar,
	})
	ratio = float64(many.bytes) / float64(few.bytes)
	b.table.add(row{
		measure: "what a wallet answers to a worker's initial scans, " + behind, value: thousands(int(many.bytes)) + " bytes",
		reference: fmt.Sprintf("with %s: %s bytes", thousands(b.sizes.pastFew), thousands(int(few.bytes))),
		ratio:     ratioText(ratio), bar: fmt.Sprintf("≤ %.1f times", scanBar), met: ratio <= scanBar,
	})
	return nil
}

// receive has customers send so many payments, one to each of several charges
// in a transaction, and waits until the watcher has seen them.
func (w *fixture) receive(ctx context.Context, charges []merchant.Charge, payments int) error {
	amount, err := money.ParseXMR(scanXMR)
	if err != nil {
		return err
	}
	var before, now int
	const seen = "SELECT count(*) FROM received_payments WHERE wallet_id = $1 AND height > 1"
	if err := w.db.QueryRow(ctx, seen, liveWallet).Scan(&before); err != nil {
		return err
	}
	transactions := payments / regtest.MaxOutputs
	err = w.payMany(ctx, transactions, func(i int) []regtest.Output {
		list := make([]regtest.Output, regtest.MaxOutputs)
		for n := range list {
			list[n] = regtest.Output{Address: charges[(i*regtest.MaxOutputs+n)%len(charges)].Subaddress, Amount: amount}
		}
		return list
	})
	for err == nil && now < before+transactions*regtest.MaxOutputs {
		if err = pause(ctx, time.Second); err == nil {
			err = w.db.QueryRow(ctx, seen, liveWallet).Scan(&now)
		}
	}
	if err != nil {
		return err
	}
	// Deep enough to be nobody's business any more.
	return w.chain.Mine(ctx, deepDownBlocks)
}

// deepDownBlocks are more than a watcher looks back.
const deepDownBlocks = 130

// scanCost starts the worker anew and measures its scans.
func (w *fixture) scanCost(ctx context.Context, listen time.Duration) (scanned, error) {
	defer func() { w.env["WATCH_INTERVAL"] = "1s" }()
	if err := w.stack.StopPart(ctx, "worker"); err != nil {
		return scanned{}, err
	}
	w.env["WATCH_INTERVAL"] = restlessly
	before := w.watch.bytes.Load()
	if err := w.up(ctx); err != nil {
		return scanned{}, err
	}
	if err := w.watched(ctx, "SELECT COALESCE(scanned_at, 'epoch') FROM wallets WHERE id = '"+liveWallet+"'"); err != nil {
		return scanned{}, err
	}
	cost := scanned{bytes: w.watch.bytes.Load() - before}
	if err := pause(ctx, settling); err != nil {
		return cost, err
	}
	calls, begun := w.watch.calls.Load(), time.Now()
	answers, err := w.ask(ctx, listen)
	if err != nil {
		return cost, err
	}
	cost.yardstick = float64(answers) / time.Since(begun).Seconds()
	cost.perSecond = float64(w.watch.calls.Load()-calls) / time.Since(begun).Seconds()
	w.env["WATCH_INTERVAL"] = "1s"
	return cost, w.up(ctx)
}

// ask asks daemon and database in turn, each for what costs it nothing, and
// returns how often both have answered.
func (w *fixture) ask(ctx context.Context, listen time.Duration) (answers int, err error) {
	for begun := time.Now(); time.Since(begun) < listen; answers++ {
		if _, err := w.chain.Height(ctx); err != nil {
			return answers, err
		}
		if _, err := w.db.Exec(ctx, "SELECT 1"); err != nil {
			return answers, err
		}
		if err := pause(ctx, time.Millisecond); err != nil {
			return answers, err
		}
	}
	return answers, nil
}
