package witness

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/utxowallet"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/outgoing"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Find asks the daemon for the state of a transaction.
func (c *MoneroChain) Find(ctx context.Context, b chain.Built) (chain.Found, error) {
	return xmrwallet.NewNetwork(c.Daemon).Find(ctx, b)
}

// Find asks the daemon for the state of a transaction.
func (c UTXOChain) Find(ctx context.Context, b chain.Built) (chain.Found, error) {
	return utxowallet.New(c.Client, utxowallet.Options{}).Find(ctx, b)
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
	return "it is in no block and in no pool, and " + outgoing.WhyMinable(inputs) + ": ask again later; its debt is paid again once it is accepted"
}

// nowhere reports whether the daemon has a transaction in no block and the transaction
// cannot be mined from its pool.
func (r *Recoverer) nowhere(ctx context.Context, walletID, txHash string) (bool, error) {
	of := r.Wallets[walletID].Chain
	raw, inputs, err := of.Transaction(ctx, txHash)
	if errors.Is(err, ErrMissing) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	found, err := of.Find(ctx, chain.Built{TxHash: txHash, Raw: raw, Inputs: inputs})
	if err != nil {
		return false, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return found.State == chain.Unknown, nil
}

// where returns where the daemon has a transaction that this copy of the database made.
// A transaction that is still being built has no stored bytes.
func (r *Recoverer) where(ctx context.Context, tx db.OutgoingTransaction) (chain.Found, error) {
	switch outgoing.State(tx.State) {
	case outgoing.Building:
		return chain.Found{}, nil
	case outgoing.Confirmed:
		return chain.Found{State: chain.Mined}, nil
	case outgoing.Built, outgoing.Sent, outgoing.Failed, outgoing.Abandoned:
	}
	found, err := r.Wallets[tx.WalletID].Chain.Find(ctx, outgoing.BuiltOf(tx))
	if err != nil {
		return found, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return found, nil
}
