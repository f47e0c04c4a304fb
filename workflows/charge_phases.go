package workflows

// chargePhase is where a run of Charge stands.
type chargePhase string

const (
	// chargeWaiting: until the update is answered that the run was started with.
	chargeWaiting chargePhase = "waiting"
	// chargeLooking: the charge exists, or may exist, and is compared with what the
	// chain shows.
	chargeLooking chargePhase = "looking"
	// chargeOpen: the charge waits for money or for its depth.
	chargeOpen chargePhase = "open"
	// chargeOver: the charge waits for nothing.
	chargeOver chargePhase = "over"
	// chargeNone: there is no charge.
	chargeNone chargePhase = "none"
)

// chargeEvent is what moves a run of Charge.
type chargeEvent string

const (
	chargeMade    chargeEvent = "create: done"
	chargeRefused chargeEvent = "create: refused"
	// chargeFault: whether the charge was made is unknown.
	chargeFault chargeEvent = "create: fault"
	// chargeUnasked: no update came within Unasked.
	chargeUnasked chargeEvent = "no create in time"
	chargeFound   chargeEvent = "look: found"
	// chargeMissing: it was never made, or retention has removed it.
	chargeMissing chargeEvent = "look: missing"
	// chargeEnded: the charge is confirmed or expired.
	chargeEnded chargeEvent = "confirmed or expired"
	// chargeNews: a signal of payments came, an acceptance or a mark was answered. One
	// that is refused is no news.
	chargeNews chargeEvent = "news"
	// chargeDue: the timeout is reached, or a charge with a payment had no news for
	// ten minutes.
	chargeDue chargeEvent = "due"
)

// chargeTransitions is the table of Charge.
var chargeTransitions = transitions[chargePhase, chargeEvent]{ //nolint:gochecknoglobals // a constant table
	{chargeWaiting, chargeMade, chargeOpen, "`create` is answered; its deliveries start"},
	{chargeWaiting, chargeRefused, chargeNone, "`create` is refused"},
	{chargeWaiting, chargeFault, chargeLooking, "`create` ends with the fault, and the charge is looked for"},
	{chargeWaiting, chargeUnasked, chargeLooking, "whoever sent the update has gone: the charge is looked for"},
	{chargeLooking, chargeFound, chargeOpen, "show operators; its deliveries start"},
	{chargeLooking, chargeMissing, chargeNone, ""},
	{chargeOpen, chargeEnded, chargeOver, ""},
	{chargeOpen, chargeNews, chargeLooking, "look once for all news"},
	{chargeOpen, chargeDue, chargeLooking, "look"},
	{chargeOver, chargeNews, chargeLooking, "late money, an acceptance or a mark: look"},
	{chargeNone, chargeMade, chargeOpen, "`create` came while the run was ending: it is answered; its deliveries start"},
	{chargeNone, chargeRefused, chargeNone, "`create` is refused"},
	{chargeNone, chargeFault, chargeLooking, "`create` ends with the fault, and the charge is looked for"},
	{chargeNone, chargeNews, chargeLooking, "look: its payments become unmatched ones"},
}
