package main

import (
	"context"

	"github.com/durapay/durapay/e2e/merchant"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/monero"
)

// payer pays in two steps, so that the moment is known at which a payment
// gets into the pool. It gets there as every payment does that is not the shop's own:
// from another daemon.
type payer struct {
	wallet *monero.Wallet
	chain  *regtest.Chain
	// peers is where the daemon hears others.
	peers string
}

func (w *fixture) newPayer() *payer {
	return &payer{
		wallet: monero.NewWallet(monero.Endpoint{URL: w.urls["CUSTOMER_WALLET_RPC_URL"]}, monero.Options{}),
		chain:  w.chain, peers: w.stack.Addr("monerod-p2p"),
	}
}

// build makes one transaction that pays every charge, not sent yet. The wallet
// learns of what was sent before from the chain.
func (p *payer) build(ctx context.Context, charges []merchant.Charge) (monero.BuiltTx, error) {
	to := make([]monero.Destination, len(charges))
	for i, c := range charges {
		to[i] = monero.Destination{Address: c.Subaddress, Amount: c.AmountXMR}
	}
	return p.buildTo(ctx, to)
}

// buildTo makes one transaction to all destinations, not sent yet.
func (p *payer) buildTo(ctx context.Context, to []monero.Destination) (monero.BuiltTx, error) {
	if _, err := p.wallet.Refresh(ctx); err != nil {
		return monero.BuiltTx{}, err
	}
	return p.wallet.Transfer(ctx, to, []uint32{0})
}

func (p *payer) send(ctx context.Context, tx monero.BuiltTx) error {
	return p.chain.Broadcast(ctx, p.peers, tx.BlobHex)
}
