package incoming

import (
	"context"
	"errors"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
)

// simulatedPage is how many simulated chains one pass scans.
const simulatedPage = 100

// scanSimulated scans the chains of simulated charges that have changed, each as other
// chains are scanned, and wakes their charges. Such a chain has the ID of its one wallet.
func (a *Watch) scanSimulated(ctx context.Context) (Outcome, error) {
	changed, err := a.Store.ChangedSimulatedChains(ctx, simulatedPage)
	if err != nil {
		return Outcome{}, err
	}
	var problems []error
	for _, c := range changed {
		if err := a.scanChain(ctx, c); err != nil && !errors.Is(err, watch.ErrSuperseded) {
			problems = append(problems, err)
		}
	}
	return Outcome{Quiet: len(changed) == 0}, errors.Join(problems...)
}

func (a *Watch) scanChain(ctx context.Context, c db.SimulatedChain) error {
	receiver := &simulatedReceiver{store: a.Store, walletID: c.WalletID}
	w := &watch.Watcher{Wallet: receiver, Store: &payments{store: a.Store, receiver: receiver, chainID: c.WalletID}, Clock: a.Clock}
	for more := true; more; { // a scan reads a page, and nothing else causes another scan of this chain
		found, err := w.Scan(ctx)
		if err != nil {
			return err
		}
		more = found.More
	}
	a.Nudge()
	return a.Store.SimulatedChainScanned(ctx, db.SimulatedChainScannedParams{WalletID: c.WalletID, Changed: c.Changed})
}

// simulatedReceiver is the chain.Receiver of a simulated charge: wallet and daemon in
// one, which always agree.
type simulatedReceiver struct {
	store    *postgres.Store
	walletID string
}

// Tip returns the highest block.
func (s *simulatedReceiver) Tip(ctx context.Context) (chain.Tip, error) {
	c, err := s.store.GetSimulatedChain(ctx, s.walletID)
	if err != nil {
		return chain.Tip{}, err
	}
	return chain.Tip{Height: uint64(c.Height - 1), Hash: charge.SimulatedBlockHash(s.walletID, c.Height-1, c.Forks)}, nil
}

// BlockHash returns the hash of a block; chain.ErrNotFound above the tip.
func (s *simulatedReceiver) BlockHash(ctx context.Context, height uint64) (string, error) {
	c, err := s.store.GetSimulatedChain(ctx, s.walletID)
	if err != nil {
		return "", err
	}
	if int64(height) >= c.Height {
		return "", chain.ErrNotFound
	}
	return charge.SimulatedBlockHash(s.walletID, int64(height), c.Forks), nil
}

// Scan returns the payments of a span, and all in the pool.
func (s *simulatedReceiver) Scan(ctx context.Context, from, to uint64) ([]chain.Received, uint64, error) {
	rows, err := s.store.SimulatedPayments(ctx, s.walletID)
	if err != nil || len(rows) == 0 {
		return nil, to, err
	}
	address, err := s.store.AddressAt(ctx, db.AddressAtParams{WalletID: s.walletID, SubaddressIndex: 1})
	if err != nil {
		return nil, 0, err
	}
	var received []chain.Received
	for _, p := range rows {
		r := chain.Received{TxHash: p.TxHash, Address: address, WalletID: s.walletID, Ref: "1", Amount: uint64(p.Amount), Outputs: 1, Seen: p.CreatedAt}
		if p.Height != nil {
			r.Height = uint64(*p.Height)
			if r.Height < from || r.Height > to {
				continue
			}
		}
		if !p.Dropped {
			received = append(received, r)
		}
	}
	return received, to, nil
}

// Locate returns where payments are.
func (s *simulatedReceiver) Locate(ctx context.Context, txHashes []string) ([]chain.Location, error) {
	rows, err := s.store.SimulatedPayments(ctx, s.walletID)
	if err != nil {
		return nil, err
	}
	at := make(map[string]chain.Location, len(rows))
	for _, p := range rows {
		switch {
		case p.Height != nil:
			at[p.TxHash] = chain.Location{State: chain.Mined, Height: uint64(*p.Height)}
		case !p.Dropped:
			at[p.TxHash] = chain.Location{State: chain.InPool}
		}
	}
	found := make([]chain.Location, len(txHashes))
	for i, hash := range txHashes {
		found[i] = at[hash]
	}
	return found, nil
}

// Origins returns none.
func (*simulatedReceiver) Origins(context.Context, chain.Received) ([]string, error) { return nil, nil }
