package utxo

import (
	"errors"
	"regexp"
	"strings"

	"github.com/durapay/durapay/internal/jsonrpc"
)

// processName begins the text of every error.
const processName = "utxo"

// What went wrong at a daemon, as far as a caller has to know. Test with
// errors.Is.
var (
	// ErrUnavailable says that the daemon is down, starting, busy or too slow,
	// that the wallet is not loaded, or that the circuit breaker is open.
	// Nothing is known about the call's effect; try later.
	ErrUnavailable = errors.New("utxo: daemon unavailable")
	// ErrLogin says that the daemon did not accept the user and password.
	ErrLogin = errors.New("utxo: login refused")
	// ErrNotFound says that the daemon knows no such block or transaction.
	ErrNotFound = errors.New("utxo: not found")
	// ErrAddress says that a text is not an address of the daemon's network.
	ErrAddress = errors.New("utxo: not an address")
	// ErrNotEnoughMoney says that the coins given are worth less than the
	// outputs and the fee.
	ErrNotEnoughMoney = errors.New("utxo: not enough money")
	// ErrTooSmall says that an output is too small to be relayed, or for the
	// fee that is taken off it.
	ErrTooSmall = errors.New("utxo: amount too small")
	// ErrTooLarge says that a transaction would be larger than is relayed.
	ErrTooLarge = errors.New("utxo: transaction too large")
	// ErrRefused says that the daemon looked at a transaction and will not
	// have it in its pool.
	ErrRefused = errors.New("utxo: transaction refused")
	// ErrResponse says that an answer could not be understood.
	ErrResponse = errors.New("utxo: unexpected answer")
)

// The daemon's codes that mean one thing.
const (
	codeWallet         = -4
	codeNotFound       = -5 // an unknown address or transaction
	codeNotEnough      = -6
	codeNoLabel        = -11
	codeParameter      = -8 // an invalid parameter, such as a coin that is locked already, or is spent
	codeDeserialize    = -22
	codeVerify         = -25
	codeRejected       = -26
	codeAlreadyInChain = -27
	codeWarmup         = -28
	codeNoWallet       = -18
)

func methodError(method string, code int, message string) *jsonrpc.MethodError {
	return &jsonrpc.MethodError{
		Process: processName, Method: method, Code: code, Message: longWord.ReplaceAllString(message, "[address]"),
		Meaning: meaning(code, strings.ToLower(message)),
	}
}

func meaning(code int, message string) error {
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

// walletMeaning reads the text of the wallet's catch-all code.
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

// longWord matches addresses, and hashes too.
var longWord = regexp.MustCompile(`[1-9A-Za-z]{26,}`)
