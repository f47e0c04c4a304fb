package push

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"github.com/durapay/durapay/internal/push/pushtest"
)

// FuzzPublisher sends any bytes as a ZeroMQ publisher.
func FuzzPublisher(f *testing.F) {
	f.Add([]byte(pushtest.Opening() + "\x00\x01x"))
	f.Add([]byte(pushtest.Opening() + "\x01\x01x\x02\x00\x00\x00\x00\x00\x00\x00\x01y\x04\x05\x04PING"))
	f.Add([]byte(pushtest.Opening() + "\x02\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, said []byte) { hearAll(t, zmtp{topics: []string{"x"}}, said) })
}

// FuzzNode sends any bytes as a node.
func FuzzNode(f *testing.F) {
	f.Add([]byte(pushtest.NodeOpening() + pushtest.Packet("inv", "x") + pushtest.Ping))
	f.Add([]byte(pushtest.NodeOpening() + pushtest.Packet("ping", "") + pushtest.Packet("ping", "123456789")))
	f.Add([]byte(pushtest.NodeOpening() + pushtest.Packet("inv", "")[:16] + "\xff\xff\xff\xff1234"))
	f.Fuzz(func(t *testing.T, said []byte) { hearAll(t, node{magic: pushtest.NodeMagic()}, said) })
}

// hearAll reads until an error. It checks that the protocol reads no more than it
// was sent, keeps nothing, and writes no more than it reads.
func hearAll(t *testing.T, p protocol, said []byte) {
	t.Helper()
	in := bufio.NewReader(bytes.NewReader(said))
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
