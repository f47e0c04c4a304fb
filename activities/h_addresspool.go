package activities

import (
	"log/slog"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/witness"
)

// Pool keeps unused addresses ready.
type Pool struct {
	Store   *postgres.Store
	Wallets map[string]monero.WalletPair
	// Target is how many unused addresses are kept per wallet.
	Target int
	// Level is told how many there are.
	Level func(walletID string, free int)
	Log   *slog.Logger
	// Witness says which addresses may be handed out.
	Witness *witness.Keeper
}

// Register_addresspool adds the filling of pools.
func Register_addresspool(w worker.ActivityRegistry, h *Pool) {
	w.RegisterActivity(h.FillPool)
}
