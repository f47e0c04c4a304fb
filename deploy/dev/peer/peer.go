// Package peer communicates with a daemon of a private chain like another daemon of Monero's
// network.
//
// A daemon without peers does not consider itself synchronized. And Debian's daemon (0.18.0)
// publishes by ZeroMQ only transactions that a peer broadcast, and none that came by RPC. So a
// test of a shop's publisher must pay through another peer, as customers do. A second daemon
// would do for both, but it holds every transaction back for seconds, to hide its origin.
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

// Peer is a connection to a daemon, for one user at a time. It is valid for a minute: then the
// daemon asks the peer for its new data, and the peer does not answer.
type Peer struct {
	conn net.Conn
	in   *bufio.Reader
}

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

// patience is the maximum time for all requests to a daemon.
const patience = time.Minute

// Connect introduces a peer to the daemon at an address of the peer-to-peer network. The peer
// claims to have the daemon's own chain: its number of blocks, and the hash of its last block,
// in hex. From then on the daemon considers itself synchronized.
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

// Broadcast sends the daemon a transaction as one that the whole network knows. When it
// returns, the daemon has added the transaction to its pool or refused it.
func (p *Peer) Broadcast(blobHex string) error {
	blob, err := hex.DecodeString(blobHex)
	if err != nil {
		return fmt.Errorf("peer: the transaction: %w", err)
	}
	told := section{{"txs", [][]byte{blob}}, {"dandelionpp_fluff", true}}
	if err := p.send(newTransactions, told, false); err != nil {
		return fmt.Errorf("peer: %w", err)
	}
	// The daemon handles the messages of a connection in order, so the answer to the ping
	// comes after the transaction.
	if err := p.ask(ping, nil); err != nil {
		return fmt.Errorf("peer: the daemon hung up over a transaction: %w", err)
	}
	return nil
}
