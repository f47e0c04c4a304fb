package watch

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"time"
)

// node is the protocol between daemons of the same kind as Bitcoin's, as far as a peer
// needs it that requests nothing and has nothing. Both sides send their version and
// confirm the other's. From then on the daemon announces transactions and blocks. Our
// node offers no services, so a daemon neither downloads from it nor waits for it.
type node struct {
	magic [4]byte
}

const (
	// The head of a message consists of magic, command, length of the body and checksum.
	headSize, commandAt, lengthAt, checksumAt = 24, 4, 16, 20
	// nodeVersion is the newest version of the protocol in which no other message comes
	// between version and verack.
	nodeVersion = 70015
	// nodeName is our name in the daemon's list of peers.
	nodeName = "/durapay/"
	// addressSize is the size in bytes of each of the two addresses in a version message.
	// They are left empty.
	addressSize = 26
	// nonceSize is the length in bytes of the body of a ping that requires an answer.
	nonceSize = 8
)

// open sends our version and confirms the daemon's.
func (n node) open(in *bufio.Reader, out io.Writer) error {
	if err := n.say(out, "version", versionAt(time.Now())); err != nil {
		return err
	}
	command, size, err := n.head(in)
	if err != nil {
		return err
	}
	if command != "version" {
		return errGarbage
	}
	if err := skip(in, size); err != nil {
		return err
	}
	return n.say(out, "verack", nil)
}

// next returns a hint if the daemon announces something. It answers pings, because a
// daemon closes the connection after some minutes without an answer.
func (n node) next(in *bufio.Reader, out io.Writer) (frame, error) {
	command, size, err := n.head(in)
	if err != nil {
		return frame{}, err
	}
	f := frame{size: int(min(size, frameMax))}
	switch command {
	case "inv", "headers", "cmpctblock":
		f.hint = true
	case "ping":
		if size == nonceSize {
			return f, n.answer(in, out)
		}
	}
	return f, skip(in, size)
}

// head reads the head of a message and returns its command and the size of its body in
// bytes. It does not verify the checksum, because any sender can compute one.
func (n node) head(in *bufio.Reader) (command string, size uint64, err error) {
	var head [headSize]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return "", 0, broken(err)
	}
	if !bytes.Equal(head[:commandAt], n.magic[:]) {
		return "", 0, errGarbage
	}
	name, _, _ := bytes.Cut(head[commandAt:lengthAt], []byte{0})
	return string(name), uint64(binary.LittleEndian.Uint32(head[lengthAt:checksumAt])), nil
}

// answer sends the nonce of a ping back.
func (n node) answer(in *bufio.Reader, out io.Writer) error {
	var nonce [nonceSize]byte
	if _, err := io.ReadFull(in, nonce[:]); err != nil {
		return broken(err)
	}
	return n.say(out, "pong", nonce[:])
}

// say sends a message.
func (n node) say(out io.Writer, command string, body []byte) error {
	head := make([]byte, headSize, headSize+len(body))
	copy(head, n.magic[:])
	copy(head[commandAt:lengthAt], command)
	binary.LittleEndian.PutUint32(head[lengthAt:], uint32(len(body)))
	once := sha256.Sum256(body)
	twice := sha256.Sum256(once[:])
	copy(head[checksumAt:], twice[:])
	if _, err := out.Write(append(head, body...)); err != nil {
		return fmt.Errorf("push: %w", err)
	}
	return nil
}

// versionAt returns the body of our version message. It contains the true time,
// because a daemon corrects its clock by those of its peers.
func versionAt(now time.Time) []byte {
	b := binary.LittleEndian.AppendUint32(nil, nodeVersion)
	b = binary.LittleEndian.AppendUint64(b, 0) // no services
	b = binary.LittleEndian.AppendUint64(b, uint64(now.Unix()))
	b = append(b, make([]byte, 2*addressSize+nonceSize)...)
	b = append(b, byte(len(nodeName)))
	b = append(b, nodeName...)
	b = binary.LittleEndian.AppendUint32(b, 0) // blocks that we have
	return append(b, 1)                        // announce transactions
}
