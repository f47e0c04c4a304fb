package provider

// State is where a swap stands, in words of our own.
type State string

// The states. Unknown is a word of the provider's that is not known here.
const (
	Waiting    State = "waiting"
	Confirming State = "confirming"
	Exchanging State = "exchanging"
	Sending    State = "sending"
	Finished   State = "finished"
	// Verifying is a hold that the provider expects to lift by itself.
	Verifying State = "verifying"
	// Halted is a hold that needs people.
	Halted    State = "halted"
	Refunding State = "refunding"
	Refunded  State = "refunded"
	Failed    State = "failed"
	Expired   State = "expired"
	Unknown   State = "unknown"
)

// Final says whether nothing more will happen to a swap. Halted and Unknown
// are not final: people may act, and a word may be a new one for something
// that goes on.
func (s State) Final() bool {
	switch s {
	case Finished, Refunded, Failed, Expired:
		return true
	default:
		return false
	}
}

// Held says whether the provider keeps a deposit without going on.
func (s State) Held() bool { return s == Verifying || s == Halted }

// Merchant is the status that the merchant API shows: waiting, confirming,
// exchanging, sending, finished, failed or refunded. What it shows as failed
// without being Final may still end otherwise.
func (s State) Merchant() string {
	switch s {
	case Waiting, Confirming, Exchanging, Sending, Finished, Refunded:
		return string(s)
	case Verifying, Refunding:
		return string(Exchanging)
	default:
		return string(Failed)
	}
}
