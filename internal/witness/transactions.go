package witness

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/utxowallet"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Release frees the outputs of an abandoned transaction.
func (c *MoneroChain) Release(ctx context.Context, b chain.Built) error {
	return xmrwallet.NewNetwork(c.Daemon).Thaw(ctx, c.Spender.Wallet, b)
}

// Release makes the wallet forget an abandoned transaction.
func (c UTXOChain) Release(ctx context.Context, b chain.Built) error {
	return utxowallet.New(c.Client, 0).Release(ctx, b)
}

// errMovedOn is returned when a transaction that was to be abandoned advanced in the
// meantime: a worker had begun to store it before the wallet was in safe mode.
var errMovedOn = errors.New("a transaction was stored or mined meanwhile: ask again")

// abandon abandons the transaction that this copy of the database had made for the
// same debt, see Abandon. If the recovery is only shown, the wallet is not
// called. The transaction's other debts are due again, and their trades are
// signaled.
func (r *Recoverer) abandon(ctx context.Context, q *db.Queries, tx db.OutgoingTransaction) error {
	var err error
	if TxState(tx.State) == TxBuilding {
		err = GiveBack(ctx, q, tx.ID)
	} else {
		of := r.Wallets[tx.WalletID].Chain
		var wallet Releaser
		if r.applies {
			wallet = of
		}
		_, err = Abandon(ctx, q, tx.ID, By{Actor: r.Actor, At: r.at()}, of, wallet)
	}
	if err != nil {
		return err
	}
	now, err := q.LockOutgoing(ctx, tx.ID)
	switch {
	case postgres.IsNotFound(err):
	case err != nil:
		return err
	case TxState(now.State) != TxAbandoned:
		return errMovedOn
	}
	for _, id := range tx.TradeIds {
		if err := q.RecordTradeRecovered(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// Find asks the daemon for the state of a transaction.
func (c *MoneroChain) Find(ctx context.Context, b chain.Built) (chain.Found, error) {
	return xmrwallet.NewNetwork(c.Daemon).Find(ctx, b)
}

// Find asks the daemon for the state of a transaction.
func (c UTXOChain) Find(ctx context.Context, b chain.Built) (chain.Found, error) {
	return utxowallet.New(c.Client, 0).Find(ctx, b)
}

// notRelayed explains why bytes that the daemon has in no block, and that cannot be
// mined from its pool, are no payment.
func notRelayed(inputs chain.InputState) string {
	if inputs == chain.InputsSpent {
		return "another transaction in a block spends its coins, so it pays nothing: accept it once that lies 10 blocks deep; what it paid and nobody else did is paid again"
	}
	if inputs == chain.InputsFree {
		return "it is in no block and in no pool, and others may have its bytes: relay them and ask again; its debt is paid again once it is accepted"
	}
	return "it is in no block and in no pool, and " + WhyMinable(inputs) + ": ask again later; its debt is paid again once it is accepted"
}

// nowhere reports whether the daemon has a transaction in no block and the transaction
// cannot be mined from its pool.
func (r *Recoverer) nowhere(ctx context.Context, walletID, txHash string) (bool, error) {
	_, found, err := r.locate(ctx, walletID, txHash)
	if errors.Is(err, ErrMissing) {
		return true, nil
	}
	return err == nil && found.State == chain.Unknown, err
}

// locate returns the bytes of a transaction and where the daemon has it. It returns
// ErrMissing.
func (r *Recoverer) locate(ctx context.Context, walletID, txHash string) (b chain.Built, found chain.Found, err error) {
	of := r.Wallets[walletID].Chain
	b.TxHash = txHash
	if b.Raw, b.Inputs, err = of.Transaction(ctx, txHash); err != nil {
		return b, found, err
	}
	if found, err = of.Find(ctx, b); err != nil {
		err = fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return b, found, err
}

// where returns where the daemon has a transaction that this copy of the database made.
// A transaction that is still being built has no stored bytes.
func (r *Recoverer) where(ctx context.Context, tx db.OutgoingTransaction) (chain.Found, error) {
	switch TxState(tx.State) {
	case TxBuilding:
		return chain.Found{}, nil
	case TxConfirmed:
		return chain.Found{State: chain.Mined}, nil
	case TxBuilt, TxSent, TxFailed, TxAbandoned:
	}
	found, err := r.Wallets[tx.WalletID].Chain.Find(ctx, BuiltOf(tx))
	if err != nil {
		return found, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return found, nil
}
