package trades

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/safemode"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/trade"
)

// CreateTrade is the request for a trade. Networks are canonical, and the form of the
// addresses was checked.
type CreateTrade struct {
	TradeID string
	KeyID   *string
	// ClientCode identifies the client for the cap on inventory that is reserved without a
	// deposit; nil lifts the cap.
	ClientCode                                   []byte
	TickerFrom, NetworkFrom, TickerTo, NetworkTo string
	AmountFrom                                   money.Decimal
	Markup                                       int64
	Address, Refund                              string
	ExtraID, RefundMemo, WebhookURL, Note        *string
	// Now is the workflow's clock.
	Now time.Time
}

// details returns the part of the request that is sealed, with a new password.
func (in CreateTrade) details() exchange.Details {
	return exchange.Details{
		Password: secret.NewTradeID(), Address: in.Address, ExtraID: in.ExtraID, Refund: in.Refund, RefundMemo: in.RefundMemo,
		WebhookURL: in.WebhookURL, Note: in.Note,
	}
}

// TradePayment is a payment of the exchange that the workflow handles.
type TradePayment struct {
	ID       int64
	WalletID string
	State    trade.PaymentState
	Kind     trade.Kind
}

// TradeState is the state that the workflow of a trade needs to continue.
type TradeState struct {
	Status     trade.Status
	Detail     string
	Pair       string
	AmountFrom money.Decimal
	Received   money.Decimal
	ExpiresAt  time.Time
	// RecheckAt is when the passing of time alone changes the trade, or when a postponed
	// answer is retried. It is zero if neither is so, or if the trade was only read.
	RecheckAt time.Time
	// Postponed is set if a deposit waits for its answer until the database is known not to
	// be behind.
	Postponed bool
	// Upstream is set if another provider fills the trade, Closed if that provider is not
	// asked any more.
	Upstream, Closed bool
	// Held is set if the deposit lost its depth: nothing is built for it.
	Held bool
	// Payments are payments that are not confirmed yet: a page of them, first those to be
	// sent, payouts before refunds. Open counts all.
	Payments []TradePayment
	Open     int
	// Waiting counts refunds whose turn comes later; they are not in the page.
	Waiting int
	// Events are the events that have a receiver and were not attempted yet, in order.
	Events []int64
}

// CreateTrade screens the addresses, prices the trade, takes an address from the pool and
// inserts the row, which reserves the inventory for it. A second run finds the row and
// returns the same state, even if a new trade would be refused by now. A run after the
// trade was given up makes none.
func (a *Handler) CreateTrade(ctx context.Context, in CreateTrade) (TradeState, error) {
	state, err := a.state(ctx, in.TradeID)
	if err == nil || !postgres.IsNotFound(err) {
		return state, err
	}
	pair, ok := a.Quoter.Pair(in.TickerFrom, in.NetworkFrom, in.TickerTo, in.NetworkTo)
	if !ok {
		return TradeState{}, refusals.New(refusals.Pair, "the pair is not supported")
	}
	if !pair.Own() {
		return TradeState{}, refusals.New(refusals.Route, "the pair cannot be filled now")
	}
	if err := a.screen(ctx, in); err != nil {
		return TradeState{}, err
	}
	err = a.Store.Tx(ctx, func(q *db.Queries) error { return a.insert(ctx, q, pair, in) })
	if err != nil && !postgres.IsDuplicate(err) {
		return TradeState{}, err
	}
	return a.state(ctx, in.TradeID)
}

// insert prices and writes the trade. It locks the wallet that will pay from pricing to
// commit, so that no two trades reserve the same inventory.
func (a *Handler) insert(ctx context.Context, q *db.Queries, pair exchange.Pair, in CreateTrade) error {
	if _, err := q.LockExchangeWallet(ctx, pair.To.WalletID); err != nil {
		return err
	}
	over, err := q.IsGivenUp(ctx, db.IsGivenUpParams{TradeID: in.TradeID, Provider: exchange.ProviderName, AskedAt: in.Now})
	if err == nil && over {
		err = refusals.New(refusals.Route, "the trade was given up")
	}
	if err != nil {
		return err
	}
	offer, err := a.Quoter.Quote(ctx, q, pair, in.AmountFrom, in.Markup, in.Now)
	if err != nil {
		return refuseQuote(err)
	}
	if err := admitTrade(ctx, q, pair, in, offer); err != nil {
		return err
	}
	address, err := q.TakeExchangeAddress(ctx, db.TakeExchangeAddressParams{TradeID: in.TradeID, WalletID: pair.From.WalletID})
	if postgres.IsNotFound(err) {
		return safemode.NoAddress(ctx, q, pair.From.WalletID, refusals.New(refusals.Route, "the pair cannot be filled now"),
			refusals.New(refusals.Route, "no deposit address is ready"))
	}
	if err != nil {
		return err
	}
	row, err := a.newRow(pair, in, offer, address)
	if err != nil {
		return err
	}
	return q.InsertTrade(ctx, row)
}

// admitTrade refuses a trade if too much would be reserved without a deposit.
func admitTrade(ctx context.Context, q *db.Queries, pair exchange.Pair, in CreateTrade, offer exchange.Offer) error {
	var ofClient money.Decimal
	if in.ClientCode == nil {
		offer.Inventory.ClientPercent = 0
	} else {
		var err error
		ofClient, err = q.ClientReserved(ctx, db.ClientReservedParams{WalletTo: pair.To.WalletID, ClientCode: in.ClientCode})
		if err != nil {
			return err
		}
	}
	if !offer.Inventory.Admits(offer.AmountTo, ofClient) {
		return refusals.New(refusals.Route, "too many trades wait for a deposit, try again later")
	}
	return nil
}

func (a *Handler) newRow(pair exchange.Pair, in CreateTrade, offer exchange.Offer, address string) (db.InsertTradeParams, error) {
	details, err := in.details().Seal(a.Secret, in.TradeID)
	row := db.InsertTradeParams{
		ID: in.TradeID, IDProvider: secret.NewID("sw_"), DetailsSealed: details, HasWebhook: in.WebhookURL != nil, KeyID: in.KeyID, ClientCode: in.ClientCode,
		Provider: exchange.ProviderName, Risk: string(trade.Precheck), WalletFrom: &pair.From.WalletID, WalletTo: &pair.To.WalletID,
		TickerFrom: pair.From.Ticker, NetworkFrom: pair.From.Network, TickerTo: pair.To.Ticker, NetworkTo: pair.To.Network,
		AmountFrom: offer.AmountFrom, AmountTo: offer.AmountTo, Reserved: offer.AmountTo, Rate: offer.Rate, Markup: int32(in.Markup),
		MinFrom: offer.Min, MaxFrom: offer.Max, DepositAddress: address,
		Confirmations: pair.From.Confirmations, CreatedAt: in.Now, WindowSeconds: int32(a.Window / time.Second),
		ExpiresAt: in.Now.Add(a.Window),
	}
	if in.KeyID != nil {
		row.CommissionRate = offer.CommissionRate
	}
	return row, err
}

// refuseQuote turns an error of the quoter into a refusal; the details of a
// refused amount are the limits.
func refuseQuote(err error) error {
	if limit, ok := errors.AsType[*trade.LimitError](err); ok {
		text := "the amount is above the maximum"
		if limit.Below {
			text = "the amount is below the minimum"
		}
		return refusals.New(refusals.Limits, text,
			RefusedAmounts{Below: limit.Below, Min: limit.Limits.Min, Max: limit.Limits.Max})
	}
	switch {
	case errors.Is(err, trade.ErrUnfillable), errors.Is(err, exchange.ErrBlind):
		return refusals.New(refusals.Route, "the pair cannot be filled now")
	case errors.Is(err, exchange.ErrStale):
		return refusals.New(refusals.Stale, "no current price is available")
	default:
		return err
	}
}

// RefusedAmounts are the details of refusals.Limits.
type RefusedAmounts struct {
	Below    bool
	Min, Max money.Decimal
}

// state reads the workflow's state of a trade. It returns ErrNotFound if there is no such
// trade.
func (a *Handler) state(ctx context.Context, tradeID string) (TradeState, error) {
	row, err := a.Store.GetTrade(ctx, tradeID)
	if err != nil {
		return TradeState{}, err
	}
	return stateOfTrade(ctx, a.Store.Queries, row, false, a.Clock())
}

func stateOfTrade(ctx context.Context, q *db.Queries, row db.Trade, held bool, now time.Time) (TradeState, error) {
	s := TradeState{
		Status: trade.Status(row.Status), Detail: row.StatusDetail, AmountFrom: row.AmountFrom, Received: row.Received,
		Pair: row.TickerFrom + "-" + row.TickerTo, ExpiresAt: row.ExpiresAt, Held: held, Upstream: row.WalletFrom == nil,
	}
	if s.Upstream {
		order, err := q.PlacedOrder(ctx, row.ID)
		if err != nil {
			return s, err
		}
		s.Closed = order.ClosedAt != nil
	}
	if err := s.fill(ctx, q, row.ID, now); err != nil {
		return s, err
	}
	var err error
	s.Events, err = q.UnsentTradeEvents(ctx, row.ID)
	return s, err
}
