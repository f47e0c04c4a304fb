package workflows

type deliveryPhase string

const (
	// deliveryLooking: the run reads the delivery. Each run begins here.
	deliveryLooking deliveryPhase = "looking"
	// deliveryWaiting: the run waits until the next attempt is due.
	deliveryWaiting deliveryPhase = "waiting"
	// deliveryAttempting: an attempt is under way.
	deliveryAttempting deliveryPhase = "attempting"
	// deliveryOver: nothing is left to do.
	deliveryOver deliveryPhase = "over"
)

// deliveryEvent moves a run of Delivery to another phase.
type deliveryEvent string

const (
	// deliveryFound: an attempt is due, now or later.
	deliveryFound deliveryEvent = "look: pending"
	// deliveryEnded: the delivery has ended, waits for another one, or is gone.
	deliveryEnded deliveryEvent = "look: nothing to send"
	// deliveryNews: a signal came.
	deliveryNews deliveryEvent = "news"
	// deliveryDue: it is time for the next attempt.
	deliveryDue deliveryEvent = "due"
	// attemptFailed: an attempt failed, and another follows.
	attemptFailed deliveryEvent = "attempt: pending"
	// attemptLast: an attempt ended the delivery.
	attemptLast deliveryEvent = "attempt: delivered, failed or dropped"
)

var deliveryTransitions = transitions[deliveryPhase, deliveryEvent]{ //nolint:gochecknoglobals // a constant table
	{deliveryLooking, deliveryFound, deliveryWaiting, "the pause, if there is one"},
	{deliveryLooking, deliveryEnded, deliveryOver, ""},
	{deliveryWaiting, deliveryNews, deliveryLooking, "look once for all news"},
	{deliveryWaiting, deliveryDue, deliveryAttempting, "the next attempt"},
	{deliveryAttempting, attemptFailed, deliveryWaiting, "the pause of the receiver's policy"},
	{deliveryAttempting, attemptLast, deliveryOver, "show operators"},
	{deliveryOver, deliveryNews, deliveryLooking, "it was opened again while the run was ending: look"},
}
