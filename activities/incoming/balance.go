package incoming

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
)

const (
	// balanceAge is the age at which a balance is refreshed without another reason.
	balanceAge = time.Minute
	// balanceWithin bounds how long the scans of a chain wait for a balance. A wallet that
	// takes longer answers beside them.
	balanceWithin = 3 * time.Second
)

// scales reads the balance of a wallet of the exchange. For that the wallet reads
// every unspent output, and anyone can create many outputs. So it is asked only if the
// answer can have changed: after a block, a change of its received payments, or a payment
// of its own.
type scales struct {
	store    *postgres.Store
	clock    func() time.Time
	wallet   chain.Wallet
	walletID string
	// due is set until the wallet has answered.
	due atomic.Bool
	// answer receives the error of the question that runs; nil if none does.
	answer chan error
}

// follow follows a scan: it weighs, and returns when that is done or takes too long. While
// the wallet has not answered an earlier question, follow asks nothing and does not wait, so
// a wallet that hangs does not hold up the other wallets of the chain.
func (s *scales) follow(ctx context.Context, found watch.Scanned) error {
	if found.NewBlock() || s.concerns(found.Changes) {
		s.due.Store(true)
	}
	if s.answer != nil {
		select {
		case err := <-s.answer:
			s.answer = nil
			if err != nil {
				return err
			}
		default:
			return nil
		}
	}
	answer := make(chan error, 1)
	go func() { answer <- s.weigh(ctx) }()
	late := time.NewTimer(balanceWithin)
	defer late.Stop()
	select {
	case err := <-answer:
		return err
	case <-late.C:
		s.answer = answer
		return nil
	}
}

// concerns reports whether payments to the wallet have changed.
func (s *scales) concerns(c watch.Changes) bool {
	return slices.ContainsFunc(c.New, func(p watch.Payment) bool { return p.WalletID == s.walletID }) ||
		slices.ContainsFunc(c.Moved, func(m watch.Move) bool { return m.Row.WalletID == s.walletID })
}

// weigh reads the balance if it is due. Until that succeeds, the balance counts as unknown,
// so no quote uses it.
func (s *scales) weigh(ctx context.Context) error {
	// Before the balance, because the balance may miss a payment that is relayed after this
	// moment.
	at := s.clock().UTC().Truncate(time.Millisecond)
	row, err := s.store.GetWallet(ctx, s.walletID)
	if err != nil {
		return err
	}
	relayed, err := s.store.LastRelay(ctx, s.walletID)
	if err != nil {
		return err
	}
	aged := row.BalanceAt == nil || !relayed.Before(*row.BalanceAt) || at.Sub(*row.BalanceAt) >= balanceAge
	if !s.due.Swap(false) && !aged {
		return s.store.KeepExchangeBalance(ctx, db.KeepExchangeBalanceParams{ID: s.walletID, BalanceCurrentAt: &at})
	}
	err = s.read(ctx, row, at)
	if err != nil {
		s.due.Store(true)
	}
	return err
}

// read asks the wallet and stores its answer.
func (s *scales) read(ctx context.Context, row db.Wallet, at time.Time) error {
	promised, err := s.store.ReservedInputs(ctx, s.walletID)
	if err != nil {
		return err
	}
	balance, err := s.wallet.Balance(ctx, promised)
	if err != nil {
		return err
	}
	fee, err := s.wallet.Fee(ctx)
	if err != nil {
		return err
	}
	return s.store.SaveExchangeBalance(ctx, db.SaveExchangeBalanceParams{
		ID: s.walletID, Unlocked: money.FromAtomic(balance.Unlocked, row.Decimals),
		Total: money.FromAtomic(balance.Total, row.Decimals), NetworkFee: money.FromAtomic(fee, row.Decimals), BalanceAt: &at,
	})
}
