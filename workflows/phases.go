package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"
)

type payoutPhase string

const (
	// payoutWaiting: the run waits for the sweep that it was started with.
	payoutWaiting payoutPhase = "waiting"
	// payoutResuming: the payout exists, and the run reads it.
	payoutResuming payoutPhase = "resuming"
	// payoutSending: the run reserves charges, builds the transaction and relays it.
	payoutSending payoutPhase = "sending"
	// payoutReleasing: as sending, but an operator has given up the payout.
	payoutReleasing payoutPhase = "sending, released"
	// payoutConfirming: the daemon has the transaction, but it is not deep enough.
	payoutConfirming payoutPhase = "confirming"
	// payoutStuck: as confirming, for so long that operators get an alert.
	payoutStuck payoutPhase = "stuck"
	// payoutConfirmed: the transaction is deep enough.
	payoutConfirmed payoutPhase = "confirmed"
	// payoutFailed: the charges are free.
	payoutFailed payoutPhase = "failed"
	// payoutNone: there is no payout.
	payoutNone payoutPhase = "none"
)

// payoutEvent moves a run of Payout to another phase.
type payoutEvent string

const (
	sweepAsked     payoutEvent = "sweep"
	sweepUnasked   payoutEvent = "no sweep in time"
	foundBuilding  payoutEvent = "found: building"
	foundBroadcast payoutEvent = "found: broadcast"
	foundStuck     payoutEvent = "found: broadcast, known to be stuck"
	foundConfirmed payoutEvent = "found: confirmed"
	foundFailed    payoutEvent = "found: failed"
	foundNothing   payoutEvent = "found: nothing"
	// sendDone: the daemon has the transaction.
	sendDone payoutEvent = "send: done"
	// sendRefused: nothing was reserved.
	sendRefused payoutEvent = "send: refused"
	// sendFailed: everything reserved is free again.
	sendFailed payoutEvent = "send: failed"
	lookInTime payoutEvent = "look: not deep enough"
	lookStuck  payoutEvent = "look: stuck"
	lookDeep   payoutEvent = "look: deep enough"
	// lookFailed: an operator released the payout, and the answer to that was lost.
	lookFailed payoutEvent = "look: failed"
	// releaseDone: an operator has given up the payout. A release that is refused changes
	// nothing.
	releaseDone payoutEvent = "release: done"
)

var payoutTransitions = transitions[payoutPhase, payoutEvent]{ //nolint:gochecknoglobals // a constant table
	{payoutWaiting, sweepAsked, payoutSending, "check, reserve, order a swap if one is wanted, build, relay"},
	{payoutWaiting, sweepUnasked, payoutNone, ""},
	{payoutWaiting, releaseDone, payoutFailed, ""},
	{payoutResuming, foundBuilding, payoutSending, "build unless it is built, relay"},
	{payoutResuming, foundBroadcast, payoutConfirming, "look at the next block, or after ten minutes"},
	{payoutResuming, foundStuck, payoutStuck, "look at the next block, or after ten minutes"},
	{payoutResuming, foundConfirmed, payoutConfirmed, ""},
	{payoutResuming, foundFailed, payoutFailed, ""},
	{payoutResuming, foundNothing, payoutNone, ""},
	{payoutSending, sendDone, payoutConfirming, "tell the merchant; look at the next block, or after ten minutes"},
	{payoutSending, sendRefused, payoutNone, "tell the merchant why"},
	{payoutSending, sendFailed, payoutFailed, "tell the merchant why"},
	{payoutSending, releaseDone, payoutReleasing, "what is being sent finds the payout failed"},
	{payoutReleasing, sendDone, payoutFailed, ""},
	{payoutReleasing, sendRefused, payoutFailed, "tell the merchant why"},
	{payoutReleasing, sendFailed, payoutFailed, "tell the merchant why"},
	{payoutReleasing, releaseDone, payoutReleasing, ""},
	{payoutConfirming, lookInTime, payoutConfirming, "look at the next block, or after ten minutes"},
	{payoutConfirming, lookStuck, payoutStuck, "show operators; look at the next block, or after ten minutes"},
	{payoutConfirming, lookDeep, payoutConfirmed, ""},
	{payoutConfirming, lookFailed, payoutFailed, "never relayed again"},
	{payoutConfirming, releaseDone, payoutFailed, "never relayed again"},
	{payoutStuck, lookInTime, payoutConfirming, "show operators; look at the next block, or after ten minutes"},
	{payoutStuck, lookStuck, payoutStuck, "look at the next block, or after ten minutes"},
	{payoutStuck, lookDeep, payoutConfirmed, ""},
	{payoutStuck, lookFailed, payoutFailed, "never relayed again"},
	{payoutStuck, releaseDone, payoutFailed, "never relayed again"},
	{payoutConfirmed, releaseDone, payoutFailed, "a reorganization had dropped it"},
	{payoutFailed, releaseDone, payoutFailed, ""},
	{payoutNone, releaseDone, payoutFailed, ""},
}

// transitions define which phase follows when an event comes in a phase. The runs follow
// these tables. phases.md shows them, and the tests walk along every row.
type transitions[Phase, Event ~string] []transition[Phase, Event]

type transition[Phase, Event ~string] struct {
	From Phase
	On   Event
	To   Phase
	// Then describes what happens, for people.
	Then string
}

// next returns the phase that an event leads to. An event without a row is a fault of
// this code. The panic keeps the run where it is until the code is mended.
func (t transitions[Phase, Event]) next(from Phase, on Event) Phase {
	for _, row := range t {
		if row.From == from && row.On == on {
			return row.To
		}
	}
	panic(fmt.Sprintf("no transition from %s on %s", from, on))
}

// follow is next, and logs the step.
func (t transitions[Phase, Event]) follow(ctx workflow.Context, from Phase, on Event) Phase {
	next := t.next(from, on)
	workflow.GetLogger(ctx).Debug("phase", "phase", string(from), "event", string(on), "next", string(next))
	return next
}

// PhaseQuery is the query that returns the phase of a run, see phases.md.
const PhaseQuery = "phase"

type swapPhase string

const (
	// swapUnordered waits for the update that orders the swap.
	swapUnordered swapPhase = "unordered"
	// swapOrdering has sent the order and waits for its outcome.
	swapOrdering swapPhase = "ordering"
	// swapLost has an order that ended in a fault, and looks for the swap that it may have
	// created.
	swapLost swapPhase = "lost"
	// swapSought has not ordered, and looks for an existing swap.
	swapSought swapPhase = "sought"
	// swapWaiting waits until the provider is due to be asked.
	swapWaiting swapPhase = "waiting"
	// swapPolling asks the provider.
	swapPolling swapPhase = "polling"
	// swapOver has nothing left to do: there will be no swap, or it is not followed any
	// more.
	swapOver swapPhase = "over"
)

// swapEvent moves a run of Swap to another phase.
type swapEvent string

const (
	// swapRequested: the update that orders the swap came.
	swapRequested swapEvent = "requested"
	// swapUnasked: the update did not come in time.
	swapUnasked swapEvent = "unasked"
	// swapMade: the order is placed.
	swapMade swapEvent = "made"
	// swapRefused: there is no order, or none that will be paid.
	swapRefused swapEvent = "refused"
	// swapFaulted: the outcome of the order is unknown.
	swapFaulted swapEvent = "faulted"
	// swapFound: the swap is in the database.
	swapFound swapEvent = "found"
	// swapMissing: the swap is not in the database, and cannot get there any more.
	swapMissing swapEvent = "missing"
	// swapDue: it is time to ask the provider.
	swapDue swapEvent = "due"
	// swapWanted: a merchant wants the provider asked now.
	swapWanted swapEvent = "wanted"
	// swapTold: the provider was asked, whether it answered or not.
	swapTold swapEvent = "told"
	// swapClosed: the provider is not asked any more.
	swapClosed swapEvent = "closed"
)

var swapTransitions = transitions[swapPhase, swapEvent]{ //nolint:gochecknoglobals // a constant table
	{swapUnordered, swapRequested, swapOrdering, "the order is sent"},
	{swapUnordered, swapUnasked, swapSought, "whoever sent the update has gone: the swap is looked for"},
	{swapOrdering, swapMade, swapWaiting, "`create` is answered"},
	{swapOrdering, swapRefused, swapOver, "`create` is refused"},
	{swapOrdering, swapFaulted, swapLost, "`create` ends with the fault, and the swap is looked for"},
	{swapLost, swapFound, swapWaiting, "the provider is asked in its time"},
	{swapLost, swapMissing, swapOver, "the order is given up"},
	{swapSought, swapRequested, swapOrdering, "the order is sent: `create` came while nothing was found"},
	{swapSought, swapFound, swapWaiting, "a payout made the swap, or an earlier run: its provider is asked in its time"},
	{swapSought, swapMissing, swapOver, ""},
	{swapWaiting, swapDue, swapPolling, "the provider is asked"},
	{swapWaiting, swapWanted, swapPolling, "the provider is asked at once"},
	{swapWaiting, swapClosed, swapOver, ""},
	{swapPolling, swapTold, swapWaiting, "`poll` is answered"},
}

// exists reports whether the swap is in the database and its provider is asked.
func (p swapPhase) exists() bool { return p == swapWaiting || p == swapPolling }

// answered reports whether CreateSwapUpdate can be answered.
func (p swapPhase) answered() bool { return p.exists() || p == swapLost || p == swapOver }

type tradePhase string

const (
	// tradeWaiting: the run waits until the order that it was started with is answered.
	tradeWaiting tradePhase = "waiting"
	// tradeLooking: the trade exists, or may exist, and the run compares it with the chains.
	tradeLooking tradePhase = "looking"
	// tradeOpen: the exchange fills the trade. The trade waits for a deposit, for depth, or
	// for payments that the run sends.
	tradeOpen tradePhase = "open"
	// tradeFollowing: another provider fills the trade, and the run asks it after a while.
	tradeFollowing tradePhase = "following"
	// tradeAsking: the run asks that provider, until it answers.
	tradeAsking tradePhase = "asking"
	// tradeOver: the trade waits for nothing but another deposit.
	tradeOver tradePhase = "over"
	// tradeNone: there is no trade.
	tradeNone tradePhase = "none"
)

// tradeEvent moves a run of Trade to another phase.
type tradeEvent string

const (
	// tradeOrdered: a provider fills the trade, or it is unknown whether one does.
	tradeOrdered tradeEvent = "order: placed or fault"
	tradeRefused tradeEvent = "order: refused"
	// tradeUnasked: no update came within Unasked, or a signal came before it.
	tradeUnasked       tradeEvent = "no order in time, or news"
	tradeFound         tradeEvent = "look: self-fill"
	tradeFoundUpstream tradeEvent = "look: upstream fill"
	// tradeMissing: it was never made, or retention has removed it.
	tradeMissing tradeEvent = "look: missing"
	// tradeEnded: nothing is left to pay, or the provider is not asked any more.
	tradeEnded tradeEvent = "ended"
	// tradeNews: a signal of deposits came, a coroutine was done with a payment, or an
	// operator's request was answered. A refused request does not count.
	tradeNews tradeEvent = "news"
	// tradeDue: time alone changes the trade, or no signal and no request came for long.
	tradeDue tradeEvent = "due"
	// tradeTold: the provider has answered.
	tradeTold tradeEvent = "told"
)

var tradeTransitions = transitions[tradePhase, tradeEvent]{ //nolint:gochecknoglobals // a constant table
	{tradeWaiting, tradeOrdered, tradeLooking, "the trade is looked for: `order` is answered with it, or refused"},
	{tradeWaiting, tradeRefused, tradeNone, "`order` is refused"},
	{tradeWaiting, tradeUnasked, tradeLooking, "whoever sent the update has gone: the trade is looked for, or its orders are given up"},
	{tradeLooking, tradeFound, tradeOpen, "show operators; see to payments; tell the partner"},
	{tradeLooking, tradeFoundUpstream, tradeFollowing, "show operators; tell the partner; ask in a while"},
	{tradeLooking, tradeMissing, tradeNone, ""},
	{tradeOpen, tradeEnded, tradeOver, "let the partner be told"},
	{tradeOpen, tradeNews, tradeLooking, "look once for all news"},
	{tradeOpen, tradeDue, tradeLooking, "look"},
	{tradeFollowing, tradeEnded, tradeOver, "let the partner be told"},
	{tradeFollowing, tradeDue, tradeAsking, "the provider is asked"},
	{tradeAsking, tradeMissing, tradeNone, ""},
	{tradeAsking, tradeTold, tradeFollowing, "show operators; tell the partner; ask in a while"},
	{tradeOver, tradeNews, tradeLooking, "another deposit, or an operator's request: look"},
	{tradeNone, tradeOrdered, tradeLooking, "`order` came while the run was ending: the trade is looked for"},
	{tradeNone, tradeRefused, tradeNone, "`order` is refused"},
	{tradeNone, tradeNews, tradeLooking, "look"},
}
