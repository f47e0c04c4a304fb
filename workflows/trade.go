package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/exchangepayments"
	"github.com/durapay/durapay/activities/tasks"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

// TradeWorkflowID is the workflow ID of a trade.
func TradeWorkflowID(tradeID string) string { return "trade-" + tradeID }

// Names that callers of the trade workflow use.
const (
	// CreateTradeUpdate carries CreateTrade and completes once the trade is in
	// the database; a refusal is an application error of a Refused type.
	CreateTradeUpdate = "create"
	// RetryUpdate carries RetryTradePayment, for a transaction that failed; it
	// completes once the transaction is open again, or is refused with
	// refusals.TradePayment.
	RetryUpdate = "retry"
	// EndTradeUpdate carries EndTrade, for a trade that waits for what may never
	// come; it completes once nobody waits any more, or is refused with
	// refusals.TradePayment.
	EndTradeUpdate = "end"
	// DepositsSignal says that a chain shows something new for the trade.
	DepositsSignal = "deposits"
)

// TradeInput names the trade that the workflow carries.
type TradeInput struct {
	TradeID string
	// Resume is set on a run for a trade that exists already: late money, or a
	// long history that was cut.
	Resume bool
	// Shown says that the execution was started with the search attributes of a
	// trade that waits for its deposit: there is nothing to set at first.
	Shown bool
	// Unasked is for how long the run waits for the update that it was started
	// with, see awaitUpdate; 0 for ever.
	Unasked time.Duration
}

// CreateTrade is the argument of CreateTradeUpdate, checked by the caller.
type CreateTrade struct {
	KeyID *string
	// ClientCode tells clients apart for the cap on what they keep without a
	// deposit; nil lifts the cap.
	ClientCode                                   []byte
	TickerFrom, NetworkFrom, TickerTo, NetworkTo string
	AmountFrom                                   money.Decimal
	// Markup is in basis points.
	Markup                                int64
	Address, Refund                       string
	ExtraID, RefundMemo, WebhookURL, Note *string
	// Upstream says that others than the exchange may fill the trade, Provider
	// who is to do it; empty for whoever is best.
	Upstream bool
	Provider string
}

// RefusedAmounts are the details of a refusal of type refusals.Limits.
type RefusedAmounts = trades.RefusedAmounts

// Trade carries one swap from its creation to its end: it waits for a
// watcher's signal or the end of the deposit window, lets the domain say what
// follows, sees to every transaction that this asks for, and tells a partner
// of each status in order.
func Trade(ctx workflow.Context, in TradeInput) error {
	run := &tradeRun{
		in: in, deposits: workflow.GetSignalChannel(ctx, DepositsSignal),
		sending: map[int64]bool{}, told: map[int64]bool{},
	}
	if in.Shown {
		run.shown = trade.AwaitingDeposit
	}
	if err := workflow.SetUpdateHandler(ctx, RetryUpdate, run.retryTradePayment); err != nil {
		return err
	}
	if err := workflow.SetUpdateHandler(ctx, EndTradeUpdate, run.end); err != nil {
		return err
	}
	if !in.Resume {
		if err := workflow.SetUpdateHandler(ctx, CreateTradeUpdate, run.create); err != nil {
			return err
		}
	}
	return run.run(ctx)
}

type tradeRun struct {
	in       TradeInput
	deposits workflow.ReceiveChannel
	state    trades.TradeState
	asking   bool
	answered bool
	created  bool
	refused  bool
	shown    trade.Status
	// sending are the transactions that a coroutine sees to.
	sending map[int64]bool
	// woken is set when one of them has done its part.
	woken bool
	// events wait for their first attempt, in order; told are all that did.
	events  []int64
	told    map[int64]bool
	telling bool
	// asked counts operators' requests that are under way.
	asked int
}

// create is the update that makes the trade; the API waits for it.
func (r *tradeRun) create(ctx workflow.Context, req CreateTrade) error {
	r.asking = true
	err := r.fill(ctx, req)
	_, r.refused = refusals.Of(err)
	r.answered = true
	r.created = err == nil
	return err
}

func (r *tradeRun) run(ctx workflow.Context) error {
	if err := r.begin(ctx); err != nil || r.refused {
		return err
	}
	if r.state.Upstream {
		return r.follow(ctx)
	}
	for {
		if err := r.publish(ctx); err != nil {
			return err
		}
		r.send(ctx)
		switch {
		case r.idle() && r.done():
			return nil
		case r.idle() && isLongTrade(ctx):
			return workflow.NewContinueAsNewError(ctx, Trade, TradeInput{TradeID: r.in.TradeID, Resume: true})
		}
		if err := r.wait(ctx); err != nil {
			return err
		}
		if gone, err := r.advance(ctx); gone || err != nil {
			return err
		}
	}
}

// begin returns once the trade exists, or will never. A creation that ended
// in a fault, or was lost, may have left the trade behind with nobody told.
func (r *tradeRun) begin(ctx workflow.Context) error {
	if !r.in.Resume {
		if err := awaitUpdate(ctx, r.in.Unasked, &r.asking, &r.answered); err != nil || r.created || r.refused {
			return err
		}
	}
	gone, err := r.advance(ctx)
	if err == nil && gone && r.asking { // it may have begun meanwhile
		err = workflow.Await(ctx, func() bool { return r.answered })
		gone = !r.created
	}
	r.refused = gone
	return err
}

// RetryTradePayment is the argument of RetryUpdate.
type RetryTradePayment = exchangepayments.RetryTradePayment

// EndTrade is the argument of EndTradeUpdate.
type EndTrade = exchangepayments.EndTrade

// retry is the update by which an operator opens a failed transaction again.
func (r *tradeRun) retryTradePayment(ctx workflow.Context, req RetryTradePayment) error {
	var a *exchangepayments.Handler
	req.TradeID = r.in.TradeID
	return r.handleOperatorRequest(ctx, a.RetryTradePayment, req)
}

// end is the update by which an operator ends the waiting for what may never
// come.
func (r *tradeRun) end(ctx workflow.Context, req EndTrade) error {
	var a *exchangepayments.Handler
	req.TradeID = r.in.TradeID
	return r.handleOperatorRequest(ctx, a.EndTrade, req)
}

// handleOperatorRequest does what an operator asks for. What follows is for the run to see to.
func (r *tradeRun) handleOperatorRequest(ctx workflow.Context, activity, req any) error {
	r.asked++
	defer func() { r.asked, r.woken = r.asked-1, true }()
	return workflow.ExecuteActivity(relayContext(ctx), activity, req).Get(ctx, nil)
}

// idle says that no coroutine is at work.
func (r *tradeRun) idle() bool {
	return len(r.sending) == 0 && !r.telling && !r.woken && r.asked == 0
}

// done says that only another deposit brings the trade to life again.
func (r *tradeRun) done() bool {
	return r.state.Status.Ended() && len(r.state.Payments) == 0 && r.state.Waiting == 0 && r.deposits.Len() == 0
}

// wait returns when there is a reason to look: a chain's news, a transaction
// that was sent, the end of the deposit window, or a while without any: news
// can be lost with Temporal's memory.
func (r *tradeRun) wait(ctx workflow.Context) error {
	ready := func() bool { return r.deposits.Len() > 0 || r.woken || (r.done() && r.idle()) }
	switch {
	case r.state.Status == trade.AwaitingDeposit:
		return awaitNews(ctx, ready, r.state.ExpiresAt.Sub(workflow.Now(ctx)))
	case len(r.state.Payments) > 0 || r.state.Waiting > 0:
		return awaitNews(ctx, ready, recheck)
	case r.done():
		return workflow.Await(ctx, ready)
	default:
		return awaitNews(ctx, ready, r.untilRecheck(ctx))
	}
}

// untilRecheck is the pause before the next look: until time alone changes the
// trade, and no longer than between any two looks.
func (r *tradeRun) untilRecheck(ctx workflow.Context) time.Duration {
	if until := r.state.RecheckAt.Sub(workflow.Now(ctx)); until > 0 {
		return min(until, recheck)
	}
	return recheck
}

// advance drains the signals that came, lets the chains be asked for what was
// sent, and looks at the facts once for all of them. gone is true when there
// is no such trade.
func (r *tradeRun) advance(ctx workflow.Context) (gone bool, err error) {
	for r.deposits.ReceiveAsync(nil) {
	}
	r.woken = false
	var a *trades.Handler
	if r.anySent() {
		var a *exchangepayments.Handler
		if err := workflow.ExecuteActivity(relayContext(ctx), a.CheckTradePayments, tasks.Trade{TradeID: r.in.TradeID}).Get(ctx, nil); err != nil {
			return false, err
		}
	}
	err = workflow.ExecuteLocalActivity(databaseContext(ctx), a.AdvanceTrade, trades.AdvanceTrade{
		TradeID: r.in.TradeID, Now: now(ctx),
	}).Get(ctx, &r.state)
	if refusals.Is(err, refusals.Missing) {
		return true, nil
	}
	return false, err
}

func (r *tradeRun) anySent() bool {
	for _, t := range r.state.Payments {
		if t.State == trade.Sent {
			return true
		}
	}
	return false
}

// publish shows operators where the trade stands and has partners told.
func (r *tradeRun) publish(ctx workflow.Context) error {
	workflow.SetCurrentDetails(ctx, r.details())
	if r.shown != r.state.Status {
		if err := workflow.UpsertTypedSearchAttributes(ctx, TradeStatusKey.ValueSet(string(r.state.Status)),
			StuckKey.ValueSet(r.state.Status == trade.Failed || r.state.Status == trade.Hold)); err != nil {
			return err
		}
		r.shown = r.state.Status
	}
	for _, id := range r.state.Events {
		if !r.told[id] {
			r.told[id] = true
			r.events = append(r.events, id)
		}
	}
	if len(r.events) > 0 && !r.telling {
		r.telling = true
		workflow.Go(ctx, r.tell)
	}
	return nil
}

// tell makes the first attempt of each event, one after the other, so that a
// partner hears them in order. One that fails is tried again by a workflow of
// its own and holds up nothing.
func (r *tradeRun) tell(ctx workflow.Context) {
	for len(r.events) > 0 {
		id := r.events[0]
		r.events = r.events[1:]
		if err := attemptFirst(ctx, DeliveryToPartner(id)); err != nil {
			workflow.GetLogger(ctx).Error("an event cannot be delivered", "event", id, "error", err)
		}
	}
	r.telling = false
}

func (r *tradeRun) details() string {
	s := r.state
	waiting := map[trade.Status]string{
		trade.AwaitingDeposit: "waits for a deposit until " + s.ExpiresAt.Format(time.RFC3339),
		trade.DepositDetected: "waits for the deposit's first block",
		trade.Confirming:      "waits for the deposit to be deep enough",
		trade.Processing:      "is being settled",
		trade.Sending:         "waits for the payout to be confirmed",
	}[s.Status]
	text := fmt.Sprintf("**Trade %s** %s %s\n\n| | |\n|---|---|\n| pair | %s |\n| announced | %s |\n| received | %s |\n| open transactions | %d |\n",
		r.in.TradeID, s.Status, waiting, s.Pair, s.AmountFrom, s.Received, max(s.Open, len(s.Payments)))
	if s.Held {
		text += "\nThe deposit lost its depth: nothing is built for it until it is back.\n"
	}
	if s.Detail != "" {
		text += "\n" + s.Detail + "\n"
	}
	return text
}
