package workflows

// swapPhase is where a run of Swap stands.
type swapPhase string

const (
	// swapUnordered waits for the update that orders the swap.
	swapUnordered swapPhase = "unordered"
	// swapOrdering has sent the order and waits for what became of it.
	swapOrdering swapPhase = "ordering"
	// swapLost has an order that ended in a fault, and looks for what it left behind.
	swapLost swapPhase = "lost"
	// swapSought has not ordered, and looks for a swap that exists already.
	swapSought swapPhase = "sought"
	// swapWaiting waits until the provider is to be asked.
	swapWaiting swapPhase = "waiting"
	// swapPolling asks the provider.
	swapPolling swapPhase = "polling"
	// swapOver has nothing left to do: there will be no swap, or nobody asks any more.
	swapOver swapPhase = "over"
)

// swapEvent is what takes a run from one phase to another.
type swapEvent string

const (
	// swapRequested says that the update came that orders the swap.
	swapRequested swapEvent = "requested"
	// swapUnasked says that it did not come in time.
	swapUnasked swapEvent = "unasked"
	// swapMade says that the order is placed.
	swapMade swapEvent = "made"
	// swapRefused says that there is no order, or none that is paid.
	swapRefused swapEvent = "refused"
	// swapFaulted says that nobody knows what became of the order.
	swapFaulted swapEvent = "faulted"
	// swapFound says that the swap is in the database.
	swapFound swapEvent = "found"
	// swapMissing says that it is not, and cannot come to be any more.
	swapMissing swapEvent = "missing"
	// swapDue says that it is time to ask the provider.
	swapDue swapEvent = "due"
	// swapWanted says that a merchant wants the provider asked now.
	swapWanted swapEvent = "wanted"
	// swapTold says that the provider was asked, whether it answered or not.
	swapTold swapEvent = "told"
	// swapClosed says that the provider is not asked any more.
	swapClosed swapEvent = "closed"
)

// swapTransitions is the table of Swap.
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

// exists says that the swap is in the database and its provider is asked.
func (p swapPhase) exists() bool { return p == swapWaiting || p == swapPolling }

// answered says that whoever ordered the swap is told what became of it.
func (p swapPhase) answered() bool { return p.exists() || p == swapLost || p == swapOver }
