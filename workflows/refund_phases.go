package workflows

type refundPhase string

const (
	// refundLooking: the run looks at the refund and its claims.
	refundLooking refundPhase = "looking"
	// refundOpen: the refund waits for a claim, for the merchant, for money or for the
	// chain.
	refundOpen refundPhase = "open"
	// refundPaying: the run starts the payout of a claim.
	refundPaying refundPhase = "paying"
	// refundOver: the refund is completed, cancelled, expired or deleted.
	refundOver refundPhase = "over"
)

// refundEvent moves a run of Refund to another phase.
type refundEvent string

const (
	// refundNews: a claim was answered and not refused, a signal came, or it is time to
	// look.
	refundNews    refundEvent = "news"
	refundFound   refundEvent = "look: nothing to pay"
	refundPayable refundEvent = "look: a claim to pay"
	refundEnded   refundEvent = "look: ended or missing"
	refundPaid    refundEvent = "payout started"
)

var refundTransitions = transitions[refundPhase, refundEvent]{ //nolint:gochecknoglobals // a constant table
	{refundLooking, refundFound, refundOpen, "its deliveries start; look at the next news, at its end, or after an hour if something is awaited"},
	{refundLooking, refundPayable, refundPaying, "its deliveries start; start a payout"},
	{refundLooking, refundEnded, refundOver, "its deliveries start"},
	{refundPaying, refundPaid, refundOpen, "the payout tells how it ended"},
	{refundOpen, refundNews, refundLooking, "look once for all news"},
	{refundOver, refundNews, refundLooking, "news came while the run was ending: look"},
}
