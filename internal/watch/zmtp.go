package watch

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// zmtp is ZMTP 3.0 (https://rfc.zeromq.org/spec/23), as far as a subscriber without
// authentication needs it. Both sides send a greeting of 64 bytes and a READY
// command. Then the subscriber sends its topics, and messages of one or several
// frames follow. A message is a hint, a command is not.
type zmtp struct {
	// topics are the prefixes of the messages to subscribe to, each shorter than 255
	// bytes.
	topics []string
}

const (
	greetingSize = 64
	// The flags of a frame; no other bit may be set.
	flagMore, flagLong, flagCommand byte = 1, 2, 4
	// subscription begins the message that subscribes to a topic.
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

// open subscribes to the topics.
func (z zmtp) open(in *bufio.Reader, out io.Writer) error {
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
	// A publisher refuses subscriptions before both sides are ready.
	if flags, _, err := skipZMTP(in); err != nil || flags&flagCommand == 0 {
		return errors.Join(errGarbage, err)
	}
	var asked []byte
	for _, topic := range z.topics {
		asked = append(asked, 0, byte(1+len(topic)), subscription)
		asked = append(asked, topic...)
	}
	if _, err := out.Write(asked); err != nil {
		return fmt.Errorf("push: %w", err)
	}
	return nil
}

// next returns a hint at the end of a message.
func (zmtp) next(in *bufio.Reader, _ io.Writer) (frame, error) {
	flags, size, err := skipZMTP(in)
	return frame{size: size, hint: flags&(flagMore|flagCommand) == 0}, err
}

// skipZMTP skips a frame and returns its flags and the size of its body in bytes.
func skipZMTP(in *bufio.Reader) (flags byte, size int, err error) {
	if flags, err = in.ReadByte(); err != nil {
		return 0, 0, broken(err)
	}
	if flags&^(flagMore|flagLong|flagCommand) != 0 {
		return 0, 0, errGarbage
	}
	length := make([]byte, 8)
	short := length[7:]
	if flags&flagLong != 0 {
		short = length
	}
	if _, err := io.ReadFull(in, short); err != nil {
		return 0, 0, broken(err)
	}
	body := binary.BigEndian.Uint64(length)
	return flags, int(min(body, frameMax)), skip(in, body)
}
