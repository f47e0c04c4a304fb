package workflows

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
