package scan

import (
	"encoding/binary"

	"filippo.io/edwards25519"

	"github.com/durapay/durapay/internal/monero"
)

// Candidate is an output that belongs to the wallet if SpendKey is the public spend key of
// one of its addresses. It depends only on the transaction and the view key, so it may be
// kept; whose SpendKey is may change, when an address is given out. It contains a secret
// that shows the output's amount: never log it.
type Candidate struct {
	Output   int
	SpendKey Key

	secret Key
}

// Candidates returns the outputs of a transaction that may belong to the wallet of a view
// key, in the order in which wallet2 tries them (process_new_transaction): for each public
// key the outputs, and for the first one also each output's additional key. An output with
// a view tag is a candidate by chance once in 256, one without a tag always.
func Candidates(view *monero.Deriver, tx *Tx) (found []Candidate) {
	keys, tried := keysOfExtra(tx.Extra), map[Key]bool{}
	for n, key := range keys.each {
		shared, valid := view.SharedSecret(key)
		own := n == 0 // even if the key itself is not valid
		for i, o := range tx.Outputs {
			if valid && !tried[key] {
				found = o.candidate(found, i, shared)
			}
			if own = own && i < len(keys.own); own {
				var additional [32]byte
				if additional, own = view.SharedSecret(keys.own[i]); own {
					found = o.candidate(found, i, additional)
				}
			}
		}
		tried[key] = true
	}
	return found
}

// candidate appends the output if its view tag is that of the shared secret
// (out_can_be_to_acc, derive_subaddress_public_key).
func (o TxOutput) candidate(found []Candidate, index int, shared [32]byte) []Candidate {
	position := binary.AppendUvarint(nil, uint64(index))
	if o.Tagged && monero.Keccak([]byte("view_tag"), shared[:], position)[0] != o.ViewTag {
		return found
	}
	point, err := monero.ParsePoint(o.Key[:])
	if err != nil {
		return found
	}
	secret := monero.ToScalar(monero.Keccak(shared[:], position))
	point.Subtract(point, new(edwards25519.Point).ScalarBaseMult(secret))
	return append(found, Candidate{Output: index, SpendKey: Key(point.Bytes()), secret: Key(secret.Bytes())})
}
