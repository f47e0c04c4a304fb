package witness

import (
	"context"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/utxowallet"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/outgoing"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Release frees the outputs of a transaction that is given up.
func (c MoneroChain) Release(ctx context.Context, b chain.Built) error {
	return xmrwallet.NewNetwork(c.Daemon).Thaw(ctx, c.Wallet, b)
}

// Release has the wallet forget a transaction that is given up.
func (c UTXOChain) Release(ctx context.Context, b chain.Built) error {
	return utxowallet.New(c.Client, utxowallet.Options{}).Release(ctx, b)
}

// abandon gives up what this copy of the database had made for the same debt, as
// it is given up elsewhere: see outgoing.Abandon. No wallet hears of what is only
// shown.
func (r *Recoverer) abandon(ctx context.Context, q *db.Queries, tx db.OutgoingTransaction) error {
	if outgoing.State(tx.State) == outgoing.Building {
		return outgoing.GiveBack(ctx, q, tx.ID)
	}
	of := r.Wallets[tx.WalletID].Chain
	var wallet outgoing.Releaser
	if r.applies {
		wallet = of
	}
	_, err := outgoing.Abandon(ctx, q, tx.ID, outgoing.Abandoned{Actor: r.Actor, At: r.at()}, of, wallet)
	return err
}
