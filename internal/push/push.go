// Package push hears from a daemon that something happened, so that a watcher
// need not wait for its next poll.
//
// A message is a hint and nothing else. Its content is not read: it carries no
// fact, and nobody decides anything by it. What is true is read from wallet and
// daemon by the same scan as without it. So a publisher that is away, silent,
// garbled, lying or flooding can change when a scan is made, and never what it
// finds. Whoever waits for hints goes on polling.
//
// Hints are coalesced: at most one waits, however many messages came. A new
// connection is a hint too, because nobody knows what was said before.
//
// The publishers are ZeroMQ's, of monerod and of daemons of Bitcoin's kind, and the
// latter's connections to their peers. The subscribers are our own and small. The
// libraries for Go keep whole messages of any size in memory, and one malformed frame
// ends the process in a goroutine where nobody can catch it. Here nothing of a message
// is kept.
package push

import (
	"context"
	"errors"
	"sync"
)

// Publisher is where a daemon says what happens. The zero Publisher is none.
type Publisher struct {
	// Address is host:port; empty for none.
	Address string

	protocol protocol
}

// Monerod is the publisher that monerod has with --zmq-pub.
func Monerod(address string) Publisher {
	return Publisher{Address: address, protocol: zmtp{topics: []string{"json-minimal-txpool_add", "json-minimal-chain_main"}}}
}

// Bitcoind is the publisher that a daemon of Bitcoin's kind has with
// -zmqpubhashtx and -zmqpubhashblock on one address.
func Bitcoind(address string) Publisher {
	return Publisher{Address: address, protocol: zmtp{topics: []string{"hashtx", "hashblock"}}}
}

// Node is a daemon of Bitcoin's kind as its peers know it, at an address where it
// listens for them. The magic begins each message of its network. It tells a peer with
// the permission noban of a transaction at once, and others some seconds later.
func Node(address string, magic [4]byte) Publisher {
	return Publisher{Address: address, protocol: node{magic: magic}}
}

// Hints are what is heard of a publisher.
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

// Listen connects to the publisher, again whenever the connection is lost, until
// ctx is done. Without an address there are no hints.
func (p Publisher) Listen(ctx context.Context) *Hints {
	h := &Hints{waiting: make(chan struct{}, 1), err: errNone}
	if p.Address != "" {
		h.err = errNotYet
		go p.follow(ctx, h)
	}
	return h
}

// Waiting is readable while a hint waits; reading takes it.
func (h *Hints) Waiting() <-chan struct{} { return h.waiting }

// Take takes the hint that waits, and says whether there was one.
func (h *Hints) Take() bool {
	select {
	case <-h.waiting:
		return true
	default:
		return false
	}
}

// Err is nil while there is a connection, else why there is none. A connection is
// no promise: a publisher can be silent.
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

// hint lets one hint wait.
func (h *Hints) hint() {
	select {
	case h.waiting <- struct{}{}:
	default:
	}
}
