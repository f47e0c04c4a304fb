package push

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

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
