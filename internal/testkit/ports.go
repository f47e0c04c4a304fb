package testkit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"
)

// Any process may take a port that was free a moment ago: the kernel gives it to the next
// outgoing connection or to the next listener on port 0. So ports for processes that get their
// port as a setting are from below the kernel's range (32768), in blocks. The process that
// listens on a block's first port owns the rest of the block.
const (
	firstPort = 20000
	lastPort  = 31999
	blockSize = 50
)

// ErrNoPort is returned when no port is left.
var ErrNoPort = errors.New("no free port")

// Ports is a block of ports that this package gives to no other process on the machine until
// the block is closed. It is safe for use by several goroutines.
type Ports struct {
	guard net.Listener
	mu    sync.Mutex
	next  int
	end   int
}

// ReservePorts takes a block of 49 free ports.
func ReservePorts() (*Ports, error) {
	for range 1000 {
		begin := firstPort + blockSize*rand.IntN((lastPort-firstPort+1)/blockSize) //nolint:gosec // no secret
		if block := reserve(begin); block != nil {
			return block, nil
		}
	}
	return nil, fmt.Errorf("%w: every block from %d to %d is taken", ErrNoPort, firstPort, lastPort)
}

// reserve takes the block that begins at a port, or returns nil. Services of a stack that outlived
// its process still listen in a block that has no owner.
func reserve(begin int) *Ports {
	guard, err := listenAt(begin)
	if err != nil {
		return nil
	}
	for port := begin + 1; port < begin+blockSize; port++ {
		if !IsFree(port) {
			_ = guard.Close()
			return nil
		}
	}
	return &Ports{guard: guard, next: begin + 1, end: begin + blockSize}
}

// Port returns a port of the block on which no process listens, a different one each time;
// ErrNoPort when the block has no more.
func (b *Ports) Port() (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.next < b.end {
		port := b.next
		b.next++
		if IsFree(port) {
			return port, nil
		}
	}
	return 0, ErrNoPort
}

// Close gives the block back; a second time does nothing.
func (b *Ports) Close() error {
	if err := b.guard.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// IsFree reports whether a port of this machine's own address has no listener.
func IsFree(port int) bool {
	l, err := listenAt(port)
	if err != nil {
		return false
	}
	return l.Close() == nil
}

func listenAt(port int) (net.Listener, error) {
	var config net.ListenConfig
	return config.Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

// own holds the blocks of this process, the current one last. They are released only when the
// process ends, because a server that uses a port may restart at any time.
var own struct { //nolint:gochecknoglobals // ports are the machine's
	sync.Mutex

	blocks []*Ports
}

// Port is a port for a test, which nothing else on the machine gets while the test's process
// runs.
func Port(tb testing.TB) int {
	tb.Helper()
	own.Lock()
	defer own.Unlock()
	for {
		if n := len(own.blocks); n > 0 {
			if port, err := own.blocks[n-1].Port(); err == nil {
				return port
			}
		}
		block, err := ReservePorts()
		if err != nil {
			tb.Fatal(err)
		}
		own.blocks = append(own.blocks, block)
	}
}
