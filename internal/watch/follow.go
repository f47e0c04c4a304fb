package watch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"golang.org/x/time/rate"
)

const (
	// reconnectEvery is the pause between two attempts to connect.
	reconnectEvery = time.Second
	// answerTimeout bounds the opening of a connection, and the time that the
	// publisher may take to accept written bytes.
	answerTimeout = 10 * time.Second
	// readPerSecond bounds how many frames are read in a second; each kilobyte of a
	// frame counts as one more. Faster messages wait at the publisher, which drops
	// those that it cannot send.
	readPerSecond = 10_000
)

// follow connects to the publisher again and again until ctx is done.
func (p Publisher) follow(ctx context.Context, h *Hints) {
	limit := rate.NewLimiter(readPerSecond, readPerSecond)
	for {
		h.set(p.receive(ctx, h, limit))
		select {
		case <-time.After(reconnectEvery):
		case <-ctx.Done():
			return
		}
	}
}

// receive follows one connection to its end and returns the error that ended it.
func (p Publisher) receive(ctx context.Context, h *Hints, limit *rate.Limiter) error {
	// With these settings a silently dead peer is noticed within half a minute.
	dialer := net.Dialer{
		Timeout:         answerTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
	}
	conn, err := dialer.DialContext(ctx, "tcp", p.Address)
	if err != nil {
		return fmt.Errorf("push: %w", err)
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if err := conn.SetReadDeadline(time.Now().Add(answerTimeout)); err != nil {
		return fmt.Errorf("push: %w", err)
	}
	in, out := bufio.NewReader(conn), writer{conn}
	if err := p.protocol.open(in, out); err != nil {
		return err
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		return fmt.Errorf("push: %w", err)
	}
	h.set(nil)
	h.hint()
	for {
		f, err := p.protocol.next(in, out)
		if err != nil {
			return err
		}
		if f.hint {
			h.hint()
		}
		if err := limit.WaitN(ctx, f.weight()); err != nil {
			return fmt.Errorf("push: %w", err)
		}
	}
}

// writer writes to a connection and fails if the other side does not accept the
// bytes within answerTimeout.
type writer struct{ conn net.Conn }

func (w writer) Write(b []byte) (int, error) {
	if err := w.conn.SetWriteDeadline(time.Now().Add(answerTimeout)); err != nil {
		return 0, err
	}
	return w.conn.Write(b)
}

type protocol interface {
	// open begins a connection. It returns errGarbage if the publisher speaks another
	// protocol.
	open(in *bufio.Reader, out io.Writer) error
	// next skips a frame, and answers it if the publisher would otherwise close the
	// connection. It returns errGarbage for bytes that are not a frame.
	next(in *bufio.Reader, out io.Writer) (frame, error)
}

// frameMax is the size in bytes of the longest frame that is skipped. A longer one
// is treated as garbage, because no hint could come until it ends.
const frameMax = 1 << 20

// frame describes a frame that was skipped.
type frame struct {
	// size is the size of the body in bytes, at most frameMax.
	size int
	// hint reports whether the frame announces something.
	hint bool
}

// weight returns how much of the rate limit the frame uses up.
func (f frame) weight() int { return 1 + f.size>>10 }

// skip skips a frame's body and keeps nothing of it.
func skip(in *bufio.Reader, size uint64) error {
	if size > frameMax {
		return errGarbage
	}
	if _, err := in.Discard(int(size)); err != nil {
		return broken(err)
	}
	return nil
}

// broken returns the error for the end of a connection.
func broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errHangup
	}
	return fmt.Errorf("push: %w", err)
}
