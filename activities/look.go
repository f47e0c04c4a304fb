package activities

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres/db"
)

// look is one watcher's memory between two looks.
type look struct {
	watcher  *Watcher
	walletID string
	wallet   *monero.Wallet
	// settled is set once a look has covered everything that is not paid out;
	// until then, and after a reorg until the next block, looks are wide.
	settled bool
}

// windowDepth is how many blocks below the tip a narrow look covers: deeper
// payments only move in a reorg, which widens the look.
const windowDepth = 20

// signalBatch bounds how many charges are told between two looks.
const signalBatch = 1000

// chainTip is the chain as far as the wallet has scanned it.
type chainTip struct {
	height int64
	hash   string
	// behind is how many blocks of the daemon the wallet has not scanned.
	behind int64
}

// once looks at the wallet, stores what changed and tells whom it concerns.
func (l *look) once(ctx context.Context) error {
	store := l.watcher.Store
	before, err := store.GetWallet(ctx, l.walletID)
	if err != nil {
		return err
	}
	tip, err := l.tip(ctx, before)
	if err != nil {
		return err
	}
	changes, err := l.observe(ctx, before, tip)
	if err != nil {
		return err
	}
	if err := store.Tx(ctx, func(q *db.Queries) error { return changes.apply(ctx, q) }); err != nil {
		return err
	}
	l.watcher.Looked(l.walletID, tip.behind, changes.now)
	if tip.hash != before.TopHash {
		if err := l.tellPayouts(ctx); err != nil {
			return err
		}
	}
	return l.tellCharges(ctx)
}

// tip brings the wallet up to the daemon's chain. The wallet notices a reorg
// only while it scans, so a new top block is always scanned.
func (l *look) tip(ctx context.Context, before db.Wallet) (chainTip, error) {
	info, err := l.watcher.Daemon.Info(ctx)
	if err != nil {
		return chainTip{}, err
	}
	top := chainTip{height: int64(info.Height), hash: info.TopHash}
	if l.settled && top.height == before.ChainHeight && top.hash == before.TopHash {
		return top, nil
	}
	if _, err := l.wallet.Refresh(ctx); err != nil {
		return chainTip{}, err
	}
	scanned, err := l.wallet.Height(ctx)
	if err != nil || int64(scanned) >= top.height {
		return top, err
	}
	top.behind = top.height - int64(scanned)
	top.height = int64(scanned)
	top.hash, err = l.watcher.Daemon.BlockHash(ctx, scanned-1)
	return top, err
}

// observe compares what the wallet shows with what is stored.
func (l *look) observe(ctx context.Context, before db.Wallet, tip chainTip) (*changes, error) {
	from, err := l.windowStart(ctx, before, tip)
	if err != nil {
		return nil, err
	}
	entries, err := l.wallet.Transfers(ctx, uint64(from), true)
	if err != nil {
		return nil, err
	}
	stored, err := l.watcher.Store.TransfersInWindow(ctx, db.TransfersInWindowParams{WalletID: l.walletID, MinHeight: from})
	if err != nil {
		return nil, err
	}
	c := &changes{
		walletID: l.walletID, before: before, tip: tip,
		now: l.watcher.Clock().UTC().Truncate(time.Millisecond),
	}
	if err := c.sort(ctx, l.watcher.Store, entries, stored); err != nil {
		return nil, err
	}
	return c, l.confirmGone(ctx, c)
}

// windowStart is the height above which the look asks for payments.
func (l *look) windowStart(ctx context.Context, before db.Wallet, tip chainTip) (int64, error) {
	// Counted from the last look, not from the tip: the chain may have grown by
	// more than the window since.
	narrow := max(min(tip.height, before.ChainHeight)-windowDepth, 0)
	if l.settled {
		reorg, err := l.reorganised(ctx, before, tip)
		if err != nil || !reorg {
			return narrow, err
		}
	}
	lowest, err := l.watcher.Store.LowestUnpaidHeight(ctx, l.walletID)
	if err != nil {
		return 0, err
	}
	// After a reorg the wallet shows old heights until the next block, so the
	// looks stay wide until one finds the chain unchanged.
	l.settled = tip.height > before.ChainHeight || tip.hash == before.TopHash
	return max(min(narrow, lowest-1), 0), nil
}

// reorganised says whether the last block that was looked at is gone.
func (l *look) reorganised(ctx context.Context, before db.Wallet, tip chainTip) (bool, error) {
	if before.TopHash == "" || before.TopHash == tip.hash {
		return false, nil
	}
	if before.ChainHeight >= tip.height {
		return true, nil
	}
	hash, err := l.watcher.Daemon.BlockHash(ctx, uint64(before.ChainHeight-1))
	return hash != before.TopHash, err
}

// confirmGone keeps only those payments among the missing that the daemon
// does not know either: between two blocks the wallet may show a payment
// neither in the pool nor in a block.
func (l *look) confirmGone(ctx context.Context, c *changes) error {
	if len(c.missing) == 0 {
		return nil
	}
	hashes := make([]string, 0, len(c.missing))
	for _, t := range c.missing {
		hashes = append(hashes, t.TxHash)
	}
	states, err := l.watcher.Daemon.Transactions(ctx, hashes)
	if err != nil {
		return err
	}
	for i, t := range c.missing {
		if states[i].State == monero.Missed {
			c.gone = append(c.gone, t)
		}
	}
	return nil
}

// tellCharges sends the signals that are noted and forgets each once the
// engine has it.
func (l *look) tellCharges(ctx context.Context) error {
	store := l.watcher.Store
	pending, err := store.PendingChargeSignals(ctx, db.PendingChargeSignalsParams{WalletID: l.walletID, Limit: signalBatch})
	if err != nil {
		return err
	}
	for _, p := range pending {
		if err := l.watcher.SignalCharge(ctx, p.ChargeID); err != nil {
			return err
		}
		if err := store.DropChargeSignal(ctx, db.DropChargeSignalParams{ChargeID: p.ChargeID, Version: p.Version}); err != nil {
			return err
		}
	}
	return nil
}

// tellPayouts lets every payout that waits for confirmations look again. A
// signal that is lost here is made up for by the next block's.
func (l *look) tellPayouts(ctx context.Context) error {
	open, err := l.watcher.Store.OpenPayouts(ctx, l.walletID)
	if err != nil {
		return err
	}
	for _, id := range open {
		if err := l.watcher.SignalPayout(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
