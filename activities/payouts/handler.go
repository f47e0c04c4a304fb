package payouts

import (
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness"
)

// Handler has the activities of the payout workflow.
type Handler struct {
	Store  *postgres.Store
	Secret *secret.Box
	Daemon *monero.Daemon
	// Wallets are by wallet ID; only their spending processes are used.
	Wallets map[string]monero.WalletPair
	// Witness knows outside of the database which transactions may have been sent.
	Witness *witness.Keeper
	// FeeRate is the operator's share if neither the merchant nor a volume tier has a rate.
	FeeRate money.Decimal
	// Quotes and Swaps serve merchants who have their payouts swapped.
	Quotes Quotes
	Swaps  *sending.SwapOrders
	// Sanctioned looks up the addresses that refunds pay.
	Sanctioned sending.SanctionsLookup
	// Finished receives the outcome of each payout that was sent or failed.
	Finished func(outcome payout.Status)
	Clock    func() time.Time
}
