package watch

import (
	"bufio"
	"bytes"
	"io"
	"testing"
)

// ReceiveAll reads until an error. It checks that the protocol reads no more than it
// was sent, keeps nothing, and writes no more than it reads.
func ReceiveAll(t *testing.T, of Publisher, said []byte) {
	t.Helper()
	p, in := of.protocol, bufio.NewReader(bytes.NewReader(said))
	if err := p.open(in, io.Discard); err != nil {
		return
	}
	var answers bytes.Buffer
	for read := 0; ; read++ {
		f, err := p.next(in, &answers)
		if err != nil {
			return
		}
		if f.size < 0 || f.size > frameMax || f.weight() > readPerSecond || read > len(said) || answers.Len() > len(said) {
			t.Fatalf("frame %d of %d bytes: %+v, %d bytes of answers", read, len(said), f, answers.Len())
		}
	}
}
