package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/durapay/durapay/e2e/merchant"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/config"
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
// with very many, of which so many are in the wallet itself: the few are of
// customers, the others rewards of blocks.
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
	if err := b.fixture.reap(ctx, b.sizes.pastReal-b.sizes.pastFew); err != nil {
		return err
	}
	if err := b.fixture.insertCharges(ctx, s.id, b.sizes.past-b.sizes.pastReal); err != nil {
		return err
	}
	if err := b.fixture.exec(ctx, "VACUUM ANALYZE charges", "VACUUM ANALYZE received_payments"); err != nil {
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
		ratio: ratioText(ratio), bar: fmt.Sprintf("a scan ≤ %.1f times", scanBar), met: ratio <= scanBar,
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
	before, err := w.received(ctx)
	if err != nil {
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
	if err != nil {
		return err
	}
	return w.settle(ctx, before+transactions*regtest.MaxOutputs)
}

// reap has the live wallet earn so many rewards of blocks. Each is an output
// of its own like any other that the wallet received, and takes milliseconds to
// make, where a transaction takes a second.
func (w *fixture) reap(ctx context.Context, blocks int) error {
	list, err := config.LoadWallets(filepath.Join(w.stack.Dir(), "secrets", "wallets.json"))
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(e config.WalletEntry) bool { return e.ID == liveWallet })
	before, err := w.received(ctx)
	if err != nil {
		return err
	}
	// Blocks come faster while nobody scans each of them.
	if err := w.stack.StopPart(ctx, "worker"); err != nil {
		return err
	}
	begun, told := time.Now(), time.Now()
	miner := regtest.NewChain(w.urls["MONEROD_RPC_URL"], list[at].PrimaryAddress)
	for left := blocks; left > 0; left -= reapedAtOnce {
		if err := miner.Mine(ctx, min(left, reapedAtOnce)); err != nil {
			return err
		}
		if time.Since(told) > 15*time.Second {
			told = time.Now()
			progressf("%s of %s blocks are made", thousands(blocks-left), thousands(blocks))
		}
	}
	progressf("%s blocks were made in %s", thousands(blocks), time.Since(begun).Round(time.Second))
	if err := w.up(ctx); err != nil {
		return err
	}
	return w.settle(ctx, before+blocks)
}

// reapedAtOnce is after how many blocks progress may be said.
const reapedAtOnce = 500

// received is how many payments the database has of the live wallet's.
func (w *fixture) received(ctx context.Context) (n int, err error) {
	err = w.db.QueryRow(ctx, "SELECT count(*) FROM received_payments WHERE wallet_id = $1 AND height > 1", liveWallet).Scan(&n)
	return n, err
}

// settle waits until the watcher has so many payments, and buries them deeper
// than it looks back.
func (w *fixture) settle(ctx context.Context, payments int) error {
	for {
		n, err := w.received(ctx)
		if err != nil {
			return err
		}
		if n >= payments {
			return w.chain.Mine(ctx, deepDownBlocks)
		}
		if err := pause(ctx, time.Second); err != nil {
			return err
		}
	}
}

// deepDownBlocks are more than a watcher looks back.
const deepDownBlocks = 130

// scanCost starts the worker anew and measures its scans.
func (w *fixture) scanCost(ctx context.Context, listen time.Duration) (scanned, error) {
	// Hints would come between scans, and polls would rest.
	defer w.hear()
	if err := w.stack.StopPart(ctx, "worker"); err != nil {
		return scanned{}, err
	}
	w.env["WATCH_INTERVAL"], w.env["MONEROD_ZMQ_ADDRESS"] = restlessly, ""
	before := w.watch.bytes.Load()
	if err := w.up(ctx); err != nil {
		return scanned{}, err
	}
	if err := w.watched(ctx, liveScanned); err != nil {
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
	w.hear()
	return cost, w.up(ctx)
}

// hear has the worker look as it does by itself again, from its next start on.
func (w *fixture) hear() {
	delete(w.env, "WATCH_INTERVAL")
	delete(w.env, "MONEROD_ZMQ_ADDRESS")
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

func (b *bench) scanAddresses() int { return scanCharges }
