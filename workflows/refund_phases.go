package workflows

// refundPhase is the phase of a run of Refund.
type refundPhase string

const (
	// refundWaiting: the run waits for the update that it was started with.
	refundWaiting refundPhase = "waiting"
	// refundLooking: the run looks at the refund and its claims.
	refundLooking refundPhase = "looking"
	// refundOpen: the refund waits for a claim, for the merchant, for money or for the
	// chain.
	refundOpen refundPhase = "open"
	// refundPaying: the run starts the payout of a claim.
	refundPaying refundPhase = "paying"
	// refundOver: the refund is completed, cancelled or expired.
	refundOver refundPhase = "over"
	// refundNone: there is no refund.
	refundNone refundPhase = "none"
)

// refundEvent moves a run of Refund to another phase.
type refundEvent string

const (
	refundRefused refundEvent = "create: refused"
	// refundNews: an update was answered and not refused, a signal came, or it is time to
	// look. It also follows if no update came within Unasked.
	refundNews    refundEvent = "news"
	refundMissing refundEvent = "look: missing"
	refundFound   refundEvent = "look: nothing to pay"
	refundPayable refundEvent = "look: a claim to pay"
	refundEnded   refundEvent = "look: ended"
	refundPaid    refundEvent = "payout started"
)

// refundTransitions is the table of Refund.
var refundTransitions = transitions[refundPhase, refundEvent]{ //nolint:gochecknoglobals // a constant table
	{refundWaiting, refundRefused, refundNone, "`create` is refused"},
	{refundWaiting, refundNews, refundLooking, "look"},
	{refundLooking, refundMissing, refundNone, ""},
	{refundLooking, refundFound, refundOpen, "its deliveries start; look at the next news, at its end, or after an hour if something is awaited"},
	{refundLooking, refundPayable, refundPaying, "its deliveries start; start a payout"},
	{refundLooking, refundEnded, refundOver, "its deliveries start"},
	{refundPaying, refundPaid, refundOpen, "the payout tells how it ended"},
	{refundOpen, refundNews, refundLooking, "look once for all news"},
	{refundOver, refundNews, refundLooking, "an update came while the run was ending: look"},
	{refundNone, refundNews, refundLooking, "an update came while the run was ending: look"},
}
