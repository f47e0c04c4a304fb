package monero

import (
	"encoding/hex"
	"errors"
)

// ErrTransaction means that bytes are not a serialized transaction whose inputs
// can be read.
var ErrTransaction = errors.New("not a Monero transaction")

const (
	// maxBlobHex bounds the text of a transaction, in hex digits. Consensus limits
	// a transaction to 150 kB of weight, far below it.
	maxBlobHex = 2 << 20
	// minInputLen is the shortest input: tag, amount, ring size, key image.
	minInputLen = 3 + keyLen
	// txVersion is the only version of transactions whose outputs have hidden
	// amounts.
	txVersion = 2
	// tagToKey marks an input that spends an output. The only other kind in use is
	// the input of a block reward, which spends nothing.
	tagToKey = 0x02
)

// KeyImages returns the key images (64 hex digits) of the outputs that a
// serialized version 2 transaction spends, in the order of its inputs. It reads
// only the inputs and does not check the bytes after them. It returns
// ErrTransaction if the inputs cannot be read.
func KeyImages(txBlobHex string) ([]string, error) {
	if len(txBlobHex) > maxBlobHex {
		return nil, ErrTransaction
	}
	blob, err := hex.DecodeString(txBlobHex)
	if err != nil {
		return nil, ErrTransaction
	}
	r := NewBlobReader(blob)
	version, _, inputs := r.Varint(), r.Varint(), r.Varint()
	if r.Failed() || version != txVersion || inputs == 0 || inputs > uint64(r.Remaining()/minInputLen) {
		return nil, ErrTransaction
	}
	images := make([]string, 0, inputs)
	for range inputs {
		images = append(images, keyImage(r))
		if r.Failed() {
			return nil, ErrTransaction
		}
	}
	return images, nil
}

// keyImage reads one input and returns its key image.
func keyImage(r *BlobReader) string {
	if tag := r.Bytes(1); r.Failed() || tag[0] != tagToKey {
		r.Fail()
		return ""
	}
	r.Varint() // amount
	ring := r.Varint()
	if ring > uint64(r.Remaining()) {
		r.Fail()
	}
	for i := uint64(0); i < ring && !r.Failed(); i++ {
		r.Varint()
	}
	return hex.EncodeToString(r.Bytes(keyLen))
}
