package workflows

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

// TradeWorkflowID is the workflow ID of a trade.
func TradeWorkflowID(tradeID string) string { return "trade-" + tradeID }

// Names that callers of the trade workflow use.
const (
	// PlaceOrderUpdate carries PlaceOrder, for a trade that another provider is to fill. It
	// completes once the trade is in the database; a refusal is an application error of a
	// Refused type. While the database is away it waits.
	PlaceOrderUpdate = "order"
	// RetryUpdate carries RetryTradePayment, for a transaction that failed. It completes
	// once the transaction is open again, or is refused with refusals.TradePayment.
	RetryUpdate = "retry"
	// EndTradeUpdate carries EndTrade, for a trade that waits for a deposit that may never
	// be spendable. It completes once the trade does not wait any more, or is refused with
	// refusals.TradePayment.
	EndTradeUpdate = "end"
	// DepositsSignal is sent when a chain shows something new for the trade.
	DepositsSignal = "deposits"
)

// TradeInput names the trade that the workflow carries.
type TradeInput struct {
	TradeID string
	// Resume is set on a run for an existing trade: it was just made, late money came, or a
	// long history was cut. Other runs wait for an order at a provider.
	Resume bool
	// Shown is set if the execution was started with the search attributes of a trade that
	// waits for its deposit, so that there is nothing to set at first.
	Shown bool
}

type (
	// PlaceOrder is the argument of PlaceOrderUpdate, checked by the caller.
	PlaceOrder = trades.PlaceOrder
	// Route is a quoted way to have another provider fill a trade.
	Route = trades.Route
	// RetryTradePayment is the argument of RetryUpdate, by which an operator reopens a failed
	// transaction.
	RetryTradePayment = trades.RetryTradePayment
	// EndTrade is the argument of EndTradeUpdate, by which an operator ends the wait for a
	// deposit that may never be spendable.
	EndTrade = trades.EndTrade
)

// Trade carries one swap to its end. It waits for a watcher's signal or
// the end of the deposit window, lets the domain package decide what follows, sends every
// transaction that this requires, and notifies a partner of each status in order.
// phases.md has its phases.
func Trade(ctx workflow.Context, in TradeInput) error {
	run := &tradeRun{
		in: in, machine: machine[tradePhase, tradeEvent]{"Trade", tradeWaiting}, deposits: workflow.GetSignalChannel(ctx, DepositsSignal),
		sending: map[int64]bool{}, queued: map[int64]bool{},
	}
	if in.Resume {
		run.phase = tradeLooking
	}
	if in.Shown {
		run.shown = trade.AwaitingDeposit
	}
	if err := run.setHandlers(ctx); err != nil {
		return err
	}
	return run.walk(ctx, steps[tradePhase]{
		tradeWaiting: run.awaitOrder, tradeLooking: run.look, tradeOpen: run.sendAndWait, tradeFollowing: run.follow, tradeAsking: run.ask,
	}, run.finish)
}

type tradeRun struct {
	machine[tradePhase, tradeEvent]

	in       TradeInput
	requests requests
	deposits workflow.ReceiveChannel
	// woken is set when a coroutine was done with a payment, or an operator's request was
	// answered, since the last look.
	woken bool
	state trades.TradeState
	shown trade.Status
	// sending holds the payments that a coroutine handles.
	sending map[int64]bool
	// events wait for their first attempt, in order. queued holds every event that was queued
	// for one. notifying is set while a coroutine makes the attempts.
	events    []int64
	queued    map[int64]bool
	notifying bool
}

func (r *tradeRun) setHandlers(ctx workflow.Context) error {
	var a *trades.Payments
	err := errors.Join(
		r.answerPhase(ctx),
		workflow.SetUpdateHandler(ctx, RetryUpdate, func(ctx workflow.Context, req RetryTradePayment) error {
			req.TradeID = r.in.TradeID
			return r.submitOperatorRequest(ctx, a.RetryTradePayment, req)
		}),
		workflow.SetUpdateHandler(ctx, EndTradeUpdate, func(ctx workflow.Context, req EndTrade) error {
			req.TradeID = r.in.TradeID
			return r.submitOperatorRequest(ctx, a.EndTrade, req)
		}),
	)
	if err != nil || r.in.Resume {
		return err
	}
	return workflow.SetUpdateHandler(ctx, PlaceOrderUpdate, func(ctx workflow.Context, req PlaceOrder) error {
		return r.requests.submit(ctx, func(ctx workflow.Context) error { return r.order(ctx, req) })
	})
}

// awaitOrder returns when an update is answered: usually the one that the run was started
// with. The update can be lost with the process that sent it, or its answer with the
// database. Then the trade may exist although no client got an answer. A signal means
// that it exists, because another route has filled it.
func (r *tradeRun) awaitOrder(ctx workflow.Context) error {
	asked, err := r.requests.awaitFirst(ctx, r.mustLook)
	if err == nil && !asked {
		r.on(ctx, tradeUnasked)
	}
	return err
}

// order has a provider fill the trade while the API waits. If the trade exists, order
// answers a repeated request with it.
func (r *tradeRun) order(ctx workflow.Context, req PlaceOrder) error {
	if r.phase != tradeWaiting && r.phase != tradeNone {
		return nil
	}
	req.TradeID, req.Now = r.in.TradeID, now(ctx)
	var a *trades.Handler
	err := forOrder.at(ExchangeOutsideQueue).start(ctx, a.PlaceOrder, req).Get(ctx, nil)
	if _, refused := refusals.Of(err); refused {
		r.on(ctx, tradeRefused)
		return err
	}
	r.on(ctx, tradeOrdered)
	if err == nil {
		return nil
	}
	return r.find(ctx)
}

// find answers an order whose outcome is unknown. Temporal gives the same answer to a
// repeated request, so the answer must hold: the trade exists, or the order is given up.
func (r *tradeRun) find(ctx workflow.Context) error {
	if err := r.look(ctx); err != nil {
		return err
	}
	if r.phase == tradeNone {
		return refusals.New(refusals.Route, "the trade was not made: try again")
	}
	return nil
}

// submitOperatorRequest has the main routine do an operator's request. A fault may come
// after the work was done, so the run looks at the trade then too.
func (r *tradeRun) submitOperatorRequest(ctx workflow.Context, activity, req any) error {
	return r.requests.submit(ctx, func(ctx workflow.Context) error {
		err := forOperator.start(ctx, activity, req).Get(ctx, nil)
		if _, refused := refusals.Of(err); !refused {
			r.woken = true
		}
		return err
	})
}

// mustLook reports whether a signal came, or a coroutine or a request asks for a look.
func (r *tradeRun) mustLook() bool { return r.deposits.Len() > 0 || r.woken }

// idle reports whether no coroutine is running.
func (r *tradeRun) idle() bool { return len(r.sending) == 0 && !r.notifying }

// done reports whether only another deposit can change the trade.
func (r *tradeRun) done() bool {
	return r.state.Status.Ended() && len(r.state.Payments) == 0 && r.state.Waiting == 0 && !r.state.Postponed
}

// look drains the signals that came, checks the sent payments on their chains, and looks
// at the facts once for all signals.
func (r *tradeRun) look(ctx workflow.Context) error {
	for r.deposits.ReceiveAsync(nil) {
	}
	r.woken = false
	var a *trades.Handler
	if slices.ContainsFunc(r.state.Payments, func(p trades.TradePayment) bool { return p.State == trade.Sent }) {
		var a *trades.Payments
		if err := r.requests.get(ctx, forRelay.start(ctx, a.CheckTradePayments, trades.TradeTask{TradeID: r.in.TradeID}), nil); err != nil {
			return err
		}
	}
	err := forDatabase.start(ctx, a.AdvanceTrade, trades.AdvanceTrade{TradeID: r.in.TradeID, Now: now(ctx)}).Get(ctx, &r.state)
	switch {
	case refusals.Is(err, refusals.Missing):
		r.on(ctx, tradeMissing)
	case err != nil:
		return err
	case r.state.Upstream:
		r.on(ctx, tradeFoundUpstream)
	default:
		r.on(ctx, tradeFound)
	}
	return nil
}

// sendAndWait does what the last look requires. It returns when there is a reason for the next
// look, or when none is needed. A reason is a signal, a payment or an operator's request
// that was handled, or the time.
func (r *tradeRun) sendAndWait(ctx workflow.Context) error {
	if err := r.publish(ctx); err != nil {
		return err
	}
	if r.send(ctx); r.done() {
		r.on(ctx, tradeEnded)
		return nil
	}
	stop := func() bool { return r.mustLook() || r.mayContinueAsNew(ctx) }
	if err := r.requests.awaitWithTimeout(ctx, stop, r.pause(ctx)); err != nil {
		return err
	}
	switch {
	case r.mayContinueAsNew(ctx):
		return r.continueAsNew(ctx)
	case r.mustLook():
		r.on(ctx, tradeWoken)
	default:
		r.on(ctx, tradeDue)
	}
	return nil
}

// mayContinueAsNew reports whether the run should continue in a fresh history, and no
// coroutine would be interrupted by that. The next run begins with a look.
func (r *tradeRun) mayContinueAsNew(ctx workflow.Context) bool {
	return r.idle() && !r.woken && (isLong(ctx) || workflow.GetInfo(ctx).GetCurrentHistorySize() > longTrade)
}

// pause returns how long the run waits for a signal or a request: until the end of the
// deposit window, or until time alone changes the trade. After the window it is at most
// recheck, because signals can be lost with Temporal's memory.
func (r *tradeRun) pause(ctx workflow.Context) time.Duration {
	if r.state.Status == trade.AwaitingDeposit {
		return r.state.ExpiresAt.Sub(workflow.Now(ctx))
	}
	if until := r.state.RecheckAt.Sub(workflow.Now(ctx)); until > 0 {
		return min(until, recheck)
	}
	return recheck
}

// continueAsNew continues in a fresh history once every request is answered.
func (r *tradeRun) continueAsNew(ctx workflow.Context) error {
	if finished, err := r.requests.finish(ctx); !finished || err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, Trade, TradeInput{TradeID: r.in.TradeID, Resume: true})
}

// finish reports whether the run is over: no coroutine is running, every request is
// answered, and there is no reason for another look.
func (r *tradeRun) finish(ctx workflow.Context) (bool, error) {
	ending := r.phase
	moved := func() bool { return r.phase != ending }
	if err := r.requests.await(ctx, func() bool { return moved() || r.mustLook() || r.idle() }); err != nil || moved() {
		return false, err
	}
	finished, err := r.requests.finish(ctx)
	if !finished || err != nil || !r.mustLook() {
		return finished, err
	}
	r.on(ctx, tradeWoken)
	return false, nil
}

// publish shows operators the state of the trade and notifies partners.
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
		if !r.queued[id] {
			r.queued[id] = true
			r.events = append(r.events, id)
		}
	}
	if len(r.events) > 0 && !r.notifying {
		r.notifying = true
		workflow.Go(ctx, r.notifyPartner)
	}
	return nil
}

// notifyPartner makes the first attempt of each event, one after the other, so that a
// partner receives them in order. A failed event gets a workflow of its own that retries it, and
// delays no other event.
func (r *tradeRun) notifyPartner(ctx workflow.Context) {
	for len(r.events) > 0 {
		id := r.events[0]
		r.events = r.events[1:]
		if err := attemptFirst(ctx, DeliveryToPartner(id)); err != nil {
			workflow.GetLogger(ctx).Error("an event cannot be delivered", "event", id, "error", err)
		}
	}
	r.notifying = false
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

const (
	// longTrade is the size of a history, in bytes, at which a trade continues in a fresh
	// one: many deposits may come to one address, for years.
	longTrade = 100 << 10
	// maxSending bounds the coroutines of a trade, maxRefunding those for refunds.
	maxSending   = 4
	maxRefunding = 2
)

// send starts a coroutine for each payment that is not with the network yet, a few at a
// time. While the deposit lacks its depth, no planned payment is started. Two refunds are
// handled at a time: a second one, because the deposit of the first may not be what it
// was. One is usually enough, because all refunds that can go into its transaction do.
func (r *tradeRun) send(ctx workflow.Context) {
	refunds := 0
	for _, t := range r.state.Payments {
		if r.sending[t.ID] && t.Kind == trade.Refund {
			refunds++
		}
	}
	for _, t := range r.state.Payments {
		if t.State == trade.Sent || r.sending[t.ID] || (r.state.Held && t.State == trade.Planned) {
			continue
		}
		if refunds >= maxRefunding && t.Kind == trade.Refund {
			continue
		}
		if len(r.sending) >= maxSending {
			return
		}
		if t.Kind == trade.Refund {
			refunds++
		}
		r.sending[t.ID] = true
		workflow.Go(ctx, func(ctx workflow.Context) { r.sendPayment(ctx, t) })
	}
}

func (r *tradeRun) sendPayment(ctx workflow.Context, t trades.TradePayment) {
	var a *trades.Payments
	err := forPayment.at(SendQueue(t.WalletID)).start(ctx, a.SendTradePayment, trades.TradePaymentTask{TradePaymentID: t.ID}).Get(ctx, nil)
	if err != nil {
		// Temporal retries faults, so this error ends the run.
		workflow.GetLogger(ctx).Error("a payment cannot be seen to", "payment", t.ID, "error", err)
		_ = workflow.Sleep(ctx, recheck) // on cancellation the run ends anyway
	}
	delete(r.sending, t.ID)
	r.woken = true
}
