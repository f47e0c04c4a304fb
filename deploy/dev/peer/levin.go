package peer

import (
	"encoding/binary"
	"errors"
	"io"
)

// The commands of the peer-to-peer network used here (src/p2p/p2p_protocol_defs.h and
// src/cryptonote_protocol/cryptonote_protocol_defs.h of Monero).
const (
	handshake       uint32 = 1001
	ping            uint32 = 1003
	newTransactions uint32 = 2002
)

// Levin is the framing of Monero's peer-to-peer network (docs/LEVIN_PROTOCOL.md there).
const (
	signature uint64 = 0x0101010101012101
	request   uint32 = 1
	response  uint32 = 2
	version   uint32 = 1
	headSize         = 33
	// bodyMax is the maximum length of an answer, in bytes.
	bodyMax = 1 << 20
)

// send sends a command. answered is set if the command requires an answer.
func (p *Peer) send(command uint32, body section, answered bool) error {
	data := body.message()
	m := binary.LittleEndian.AppendUint64(nil, signature)
	m = binary.LittleEndian.AppendUint64(m, uint64(len(data)))
	m = append(m, flag(answered))
	m = binary.LittleEndian.AppendUint32(m, command)
	m = binary.LittleEndian.AppendUint32(m, 0) // no result
	m = binary.LittleEndian.AppendUint32(m, request)
	m = binary.LittleEndian.AppendUint32(m, version)
	_, err := p.conn.Write(append(m, data...))
	return err
}

// ask sends a command and waits for its answer. It does not answer the daemon's own requests
// meanwhile.
func (p *Peer) ask(command uint32, body section) error {
	if err := p.send(command, body, true); err != nil {
		return err
	}
	for {
		head := make([]byte, headSize)
		if _, err := io.ReadFull(p.in, head); err != nil {
			return err
		}
		size := binary.LittleEndian.Uint64(head[8:])
		if binary.LittleEndian.Uint64(head) != signature || size > bodyMax {
			return errors.New("the answer is not Levin's")
		}
		if _, err := io.CopyN(io.Discard, p.in, int64(size)); err != nil {
			return err
		}
		if binary.LittleEndian.Uint32(head[17:]) == command && binary.LittleEndian.Uint32(head[25:])&response != 0 {
			return nil
		}
	}
}
