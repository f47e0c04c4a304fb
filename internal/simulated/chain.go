package simulated

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// Wallet is the name of the wallet that stands for the sandbox where no wallet has it.
// The wallet of a charge begins with it.
const Wallet = "simulated"

const ofCharge = Wallet + "-"

// FirstBlocks is how many blocks a chain begins with.
const FirstBlocks = 100

// WalletOf is the wallet of a charge.
func WalletOf(chargeID string) string { return ofCharge + chargeID }

// Is says whether a wallet is that of a charge that is simulated.
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
