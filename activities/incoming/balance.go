package incoming

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
)

// balanceAge is the age at which a balance is refreshed without another reason.
const balanceAge = time.Minute

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
	due bool
}

// weigh follows a scan. Until it succeeds, the balance counts as unknown, so that no
// quote uses it.
func (s *scales) weigh(ctx context.Context, found watch.Scanned) error {
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
	s.due = s.due || aged || found.NewBlock() || !found.Empty()
	if !s.due {
		return s.store.KeepExchangeBalance(ctx, db.KeepExchangeBalanceParams{ID: s.walletID, BalanceCurrentAt: &at})
	}
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
	err = s.store.SaveExchangeBalance(ctx, db.SaveExchangeBalanceParams{
		ID: s.walletID, Unlocked: money.FromAtomic(balance.Unlocked, row.Decimals),
		Total: money.FromAtomic(balance.Total, row.Decimals), NetworkFee: money.FromAtomic(fee, row.Decimals), BalanceAt: &at,
	})
	s.due = err != nil
	return err
}
