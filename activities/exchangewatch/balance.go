package exchangewatch

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
)

// balanceAge is the age at which a balance is refreshed without another reason.
const balanceAge = time.Minute

// scales reads the balance of one of the exchange's wallets. For that the wallet reads
// every unspent output, and anyone can create many outputs. So it is asked only if the
// answer can have changed: after a block, a change of its received payments, or a payment
// of its own.
type scales struct {
	watcher *Handler
	wallet  chain.Wallet
	coin    exchange.Coin
	// due is set until the wallet has answered.
	due bool
}

// weigh follows a scan. Until it succeeds, the balance counts as unknown, so that no
// quote uses it.
func (s *scales) weigh(ctx context.Context, found watch.Scanned) error {
	store := s.watcher.Store
	// Before the balance, because the balance may miss a payment that is relayed after this
	// moment.
	at := s.watcher.Clock().UTC().Truncate(time.Millisecond)
	row, err := store.GetExchangeWallet(ctx, s.coin.WalletID)
	if err != nil {
		return err
	}
	relayed, err := store.LastRelay(ctx, s.coin.WalletID)
	if err != nil {
		return err
	}
	aged := row.BalanceAt == nil || !relayed.Before(*row.BalanceAt) || at.Sub(*row.BalanceAt) >= balanceAge
	s.due = s.due || aged || found.NewBlock() || !found.Empty()
	if !s.due {
		return store.KeepExchangeBalance(ctx, db.KeepExchangeBalanceParams{ID: s.coin.WalletID, BalanceCurrentAt: &at})
	}
	promised, err := store.ReservedInputs(ctx, s.coin.WalletID)
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
	err = store.SaveExchangeBalance(ctx, db.SaveExchangeBalanceParams{
		ID: s.coin.WalletID, Unlocked: money.FromAtomic(balance.Unlocked, s.coin.Decimals),
		Total: money.FromAtomic(balance.Total, s.coin.Decimals), NetworkFee: money.FromAtomic(fee, s.coin.Decimals), BalanceAt: &at,
	})
	s.due = err != nil
	return err
}
