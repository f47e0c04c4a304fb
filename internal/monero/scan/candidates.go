package scan

import (
	"encoding/binary"
	"runtime"
	"slices"
	"sync"

	"filippo.io/edwards25519"

	"github.com/durapay/durapay/internal/monero"
)

// Wallet is a wallet whose payments are found. It never changes.
type Wallet struct {
	ID   string
	View *monero.Deriver
}

// candidate is an output that belongs to a wallet if spendKey is the public spend key of one
// of its addresses. It depends only on the transaction and the view key, so it may be kept;
// whose spendKey is may change, when an address is given out. Many are kept for each that
// belongs to a wallet, so it does not hold the shared secret.
type candidate struct {
	wallet   *Wallet
	spendKey Key
	output   uint32
	// key is the index of the transaction's public key, or additionalKey.
	key int32
}

// additionalKey stands for the output's additional key.
const additionalKey = -1

// txPoints are the public keys of a transaction as curve points. Reading them costs more than
// hashing, so it happens once for all wallets.
type txPoints struct {
	// each has nil for a key that is not a curve point or was there before.
	each []*edwards25519.Point
	// own ends before the first key that is not a curve point.
	own []*edwards25519.Point
}

func (tx *Tx) points() (p txPoints) {
	tried := map[Key]bool{}
	for _, key := range tx.keys.each {
		var point *edwards25519.Point
		if !tried[key] {
			point, _ = monero.ParsePoint(key[:]) // nil if it is not on the curve
		}
		tried[key] = true
		p.each = append(p.each, point)
	}
	for _, key := range tx.keys.own {
		point, err := monero.ParsePoint(key[:])
		if err != nil {
			break
		}
		p.own = append(p.own, point)
	}
	return p
}

// fewWallets is the number of wallets for which one processor does all work.
const fewWallets = 16

// candidatesOf returns the outputs of a transaction that may belong to the wallets, in the
// order of the wallets. All processors work on it if there are many.
func (tx *Tx) candidatesOf(wallets []*Wallet) []candidate {
	points, size := tx.points(), max(fewWallets, (len(wallets)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	parts := make([][]candidate, (len(wallets)+size-1)/size)
	var running sync.WaitGroup
	for n := range parts {
		work := func() {
			for _, w := range wallets[n*size : min(len(wallets), (n+1)*size)] {
				parts[n] = tx.candidatesFor(parts[n], points, w)
			}
		}
		if n == len(parts)-1 {
			work()
		} else {
			running.Go(work)
		}
	}
	running.Wait()
	return slices.Concat(parts...)
}

// candidatesFor appends the outputs that may belong to a wallet, in the order in which
// wallet2 tries them (process_new_transaction): for each public key the outputs, and for the
// first one also each output's additional key, even if that first key is not a curve point. An
// output with a view tag is a candidate by chance once in 256, one without a tag always.
func (tx *Tx) candidatesFor(found []candidate, points txPoints, w *Wallet) []candidate {
	for n, point := range points.each {
		var shared Key
		if point != nil {
			shared = w.View.SharedSecret(point)
		}
		for i, o := range tx.Outputs {
			if point != nil {
				found = o.candidate(found, candidate{wallet: w, output: uint32(i), key: int32(n)}, shared)
			}
			if n == 0 && i < len(points.own) {
				additional := w.View.SharedSecret(points.own[i])
				found = o.candidate(found, candidate{wallet: w, output: uint32(i), key: additionalKey}, additional)
			}
		}
	}
	return found
}

// candidate appends the output if its view tag is that of the shared secret
// (out_can_be_to_acc, derive_subaddress_public_key).
func (o TxOutput) candidate(found []candidate, c candidate, shared Key) []candidate {
	position := binary.AppendUvarint(nil, uint64(c.output))
	if o.Tagged && monero.Keccak([]byte("view_tag"), shared[:], position)[0] != o.ViewTag {
		return found
	}
	point, err := monero.ParsePoint(o.Key[:])
	if err != nil {
		return found
	}
	point.Subtract(point, new(edwards25519.Point).ScalarBaseMult(secretOf(shared, c.output)))
	c.spendKey = Key(point.Bytes())
	return append(found, c)
}

// secretOf returns the secret scalar of the output at a position.
func secretOf(shared Key, output uint32) *edwards25519.Scalar {
	return monero.ToScalar(monero.Keccak(shared[:], binary.AppendUvarint(nil, uint64(output))))
}

// secretOf returns the secret scalar with which a candidate's amount is sealed.
func (tx *Tx) secretOf(c candidate) Key {
	points := tx.points()
	point := points.each[max(c.key, 0)]
	if c.key == additionalKey {
		point = points.own[c.output]
	}
	return Key(secretOf(c.wallet.View.SharedSecret(point), c.output).Bytes())
}
