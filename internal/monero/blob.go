package monero

// BlobReader reads Monero's binary format. After the first fault, Failed reports true
// and every method reads zeros.
type BlobReader struct {
	rest   []byte
	failed bool
}

// NewBlobReader returns a reader of blob, which must not change meanwhile.
func NewBlobReader(blob []byte) *BlobReader { return &BlobReader{rest: blob} }

// Failed reports whether the bytes were not what a method wanted.
func (r *BlobReader) Failed() bool { return r.failed }

// Fail lets the caller report a fault.
func (r *BlobReader) Fail() { r.failed = true }

// Remaining returns the number of bytes that are not read yet.
func (r *BlobReader) Remaining() int { return len(r.rest) }

// Bytes reads n bytes. It returns a part of the blob, or nil after a fault.
func (r *BlobReader) Bytes(n int) []byte {
	if r.failed || len(r.rest) < n {
		r.failed = true
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

// Varint reads 7 bits per byte, lowest first. Like Monero, it accepts only the
// shortest encoding: no superfluous zero byte, no bit above the 64th.
func (r *BlobReader) Varint() uint64 {
	var v uint64
	for shift := 0; shift < 64; shift += 7 {
		next := r.Bytes(1)
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
