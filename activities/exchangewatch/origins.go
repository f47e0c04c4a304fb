package exchangewatch

import (
	"context"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
)

// origins are the addresses from which a deposit was paid.
type origins struct {
	addresses []string
	// unread is set if they could not be read.
	unread bool
}

// spending identifies the origins of a payment. Each transaction is requested once,
// however many deposits it pays.
type spending struct {
	txHash string
	hidden bool
}

func spendingOf(p watch.Payment) spending { return spending{p.TxHash, p.Hidden} }

// How long reading origins may delay a scan, because the payer chooses how much there is
// to read. A deposit whose origins are not read by then is stored and screened later.
const (
	originsPerScan  = 3 * time.Second
	originsOfOneNow = time.Second
)

// origins returns the origins of the trades' deposits, by transaction.
func (s *tradeDeposits) origins(ctx context.Context, payments []watch.Payment) (map[spending]origins, error) {
	all := map[spending]origins{}
	if len(payments) == 0 {
		return all, nil
	}
	addresses := make([]string, len(payments))
	for i, p := range payments {
		addresses[i] = p.Address
	}
	owned, err := s.store.TradesAtAddresses(ctx, db.TradesAtAddressesParams{WalletFrom: s.coin.WalletID, Addresses: addresses})
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, originsPerScan)
	defer cancel()
	for _, p := range payments {
		if !slices.ContainsFunc(owned, func(t db.TradesAtAddressesRow) bool { return t.DepositAddress == p.Address }) {
			continue
		}
		if _, read := all[spendingOf(p)]; read {
			continue
		}
		all[spendingOf(p)] = s.originsNow(bounded, p)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return all, nil
}

// originsNow asks the wallet, for as long as a scan may wait for one transaction.
func (s *tradeDeposits) originsNow(ctx context.Context, p watch.Payment) origins {
	if ctx.Err() != nil {
		return origins{unread: true}
	}
	ctx, cancel := context.WithTimeout(ctx, originsOfOneNow)
	defer cancel()
	addresses, err := s.wallet.Origins(ctx, p.Received)
	return origins{addresses, err != nil}
}
