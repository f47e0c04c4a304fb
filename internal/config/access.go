package config

import (
	"errors"
	"fmt"
	"time"
)

// maxHold is the highest PAYOUT_ADDRESS_HOLD, because merchants must not wait
// longer for their money.
const maxHold = 30 * 24 * time.Hour

// Access is what a session may do.
type Access struct {
	// StepUp is on or off: whether changes of the payout address, automatic
	// conversion, two-factor authentication and keys ask for the password again
	// when the session gave it more than 10 minutes ago.
	StepUp Switch `env:"STEP_UP" envDefault:"on"`
	// PayoutAddressHold is how long sweeps wait after the address that they go to
	// was changed, at most 720h; 0s turns it off.
	PayoutAddressHold time.Duration `env:"PAYOUT_ADDRESS_HOLD" envDefault:"24h"`
	// AdminListeners is where /api/admin is served: internal, on INTERNAL_LISTEN
	// alone, or public, on MERCHANT_LISTEN as well. It is not on the onion listener.
	AdminListeners AdminListeners `env:"ADMIN_LISTENERS" envDefault:"internal"`
}

func (a Access) check() error {
	if a.PayoutAddressHold < 0 || a.PayoutAddressHold > maxHold {
		return errors.New("PAYOUT_ADDRESS_HOLD must be 0s to 720h")
	}
	return nil
}

// AdminListeners is where the operators' routes are served.
type AdminListeners string

// The listeners of the operators' routes.
const (
	AdminInternal AdminListeners = "internal"
	AdminPublic   AdminListeners = "public"
)

// UnmarshalText reads one of the two.
func (l *AdminListeners) UnmarshalText(text []byte) error {
	switch where := AdminListeners(text); where {
	case AdminInternal, AdminPublic:
		*l = where
		return nil
	default:
		return fmt.Errorf("%q is neither internal nor public", text)
	}
}

// SignUp says who may open an account.
type SignUp string

// Anyone, a person with an operator's invite, or no one.
const (
	SignUpOpen   SignUp = "open"
	SignUpInvite SignUp = "invite"
	SignUpClosed SignUp = "closed"
)

// UnmarshalText reads one of the three words.
func (s *SignUp) UnmarshalText(text []byte) error {
	switch word := SignUp(text); word {
	case SignUpOpen, SignUpInvite, SignUpClosed:
		*s = word
		return nil
	default:
		return fmt.Errorf("%q is none of open, invite and closed", text)
	}
}
