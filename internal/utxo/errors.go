package utxo

import (
	"errors"
	"regexp"
	"strings"
)

// Errors of the daemon, as far as a caller has to distinguish them. Test with
// errors.Is.
var (
	// ErrUnavailable means that the daemon is down, starting, busy or too slow,
	// that the wallet is not loaded, or that the circuit breaker is open. The call
	// may or may not have had an effect. Try later.
	ErrUnavailable = errors.New("utxo: daemon unavailable")
	// ErrLogin means that the daemon did not accept the user and password.
	ErrLogin = errors.New("utxo: login refused")
	// ErrNotFound means that the daemon does not know the block or transaction.
	ErrNotFound = errors.New("utxo: not found")
	// ErrAddress means that a text is not an address of the daemon's network.
	ErrAddress = errors.New("utxo: not an address")
	// ErrNotEnoughMoney means that the given coins are worth less than the outputs
	// and the fee.
	ErrNotEnoughMoney = errors.New("utxo: not enough money")
	// ErrTooSmall means that an output is too small to be relayed, or smaller than
	// the fee that is subtracted from it.
	ErrTooSmall = errors.New("utxo: amount too small")
	// ErrTooLarge means that the transaction is larger than daemons relay.
	ErrTooLarge = errors.New("utxo: transaction too large")
	// ErrRefused means that the daemon checked a transaction and refused it for its
	// pool.
	ErrRefused = errors.New("utxo: transaction refused")
	// ErrResponse means that an answer could not be understood.
	ErrResponse = errors.New("utxo: unexpected answer")
)

// The daemon's error codes that have only one meaning.
const (
	codeWallet         = -4
	codeNotFound       = -5 // an unknown address or transaction
	codeNotEnough      = -6
	codeNoLabel        = -11
	codeParameter      = -8 // an invalid parameter, such as a coin that is already locked or already spent
	codeDeserialize    = -22
	codeVerify         = -25
	codeRejected       = -26
	codeAlreadyInChain = -27
	codeWarmup         = -28
	codeNoWallet       = -18
)

func meaning(code int, message string) error {
	message = strings.ToLower(message)
	switch code {
	case codeWarmup, codeNoWallet:
		return ErrUnavailable
	case codeVerify, codeRejected, codeDeserialize:
		return ErrRefused
	case codeNotEnough:
		return ErrNotEnoughMoney
	case codeNotFound:
		if strings.Contains(message, "address") {
			return ErrAddress
		}
		return ErrNotFound
	case codeWallet:
		return walletMeaning(message)
	}
	return nil
}

// walletMeaning interprets the text of the wallet's catch-all code.
func walletMeaning(message string) error {
	switch {
	case strings.Contains(message, "insufficient funds"):
		return ErrNotEnoughMoney
	case strings.Contains(message, "too small"), strings.Contains(message, "dust"):
		return ErrTooSmall
	case strings.Contains(message, "too large"):
		return ErrTooLarge
	}
	return nil
}

// longWord matches addresses, and also hashes.
var longWord = regexp.MustCompile(`[1-9A-Za-z]{26,}`)
