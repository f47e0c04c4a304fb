package scan

import (
	"slices"

	"github.com/durapay/durapay/internal/monero"
)

// Tags of the fields of tx_extra (tx_extra.h).
const (
	extraPadding    = 0x00
	extraKey        = 0x01
	extraNonce      = 0x02
	extraMerge      = 0x03
	extraAdditional = 0x04
	extraMinergate  = 0xde
)

const (
	// maxNonce is TX_EXTRA_NONCE_MAX_COUNT.
	maxNonce = 255
	// maxKeys is the number of public keys of one transaction that are tried. Each costs a
	// multiplication on the curve.
	maxKeys = 32
)

// extraKeys are the public keys in a transaction's extra.
type extraKeys struct {
	// each are the keys that may belong to every output, at most maxKeys.
	each []Key
	// own are the additional keys, of which each belongs to the output with its index. There
	// are no more of them than outputs.
	own    []Key
	hasOwn bool
}

// keysOfExtra reads the public keys of a transaction. Like parse_tx_extra, it stops at the
// first field that it cannot read and keeps those before it: a malformed extra is no error.
func keysOfExtra(extra []byte, outputs int) (keys extraKeys) {
	r := monero.NewBlobReader(extra)
	for r.Remaining() > 0 && keys.readField(r) {
	}
	if len(keys.own) > outputs {
		keys.own = slices.Clone(keys.own[:outputs])
	}
	return keys
}

// readField reads one field and reports whether another one can follow.
func (k *extraKeys) readField(r *monero.BlobReader) bool {
	switch first(r.Bytes(1)) {
	case extraKey:
		if list := readKeys(r, 1); len(k.each) < maxKeys {
			k.each = append(k.each, list...)
		}
	case extraAdditional:
		// Of several lists the first counts (find_tx_extra_field_by_type).
		if list := readKeys(r, r.Varint()); !r.Failed() && !k.hasOwn {
			k.own, k.hasOwn = list, true
		}
	case extraNonce:
		if len(readString(r)) > maxNonce {
			return false
		}
	case extraMerge:
		skipMergeMining(r)
	case extraMinergate:
		readString(r)
	case extraPadding:
		return false // it fills the rest, or is malformed
	default:
		return false
	}
	return !r.Failed()
}

// readKeys reads count keys, or none if one is missing.
func readKeys(r *monero.BlobReader, count uint64) []Key {
	if count > uint64(r.Remaining()/len(Key{})) {
		r.Fail()
		return nil
	}
	list := make([]Key, count)
	for i := range list {
		list[i] = Key(r.Bytes(len(Key{})))
	}
	return list
}

// readString reads bytes that follow their number.
func readString(r *monero.BlobReader) []byte {
	length := r.Varint()
	if length > uint64(r.Remaining()) {
		r.Fail()
		return nil
	}
	return r.Bytes(int(length))
}

// skipMergeMining passes over a field that holds exactly a number and a hash
// (tx_extra_merge_mining_tag).
func skipMergeMining(r *monero.BlobReader) {
	field := monero.NewBlobReader(readString(r))
	field.Varint()
	field.Bytes(len(Hash{}))
	if field.Failed() || field.Remaining() > 0 {
		r.Fail()
	}
}
