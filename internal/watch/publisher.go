package watch

import (
	"context"
	"errors"
	"sync"
)

// Publisher is an address at which a daemon announces events, so that a watcher need not
// wait for its next poll. The zero Publisher has none.
//
// A message is only a hint. Its content is not read: it is not a fact, and no decision
// depends on it. The facts come from wallet and daemon, by the same scan as without
// the hint. So a publisher that is away, silent, garbled, lying or flooding can change
// the time of a scan but never its result. A watcher that uses hints still polls.
//
// There are two kinds of publishers: the ZeroMQ publishers of monerod and of daemons
// of the same kind as Bitcoin's, and the connections of the latter to their peers. The
// subscribers are our own and small. The Go libraries keep whole messages of any size
// in memory, and with them one malformed frame ends the process by a panic in a
// goroutine that we cannot recover from. Our subscribers keep nothing of a message.
type Publisher struct {
	// Address is host:port; empty for none.
	Address string

	protocol protocol
}

// MonerodPublisher returns the publisher that monerod has with --zmq-pub.
func MonerodPublisher(address string) Publisher {
	return Publisher{Address: address, protocol: zmtp{topics: []string{"json-minimal-txpool_add", "json-minimal-chain_main"}}}
}

// BitcoindPublisher returns the publisher that a daemon of the same kind as Bitcoin's has with
// -zmqpubhashtx and -zmqpubhashblock on one address.
func BitcoindPublisher(address string) Publisher {
	return Publisher{Address: address, protocol: zmtp{topics: []string{"hashtx", "hashblock"}}}
}

// NodePublisher returns a daemon of the same kind as Bitcoin's as a publisher, at the address
// on which it accepts peers. The magic begins each message of its network. The daemon
// announces a transaction at once to a peer with the permission noban, and some
// seconds later to a peer without it.
func NodePublisher(address string, magic [4]byte) Publisher {
	return Publisher{Address: address, protocol: node{magic: magic}}
}

// Hints are the hints of one publisher. They are coalesced: at most one waits, however
// many messages came. A new connection is a hint too, because messages may have been
// missed before it.
type Hints struct {
	waiting chan struct{}

	mu  sync.Mutex
	err error
}

var (
	errNone    = errors.New("push: there is no publisher")
	errNotYet  = errors.New("push: not connected yet")
	errHangup  = errors.New("push: the publisher ended the connection")
	errGarbage = errors.New("push: the publisher does not speak its protocol")
)

// Listen connects to the publisher, and connects again whenever the connection is
// lost, until ctx is done. Without an address there are no hints.
func (p Publisher) Listen(ctx context.Context) *Hints {
	h := &Hints{waiting: make(chan struct{}, 1), err: errNone}
	if p.Address != "" {
		h.err = errNotYet
		go p.follow(ctx, h)
	}
	return h
}

// Waiting returns a channel that is readable while a hint waits. Reading takes the
// hint.
func (h *Hints) Waiting() <-chan struct{} { return h.waiting }

// Take takes the waiting hint and reports whether there was one.
func (h *Hints) Take() bool {
	select {
	case <-h.waiting:
		return true
	default:
		return false
	}
}

// Err returns nil while there is a connection, else the reason why there is none. A
// connection is no guarantee: a publisher can be silent.
func (h *Hints) Err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

func (h *Hints) set(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err = err
}

// hint makes one hint wait, unless one waits already.
func (h *Hints) hint() {
	select {
	case h.waiting <- struct{}{}:
	default:
	}
}
