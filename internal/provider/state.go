package provider

// State is the state of a swap, in our own words.
type State string

// The states. Unknown stands for a word of the provider that we do not know.
const (
	Waiting    State = "waiting"
	Confirming State = "confirming"
	Exchanging State = "exchanging"
	Sending    State = "sending"
	Finished   State = "finished"
	// Verifying is a hold that the provider expects to lift by itself.
	Verifying State = "verifying"
	// Halted is a hold that requires action by people.
	Halted    State = "halted"
	Refunding State = "refunding"
	Refunded  State = "refunded"
	Failed    State = "failed"
	Expired   State = "expired"
	Unknown   State = "unknown"
)

// Final reports whether the state of a swap can no longer change. Halted is not
// final, because people may act. Unknown is not final, because the provider may
// use a new word for a swap that continues.
func (s State) Final() bool {
	switch s {
	case Finished, Refunded, Failed, Expired:
		return true
	default:
		return false
	}
}

// Held reports whether the provider holds a deposit without continuing the
// swap.
func (s State) Held() bool { return s == Verifying || s == Halted }

// Merchant returns the status that the merchant API shows: waiting, confirming,
// exchanging, sending, finished, failed or refunded. A swap that it shows as
// failed may still end in another state, unless the State is Final.
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
