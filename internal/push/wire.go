package push

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ZMTP 3.0 (https://rfc.zeromq.org/spec/23), as far as a subscriber without
// authentication speaks it: both sides send a greeting of 64 bytes and a READY
// command, then the subscriber says what it wants, and messages of one or several
// frames follow.
const (
	greetingSize = 64
	// The flags of a frame; no other bit may be set.
	flagMore, flagLong, flagCommand byte = 1, 2, 4
	// frameMax is the longest frame that is skipped, in bytes. Whatever is longer is
	// taken for garbage: it would be silence.
	frameMax = 1 << 20
	// subscription begins the message that asks for a topic.
	subscription = 1
	// ready is the command with which a subscriber introduces itself.
	ready = "\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03SUB"
)

// greeting announces version 3.0 without authentication.
func greeting() []byte {
	g := make([]byte, greetingSize)
	g[0], g[9], g[10] = 0xff, 0x7f, 3
	copy(g[12:], "NULL")
	return g
}

// subscribe opens a connection to a publisher and asks for topics, each shorter
// than 255 bytes.
func subscribe(in *bufio.Reader, out io.Writer, topics []string) error {
	if _, err := out.Write(append(greeting(), ready...)); err != nil {
		return fmt.Errorf("push: %w", err)
	}
	theirs := make([]byte, greetingSize)
	if _, err := io.ReadFull(in, theirs); err != nil {
		return broken(err)
	}
	if theirs[0] != 0xff || theirs[9] != 0x7f || theirs[10] < 3 || !bytes.Equal(theirs[12:32], greeting()[12:32]) {
		return errGarbage
	}
	// A publisher refuses what comes before both sides are ready.
	if f, err := skipFrame(in); err != nil || f.flags&flagCommand == 0 {
		return errors.Join(errGarbage, err)
	}
	var asked []byte
	for _, topic := range topics {
		asked = append(asked, 0, byte(1+len(topic)), subscription)
		asked = append(asked, topic...)
	}
	if _, err := out.Write(asked); err != nil {
		return fmt.Errorf("push: %w", err)
	}
	return nil
}

// frame is the head of a frame.
type frame struct {
	flags byte
	size  uint64
}

// endsMessage says whether a message is complete with this frame.
func (f frame) endsMessage() bool { return f.flags&(flagMore|flagCommand) == 0 }

// weight is how much of the limit it uses up.
func (f frame) weight() int { return 1 + int(f.size>>10) }

// skipFrame reads past a frame. Nothing of its body is kept.
func skipFrame(in *bufio.Reader) (frame, error) {
	var f frame
	var err error
	if f.flags, err = in.ReadByte(); err != nil {
		return f, broken(err)
	}
	if f.flags&^(flagMore|flagLong|flagCommand) != 0 {
		return f, errGarbage
	}
	size := make([]byte, 8)
	short := size[7:]
	if f.flags&flagLong != 0 {
		short = size
	}
	if _, err := io.ReadFull(in, short); err != nil {
		return f, broken(err)
	}
	if f.size = binary.BigEndian.Uint64(size); f.size > frameMax {
		return f, errGarbage
	}
	if _, err := in.Discard(int(f.size)); err != nil {
		return f, broken(err)
	}
	return f, nil
}

// broken is what the end of a connection means.
func broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errHangup
	}
	return fmt.Errorf("push: %w", err)
}
