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
// The publishers are ZeroMQ's, of monerod and of daemons of Bitcoin's kind. The
// subscriber is our own and small. The libraries for Go keep whole messages of
// any size in memory, and one malformed frame ends the process in a goroutine
// where nobody can catch it. Here nothing of a message is kept.
package push

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// reconnectEvery is the pause between two attempts to connect.
	reconnectEvery = time.Second
	// handshakeTimeout bounds a connection's begin.
	handshakeTimeout = 10 * time.Second
	// readPerSecond bounds how many frames are read in a second, where a kilobyte
	// counts as one more. What comes faster waits at the publisher, which drops
	// what it cannot send.
	readPerSecond = 10_000
)

// Publisher is the ZeroMQ publisher of a daemon. The zero Publisher is none.
type Publisher struct {
	// Address is host:port; empty for none.
	Address string
	// topics are the beginnings of messages that are asked for.
	topics []string
}

// Monerod is the publisher that monerod has with --zmq-pub.
func Monerod(address string) Publisher {
	return Publisher{Address: address, topics: []string{"json-minimal-txpool_add", "json-minimal-chain_main"}}
}

// Bitcoind is the publisher that a daemon of Bitcoin's kind has with
// -zmqpubhashtx and -zmqpubhashblock on one address.
func Bitcoind(address string) Publisher {
	return Publisher{Address: address, topics: []string{"hashtx", "hashblock"}}
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
	errGarbage = errors.New("push: the publisher does not speak ZMTP 3")
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

// follow connects until ctx is done.
func (p Publisher) follow(ctx context.Context, h *Hints) {
	limit := rate.NewLimiter(readPerSecond, readPerSecond)
	for {
		h.set(p.hear(ctx, h, limit))
		select {
		case <-time.After(reconnectEvery):
		case <-ctx.Done():
			return
		}
	}
}

// hear follows one connection to its end and says why it ended.
func (p Publisher) hear(ctx context.Context, h *Hints, limit *rate.Limiter) error {
	// A peer that is gone without a word is noticed within half a minute.
	dialer := net.Dialer{
		Timeout:         handshakeTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
	}
	conn, err := dialer.DialContext(ctx, "tcp", p.Address)
	if err != nil {
		return fmt.Errorf("push: %w", err)
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if err := conn.SetDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return fmt.Errorf("push: %w", err)
	}
	in := bufio.NewReader(conn)
	if err := subscribe(in, conn, p.topics); err != nil {
		return err
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return fmt.Errorf("push: %w", err)
	}
	h.set(nil)
	h.hint()
	for {
		f, err := skipFrame(in)
		if err != nil {
			return err
		}
		if f.endsMessage() {
			h.hint()
		}
		if err := limit.WaitN(ctx, f.weight()); err != nil {
			return fmt.Errorf("push: %w", err)
		}
	}
}
