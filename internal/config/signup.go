package config

import "fmt"

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
