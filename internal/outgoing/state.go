// Package outgoing holds the common rules for the transactions that this service
// makes: their states, and the one way to abandon them, which normal operation and
// the recovery of a wallet share.
package outgoing

import (
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres/db"
)

// State is the state of an outgoing transaction.
type State string

// The states, as stored in the database.
const (
	Building  State = "building"
	Built     State = "built"
	Sent      State = "sent"
	Confirmed State = "confirmed"
	Failed    State = "failed"
	// Abandoned: its bytes were given up for good.
	Abandoned State = "abandoned"
)

// MayBeRelayed reports whether a transaction has bytes and is neither deep in the
// chain nor abandoned.
func MayBeRelayed(tx db.OutgoingTransaction) bool {
	switch State(tx.State) {
	case Built, Sent, Failed:
		return true
	default:
		return false
	}
}

// BuiltOf returns the stored bytes of a transaction that has been built.
func BuiltOf(tx db.OutgoingTransaction) chain.Built {
	return chain.Built{TxHash: *tx.TxHash, Raw: tx.Raw, Inputs: tx.Inputs}
}
