package workflows

// deliveryPhase is the phase of a run of Delivery.
type deliveryPhase string

const (
	// deliveryWaiting: the run waits for the update that it was started with.
	deliveryWaiting deliveryPhase = "waiting"
	// deliveryOpening: no update came, so the run opens the delivery itself.
	deliveryOpening deliveryPhase = "opening"
	// delivering: the run makes attempts, with pauses between them.
	delivering deliveryPhase = "delivering"
	// deliveringUnknown: as delivering, but a redelivery was refused meanwhile. The refusal
	// may come from a second try of the activity, after the first try wrote. So the outcome
	// of the redelivery is unknown, and the delivery may be left pending.
	deliveringUnknown deliveryPhase = "delivering, a redelivery's outcome unknown"
	// deliveryReopened: a redelivery was accepted meanwhile. Another round follows the
	// running attempt.
	deliveryReopened deliveryPhase = "reopened"
	// deliveryTakingUp: the round is over. The run opens the delivery if a refused
	// redelivery has left it pending.
	deliveryTakingUp deliveryPhase = "taking up"
	// deliveryFinished: nothing is left to do.
	deliveryFinished deliveryPhase = "finished"
)

// deliveryEvent moves a run of Delivery to another phase.
type deliveryEvent string

const (
	// deliveryUnasked: no update came within Unasked.
	deliveryUnasked deliveryEvent = "no update in time"
	// deliveryOpened: the delivery was made, or made pending again.
	deliveryOpened deliveryEvent = "opened"
	// deliveryRefused: there is nothing to make, or to open.
	deliveryRefused deliveryEvent = "refused"
	// deliveryFault: it is unknown whether the delivery was made.
	deliveryFault deliveryEvent = "fault"
	// attemptPending: an attempt failed, and another follows.
	attemptPending deliveryEvent = "attempt: pending"
	// attemptLast: an attempt ended the delivery.
	attemptLast deliveryEvent = "attempt: delivered, failed or dropped"
	// attemptOver: no attempt is running any more; its outcome does not matter.
	attemptOver deliveryEvent = "attempt: over"
)

// deliveryTransitions is the table of Delivery.
var deliveryTransitions = transitions[deliveryPhase, deliveryEvent]{ //nolint:gochecknoglobals // a constant table
	{deliveryWaiting, deliveryOpened, delivering, "the first attempt"},
	{deliveryWaiting, deliveryRefused, deliveryFinished, ""},
	{deliveryWaiting, deliveryFault, deliveryWaiting, "the minute goes on: then the run looks for what was made"},
	{deliveryWaiting, deliveryUnasked, deliveryOpening, "the delivery is opened, finished or left behind"},
	{deliveryOpening, deliveryOpened, delivering, "the first attempt"},
	{deliveryOpening, deliveryRefused, deliveryFinished, ""},
	{delivering, attemptPending, delivering, "the pause, then the next attempt"},
	{delivering, attemptLast, deliveryFinished, ""},
	{delivering, deliveryOpened, deliveryReopened, "the attempt under way is awaited"},
	{delivering, deliveryRefused, deliveringUnknown, "the attempts go on"},
	{deliveringUnknown, attemptPending, deliveringUnknown, "the pause, then the next attempt"},
	{deliveringUnknown, attemptLast, deliveryTakingUp, "the delivery is opened if it is pending"},
	{deliveringUnknown, deliveryOpened, deliveryReopened, "the attempt under way is awaited"},
	{deliveringUnknown, deliveryRefused, deliveringUnknown, "the attempts go on"},
	{deliveryReopened, attemptOver, delivering, "the first attempt of another round"},
	{deliveryReopened, deliveryOpened, deliveryReopened, "the attempt under way is awaited"},
	{deliveryReopened, deliveryRefused, deliveryReopened, "the attempt under way is awaited"},
	{deliveryTakingUp, deliveryOpened, delivering, "the first attempt of another round"},
	{deliveryTakingUp, deliveryRefused, deliveryFinished, ""},
	{deliveryFinished, deliveryOpened, delivering, "the first attempt of another round"},
	{deliveryFinished, deliveryRefused, deliveryFinished, ""},
}
