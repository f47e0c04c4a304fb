package addresspool

import (
	"log/slog"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/witness"
)

// Handler keeps unused addresses ready.
type Handler struct {
	Store   *postgres.Store
	Wallets map[string]monero.WalletPair
	// Target is how many unused addresses are kept per wallet.
	Target int
	// Level receives the number of unused addresses of a wallet.
	Level func(walletID string, free int)
	Log   *slog.Logger
	// Witness decides which addresses may be handed out.
	Witness *witness.Keeper
}

// Register adds the filling of pools.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.FillPool)
}
