package scan

import (
	"context"
	"errors"
	"slices"

	"filippo.io/edwards25519"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// Reasons for which a transaction does not prove a payment.
var (
	// ErrTxKey means that the secret keys belong to no public key of the transaction, as an
	// address would use them.
	ErrTxKey = errors.New("scan: the key is not the transaction's")
	// ErrReward means that a miner made the transaction for itself.
	ErrReward = errors.New("scan: a reward of a block")
	// ErrLocked means that the transaction locks its outputs.
	ErrLocked = errors.New("scan: the outputs are locked")
)

// FetchTx returns a transaction that the daemon knows, and its place. It returns
// monero.ErrNotFound for any other, and the errors of Scanner.
func FetchTx(ctx context.Context, daemon *monero.Daemon, hash Hash) (*Tx, monero.TxPlace, error) {
	known, err := (&Scanner{daemon: daemon}).transactions(ctx, []Hash{hash})
	if err != nil {
		return nil, monero.TxPlace{}, err
	}
	tx, found := known[hash]
	if !found {
		return nil, monero.TxPlace{}, monero.ErrNotFound
	}
	return tx.Tx, tx.TxPlace, nil
}

// PaidTo returns the outputs of a transaction that pay an address, with proven amounts. The
// secret keys are those of monero.ParseTxKey. No output is returned that the address's wallet
// would not find: check_tx_key of wallet2 also accepts a key whose public key is missing from
// the transaction. PaidTo returns ErrTxKey, ErrReward or ErrLocked for a transaction that
// proves nothing. The result is empty if the keys are the transaction's and no output pays
// the address.
func PaidTo(tx *Tx, secrets []*edwards25519.Scalar, to monero.Address) ([]Output, error) {
	switch {
	case tx.Reward:
		return nil, ErrReward
	case tx.UnlockTime != 0:
		return nil, ErrLocked
	}
	payer, err := newPayer(tx, secrets, to)
	if err != nil {
		return nil, err
	}
	var found []Output
	for i := range tx.Outputs {
		for _, secret := range payer.secretsOf(i) {
			shared, err := sharedWith(to, secret)
			if err != nil {
				return nil, err
			}
			if units, paid := tx.paidWith(shared, i, to); paid {
				found = append(found, Output{
					TxHash: tx.Hash, Index: i, OneTimeKey: tx.Outputs[i].Key, To: monero.Subaddress{Address: to.String()}, Amount: money.Piconero(units),
				})
				break
			}
		}
	}
	return greatestOfEachKey(found), nil
}

// paidWith returns the proven amount of an output that a shared secret makes an address's.
func (tx *Tx) paidWith(shared Key, index int, to monero.Address) (units uint64, paid bool) {
	at := uint32(index)
	of := tx.Outputs[index].candidate(nil, candidate{output: at}, shared)
	if len(of) == 0 || of[0].spendKey != to.Spend {
		return 0, false
	}
	units, proven := tx.amount(index, Key(secretOf(shared, at).Bytes()))
	return units, proven && units > 0
}

// payer has the secret keys of a transaction that made their public keys for one address.
type payer struct {
	// each is the key of every output, nil for none. own are those of single outputs, by index.
	each *edwards25519.Scalar
	own  map[int]*edwards25519.Scalar
}

// newPayer compares the secret keys with the public keys in extra. The first secret is that
// of every output, the next ones are those of the outputs in turn. For an output to a
// subaddress the base is the subaddress's spend key (construct_tx_with_tx_key).
func newPayer(tx *Tx, secrets []*edwards25519.Scalar, to monero.Address) (payer, error) {
	generator := edwards25519.NewGeneratorPoint()
	base := generator
	if to.Kind == monero.KindSubaddress {
		var err error
		if base, err = monero.ParsePoint(to.Spend[:]); err != nil {
			return payer{}, err
		}
	}
	keys, p, known := tx.keys, payer{own: map[int]*edwards25519.Scalar{}}, false
	for i, secret := range secrets[:min(len(secrets), 1+len(tx.Outputs))] {
		public := keys.each
		if i > 0 {
			public = keys.ownOf(i - 1)
		}
		// A key of another base pays another address, and is a key of the transaction all the same.
		known = known || slices.Contains(public, publicKey(secret, generator))
		if !slices.Contains(public, publicKey(secret, base)) {
			continue
		}
		if known = true; i == 0 {
			p.each = secret
		} else {
			p.own[i-1] = secret
		}
	}
	if !known {
		return payer{}, ErrTxKey
	}
	return p, nil
}

// secretsOf returns the keys that can have made the output with an index for the address.
func (p payer) secretsOf(index int) []*edwards25519.Scalar {
	return slices.DeleteFunc([]*edwards25519.Scalar{p.each, p.own[index]}, func(s *edwards25519.Scalar) bool { return s == nil })
}

// ownOf returns the additional key of an output, if a wallet tries it: see candidatesFor.
func (k *extraKeys) ownOf(index int) []Key {
	if len(k.each) == 0 || index >= len(k.own) {
		return nil
	}
	for _, key := range k.own[:index+1] {
		if _, err := monero.ParsePoint(key[:]); err != nil {
			return nil
		}
	}
	return k.own[index : index+1]
}

func publicKey(secret *edwards25519.Scalar, base *edwards25519.Point) Key {
	return Key(new(edwards25519.Point).ScalarMult(secret, base).Bytes())
}

// sharedWith returns the secret that a transaction's key shares with an address: 8·secret·V
// (generate_key_derivation).
func sharedWith(to monero.Address, secret *edwards25519.Scalar) (Key, error) {
	view, err := monero.ParsePoint(to.View[:])
	if err != nil {
		return Key{}, err
	}
	view.ScalarMult(secret, view).MultByCofactor(view)
	return Key(view.Bytes()), nil
}
