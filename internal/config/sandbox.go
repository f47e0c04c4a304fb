package config

import "errors"

// SandboxChain says what pays charges of the sandbox.
type SandboxChain string

// What it can be.
const (
	SandboxSimulated SandboxChain = "simulated"
	SandboxWallet    SandboxChain = "wallet"
)

// UnmarshalText reads one of the two words.
func (s *SandboxChain) UnmarshalText(text []byte) error {
	switch word := SandboxChain(text); word {
	case SandboxSimulated, SandboxWallet:
		*s = word
		return nil
	default:
		return errors.New("it must be simulated or wallet")
	}
}
