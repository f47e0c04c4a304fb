package invoice

// SpeedPolicy names how deep a payment must be.
type SpeedPolicy string

// The speed policies of BTCPay.
const (
	HighSpeed      SpeedPolicy = "HighSpeed"
	MediumSpeed    SpeedPolicy = "MediumSpeed"
	LowMediumSpeed SpeedPolicy = "LowMediumSpeed"
	LowSpeed       SpeedPolicy = "LowSpeed"
)

// Confirmations is how many blocks a policy asks for; ok is false for a name that
// is none. HighSpeed is 0 blocks at BTCPay and 1 here: a payment in the pool
// promises nothing.
func (p SpeedPolicy) Confirmations() (blocks int32, ok bool) {
	switch p {
	case HighSpeed, MediumSpeed:
		return 1, true
	case LowMediumSpeed:
		return 2, true
	case LowSpeed:
		return 6, true
	default:
		return 0, false
	}
}
