package activities

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/providerorder"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swap"
)

// Swaps are the activities of merchants' swaps at other providers.
type Swaps struct {
	Store  *postgres.Store
	Secret *secret.Box
	// Provider finds a configured provider by its name.
	Provider func(name string) (provider.Provider, bool)
	// Sanctioned says whether one of the addresses is on the sanctions list in
	// force; nil where no list is configured.
	Sanctioned func(ctx context.Context, addresses ...string) (bool, error)
	Clock      func() time.Time
}

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
func (a *Swaps) state(ctx context.Context, swapID string) (SwapState, error) {
	row, err := a.Store.GetSwap(ctx, swapID)
	if err != nil {
		return SwapState{}, err
	}
	alarm, err := a.Store.HasAlert(ctx, db.HasAlertParams{Kind: AlertSwapUnclear, Subject: swapID})
	return SwapState{
		MerchantID: row.MerchantID, Provider: row.Provider, Pair: row.TickerFrom + "-" + row.TickerTo,
		Status: swap.Status(row.Status), Detail: row.StatusDetail, AmountFrom: row.AmountFrom, Expected: row.AmountExpected,
		ExpiresAt: row.ExpiresAt, QuietSince: row.QuietSince, HeardAt: row.HeardAt,
		Alarm: alarm, Closed: row.ClosedAt != nil,
	}, err
}

// SwapOrder names the attempts to order a swap.
type SwapOrder struct {
	SwapID, MerchantID string
	// SentUntil is the workflow's clock of the last attempt, or later, and before
	// any attempt that may still order the swap.
	SentUntil time.Time
}

// FindSwap reads a swap that exists already. One that does not is refused with
// refusals.Missing, and its order is given up, so that it cannot come to be later.
// Run twice, the second run finds the same.
func (a *Swaps) FindSwap(ctx context.Context, in SwapOrder) (SwapState, error) {
	if _, err := a.giveUp(ctx, in, providerorder.OutcomeUnknown); err != nil {
		return SwapState{}, err
	}
	state, err := a.state(ctx, in.SwapID)
	return state, unlessMissing(err)
}

// giveUp ends an order that is noted and not placed; false when there is none. An
// attempt that has not noted its order is refused when it comes to it. That is
// written first: whoever notes the order before that is found, and given up.
func (a *Swaps) giveUp(ctx context.Context, in SwapOrder, state providerorder.State) (bool, error) {
	err := a.Store.RefuseEarlierSwapOrders(ctx, db.RefuseEarlierSwapOrdersParams{
		SwapID: in.SwapID, MerchantID: in.MerchantID, SentUntil: in.SentUntil,
	})
	if err != nil {
		return false, err
	}
	n, err := a.Store.GiveSwapOrderUp(ctx, db.GiveSwapOrderUpParams{SwapID: in.SwapID, State: string(state)})
	return n > 0, err
}
