package workflows

type chargePhase string

const (
	// chargeLooking: the run compares the charge with the chain. Each run begins here.
	chargeLooking chargePhase = "looking"
	// chargeOpen: the charge waits for money or for its depth.
	chargeOpen chargePhase = "open"
	// chargeOver: the charge waits for nothing, or there is none.
	chargeOver chargePhase = "over"
)

// chargeEvent moves a run of Charge to another phase.
type chargeEvent string

const (
	chargeFound chargeEvent = "look: found"
	// chargeMissing: retention has removed it.
	chargeMissing chargeEvent = "look: missing"
	// chargeEnded: the charge is confirmed or expired.
	chargeEnded chargeEvent = "confirmed or expired"
	// chargeNews: a signal came.
	chargeNews chargeEvent = "news"
	// chargeDue: the timeout is reached, or a charge with a payment had no signal for ten
	// minutes.
	chargeDue chargeEvent = "due"
)

var chargeTransitions = transitions[chargePhase, chargeEvent]{ //nolint:gochecknoglobals // a constant table
	{chargeLooking, chargeFound, chargeOpen, "show operators; its deliveries start"},
	{chargeLooking, chargeMissing, chargeOver, ""},
	{chargeOpen, chargeEnded, chargeOver, ""},
	{chargeOpen, chargeNews, chargeLooking, "look once for all news"},
	{chargeOpen, chargeDue, chargeLooking, "look"},
	{chargeOver, chargeNews, chargeLooking, "late money, or a change by the merchant: look"},
}
