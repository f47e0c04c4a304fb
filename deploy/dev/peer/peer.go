// Package peer speaks to a daemon of a private chain as another daemon of Monero's
// network does.
//
// A daemon without peers does not take itself for synchronized. And Debian's (0.18.0)
// publishes by ZeroMQ the transactions that a peer broadcast, and none that came by
// RPC: so who wants to see what a shop's daemon publishes pays from somewhere else, as
// customers do. A second daemon would do for both, but holds every transaction back
// for seconds, to hide where it came from.
package peer

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"time"
)

// Peer is a connection to a daemon, for one user at a time. It is good for a minute:
// then the daemon asks what a peer has new, and there is no answer.
type Peer struct {
	conn net.Conn
	in   *bufio.Reader
}

// networkID tells the chain of a private daemon (and Monero's own) from the test nets.
const networkID = "\x12\x30\xf1\x71\x61\x04\x41\x61\x17\x31\x00\x82\x16\xa1\xa1\x10"

// versionOf is the version of the rules for the last of so many blocks of a private
// chain: the newest, but for the first block.
func versionOf(blocks uint64) uint8 {
	const first, newest = 1, 16
	if blocks == 1 {
		return first
	}
	return newest
}

// identity is this peer's number. A daemon refuses its own alone.
const identity = 0x6475726170617921

// patience is how long a daemon may take for everything that it is asked.
const patience = time.Minute

// Connect introduces a peer to the daemon at an address of the peer-to-peer network.
// The peer has the daemon's own chain: so many blocks, and the hash of the last of them,
// in hex. The daemon takes itself for synchronized from then on.
func Connect(ctx context.Context, address string, blocks uint64, top string) (*Peer, error) {
	hash, err := hex.DecodeString(top)
	if err != nil {
		return nil, fmt.Errorf("peer: the top block: %w", err)
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("peer: %w", err)
	}
	p := &Peer{conn: conn, in: bufio.NewReader(conn)}
	hello := section{
		{"node_data", section{
			{"network_id", []byte(networkID)}, {"peer_id", uint64(identity)}, {"my_port", uint32(0)}, {"support_flags", uint32(1)},
		}},
		{"payload_data", section{
			{"current_height", blocks}, {"cumulative_difficulty", blocks},
			{"top_id", hash}, {"top_version", versionOf(blocks)},
		}},
	}
	err = conn.SetDeadline(time.Now().Add(patience))
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

// Broadcast gives the daemon a transaction as one that the whole network knows. When it
// returns, the daemon has it in its pool, or does not want it.
func (p *Peer) Broadcast(blobHex string) error {
	blob, err := hex.DecodeString(blobHex)
	if err != nil {
		return fmt.Errorf("peer: the transaction: %w", err)
	}
	told := section{{"txs", [][]byte{blob}}, {"dandelionpp_fluff", true}}
	if err := p.send(newTransactions, told, false); err != nil {
		return fmt.Errorf("peer: %w", err)
	}
	// What comes over a connection is done in order.
	if err := p.ask(ping, nil); err != nil {
		return fmt.Errorf("peer: the daemon hung up over a transaction: %w", err)
	}
	return nil
}
