package push

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"github.com/durapay/durapay/internal/push/pushtest"
)

// FuzzPublisher lets a publisher say anything. It ends in an error, reads no further
// than what was said, and keeps nothing.
func FuzzPublisher(f *testing.F) {
	f.Add([]byte(pushtest.Opening() + "\x00\x01x"))
	f.Add([]byte(pushtest.Opening() + "\x01\x01x\x02\x00\x00\x00\x00\x00\x00\x00\x01y\x04\x05\x04PING"))
	f.Add([]byte(pushtest.Opening() + "\x02\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, said []byte) {
		in := bufio.NewReader(bytes.NewReader(said))
		if err := subscribe(in, io.Discard, []string{"x"}); err != nil {
			return
		}
		for read := 0; ; read++ {
			head, err := skipFrame(in)
			if err != nil {
				return
			}
			if head.size > frameMax || head.weight() > readPerSecond || read > len(said) {
				t.Fatalf("frame %d of %d bytes: %+v", read, len(said), head)
			}
		}
	})
}
