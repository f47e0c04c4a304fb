package push

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// protocol is how a publisher speaks.
type protocol interface {
	// open begins a connection. The error is errGarbage where the publisher speaks
	// otherwise.
	open(in *bufio.Reader, out io.Writer) error
	// next reads past a frame, and answers it where the publisher hangs up without an
	// answer. The error is errGarbage for what is no frame.
	next(in *bufio.Reader, out io.Writer) (frame, error)
}

// frameMax is the longest frame that is read past, in bytes. Whatever is longer is
// taken for garbage: it would be silence.
const frameMax = 1 << 20

// frame is what is known of a frame that was read past.
type frame struct {
	// size is that of its body in bytes, at most frameMax.
	size int
	// hint says that something happened.
	hint bool
}

// weight is how much of the limit it uses up.
func (f frame) weight() int { return 1 + f.size>>10 }

// skip reads past a frame's body. Nothing of it is kept.
func skip(in *bufio.Reader, size uint64) error {
	if size > frameMax {
		return errGarbage
	}
	if _, err := in.Discard(int(size)); err != nil {
		return broken(err)
	}
	return nil
}

// broken is what the end of a connection means.
func broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errHangup
	}
	return fmt.Errorf("push: %w", err)
}
