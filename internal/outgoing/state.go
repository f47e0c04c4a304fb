// Package outgoing is what every part agrees on about the transactions that this
// service makes: their states, and the one way in which they are given up, in
// ordinary life and where a wallet is recovered.
package outgoing

import (
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres/db"
)

// State is where a transaction stands.
type State string

// The states, as the database knows them.
const (
	Building  State = "building"
	Built     State = "built"
	Sent      State = "sent"
	Confirmed State = "confirmed"
	Failed    State = "failed"
	// Abandoned: its bytes are given up for good.
	Abandoned State = "abandoned"
)

// MayBeRelayed says that a transaction has bytes, and is neither deep in the chain
// nor abandoned.
func MayBeRelayed(tx db.OutgoingTransaction) bool {
	switch State(tx.State) {
	case Built, Sent, Failed:
		return true
	default:
		return false
	}
}

// BuiltOf is what was built; not for one that is being built.
func BuiltOf(tx db.OutgoingTransaction) chain.Built {
	return chain.Built{TxHash: *tx.TxHash, Raw: tx.Raw, Inputs: tx.Inputs}
}
