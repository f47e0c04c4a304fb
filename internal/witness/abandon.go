package witness

import (
	"context"
	"errors"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/utxowallet"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/outgoing"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Release frees the outputs of an abandoned transaction.
func (c *MoneroChain) Release(ctx context.Context, b chain.Built) error {
	return xmrwallet.NewNetwork(c.Daemon).Thaw(ctx, c.Wallet, b)
}

// Release makes the wallet forget an abandoned transaction.
func (c UTXOChain) Release(ctx context.Context, b chain.Built) error {
	return utxowallet.New(c.Client, utxowallet.Options{}).Release(ctx, b)
}

// errMovedOn is returned when a transaction that was to be abandoned advanced in the
// meantime: a worker had begun to store it before the wallet was in safe mode.
var errMovedOn = errors.New("a transaction was stored or mined meanwhile: ask again")

// abandon abandons the transaction that this copy of the database had made for the
// same debt, see outgoing.Abandon. If the recovery is only shown, the wallet is not
// called. The transaction's other debts are due again, and their trades are
// signaled.
func (r *Recoverer) abandon(ctx context.Context, q *db.Queries, tx db.OutgoingTransaction) error {
	if err := r.giveUp(ctx, q, tx); err != nil {
		return err
	}
	now, err := q.LockOutgoing(ctx, tx.ID)
	switch {
	case postgres.IsNotFound(err):
	case err != nil:
		return err
	case outgoing.State(now.State) != outgoing.Abandoned:
		return errMovedOn
	}
	for _, id := range tx.TradeIds {
		if err := q.RecordTradeRecovered(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (r *Recoverer) giveUp(ctx context.Context, q *db.Queries, tx db.OutgoingTransaction) error {
	if outgoing.State(tx.State) == outgoing.Building {
		return outgoing.GiveBack(ctx, q, tx.ID)
	}
	of := r.Wallets[tx.WalletID].Chain
	var wallet outgoing.Releaser
	if r.applies {
		wallet = of
	}
	_, err := outgoing.Abandon(ctx, q, tx.ID, outgoing.By{Actor: r.Actor, At: r.at()}, of, wallet)
	return err
}
