package stack

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// Peer communicates with a daemon of a private chain like another daemon of Monero's network.
// It is for one user at a time, and valid for a minute: then the daemon asks the peer for its
// new data, and the peer does not answer.
//
// A daemon without peers does not consider itself synchronized. And Debian's daemon (0.18.0)
// publishes by ZeroMQ only transactions that a peer broadcast, and none that came by RPC. So a
// test of a shop's publisher must pay through another peer, as customers do. A second daemon
// would do for both, but it holds every transaction back for seconds, to hide its origin.
type Peer struct{ conn net.Conn }

// networkID distinguishes the chain of a private daemon (and Monero's own) from the test
// networks.
const networkID = "\x12\x30\xf1\x71\x61\x04\x41\x61\x17\x31\x00\x82\x16\xa1\xa1\x10"

// versionOf returns the version of the rules for the last of a number of blocks of a private
// chain: the newest version, except for the first block.
func versionOf(blocks uint64) uint8 {
	const first, newest = 1, 16
	if blocks == 1 {
		return first
	}
	return newest
}

// identity is this peer's number. A daemon refuses only its own.
const identity = 0x6475726170617921

// peerTimeout is the maximum time for all requests of a peer.
const peerTimeout = time.Minute

// ConnectPeer introduces a peer to the daemon at an address of the peer-to-peer network. The
// peer claims to have the daemon's own chain: its number of blocks, and the hash of its last
// block, in hex. From then on the daemon considers itself synchronized.
func ConnectPeer(ctx context.Context, address string, blocks uint64, top string) (*Peer, error) {
	hash, err := hex.DecodeString(top)
	if err != nil {
		return nil, fmt.Errorf("peer: the top block: %w", err)
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("peer: %w", err)
	}
	p := &Peer{conn}
	hello := section{
		{"node_data", section{
			{"network_id", []byte(networkID)}, {"peer_id", uint64(identity)}, {"my_port", uint32(0)}, {"support_flags", uint32(1)},
		}},
		{"payload_data", section{
			{"current_height", blocks}, {"cumulative_difficulty", blocks},
			{"top_id", hash}, {"top_version", versionOf(blocks)},
		}},
	}
	err = conn.SetDeadline(time.Now().Add(peerTimeout))
	if err == nil {
		err = p.ask(handshake, hello)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("peer: the daemon at %s does not shake hands: %w", address, err), conn.Close())
	}
	return p, nil
}

// Close ends the connection.
func (p *Peer) Close() error { return p.conn.Close() }

// Broadcast sends the daemon a transaction as one that the whole network knows. When it
// returns, the daemon has added the transaction to its pool or refused it.
func (p *Peer) Broadcast(blobHex string) error {
	blob, err := hex.DecodeString(blobHex)
	if err != nil {
		return fmt.Errorf("peer: the transaction: %w", err)
	}
	message := section{{"txs", [][]byte{blob}}, {"dandelionpp_fluff", true}}
	if err := p.send(newTransactions, message, false); err != nil {
		return fmt.Errorf("peer: %w", err)
	}
	// The daemon handles the messages of a connection in order, so the answer to the ping
	// comes after the transaction.
	if err := p.ask(ping, nil); err != nil {
		return fmt.Errorf("peer: the daemon hung up over a transaction: %w", err)
	}
	return nil
}

// The commands of the peer-to-peer network used here (src/p2p/p2p_protocol_defs.h and
// src/cryptonote_protocol/cryptonote_protocol_defs.h of Monero).
const (
	handshake       uint32 = 1001
	ping            uint32 = 1003
	newTransactions uint32 = 2002
)

// levin is the head of a message of Monero's peer-to-peer network (docs/LEVIN_PROTOCOL.md
// there), in little endian.
type levin struct {
	Signature, Size uint64
	// Answered is set if the command requires an answer.
	Answered       bool
	Command        uint32
	Result         int32
	Flags, Version uint32
}

const (
	signature uint64 = 0x0101010101012101
	request   uint32 = 1
	response  uint32 = 2
	// bodyMax is the maximum length of an answer, in bytes.
	bodyMax = 1 << 20
)

// send sends a command.
func (p *Peer) send(command uint32, body section, answered bool) error {
	data := body.message()
	head := levin{Signature: signature, Size: uint64(len(data)), Answered: answered, Command: command, Flags: request, Version: 1}
	m, err := binary.Append(nil, binary.LittleEndian, head)
	if err == nil {
		_, err = p.conn.Write(append(m, data...))
	}
	return err
}

// ask sends a command and waits for its answer. It does not answer the daemon's own requests
// meanwhile.
func (p *Peer) ask(command uint32, body section) error {
	if err := p.send(command, body, true); err != nil {
		return err
	}
	for {
		var head levin
		if err := binary.Read(p.conn, binary.LittleEndian, &head); err != nil {
			return err
		}
		if head.Signature != signature || head.Size > bodyMax {
			return errors.New("the answer is not Levin's")
		}
		if _, err := io.CopyN(io.Discard, p.conn, int64(head.Size)); err != nil {
			return err
		}
		if head.Command == command && head.Flags&response != 0 {
			return nil
		}
	}
}

// section is the content of a message: names and their values, in Monero's portable storage
// format (docs/PORTABLE_STORAGE.md there). A value is a uint64, uint32, uint8, bool, []byte,
// [][]byte or section.
type section []entry

type entry struct {
	name  string
	value any
}

// message returns the encoding of a whole section, after the signature and version of the
// format.
func (s section) message() []byte {
	var b bytes.Buffer
	b.WriteString("\x01\x11\x01\x01\x01\x01\x02\x01\x01")
	s.write(&b)
	return b.Bytes()
}

func (s section) write(to *bytes.Buffer) {
	writeSize(to, len(s))
	for _, e := range s {
		to.WriteByte(byte(len(e.name)))
		to.WriteString(e.name)
		writeValue(to, e.value)
	}
}

// writeValue writes the type of a value and the value.
func writeValue(to *bytes.Buffer, value any) {
	switch v := value.(type) {
	case section:
		to.WriteByte(typeObject)
		v.write(to)
	case []byte:
		to.WriteByte(typeBytes)
		writeBytes(to, v)
	case [][]byte:
		to.WriteByte(typeBytes | typeArray)
		writeSize(to, len(v))
		for _, each := range v {
			writeBytes(to, each)
		}
	default:
		to.WriteByte(map[string]byte{"uint64": 5, "uint32": 6, "uint8": 8, "bool": 11}[fmt.Sprintf("%T", v)])
		_ = binary.Write(to, binary.LittleEndian, v) // a buffer takes all
	}
}

const (
	typeBytes  byte = 10
	typeObject byte = 12
	typeArray  byte = 0x80
)

func writeBytes(to *bytes.Buffer, value []byte) {
	writeSize(to, len(value))
	to.Write(value)
}

// writeSize writes a count in four bytes, which hold any count up to 2^30. The lowest two bits
// give the number of bytes.
func writeSize(to *bytes.Buffer, n int) {
	to.Write(binary.LittleEndian.AppendUint32(nil, uint32(n)<<2|2))
}
