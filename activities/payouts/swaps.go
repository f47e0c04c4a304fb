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
	"github.com/durapay/durapay/internal/refusals"
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

// PlaceSwap orders a swap at its provider, see sending.SwapOrders. A run after a
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

// PollSwap asks the provider of a swap once for its state, and writes the consequences in
// one transaction. A provider that does not answer is no error: the swap stays unchanged,
// and after a while operators get an alert. A second run changes nothing. An answer that
// comes after another run has written one may be the older of the two, so it is dropped.
// It returns refusals.Missing if retention has removed the swap.
func (a *Swaps) PollSwap(ctx context.Context, in SwapTask) (SwapState, error) {
	row, err := a.Store.GetSwap(ctx, in.SwapID)
	if err == nil && row.ClosedAt == nil {
		err = sending.PollOnce(ctx, a.Orders.Provider, row.Provider, row.IDProvider, &followedSwap{swaps: a, row: row})
	}
	if err != nil {
		return SwapState{}, unlessMissing(err)
	}
	state, err := a.state(ctx, in.SwapID)
	return state, unlessMissing(err)
}

// unlessMissing returns a refusal if the error means that there is no such swap.
func unlessMissing(err error) error {
	if postgres.IsNotFound(err) {
		return refusals.New(refusals.Missing, "the swap does not exist")
	}
	return err
}

// followedSwap is the placed order of a merchant's swap, as it was read before the
// question to the provider.
type followedSwap struct {
	swaps *Swaps
	row   db.Swap
}

// Silent returns no error, unless the activity is at its end: then it is unknown whether
// the provider would have answered. The swap stays unchanged, and the workflow asks
// again.
func (f *followedSwap) Silent(ctx context.Context, cause error) error {
	if ctx.Err() != nil {
		return cause
	}
	return f.write(ctx, f.swaps.recordSilence)
}

// Answered writes the consequences of an answer.
func (f *followedSwap) Answered(ctx context.Context, said provider.Swap) error {
	return f.write(ctx, func(ctx context.Context, q *db.Queries, row db.Swap) error {
		return f.swaps.recordAnswer(ctx, q, row, said)
	})
}

// write writes the consequences of a question to the row's present state. If the swap was
// closed, or another answer was written meanwhile, it changes nothing: this answer may be
// older, and nothing would close an alert that it opens.
func (f *followedSwap) write(ctx context.Context, do func(context.Context, *db.Queries, db.Swap) error) error {
	return f.swaps.Store.Tx(ctx, func(q *db.Queries) error {
		row, err := q.LockSwap(ctx, f.row.ID)
		if err != nil || row.ClosedAt != nil || !row.HeardAt.Equal(f.row.HeardAt) {
			return err
		}
		return do(ctx, q, row)
	})
}

// recordSilence records that the provider did not answer, and alerts operators if it has
// been silent for long.
func (a *Swaps) recordSilence(ctx context.Context, q *db.Queries, row db.Swap) error {
	now := a.now()
	if err := q.TouchSwap(ctx, db.TouchSwapParams{ID: row.ID, PolledAt: now}); err != nil {
		return err
	}
	if alarm := swap.Silent(swapOf(row), now); alarm != "" {
		return sending.Alert(ctx, q, alert.SwapUnclear, row.ID, alarm)
	}
	return nil
}

// recordAnswer records the state that the provider reports, and alerts operators if it is
// unclear.
func (a *Swaps) recordAnswer(ctx context.Context, q *db.Queries, row db.Swap, said provider.Swap) error {
	funded, err := q.SwapIsFunded(ctx, row.ID)
	if err != nil {
		return err
	}
	before := swapOf(row)
	outcome := swap.Advance(before, swap.Report{Swap: said, Funded: funded, Now: a.now()})
	if err := q.SaveSwap(ctx, savedSwap(row, before, outcome)); err != nil {
		return err
	}
	return sending.Alert(ctx, q, alert.SwapUnclear, row.ID, outcome.Alarm)
}

// savedSwap returns the row after an outcome. updated_at moves with the fields that a
// merchant sees.
func savedSwap(row db.Swap, before swap.Swap, o swap.Outcome) db.SaveSwapParams {
	save := db.SaveSwapParams{
		ID: row.ID, Status: string(o.Status), StatusDetail: o.Detail, Word: o.Word, DepositTx: o.DepositTx, PayoutTx: o.PayoutTx,
		RefundTx: o.RefundTx, QuietSince: o.QuietSince, PolledAt: o.AnsweredAt, UpdatedAt: row.UpdatedAt,
	}
	if o.AmountTo.Sign() > 0 {
		save.AmountTo = &o.AmountTo
	}
	if o.Closed {
		save.ClosedAt = &o.AnsweredAt
	}
	if !o.Shows(before) {
		save.UpdatedAt = o.AnsweredAt
	}
	return save
}

// swapOf returns the part of a row that the rules read.
func swapOf(row db.Swap) swap.Swap {
	var paid money.Decimal
	if row.AmountTo != nil {
		paid = *row.AmountTo
	}
	return swap.Swap{
		Status: swap.Status(row.Status), Detail: row.StatusDetail, Word: row.Word, AmountFrom: row.AmountFrom,
		Expected: row.AmountExpected, DepositAddress: row.DepositAddress, AmountTo: paid, DepositTx: row.DepositTx,
		PayoutTx: row.PayoutTx, RefundTx: row.RefundTx, ExpiresAt: row.ExpiresAt, QuietSince: row.QuietSince,
		AnsweredAt: row.HeardAt, Closed: row.ClosedAt != nil,
	}
}

func (a *Swaps) now() time.Time { return a.Clock().UTC().Truncate(time.Millisecond) }
