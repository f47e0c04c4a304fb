package witness

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/swap"
)

// Order is the provider order that a merchant's payout paid. It contains the data
// that is needed to ask the provider for its state, and none of the merchant's
// addresses.
type Order struct {
	Provider string `json:"provider"`
	// ID is the provider's own name of the order.
	ID          string `json:"id"`
	TickerFrom  string `json:"ticker_from"`
	NetworkFrom string `json:"network_from"`
	TickerTo    string `json:"ticker_to"`
	NetworkTo   string `json:"network_to"`
	// AmountFrom is what the provider expects, and Expected what it promised to pay, in
	// whole coins.
	AmountFrom money.Decimal `json:"amount_from"`
	Expected   money.Decimal `json:"expected"`
	// DepositAddress is the address that the payout's transaction pays.
	DepositAddress string    `json:"deposit_address"`
	CreatedAt      time.Time `json:"created_at"`
	ExpiresAt      time.Time `json:"expires_at"`
}

// OrderOf returns the entry data of a merchant's swap.
func OrderOf(s db.Swap) *Order {
	return &Order{
		Provider: s.Provider, ID: s.IDProvider, TickerFrom: s.TickerFrom, NetworkFrom: s.NetworkFrom, TickerTo: s.TickerTo,
		NetworkTo: s.NetworkTo, AmountFrom: s.AmountFrom, Expected: s.AmountExpected, DepositAddress: s.DepositAddress,
		CreatedAt: s.CreatedAt, ExpiresAt: s.ExpiresAt,
	}
}

// String names the order as operators ask for it.
func (o Order) String() string { return fmt.Sprintf("order %s of %s", o.ID, o.Provider) }

// unfollowed returns a text for operators about an order that was paid and that the
// service does not follow.
func (ref Reference) unfollowed(because string) string {
	return fmt.Sprintf("payout %s has paid the %s, and %s: ask the provider where it stands, and tell the merchant", ref.PayoutID, ref.Order, because)
}

// followOrder makes the service follow the order that a payout paid. It inserts the
// order's swap again, unless the swap is known here, and connects it to the payout.
// The payout is locked. why is the reason if that is not possible.
func (r *Recoverer) followOrder(ctx context.Context, q *db.Queries, ref Reference) (why string, err error) {
	o, id := ref.Order, swap.OfPayout(ref.PayoutID)
	rate, err := o.Expected.Div(o.AmountFrom, provider.RateDecimals)
	if err != nil {
		return ref.unfollowed("what was ordered cannot be read"), nil //nolint:nilerr // an operator decides
	}
	if err := q.InsertRecoveredSwap(ctx, db.InsertRecoveredSwapParams{
		ID: id, MerchantID: ref.MerchantID, Provider: o.Provider, IDProvider: o.ID, PayoutID: ref.PayoutID, TickerFrom: o.TickerFrom,
		NetworkFrom: o.NetworkFrom, TickerTo: o.TickerTo, NetworkTo: o.NetworkTo, AmountFrom: o.AmountFrom, AmountExpected: o.Expected,
		Rate: rate, DepositAddress: o.DepositAddress, CreatedAt: o.CreatedAt, ExpiresAt: o.ExpiresAt, Now: r.at(),
	}); err != nil {
		return "", err
	}
	known, err := q.GetSwap(ctx, id)
	switch {
	case postgres.IsNotFound(err):
		return ref.unfollowed("another swap has this order here"), nil
	case err != nil:
		return "", err
	case known.Provider != o.Provider || known.IDProvider != o.ID:
		return ref.unfollowed("its swap has the " + OrderOf(known).String() + " here"), nil
	}
	sealed, err := r.Seal(ref.PayoutID, o.DepositAddress)
	if err != nil {
		return "", err
	}
	return "", q.AdoptRecoveredSwap(ctx, db.AdoptRecoveredSwapParams{
		ID: ref.PayoutID, SwapID: id, Ticker: o.TickerTo, Network: o.NetworkTo, AddressSealed: sealed,
		AddressMasked: payout.MaskAddress(o.DepositAddress),
	})
}
