package monero

import (
	"errors"
	"regexp"
	"strings"

	"github.com/durapay/durapay/internal/jsonrpc"
)

// processName begins the text of every error.
const processName = "monero"

// What went wrong at a process, as far as a caller has to know. Test with
// errors.Is.
var (
	// ErrUnavailable says that the process, or the daemon behind a wallet,
	// is down, busy or too slow, or that the circuit breaker is open. Nothing
	// is known about the call's effect; try later.
	ErrUnavailable = errors.New("monero: process unavailable")
	// ErrLogin says that the process did not accept the user and password.
	ErrLogin = errors.New("monero: login refused")
	// ErrNotFound says that the process knows no such address, block,
	// transaction or key image.
	ErrNotFound = errors.New("monero: not found")
	// ErrNotEnoughMoney says that the wallet, locked outputs included, holds
	// less than amount and fee.
	ErrNotEnoughMoney = errors.New("monero: not enough money")
	// ErrNotUnlocked says that the chosen outputs hold enough but are locked,
	// spent or frozen, or that there are none.
	ErrNotUnlocked = errors.New("monero: no unlocked money")
	// ErrTooLarge says that the transaction would not fit into one.
	ErrTooLarge = errors.New("monero: transaction too large")
	// ErrRefused says that the daemon looked at a transaction and will not
	// have it. The reason is a Refusal in the chain.
	ErrRefused = errors.New("monero: transaction refused")
	// ErrResponse says that an answer could not be understood.
	ErrResponse = errors.New("monero: unexpected answer")
	// ErrArgument says that the call was refused before it was made.
	ErrArgument = errors.New("monero: invalid argument")
)

// meanings gives the sentinel for an error code, which the two processes
// number differently; nil when there is none.
type meanings func(code int, message string) error

func walletMeaning(code int, message string) error {
	switch code {
	case 0, -3, -13, -38: // no text at all, daemon busy, no wallet open yet, no connection
		return ErrUnavailable
	case -2:
		return ErrAddress
	case -4:
		return transferMeaning(message)
	case -8, -14, -15, -45: // transaction, account, address, attribute
		return ErrNotFound
	case -1:
		if message == "Key image not found" {
			return ErrNotFound
		}
	case -16, -17: // not with the fee, not at all
		return ErrNotEnoughMoney
	case -37:
		return ErrNotUnlocked
	case -18:
		return ErrTooLarge
	case -20, -46: // no destination, an amount of 0
		return ErrArgument
	}
	return nil
}

// transferMeaning reads the text of the wallet's catch-all code: a build
// stops with "failed to get …" when the daemon does not answer.
func transferMeaning(message string) error {
	text := strings.ToLower(message)
	switch {
	case strings.HasPrefix(text, "no unlocked balance"):
		return ErrNotUnlocked
	case strings.Contains(text, "failed to get"), strings.Contains(text, "no connection"):
		return ErrUnavailable
	}
	return nil
}

func daemonMeaning(code int, message string) error {
	switch {
	case code == 0 && message == "BUSY", code == -9:
		return ErrUnavailable
	case code == -2: // height beyond the chain
		return ErrNotFound
	}
	return nil
}

// methodError is what the wallet or the daemon answered. The code is 0 for HTTP
// endpoints of the daemon, and for a wallet whose daemon is down.
func methodError(method string, code int, message string, meaning meanings) *jsonrpc.MethodError {
	return &jsonrpc.MethodError{
		Process: processName, Method: method, Code: code, Message: blankAddresses(message), Meaning: meaning(code, message),
	}
}

var addressText = regexp.MustCompile(`[1-9A-Za-z]{90,}`)

// blankAddresses removes addresses from a message: the wallet repeats a wrong
// one, and errors end in logs.
func blankAddresses(message string) string {
	return addressText.ReplaceAllString(message, "[address]")
}
