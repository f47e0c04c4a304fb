package incoming

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
)

// Merchants scans merchants' wallets and wakes charges, payouts and refunds.
type Merchants struct {
	Store *postgres.Store
	// Wallets are by wallet ID.
	Wallets map[string]chain.Receiver
	// Nudge has the outbox look for new wakeups now.
	Nudge func()
	// Scanned receives the result of each scan: how many blocks the wallet is behind, and
	// when it was last scanned.
	Scanned func(walletID string, behind int64, at time.Time)
	// Rhythms define when a wallet is scanned, one for each wallet.
	Rhythms map[string]*Rhythm
	Clock   func() time.Time
}

// WatchWallet scans the wallet in its rhythm until its shift ends. It stores a scan
// together with the resulting wakeups, so none is lost. A second watcher at the
// same time finds nothing left to do.
func (a *Merchants) WatchWallet(ctx context.Context, in WalletTask) error {
	scan, err := a.Scanner(in.WalletID)
	if err != nil {
		return err
	}
	return a.Rhythms[in.WalletID].Keep(ctx, scan)
}

// Scanner returns a watcher of one wallet that remembers its last scan.
func (a *Merchants) Scanner(walletID string) (Scan, error) {
	if walletID == charge.SimulatedWallet {
		return a.scanSimulated, nil
	}
	receiver, ok := a.Wallets[walletID]
	if !ok {
		return nil, fmt.Errorf("wallet %s is not configured here", walletID)
	}
	rows := walletRows{store: a.Store, wallet: receiver, walletID: walletID}
	w := &watch.Watcher{
		Wallet: receiver, Store: &chargePayments{rows}, Clock: a.Clock, FromTip: true, PageBlocks: pageBlocks, IgnoreContested: true,
	}
	form := unknownForm{walletRows: rows, open: true}
	return func(ctx context.Context) (Outcome, error) {
		found, err := w.Scan(ctx)
		err = form.report(ctx, err)
		err = report(ctx, a.Scanned, walletID, w.Store, found, err)
		if errors.Is(err, watch.ErrSuperseded) {
			return Outcome{}, nil // the payments that it found must still be stored
		}
		a.Nudge()
		if err == nil && found.NewBlock() {
			err = a.wakeRefunds(ctx, walletID)
			a.Nudge()
		}
		return outcomeOf(found, false), err
	}, nil
}

// payableClaims is how many claims are looked at for a block. recalculateAfter is the age
// at which the amount that a claim needs is calculated again.
const (
	payableClaims    = 1000
	recalculateAfter = time.Hour
)

// wakeRefunds wakes refunds whose claims can be paid now: money has matured or was freed,
// the previous payout was sent, or the merchant has set an address. Other refunds are not
// woken. A refund that is missed is found at the next block.
func (a *Merchants) wakeRefunds(ctx context.Context, walletID string) error {
	claims, err := a.Store.PayableClaims(ctx, db.PayableClaimsParams{WalletID: walletID, Now: a.Clock(), ReckonedSince: a.Clock().Add(-recalculateAfter), MaxRows: payableClaims})
	if err != nil || len(claims) == 0 {
		return err
	}
	var ids []string
	for _, c := range claims {
		ids = append(ids, c.RefundID)
	}
	return a.Store.WakeRefunds(ctx, ids)
}

// simulatedPage is how many simulated chains one pass scans.
const simulatedPage = 100

// scanSimulated scans the chains of simulated charges that have changed, each as a
// wallet's watcher scans its chain, and wakes their charges.
func (a *Merchants) scanSimulated(ctx context.Context) (Outcome, error) {
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

func (a *Merchants) scanChain(ctx context.Context, c db.SimulatedChain) error {
	receiver := &simulatedReceiver{store: a.Store, walletID: c.WalletID}
	w := &watch.Watcher{Wallet: receiver, Store: &chargePayments{walletRows{store: a.Store, wallet: receiver, walletID: c.WalletID}}, Clock: a.Clock}
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
	if err != nil {
		return nil, 0, err
	}
	var received []chain.Received
	for _, p := range rows {
		r := chain.Received{TxHash: p.TxHash, Ref: "1", Amount: uint64(p.Amount), Outputs: 1, Seen: p.CreatedAt}
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

// Charges has the activity of the charge workflow. It runs as a local activity: short
// transactions without external calls.
type Charges struct{ Charges *chargestore.Charges }

// ChargeState is the state that the workflow of a charge needs to continue.
type ChargeState struct {
	MerchantID    string
	Sandbox       bool
	Status        charge.Status
	Amount        money.Decimal
	Currency      money.Currency
	AmountXMR     money.Piconero
	Received      money.Piconero
	Confirmations int32
	Required      int32
	ExpiresAt     time.Time
	Unbacked      bool
	// Deliveries are the deliveries that have not been attempted yet.
	Deliveries []string
}

// AdvanceCharge names the charge to advance.
type AdvanceCharge struct {
	ChargeID string
	// Now is the workflow's clock.
	Now time.Time
}

// AdvanceCharge advances a charge, see chargestore.Charges.Advance.
func (a *Charges) AdvanceCharge(ctx context.Context, in AdvanceCharge) (ChargeState, error) {
	advanced, err := a.Charges.Advance(ctx, in.ChargeID, in.Now)
	if err != nil {
		return ChargeState{}, err
	}
	c, view := advanced.Charge, charge.PublicViewOf(advanced.Charge, advanced.Facts, "")
	return ChargeState{
		MerchantID: c.MerchantID, Sandbox: c.Sandbox, Status: c.Status, Amount: c.Amount, Currency: c.Currency,
		AmountXMR: c.AmountXMR, Received: view.AmountReceivedXMR, Confirmations: view.Confirmations,
		Required: c.ConfirmationsRequired, ExpiresAt: c.ExpiresAt, Unbacked: c.Unbacked, Deliveries: advanced.Deliveries,
	}, nil
}
