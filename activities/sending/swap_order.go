package sending

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
)

const (
	// maxWaitingSwaps bounds the swaps of a merchant that wait for a deposit.
	maxWaitingSwaps = 100
	// depositWindow is the time to deposit if the provider names none.
	depositWindow = time.Hour
	// shortestWindow and longestWindow bound the provider's time to deposit; other values
	// are ignored.
	shortestWindow = time.Minute
	longestWindow  = 7 * 24 * time.Hour
)

// SwapRequest is what a merchant wants of a swap. The form of the addresses was checked.
type SwapRequest struct {
	// Provider offered the swap; Route and Reference came with its offer.
	Provider, Route, Reference string
	From, To                   coin.Coin
	Amount                     money.Decimal
	// LeastAmountTo is the amount of the offer: an order that pays less is not taken.
	LeastAmountTo money.Decimal
	// Address receives the coins, Refund gets the deposit back.
	Address, Refund string
}

// PlaceSwap is the order of a merchant's swap.
type PlaceSwap struct {
	SwapID, MerchantID string
	SwapRequest

	// PayoutID is the payout that pays the deposit; empty when the merchant does.
	PayoutID string
	// Now is the workflow's clock.
	Now time.Time
}

// SwapOrders places the orders of merchants' swaps.
type SwapOrders struct {
	Store  *postgres.Store
	Secret *secret.Box
	// Provider finds a configured provider by its name.
	Provider func(name string) (provider.Provider, bool)
	// Sanctioned looks up the addresses of swaps.
	Sanctioned SanctionsLookup
}

// Place orders a swap at its provider and, in one transaction with the provider's answer,
// inserts it, see PlaceOnce. A run after a successful one changes nothing.
func (a *SwapOrders) Place(ctx context.Context, in PlaceSwap) error {
	if _, err := a.Store.GetSwap(ctx, in.SwapID); !postgres.IsNotFound(err) {
		return err
	}
	upstream, known := a.Provider(in.Provider)
	order := &swapOrder{orders: a, in: in, upstream: upstream}
	if !known {
		return EndOrder(ctx, order, provider.Refused, refusals.New(refusals.Route, "the provider is not available"))
	}
	return PlaceOnce(ctx, order)
}

// SwapOrder names the attempts to order a swap.
type SwapOrder struct {
	SwapID, MerchantID string
	// SentUntil is the workflow's clock of the last attempt, or later, and before any
	// attempt that may still order the swap.
	SentUntil time.Time
}

// GiveUp ends an order that is recorded and not placed; it returns false if there is
// none. An attempt that has not recorded its order is refused when it does. This is
// written first, so an order that an attempt records before that is found, and given up.
func (a *SwapOrders) GiveUp(ctx context.Context, in SwapOrder, state provider.OrderState) (bool, error) {
	err := a.Store.RefuseEarlierSwapOrders(ctx, db.RefuseEarlierSwapOrdersParams{
		SwapID: in.SwapID, MerchantID: in.MerchantID, SentUntil: in.SentUntil,
	})
	if err != nil {
		return false, err
	}
	n, err := a.Store.GiveSwapOrderUp(ctx, db.GiveSwapOrderUpParams{SwapID: in.SwapID, State: string(state)})
	return n > 0, err
}

// swapOrder is the order of a merchant's swap: one row for each swap.
type swapOrder struct {
	orders   *SwapOrders
	in       PlaceSwap
	upstream provider.Provider
}

func (o *swapOrder) Found(ctx context.Context) error {
	_, err := o.orders.Store.GetSwap(ctx, o.in.SwapID)
	return err
}

// Claim records the order under the lock of its merchant, so that the cap on waiting
// swaps holds for concurrent requests.
func (o *swapOrder) Claim(ctx context.Context) (claimed bool, err error) {
	err = o.orders.Store.Tx(ctx, func(q *db.Queries) error {
		if err := admitSwap(ctx, q, o.in); err != nil {
			return err
		}
		n, err := q.ClaimSwapOrder(ctx, db.ClaimSwapOrderParams{
			SwapID: o.in.SwapID, MerchantID: o.in.MerchantID, Provider: o.in.Provider, SentAt: o.in.Now,
		})
		claimed = n > 0
		return err
	})
	return claimed, err
}

func (o *swapOrder) Check(ctx context.Context) error {
	return RefuseListed(ctx, o.orders.Sanctioned, "an address cannot be used", o.in.Address, o.in.Refund)
}

func (o *swapOrder) Send(ctx context.Context) (provider.Swap, error) {
	in := o.in
	return o.upstream.Create(ctx, provider.Order{
		Request: provider.Request{From: in.From, To: in.To, Amount: in.Amount},
		Address: in.Address, Refund: in.Refund, Route: in.Route, Reference: in.Reference, LeastAmountTo: in.LeastAmountTo,
	})
}

// Keep writes the answer and the swap. An answer about another swap is lost.
func (o *swapOrder) Keep(ctx context.Context, made provider.Swap) error {
	row, err := o.orders.newSwap(o.in, made)
	if err != nil {
		return err
	}
	err = o.orders.Store.Tx(ctx, func(q *db.Queries) error {
		if _, err := lockMerchant(ctx, q, o.in.MerchantID); err != nil {
			return err
		}
		placed, err := q.PlaceSwapOrder(ctx, o.in.SwapID)
		if err != nil {
			return err
		}
		if placed == 0 {
			return refuseUncertain()
		}
		return q.InsertSwap(ctx, row)
	})
	if postgres.IsDuplicate(err) { // the provider answered with a swap that exists already
		err = refuseUncertain()
	}
	return err
}

func (o *swapOrder) GiveUp(ctx context.Context, state provider.OrderState) (bool, error) {
	return o.orders.GiveUp(ctx, SwapOrder{SwapID: o.in.SwapID, MerchantID: o.in.MerchantID, SentUntil: o.in.Now}, state)
}

// Refusal returns the client's reason why a provider made no swap, or none that counts.
func (o *swapOrder) Refusal(cause error) error {
	if limit, ok := errors.AsType[*provider.LimitError](cause); ok {
		return refusals.New(refusals.Limits, limit.Error())
	}
	switch {
	case errors.Is(cause, ErrGivenUp):
		return refusals.New(refusals.Used, "the quote was used before: ask for a new one")
	case errors.Is(cause, provider.ErrPairUnsupported):
		return refusals.New(refusals.Pair, "the provider does not swap these coins")
	case errors.Is(cause, provider.ErrRefused):
		return refusals.New(refusals.Order, "the provider refused the order: check the addresses")
	case errors.Is(cause, provider.ErrRateChanged):
		return refusals.New(refusals.Rate, "the rate has changed: ask for a new quote")
	case errors.Is(cause, provider.ErrUnavailable):
		return refusals.New(refusals.Route, "the provider is not available now")
	default:
		return refuseUncertain()
	}
}

func refuseUncertain() error {
	return refusals.New(refusals.Uncertain, "the provider's answer was lost: there is nothing to pay, ask for a new quote")
}

func lockMerchant(ctx context.Context, q *db.Queries, id string) (db.LockMerchantForSwapRow, error) {
	m, err := q.LockMerchantForSwap(ctx, id)
	if postgres.IsNotFound(err) {
		err = refusals.New(refusals.Merchant, "the merchant does not exist")
	}
	return m, err
}

// admitSwap refuses merchants who may have no more swaps. The cap does not apply to the
// swap of a payout.
func admitSwap(ctx context.Context, q *db.Queries, in PlaceSwap) error {
	m, err := lockMerchant(ctx, q, in.MerchantID)
	if err != nil || in.PayoutID != "" {
		return err
	}
	if m.SuspendedAt != nil {
		return refusals.New(refusals.Suspended, "the account is suspended")
	}
	waiting, err := q.WaitingSwaps(ctx, db.WaitingSwapsParams{MerchantID: in.MerchantID, SwapID: in.SwapID})
	if err == nil && waiting >= maxWaitingSwaps {
		err = refusals.New(refusals.Waiting, "too many swaps wait for a deposit")
	}
	return err
}

func (a *SwapOrders) newSwap(in PlaceSwap, made provider.Swap) (db.InsertSwapParams, error) {
	rate, err := made.AmountTo.Div(made.AmountFrom, provider.RateDecimals)
	if err != nil {
		return db.InsertSwapParams{}, fmt.Errorf("rate of swap %s: %w", in.SwapID, err)
	}
	row := db.InsertSwapParams{
		ID: in.SwapID, MerchantID: in.MerchantID, Provider: in.Provider, IDProvider: made.ID,
		TickerFrom: in.From.Ticker, NetworkFrom: in.From.Network, TickerTo: in.To.Ticker, NetworkTo: in.To.Network,
		AmountFrom: made.AmountFrom, AmountExpected: made.AmountTo, Rate: rate, DepositAddress: made.DepositAddress,
		CreatedAt: in.Now, ExpiresAt: in.Now.Add(depositWindow), Word: made.Word,
	}
	if window := made.ExpiresAt.Sub(in.Now); window >= shortestWindow && window <= longestWindow {
		row.ExpiresAt = made.ExpiresAt
	}
	if made.DepositMemo != "" {
		row.DepositMemo = &made.DepositMemo
	}
	if in.PayoutID != "" {
		row.PayoutID = &in.PayoutID
	}
	if row.AddressSealed, err = a.Secret.Seal([]byte(in.Address), secret.SwapAddressPlace.Of(in.SwapID)); err != nil {
		return row, err
	}
	row.RefundSealed, err = a.Secret.Seal([]byte(in.Refund), secret.SwapRefundPlace.Of(in.SwapID))
	return row, err
}
