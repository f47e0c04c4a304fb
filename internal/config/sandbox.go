package config

import "errors"

// SandboxChain is what pays charges of the sandbox.
type SandboxChain string

// The two sources of payments.
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

// checkSandbox refuses a sandbox that would be paid with live money, and half of the
// settings of its daemon. A daemon is allowed together with simulated charges: the
// watcher follows older wallets there, for the charges that they have.
func (c Config) checkSandbox() error {
	var errs []error
	if c.SandboxChain == SandboxWallet && c.SandboxMonerodURL == "" {
		errs = append(errs, errors.New("SANDBOX_CHAIN=wallet needs SANDBOX_MONEROD_RPC_URL, the daemon of the test network (monerod --stagenet) that wallets of mode sandbox are on: on the live chain test payments are real money"))
	}
	if c.SandboxMonerodURL == "" && (c.SandboxMonerodLoginFile != "" || c.SandboxMonerodZMQ != "") {
		errs = append(errs, errors.New("SANDBOX_MONEROD_LOGIN_FILE and SANDBOX_MONEROD_ZMQ_ADDRESS are nothing without SANDBOX_MONEROD_RPC_URL"))
	}
	if !isPublisher(c.SandboxMonerodZMQ) {
		errs = append(errs, errors.New("SANDBOX_MONEROD_ZMQ_ADDRESS must be host:port"))
	}
	return errors.Join(errs...)
}
