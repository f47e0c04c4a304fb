package workflows

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
