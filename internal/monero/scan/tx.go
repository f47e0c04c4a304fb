package scan

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/monero"
)

var (
	// ErrForm means that a transaction or block has a form that this package does not
	// know, as after a change of the network's rules. Nothing of its block may be settled.
	ErrForm = errors.New("scan: unknown form")
	// ErrHash means that the bytes from the daemon do not have the hash or the height that
	// Scanner asked for.
	ErrHash = errors.New("scan: the bytes are not those of the hash")
)

// Hash is the hash of a transaction or a block.
type Hash [32]byte

// String returns the hash as 64 hex digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash reads 64 hex digits. It returns monero.ErrResponse for any other text.
func ParseHash(text string) (h Hash, err error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(h) {
		return h, fmt.Errorf("%w: not a hash", monero.ErrResponse)
	}
	return Hash(raw), nil
}

func hashOf(parts ...[]byte) Hash { return Hash(monero.Keccak(parts...)) }

// Key is a public key.
type Key [32]byte

// Tx is a transaction, without its proofs and signatures. It holds no part of the bytes from
// which it was read, because many are kept.
type Tx struct {
	Hash    Hash
	Version uint64
	// UnlockTime is the lock that the maker chose: 0 for none, a height, or seconds of Unix
	// time from 500,000,000 on.
	UnlockTime uint64
	// Reward reports whether it is the transaction in which a block pays its miner, and
	// Height is then the height of that block.
	Reward  bool
	Height  uint64
	Outputs []TxOutput

	keys    extraKeys
	inputs  int
	ringCT  ringCT
	lengths lengths
}

// TxOutput is an output of a transaction, to any address.
type TxOutput struct {
	// Key is the one-time key.
	Key Key
	// Tagged reports whether the output has a ViewTag.
	Tagged  bool
	ViewTag byte
	// Amount is in clear, in piconero, in transactions of version 1 and in rewards. Else it
	// is 0, and the amount is in the RingCT part.
	Amount uint64
}

// lengths are the number of bytes up to the end of the prefix, and up to the end of the
// RingCT base, which is the end of a pruned transaction.
type lengths struct{ prefix, base int }

// ParseTx reads a whole transaction. It returns ErrForm for a form that it does not know,
// and monero.ErrTransaction for bytes that are not a transaction.
func ParseTx(blob []byte) (*Tx, error) {
	tx, err := parseTx(monero.NewBlobReader(blob))
	if err != nil {
		return nil, err
	}
	proofs := blob[tx.lengths.base:]
	switch {
	case tx.Version == 1:
		tx.Hash = hashOf(blob) // the signatures too
	case tx.ringCT.kind == ringNull && len(proofs) > 0:
		return nil, fmt.Errorf("%w: bytes after a reward", monero.ErrTransaction)
	case tx.ringCT.kind == ringNull:
		tx.Hash = tx.hash(blob, Hash{})
	default:
		tx.Hash = tx.hash(blob, hashOf(proofs))
	}
	return tx, nil
}

// ParsePruned reads a transaction without its proofs, and computes its hash from theirs.
// It returns the errors of ParseTx. Transactions of version 1 can only be read whole,
// because their hash covers the signatures.
func ParsePruned(blob []byte, proofs Hash) (*Tx, error) {
	tx, err := parseTx(monero.NewBlobReader(blob))
	switch {
	case err != nil:
		return nil, err
	case tx.Version == 1:
		return nil, fmt.Errorf("%w: version 1 without its signatures", monero.ErrTransaction)
	case tx.lengths.base != len(blob):
		return nil, fmt.Errorf("%w: bytes after a pruned transaction", monero.ErrTransaction)
	}
	tx.Hash = tx.hash(blob, proofs)
	return tx, nil
}

// hash is calculate_transaction_hash for version 2. The bytes are hashed as they are: the
// reader takes no number that could be written in two ways.
func (tx *Tx) hash(blob []byte, proofs Hash) Hash {
	prefix, base := hashOf(blob[:tx.lengths.prefix]), hashOf(blob[tx.lengths.prefix:tx.lengths.base])
	return hashOf(prefix[:], base[:], proofs[:])
}

// parseTx reads a transaction up to the end of the RingCT base.
func parseTx(r *monero.BlobReader) (*Tx, error) {
	begin, tx := r.Remaining(), &Tx{}
	for _, read := range []func(*monero.BlobReader) error{tx.readHead, tx.readInputs, tx.readOutputs, tx.readExtra} {
		if err := read(r); err != nil {
			return nil, err
		}
		if r.Failed() {
			return nil, fmt.Errorf("%w: cut or malformed", monero.ErrTransaction)
		}
	}
	tx.lengths.prefix = begin - r.Remaining()
	if tx.Version > 1 {
		if err := tx.ringCT.read(r, tx); err != nil {
			return nil, err
		}
	}
	if r.Failed() {
		return nil, fmt.Errorf("%w: cut or malformed", monero.ErrTransaction)
	}
	tx.lengths.base = begin - r.Remaining()
	return tx, nil
}

func (tx *Tx) readHead(r *monero.BlobReader) error {
	if tx.Version = r.Varint(); !r.Failed() && tx.Version != 1 && tx.Version != 2 {
		return fmt.Errorf("%w: transaction version %d", ErrForm, tx.Version)
	}
	tx.UnlockTime = r.Varint()
	return nil
}

// Tags of inputs and outputs (VARIANT_TAG in cryptonote_basic.h). The network has never
// used those of scripts (0x00 and 0x01).
const (
	inputOfReward = 0xff
	inputOfKey    = 0x02
	outputToKey   = 0x02
	outputTagged  = 0x03
)

// The fewest bytes of an input and of an output.
const (
	minInput  = 2
	minOutput = 2 + 32
)

func (tx *Tx) readInputs(r *monero.BlobReader) error {
	count := r.Varint()
	if count == 0 || count > uint64(r.Remaining()/minInput) {
		r.Fail()
	}
	for range count {
		if r.Failed() {
			return nil
		}
		switch tag := first(r.Bytes(1)); {
		case tag == inputOfReward && count == 1:
			tx.Reward, tx.Height = true, r.Varint()
		case tag == inputOfKey:
			r.Varint() // amount
			for ring := r.Varint(); ring > 0 && !r.Failed(); ring-- {
				r.Varint()
			}
			r.Bytes(len(Key{})) // key image
		case r.Failed():
		default:
			return fmt.Errorf("%w: input of type %#x", ErrForm, tag)
		}
	}
	tx.inputs = int(count)
	return nil
}

func (tx *Tx) readOutputs(r *monero.BlobReader) error {
	count := r.Varint()
	if count > uint64(r.Remaining()/minOutput) {
		r.Fail()
	}
	if !r.Failed() {
		tx.Outputs = make([]TxOutput, 0, count)
	}
	for range count {
		if r.Failed() {
			return nil
		}
		o := TxOutput{Amount: r.Varint()}
		tag := first(r.Bytes(1))
		if !r.Failed() && tag != outputToKey && tag != outputTagged {
			return fmt.Errorf("%w: output of type %#x", ErrForm, tag)
		}
		copy(o.Key[:], r.Bytes(len(o.Key)))
		if o.Tagged = tag == outputTagged; o.Tagged {
			o.ViewTag = first(r.Bytes(1))
		}
		if tx.Version > 1 && !tx.Reward && o.Amount != 0 {
			r.Fail() // wallet2 would believe it; the network refuses it (check_tx_outputs)
		}
		tx.Outputs = append(tx.Outputs, o)
	}
	return nil
}

func (tx *Tx) readExtra(r *monero.BlobReader) error {
	tx.keys = keysOfExtra(readString(r), len(tx.Outputs))
	return nil
}

// first returns the first byte, or 0 if there is none.
func first(b []byte) byte {
	if len(b) == 0 {
		return 0
	}
	return b[0]
}
