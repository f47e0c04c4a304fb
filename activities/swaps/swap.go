package swaps

import (
	"context"
	"time"

	"github.com/durapay/durapay/activities/heartbeat"
	"github.com/durapay/durapay/activities/swaporders"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/providerorder"
	"github.com/durapay/durapay/internal/swap"
)

// SwapTask names a swap.
type SwapTask struct {
	SwapID string
}

// SwapState is what the workflow of a swap needs to know to go on.
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
	// Alarm says that an operator must look at the swap.
	Alarm bool
	// Closed says that the provider is not asked any more.
	Closed bool
}

// state reads what the workflow needs; ErrNotFound when there is no such swap.
func (a *Handler) state(ctx context.Context, swapID string) (SwapState, error) {
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

// PlaceSwap orders a swap at its provider, see swaporders.Orders: run after it was done,
// it finds the swap and returns the same.
func (a *Handler) PlaceSwap(ctx context.Context, in swaporders.PlaceSwap) (SwapState, error) {
	stop := heartbeat.Start(ctx)
	defer stop()
	if err := a.Orders.Place(ctx, in); err != nil {
		return SwapState{}, err
	}
	return a.state(ctx, in.SwapID)
}

// FindSwap reads a swap that exists already. One that does not is refused with
// refusals.Missing, and its order is given up, so that it cannot come to be later.
// Run twice, the second run finds the same.
func (a *Handler) FindSwap(ctx context.Context, in swaporders.SwapOrder) (SwapState, error) {
	if _, err := a.Orders.GiveUp(ctx, in, providerorder.OutcomeUnknown); err != nil {
		return SwapState{}, err
	}
	state, err := a.state(ctx, in.SwapID)
	return state, unlessMissing(err)
}
