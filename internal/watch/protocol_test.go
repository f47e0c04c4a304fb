package watch_test

import (
	"testing"

	"github.com/durapay/durapay/internal/watch"
	"github.com/durapay/durapay/internal/watch/watchtest"
)

// FuzzPublisher sends any bytes as a ZeroMQ publisher.
func FuzzPublisher(f *testing.F) {
	f.Add([]byte(watchtest.Opening() + "\x00\x01x"))
	f.Add([]byte(watchtest.Opening() + "\x01\x01x\x02\x00\x00\x00\x00\x00\x00\x00\x01y\x04\x05\x04PING"))
	f.Add([]byte(watchtest.Opening() + "\x02\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, said []byte) { watch.ReceiveAll(t, watch.BitcoindPublisher(""), said) })
}

// FuzzNode sends any bytes as a node.
func FuzzNode(f *testing.F) {
	f.Add([]byte(watchtest.NodeOpening() + watchtest.Packet("inv", "x") + watchtest.Ping))
	f.Add([]byte(watchtest.NodeOpening() + watchtest.Packet("ping", "") + watchtest.Packet("ping", "123456789")))
	f.Add([]byte(watchtest.NodeOpening() + watchtest.Packet("inv", "")[:16] + "\xff\xff\xff\xff1234"))
	f.Fuzz(func(t *testing.T, said []byte) {
		watch.ReceiveAll(t, watch.NodePublisher("", watchtest.NodeMagic()), said)
	})
}
