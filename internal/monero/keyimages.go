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
	r := &blobReader{rest: blob}
	version, _, inputs := r.varint(), r.varint(), r.varint()
	if r.failed || version != txVersion || inputs == 0 || inputs > uint64(len(r.rest)/minInputLen) {
		return nil, ErrTransaction
	}
	images := make([]string, 0, inputs)
	for range inputs {
		images = append(images, r.keyImage())
		if r.failed {
			return nil, ErrTransaction
		}
	}
	return images, nil
}

// blobReader reads Monero's binary format. After the first fault, failed is
// true and it reads zeros.
type blobReader struct {
	rest   []byte
	failed bool
}

// keyImage reads one input and returns its key image.
func (r *blobReader) keyImage() string {
	if tag := r.bytes(1); r.failed || tag[0] != tagToKey {
		r.failed = true
		return ""
	}
	r.varint() // amount
	ring := r.varint()
	if ring > uint64(len(r.rest)) {
		r.failed = true
	}
	for i := uint64(0); i < ring && !r.failed; i++ {
		r.varint()
	}
	return hex.EncodeToString(r.bytes(keyLen))
}

func (r *blobReader) bytes(n int) []byte {
	if r.failed || len(r.rest) < n {
		r.failed = true
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

// varint reads 7 bits per byte, lowest first. Like Monero, it accepts only the
// shortest encoding: no superfluous zero byte, no bit above the 64th.
func (r *blobReader) varint() uint64 {
	var v uint64
	for shift := 0; shift < 64; shift += 7 {
		next := r.bytes(1)
		if r.failed {
			return 0
		}
		b := uint64(next[0])
		if (b == 0 && shift > 0) || (shift == 63 && b > 1) {
			break
		}
		v |= (b & 0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.failed = true
	return 0
}
