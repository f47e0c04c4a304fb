package watch

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/chain"
)

const (
	// PageBlocks is how many blocks one scan reads at the most, unless it is told
	// otherwise.
	PageBlocks = 1000
	// droppedFor is for how long a dropped payment is asked for. Later it is
	// found once a block holds it. A pool keeps a transaction for three days,
	// and for a week after a reorganization.
	droppedFor = 7 * 24 * time.Hour
	// droppedPerScan bounds how many of those a scan asks for: one call.
	droppedPerScan = 100
)

// Watcher follows one wallet. Its scans go one after the other; a second Watcher
// of the wallet does no harm.
type Watcher struct {
	Wallet chain.Receiver
	Store  Store
	Clock  func() time.Time
	// PageBlocks is how many blocks one scan reads at the most; 0 stands for the
	// constant.
	PageBlocks uint64
	// IgnoreContested lets a payment in the pool count although another
	// transaction there spends the same coins.
	IgnoreContested bool
	// OlderFile is told once the wallet turned out to be older than the store.
	OlderFile func(ctx context.Context) error

	// begun is set once the blocks that are not settled were read again. So a
	// start costs what a reorganization costs.
	begun bool
	// known is set once the wallet showed that it has all addresses. An error may
	// mean that it was restarted, but a restart between two scans makes none: a new
	// block has the wallet show them again.
	known bool
	// stale is the tip of the last reorganization, until the block after it was
	// scanned.
	stale string
	// page is how many blocks a scan reads: fewer after one took too long.
	page uint64
	// round is how far it has come with what waits for a block.
	round round
}

// Scan makes one pass and returns what it found, which is stored by then. After
// an error nothing was stored, and the next call begins anew.
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
	found.More = round.unfinished() || read.to < tip.Height
	if err := w.Store.Save(ctx, found); err != nil {
		return Scanned{}, err
	}
	w.begun, w.stale, w.round = true, read.stale, round
	return found, nil
}

// read asks the wallet for the span. A page that takes too long is made smaller,
// down to one block.
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

// compare finds what changed, and how far that brings the round. The answers
// of the daemon count as of the scan's tip. They are dropped when that tip
// left the chain meanwhile.
func (w *Watcher) compare(ctx context.Context, found *Scanned, read span, received []chain.Received) (round, error) {
	if w.IgnoreContested {
		for i := range received {
			received[i].Contested = false
		}
	}
	seen := collect(received, w.Store.Key)
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
		at[i].Contested = at[i].Contested && !w.IgnoreContested
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

// rows are the stored payments that the scan is about: those of its blocks,
// those that are not at rest, and those that the wallet shows. The last count
// wherever they are stored, because a payment may come back from deep below,
// or from nowhere. dropped are the page of dropped ones that the round has
// come to.
func (w *Watcher) rows(ctx context.Context, seen shown, read span, now time.Time, at round) (rows map[Key]Row, dropped []Row, err error) {
	wanted := Wanted{
		From: read.from, To: read.to, Height: read.to + 1, Now: now, DroppedAfter: at.dropped, DroppedSince: now.Add(-droppedFor),
	}
	if at.on {
		wanted.DroppedLimit = droppedPerScan
	}
	watched, err := w.Store.Watched(ctx, wanted)
	if err != nil {
		return nil, nil, err
	}
	dropped = slices.DeleteFunc(slices.Clone(watched), func(r Row) bool { return !r.Place.Dropped })
	rows = byKey(watched)
	var others []string
	for key, r := range seen {
		if _, ok := rows[key]; !ok {
			others = append(others, r.TxHash)
		}
	}
	if len(others) == 0 {
		return rows, dropped, nil
	}
	found, err := w.Store.Find(ctx, others)
	for _, r := range found {
		if _, isShown := seen[r.Key()]; isShown {
			rows[r.Key()] = r
		}
	}
	return rows, dropped, err
}

// repair mends a wallet file that is older than the store. The wallet makes
// the addresses that it does not know. It then reads the chain anew, because
// it has scanned past payments to them. That this is due is stored before the
// addresses are made. A process that dies in between does it again.
func (w *Watcher) repair(ctx context.Context, before State) (State, error) {
	wallet, can := w.Wallet.(chain.Restorable)
	if !can || (w.known && !before.Rescan) {
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
	if err := w.Store.Rescanned(ctx); err != nil {
		return before, err
	}
	return w.Store.State(ctx)
}
