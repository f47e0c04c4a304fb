package watch

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/chain"
)

const (
	// PageBlocks is the default for the maximum number of blocks that one scan
	// reads.
	PageBlocks = 1000
	// droppedFor is the time for which a dropped payment is asked for. After that it
	// is only found once a block holds it. A pool keeps a transaction for three
	// days, and for a week after a reorganization.
	droppedFor = 7 * 24 * time.Hour
	// droppedPerScan bounds the dropped payments that a scan asks for, so that one
	// call suffices.
	droppedPerScan = 100
)

// Watcher follows one wallet. Its scans run one after another. A second Watcher
// of the same wallet does no harm.
type Watcher struct {
	Wallet chain.Receiver
	Store  Store
	Clock  func() time.Time
	// FromTip starts a wallet that was never scanned at the tip. Without it the chain is read
	// from its first block.
	FromTip bool
	// PageBlocks is the maximum number of blocks that one scan reads; 0 means the
	// constant PageBlocks.
	PageBlocks uint64
	// OlderFile is called when the wallet turns out to be older than the store. A
	// repair that continues after a crash does not call it again once the rescan is
	// recorded as due.
	OlderFile func(ctx context.Context) error

	// begun is true after the first scan, which starts at the settled blocks. So a start
	// costs as much as a reorganization.
	begun bool
	// known is true once the wallet showed that it has all addresses. It becomes
	// false after an error, because the wallet may have been restarted. It also
	// becomes false with each new block, because a restart between two scans causes
	// no error.
	known bool
	// stale is the tip of the last reorganization, until the block after it was
	// scanned.
	stale string
	// page is the number of blocks that the next scan reads. It is smaller after a
	// scan that took too long.
	page uint64
	// round is the progress with payments that wait for a block.
	round round
}

// Scan makes one pass and returns its result, which is stored by then. After an
// error nothing of the scan was stored, and the next call starts from the
// beginning.
func (w *Watcher) Scan(ctx context.Context) (Scanned, error) {
	before, err := w.Store.State(ctx)
	if err != nil {
		return Scanned{}, err
	}
	if before, err = w.repair(ctx, before); err != nil {
		return Scanned{}, err
	}
	s, err := w.scan(ctx, before)
	w.known = err == nil && !s.NewBlock()
	return s, err
}

func (w *Watcher) scan(ctx context.Context, before State) (Scanned, error) {
	if w.PageBlocks == 0 {
		w.PageBlocks = PageBlocks
	}
	if w.page == 0 {
		w.page = w.PageBlocks
	}
	tip, err := w.Wallet.Tip(ctx)
	if err != nil {
		return Scanned{}, err
	}
	read, err := w.spanOf(ctx, before, tip)
	if err != nil {
		return Scanned{}, err
	}
	received, err := w.read(ctx, &read, tip)
	if err != nil {
		return Scanned{}, err
	}
	found := Scanned{Before: before, Now: w.Clock().UTC().Truncate(time.Millisecond)}
	if found.After, found.Checkpoint, err = w.after(ctx, before, read); err != nil {
		return Scanned{}, err
	}
	found.After.ScannedAt = &found.Now
	round, err := w.compare(ctx, &found, read, received)
	if err != nil {
		return Scanned{}, err
	}
	found.Behind = tip.Height - min(read.to, tip.Height)
	found.More = round.unfinished() || found.Behind > 0
	if found.Behind > 0 && before.ScannedAt != nil {
		found.After.ScannedAt = before.ScannedAt
	}
	if err := w.Store.Save(ctx, found); err != nil {
		return Scanned{}, err
	}
	w.begun, w.stale, w.round = true, read.stale, round
	return found, nil
}

// read asks the wallet for the span. If a page takes too long, the next scan
// reads a smaller one, down to one block.
func (w *Watcher) read(ctx context.Context, s *span, tip chain.Tip) ([]chain.Received, error) {
	received, upTo, err := w.Wallet.Scan(ctx, s.from, s.to)
	if err != nil {
		if errors.Is(err, chain.ErrUnavailable) && s.from <= s.to {
			w.page = max(1, (s.to-s.from+1)/2)
		}
		return nil, err
	}
	w.page = min(w.PageBlocks, w.page*2)
	if upTo > s.to {
		s.to, s.top = min(upTo, tip.Height), tip.Hash
	}
	return received, nil
}

// compare finds the changes and the progress of the round. The daemon's answers
// count as of the scan's tip. If that tip left the chain in the meantime,
// compare discards them and returns ErrSuperseded.
func (w *Watcher) compare(ctx context.Context, found *Scanned, read span, received []chain.Received) (round, error) {
	seen := collect(received)
	next := w.round.enter(read.top, seen, found.Now)
	rows, dropped, err := w.rows(ctx, seen, read, found.Now, next)
	if err != nil {
		return next, err
	}
	ask, next := next.choose(seen, rows, dropped)
	if len(ask) == 0 {
		return next, nil
	}
	at, err := w.Wallet.Locate(ctx, ask)
	if err != nil {
		return next, err
	}
	located := make(map[string]chain.Location, len(ask))
	for i, txHash := range ask {
		located[txHash] = at[i]
		if at[i].State == chain.Mined && at[i].Height <= read.to {
			found.Located = append(found.Located, txHash)
		}
	}
	found.Changes = diff(seen, rows, located, read.to)
	switch now, err := w.Wallet.BlockHash(ctx, read.to); {
	case err != nil && !errors.Is(err, chain.ErrNotFound):
		return next, err
	case now != read.top:
		return next, ErrSuperseded
	}
	return next, nil
}

// rows returns the stored payments that the scan needs: those in its blocks,
// those that can still change, and those that the wallet shows. The last are
// included wherever they are stored, because a payment may come back from a deep
// block, or after it was dropped. dropped are the next page of dropped payments
// of the round.
func (w *Watcher) rows(ctx context.Context, seen shown, read span, now time.Time, at round) (rows map[Key]Row, dropped []Row, err error) {
	query := RowQuery{
		From: read.from, To: read.to, Height: read.to + 1, Now: now, DroppedAfter: at.dropped, DroppedSince: now.Add(-droppedFor),
	}
	if at.on {
		query.DroppedLimit = droppedPerScan
	}
	watched, err := w.Store.Watched(ctx, query)
	if err != nil {
		return nil, nil, err
	}
	dropped = slices.DeleteFunc(slices.Clone(watched), func(r Row) bool { return !r.Place.Dropped })
	rows = byKey(watched)
	var hashes []string
	for key, r := range seen {
		if _, ok := rows[key]; !ok {
			hashes = append(hashes, r.TxHash)
		}
	}
	if len(hashes) == 0 {
		return rows, dropped, nil
	}
	found, err := w.Store.Find(ctx, hashes)
	for _, r := range found {
		if _, isShown := seen[r.Key()]; isShown {
			rows[r.Key()] = r
		}
	}
	return rows, dropped, err
}

// reread begins to read the chain again with a wallet that has no file. What was stored says
// from where.
func (w *Watcher) reread(ctx context.Context, before State) (State, error) {
	if !before.Rescan {
		return before, nil
	}
	highest, err := w.Store.HighestRef(ctx)
	if err != nil {
		return before, err
	}
	if err := w.Store.Rescanned(ctx, highest); err != nil {
		return before, err
	}
	return w.Store.State(ctx)
}

// repair repairs a wallet file that is older than the store. The wallet makes
// the addresses that it does not know. Then it reads the chain again, because it
// has scanned past payments to these addresses. Before the addresses are made,
// the store records that the rescan is due, so a process that dies in between
// repeats it.
func (w *Watcher) repair(ctx context.Context, before State) (State, error) {
	wallet, can := w.Wallet.(chain.Restorable)
	if !can {
		return w.reread(ctx, before)
	}
	if w.known && !before.Rescan {
		return before, nil
	}
	highest, err := w.Store.HighestRef(ctx)
	if err != nil {
		return before, err
	}
	knows, err := wallet.Knows(ctx, highest)
	if err != nil || (knows && !before.Rescan) {
		return before, err
	}
	if !before.Rescan {
		if err := w.OlderFile(ctx); err != nil {
			return before, err
		}
		if err := w.Store.AwaitRescan(ctx); err != nil {
			return before, err
		}
	}
	if err := wallet.Adopt(ctx, highest); err != nil {
		return before, err
	}
	if err := wallet.Rescan(ctx); err != nil {
		return before, err
	}
	if err := w.Store.Rescanned(ctx, highest); err != nil {
		return before, err
	}
	return w.Store.State(ctx)
}
