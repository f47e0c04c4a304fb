package payouts

import (
	"context"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/swap"
)

// Swaps has the activities of merchants' swaps at other providers.
type Swaps struct {
	Store *postgres.Store
	// Orders places the orders at the providers.
	Orders *sending.SwapOrders
	Clock  func() time.Time
}

// SwapTask names a swap.
type SwapTask struct {
	SwapID string
}

// SwapState is the state that the workflow of a swap needs to continue.
type SwapState struct {
	MerchantID string
	Provider   string
	Pair       string
	Status     swap.Status
	Detail     string
	AmountFrom money.Decimal
	Expected   money.Decimal
	ExpiresAt  time.Time
	QuietSince time.Time
	HeardAt    time.Time
	// Alarm is set if an operator must look at the swap.
	Alarm bool
	// Closed is set if the provider is not asked any more.
	Closed bool
}

// state reads the workflow's state of a swap. It returns ErrNotFound if there is no such
// swap.
func (a *Swaps) state(ctx context.Context, swapID string) (SwapState, error) {
	row, err := a.Store.GetSwap(ctx, swapID)
	if err != nil {
		return SwapState{}, err
	}
	alarm, err := a.Store.HasAlert(ctx, db.HasAlertParams{Kind: alert.SwapUnclear, Subject: swapID})
	return SwapState{
		MerchantID: row.MerchantID, Provider: row.Provider, Pair: row.TickerFrom + "-" + row.TickerTo,
		Status: swap.Status(row.Status), Detail: row.StatusDetail, AmountFrom: row.AmountFrom, Expected: row.AmountExpected,
		ExpiresAt: row.ExpiresAt, QuietSince: row.QuietSince, HeardAt: row.HeardAt,
		Alarm: alarm, Closed: row.ClosedAt != nil,
	}, err
}

// PlaceSwap orders a swap at its provider, see sending.Orders. A run after a
// successful one finds the swap and returns the same.
func (a *Swaps) PlaceSwap(ctx context.Context, in sending.PlaceSwap) (SwapState, error) {
	if err := a.Orders.Place(ctx, in); err != nil {
		return SwapState{}, err
	}
	return a.state(ctx, in.SwapID)
}

// FindSwap reads an existing swap. If there is none, it returns refusals.Missing and
// gives its order up, so that the swap cannot be made later. A second run finds the same.
func (a *Swaps) FindSwap(ctx context.Context, in sending.SwapOrder) (SwapState, error) {
	if _, err := a.Orders.GiveUp(ctx, in, provider.OutcomeUnknown); err != nil {
		return SwapState{}, err
	}
	state, err := a.state(ctx, in.SwapID)
	return state, unlessMissing(err)
}
