// Package freeport reserves ports for processes that get their port as a setting.
//
// Any process may take a port that was free a moment ago: the kernel gives it to
// the next outgoing connection or to the next listener on port 0. So this package
// takes ports from below the kernel's range, in blocks. The process that listens on
// a block's first port owns the rest of the block. Every process on the machine
// that uses this package respects that.
package freeport

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// The ports, below the usual start of the kernel's range (32768).
const (
	first     = 20000
	last      = 31999
	blockSize = 50
)

// ErrNone is returned when no port is left.
var ErrNone = errors.New("no free port")

// Block is a range of ports that this package gives to no other process until the
// block is closed. It is safe for use by several goroutines.
type Block struct {
	guard net.Listener
	mu    sync.Mutex
	next  int
	end   int
}

// Reserve takes a block of 49 ports.
func Reserve() (*Block, error) {
	for range 1000 {
		begin := first + blockSize*rand.IntN((last-first+1)/blockSize) //nolint:gosec // no secret
		if guard, err := listen(begin); err == nil {
			return &Block{guard: guard, next: begin + 1, end: begin + blockSize}, nil
		}
	}
	return nil, fmt.Errorf("%w: every block from %d to %d is taken", ErrNone, first, last)
}

// Port returns a port of the block on which no process listens, a different one
// each time; ErrNone when the block has no more.
func (b *Block) Port() (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.next < b.end {
		port := b.next
		b.next++
		if Free(port) {
			return port, nil
		}
	}
	return 0, ErrNone
}

// Close gives the block back; a second time does nothing.
func (b *Block) Close() error {
	if err := b.guard.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Free reports whether a port of this machine's own address has no listener.
func Free(port int) bool {
	l, err := listen(port)
	if err != nil {
		return false
	}
	return l.Close() == nil
}

func listen(port int) (net.Listener, error) {
	var config net.ListenConfig
	return config.Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

// Test is what a test gives of itself (testing.TB does).
type Test interface {
	Helper()
	Fatal(args ...any)
}

// own holds the blocks of this process, the current one last. They are released only
// when the process ends, because a server that uses a port may restart at any time.
var own struct { //nolint:gochecknoglobals // ports are the machine's
	sync.Mutex

	blocks []*Block
}

// For is a port for a test, of which nothing else on the machine gets hold
// while the test's process runs.
func For(t Test) int {
	t.Helper()
	port, err := forProcess()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func forProcess() (int, error) {
	own.Lock()
	defer own.Unlock()
	if n := len(own.blocks); n > 0 {
		if port, err := own.blocks[n-1].Port(); err == nil {
			return port, nil
		}
	}
	block, err := Reserve()
	if err != nil {
		return 0, err
	}
	own.blocks = append(own.blocks, block)
	return block.Port()
}
