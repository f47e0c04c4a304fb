package workflows

import (
	_ "embed"
	"fmt"
	"strings"

	"go.temporal.io/sdk/workflow"
)

// machine is the phase of a run. Events move it along the table of phases.md that has the
// name of its workflow.
type machine[Phase, Event ~string] struct {
	workflow string
	phase    Phase
}

// on moves to the phase that follows an event. An event without a row is a fault of this
// code. The panic keeps the run where it is until the code is mended.
func (m *machine[Phase, Event]) on(ctx workflow.Context, event Event) {
	for _, row := range tables[m.workflow] {
		if row.From == string(m.phase) && row.On == string(event) {
			workflow.GetLogger(ctx).Debug("phase", "phase", row.From, "event", row.On, "next", row.To)
			m.phase = Phase(row.To)
			return
		}
	}
	panic(fmt.Sprintf("no transition from %s on %s", m.phase, event))
}

// PhaseQuery is the query that returns the phase of a run, see phases.md.
const PhaseQuery = "phase"

func (m *machine[Phase, Event]) answerPhase(ctx workflow.Context) error {
	return workflow.SetQueryHandler(ctx, PhaseQuery, func() (Phase, error) { return m.phase, nil })
}

// steps are what a run does in its phases.
type steps[Phase ~string] map[Phase]func(workflow.Context) error

// walk does the step of each phase that the run comes to. A phase without a step is an end:
// there walk returns once finish reports that the run is over.
func (m *machine[Phase, Event]) walk(ctx workflow.Context, steps steps[Phase], finish func(workflow.Context) (over bool, err error)) error {
	for {
		if step, found := steps[m.phase]; found {
			if err := step(ctx); err != nil {
				return err
			}
		} else if over, err := finish(ctx); over || err != nil {
			return err
		}
	}
}

// transition is a row of a table of phases.md: which phase follows when an event comes in a
// phase. Tests walk along every row.
type transition struct{ From, On, To string }

//go:embed phases.md
var phases string

//nolint:gochecknoglobals // constant tables
var tables = readTables(phases)

// readTables returns the tables under the headings of a text.
func readTables(text string) map[string][]transition {
	found, heading := map[string][]transition{}, ""
	for line := range strings.Lines(text) {
		if title, is := strings.CutPrefix(line, "## "); is {
			heading = strings.TrimSpace(title)
		}
		cells := strings.Split(line, "|")
		for i, cell := range cells {
			cells[i] = strings.TrimSpace(cell)
		}
		if len(cells) == 6 && cells[2] != "event" && !strings.HasPrefix(cells[2], "---") {
			found[heading] = append(found[heading], transition{cells[1], cells[2], cells[3]})
		}
	}
	return found
}

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
	// payoutFailed: the charges are free.
	payoutFailed payoutPhase = "failed"
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
	// swapPollRequested: a merchant wants the provider asked now.
	swapPollRequested swapEvent = "wanted"
	// swapPolled: the provider was asked, whether it answered or not.
	swapPolled swapEvent = "told"
	// swapClosed: the provider is not asked any more.
	swapClosed swapEvent = "closed"
)

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
	// tradeWoken: a signal of deposits came, a coroutine was done with a payment, or an
	// operator's request was answered. A refused request does not count.
	tradeWoken tradeEvent = "news"
	// tradeDue: time alone changes the trade, or no signal and no request came for long.
	tradeDue tradeEvent = "due"
	// tradeAnswered: the provider has answered.
	tradeAnswered tradeEvent = "told"
)
