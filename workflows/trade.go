package workflows

import (
	"errors"
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
	// the database; a refusal is an application error of a Refused type. While the
	// database is away it waits.
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
// of each status in order. phases.md has its phases.
func Trade(ctx workflow.Context, in TradeInput) error {
	run := &tradeRun{
		in: in, phase: tradeWaiting, deposits: workflow.GetSignalChannel(ctx, DepositsSignal),
		sending: map[int64]bool{}, told: map[int64]bool{},
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
	return run.run(ctx)
}

type tradeRun struct {
	in       TradeInput
	phase    tradePhase
	requests requests
	deposits workflow.ReceiveChannel
	// woken is set when a payment was seen to, or an operator's request was
	// answered, since the last look.
	woken bool
	state trades.TradeState
	shown trade.Status
	// sending are the transactions that a coroutine sees to.
	sending map[int64]bool
	// events wait for their first attempt, in order; told are all that did, and
	// telling is set while a coroutine makes the attempts.
	events  []int64
	told    map[int64]bool
	telling bool
}

func (r *tradeRun) setHandlers(ctx workflow.Context) error {
	err := errors.Join(
		workflow.SetQueryHandler(ctx, PhaseQuery, func() (tradePhase, error) { return r.phase, nil }),
		workflow.SetUpdateHandler(ctx, RetryUpdate, r.retryTradePayment),
		workflow.SetUpdateHandler(ctx, EndTradeUpdate, r.endTrade),
	)
	if err != nil || r.in.Resume {
		return err
	}
	return workflow.SetUpdateHandler(ctx, CreateTradeUpdate, func(ctx workflow.Context, req CreateTrade) error {
		return r.requests.submit(ctx, func(ctx workflow.Context) error { return r.create(ctx, req) })
	})
}

// on goes on to the phase that follows an event.
func (r *tradeRun) on(ctx workflow.Context, event tradeEvent) {
	r.phase = tradeTransitions.follow(ctx, r.phase, event)
}

func (r *tradeRun) run(ctx workflow.Context) error {
	for {
		var err error
		switch r.phase {
		case tradeWaiting:
			err = r.awaitCreation(ctx)
		case tradeLooking:
			err = r.look(ctx)
		case tradeOpen:
			err = r.carry(ctx)
		case tradeFollowing:
			err = r.follow(ctx)
		case tradeAsking:
			err = r.ask(ctx)
		case tradeOver, tradeNone:
			if finished, err := r.finish(ctx); finished || err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

// awaitCreation returns when an update is answered: the one that the run was
// started with, as a rule. It can be lost with the process that sent it, or its
// answer with the database: the trade may have been left behind with nobody told.
func (r *tradeRun) awaitCreation(ctx workflow.Context) error {
	asked, err := r.requests.awaitFirst(ctx)
	if err == nil && !asked {
		r.on(ctx, tradeUnasked)
	}
	return err
}

// create makes the trade; the API waits for it. A trade that is there is the
// answer to whoever asks again.
func (r *tradeRun) create(ctx workflow.Context, req CreateTrade) error {
	if r.phase != tradeWaiting && r.phase != tradeNone {
		return nil
	}
	err := r.fill(ctx, req)
	switch _, refused := refusals.Of(err); {
	case err == nil && r.state.Upstream:
		r.on(ctx, tradeMadeUpstream)
	case err == nil:
		r.on(ctx, tradeMade)
	case refused:
		r.on(ctx, tradeRefused)
	default:
		r.on(ctx, tradeFault)
		return r.find(ctx)
	}
	return err
}

// find answers a creation of which nobody knows whether it made a trade. Temporal
// gives that answer to whoever repeats the request, so it must hold: the trade is
// there, or there will be none.
func (r *tradeRun) find(ctx workflow.Context) error {
	if err := r.look(ctx); err != nil {
		return err
	}
	if r.phase == tradeNone {
		return refusals.New(refusals.Route, "the trade was not made: try again")
	}
	return nil
}

// RetryTradePayment is the argument of RetryUpdate.
type RetryTradePayment = exchangepayments.RetryTradePayment

// EndTrade is the argument of EndTradeUpdate.
type EndTrade = exchangepayments.EndTrade

// retryTradePayment is the update by which an operator opens a failed
// transaction again.
func (r *tradeRun) retryTradePayment(ctx workflow.Context, req RetryTradePayment) error {
	var a *exchangepayments.Handler
	req.TradeID = r.in.TradeID
	return r.submitOperatorRequest(ctx, a.RetryTradePayment, req)
}

// endTrade is the update by which an operator ends the waiting for what may
// never come.
func (r *tradeRun) endTrade(ctx workflow.Context, req EndTrade) error {
	var a *exchangepayments.Handler
	req.TradeID = r.in.TradeID
	return r.submitOperatorRequest(ctx, a.EndTrade, req)
}

// submitOperatorRequest has the main routine do what an operator asks for. After
// a fault it may have been done all the same: then too there is a reason to look.
func (r *tradeRun) submitOperatorRequest(ctx workflow.Context, activity, req any) error {
	return r.requests.submit(ctx, func(ctx workflow.Context) error {
		err := workflow.ExecuteActivity(operatorContext(ctx), activity, req).Get(ctx, nil)
		if _, refused := refusals.Of(err); !refused {
			r.woken = true
		}
		return err
	})
}

// news says that there is a reason to look.
func (r *tradeRun) news() bool { return r.deposits.Len() > 0 || r.woken }

// idle says that no coroutine is at work.
func (r *tradeRun) idle() bool { return len(r.sending) == 0 && !r.telling }

// done says that only another deposit brings the trade to life again.
func (r *tradeRun) done() bool {
	return r.state.Status.Ended() && len(r.state.Payments) == 0 && r.state.Waiting == 0 && !r.state.Postponed
}

// look drains the signals that came, lets the chains be asked for what was
// sent, and looks at the facts once for all of them.
func (r *tradeRun) look(ctx workflow.Context) error {
	for r.deposits.ReceiveAsync(nil) {
	}
	r.woken = false
	var a *trades.Handler
	if r.anySent() {
		var a *exchangepayments.Handler
		if err := r.requests.get(ctx, workflow.ExecuteActivity(relayContext(ctx), a.CheckTradePayments,
			tasks.Trade{TradeID: r.in.TradeID}), nil); err != nil {
			return err
		}
	}
	err := workflow.ExecuteLocalActivity(databaseContext(ctx), a.AdvanceTrade, trades.AdvanceTrade{
		TradeID: r.in.TradeID, Now: now(ctx),
	}).Get(ctx, &r.state)
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

func (r *tradeRun) anySent() bool {
	for _, t := range r.state.Payments {
		if t.State == trade.Sent {
			return true
		}
	}
	return false
}

// carry does what the last look asks for, and returns when there is a reason for
// the next one, or none is needed.
func (r *tradeRun) carry(ctx workflow.Context) error {
	if err := r.publish(ctx); err != nil {
		return err
	}
	if r.send(ctx); r.done() {
		r.on(ctx, tradeEnded)
		return nil
	}
	stop := func() bool { return r.news() || r.mayBeginAnew(ctx) }
	if err := r.requests.awaitNews(ctx, stop, r.pause(ctx)); err != nil {
		return err
	}
	switch {
	case r.mayBeginAnew(ctx):
		return r.beginAnew(ctx)
	case r.news():
		r.on(ctx, tradeNews)
	default:
		r.on(ctx, tradeDue)
	}
	return nil
}

// mayBeginAnew reports whether the run is to go on in a fresh history, and no coroutine
// is cut off by that. The next run looks first.
func (r *tradeRun) mayBeginAnew(ctx workflow.Context) bool {
	return r.idle() && !r.woken && isLongTrade(ctx)
}

// pause is how long the run waits without news: until the end of the deposit
// window, or until time alone changes the trade. Beyond the window it is no
// longer than between any two looks, since news can be lost with Temporal's
// memory.
func (r *tradeRun) pause(ctx workflow.Context) time.Duration {
	if r.state.Status == trade.AwaitingDeposit {
		return r.state.ExpiresAt.Sub(workflow.Now(ctx))
	}
	if until := r.state.RecheckAt.Sub(workflow.Now(ctx)); until > 0 {
		return min(until, recheck)
	}
	return recheck
}

// beginAnew goes on in a fresh history once every request is answered.
func (r *tradeRun) beginAnew(ctx workflow.Context) error {
	if finished, err := r.requests.finish(ctx); !finished || err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, Trade, TradeInput{TradeID: r.in.TradeID, Resume: true})
}

// finish says whether the run is over: no coroutine is at work, every request is
// answered, and no news came meanwhile.
func (r *tradeRun) finish(ctx workflow.Context) (bool, error) {
	ending := r.phase
	moved := func() bool { return r.phase != ending }
	if err := r.requests.await(ctx, func() bool { return moved() || r.news() || r.idle() }); err != nil || moved() {
		return false, err
	}
	finished, err := r.requests.finish(ctx)
	if !finished || err != nil || !r.news() {
		return finished, err
	}
	r.on(ctx, tradeNews)
	return false, nil
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
