package charge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// SimulatedWallet is the name of the wallet that stands for the sandbox where no wallet has it.
// The wallet of a charge begins with it. Each of these charges has a chain of its own: blocks
// come when a merchant asks for them. The rules of the chain are here, its rows are in the
// database.
const SimulatedWallet = "simulated"

const ofSimulated = SimulatedWallet + "-"

// SimulatedFirstBlocks is how many blocks a chain begins with.
const SimulatedFirstBlocks = 100

// Limits of one chain: each payment is in every answer about its charge, and each
// reorganization is asked for every block.
const (
	MostSimulatedPayments = 100
	MostReorganizations   = 100
)

// Errors of a simulated chain.
var (
	ErrSimulatedPayments = fmt.Errorf("the charge has %d payments, which is as many as there can be", MostSimulatedPayments)
	ErrReorganizations   = fmt.Errorf("the chain of the charge was reorganized %d times, which is as often as it can be", MostReorganizations)
)

// SimulatedWalletOf is the wallet of a charge.
func SimulatedWalletOf(chargeID string) string { return ofSimulated + chargeID }

// IsSimulated reports whether a wallet is that of a simulated charge.
func IsSimulated(walletID string) bool { return strings.HasPrefix(walletID, ofSimulated) }

// SimulatedBlockHash is the hash of the block at a height, 64 hex digits: another one for each
// reorganization that replaced the block. forks are the heights from which they did.
func SimulatedBlockHash(walletID string, height int64, forks []int64) string {
	generation := 0
	for _, from := range forks {
		if height >= from {
			generation++
		}
	}
	sum := sha256.Sum256([]byte(walletID + " " + strconv.FormatInt(height, 10) + " " + strconv.Itoa(generation)))
	return hex.EncodeToString(sum[:])
}
