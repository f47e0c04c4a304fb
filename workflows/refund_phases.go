package workflows

// refundPhase is where a run of Refund stands.
type refundPhase string

const (
	// refundWaiting: for the update that the run was started with.
	refundWaiting refundPhase = "waiting"
	// refundLooking: at the refund and its claims.
	refundLooking refundPhase = "looking"
	// refundOpen: it waits for a claim, for the merchant, for money or for the chain.
	refundOpen refundPhase = "open"
	// refundPaying: the payout of a claim is started.
	refundPaying refundPhase = "paying"
	// refundOver: it is completed, cancelled or expired.
	refundOver refundPhase = "over"
	// refundNone: there is no refund.
	refundNone refundPhase = "none"
)

// refundEvent is what moves a run of Refund.
type refundEvent string

const (
	refundRefused refundEvent = "create: refused"
	// refundNews: an update was answered that was not refused, a signal came, or it is
	// time to look. Also when no update came within Unasked.
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
