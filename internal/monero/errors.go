package monero

import (
	"errors"
	"regexp"
	"strings"
)

// Errors of the processes, as far as a caller has to distinguish them. Test
// with errors.Is.
var (
	// ErrUnavailable means that the process, or the daemon behind a wallet, is
	// down, busy or too slow, or that the circuit breaker is open. The call may or
	// may not have had an effect. Try later.
	ErrUnavailable = errors.New("monero: process unavailable")
	// ErrLogin means that the process did not accept the user and password.
	ErrLogin = errors.New("monero: login refused")
	// ErrNotFound means that the process does not know the address, block,
	// transaction or key image.
	ErrNotFound = errors.New("monero: not found")
	// ErrNotEnoughMoney means that the wallet, locked outputs included, holds less
	// than amount and fee.
	ErrNotEnoughMoney = errors.New("monero: not enough money")
	// ErrNotUnlocked means that the chosen outputs hold enough but are locked,
	// spent or frozen, or that there are none.
	ErrNotUnlocked = errors.New("monero: no unlocked money")
	// ErrTooLarge means that the payment does not fit into one transaction.
	ErrTooLarge = errors.New("monero: transaction too large")
	// ErrRefused means that the daemon checked a transaction and refused it. The
	// error chain contains the reason as a Refusal.
	ErrRefused = errors.New("monero: transaction refused")
	// ErrResponse means that the process's answer could not be understood.
	ErrResponse = errors.New("monero: unexpected answer")
	// ErrArgument means that the call was refused before it was made.
	ErrArgument = errors.New("monero: invalid argument")
)

// meanings returns the sentinel error for an error code, or nil if there is
// none. The wallet and the daemon number their errors differently. The code is 0 for
// HTTP endpoints of the daemon, and for a wallet whose daemon is down.
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
	case -20, -46: // no destination; an amount of 0
		return ErrArgument
	}
	return nil
}

// transferMeaning interprets the text of the wallet's catch-all code. A build
// fails with "failed to get …" if the daemon does not answer.
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

// addressText matches addresses. The wallet repeats a wrong one in its message.
var addressText = regexp.MustCompile(`[1-9A-Za-z]{90,}`)
