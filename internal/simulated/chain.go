package simulated

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Wallet is the name of the wallet that stands for the sandbox where no wallet has it.
// The wallet of a charge begins with it.
const Wallet = "simulated"

const ofCharge = Wallet + "-"

// FirstBlocks is how many blocks a chain begins with.
const FirstBlocks = 100

// Limits of one chain: each payment is in every answer about its charge, and each
// reorganization is asked for every block.
const (
	MostPayments        = 100
	MostReorganizations = 100
)

// Errors of a simulated chain.
var (
	ErrPayments        = fmt.Errorf("the charge has %d payments, which is as many as there can be", MostPayments)
	ErrReorganizations = fmt.Errorf("the chain of the charge was reorganized %d times, which is as often as it can be", MostReorganizations)
)

// WalletOf is the wallet of a charge.
func WalletOf(chargeID string) string { return ofCharge + chargeID }

// Is reports whether a wallet is that of a simulated charge.
func Is(walletID string) bool { return strings.HasPrefix(walletID, ofCharge) }

// BlockHash is the hash of the block at a height, 64 hex digits: another one for each
// reorganization that replaced the block. forks are the heights from which they did.
func BlockHash(walletID string, height int64, forks []int64) string {
	generation := 0
	for _, from := range forks {
		if height >= from {
			generation++
		}
	}
	sum := sha256.Sum256([]byte(walletID + " " + strconv.FormatInt(height, 10) + " " + strconv.Itoa(generation)))
	return hex.EncodeToString(sum[:])
}
