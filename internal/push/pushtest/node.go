package pushtest

import (
	"encoding/binary"
	"strings"
	"testing"
)

// NodeMagic begins each message of a Node: that of Litecoin's private chains.
func NodeMagic() [4]byte { return [4]byte{0xfa, 0xbf, 0xb5, 0xda} }

// Ping is the ping in NodeOpening, and Pong the answer to it.
const (
	Ping = "\xfa\xbf\xb5\xdaping\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00\xe0\x45\xa4\x97\x29\xcd\xb1\xe7\xda\x56\x0b\x19"
	Pong = "\xfa\xbf\xb5\xdapong\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00\xe0\x45\xa4\x97\x29\xcd\xb1\xe7\xda\x56\x0b\x19"
)

// NodeOpening returns the messages that litecoind 0.21.2 sends to a peer before
// it announces anything.
func NodeOpening() string {
	version := "\x80\x11\x01\x00\x09\x04\x00\x01\x00\x00\x00\x00\x82\x9f\x09\x6b\x00\x00\x00\x00" +
		strings.Repeat("\x00", 26) + "\x09\x04\x00\x01\x00\x00\x00\x00" + strings.Repeat("\x00", 18) +
		"\x9a\x4c\xa0\x23\x3d\xcf\xe4\x3a\x17/LitecoinCore:0.21.2.1/\x00\x00\x00\x00\x01"
	return Packet("version", version) + Packet("verack", "") + Packet("sendheaders", "") +
		Packet("sendcmpct", "\x00\x03\x00\x00\x00\x00\x00\x00\x00") + Packet("sendcmpct", "\x00\x02\x00\x00\x00\x00\x00\x00\x00") +
		Packet("sendcmpct", "\x00\x01\x00\x00\x00\x00\x00\x00\x00") +
		Ping + Packet("feefilter", "\x35\xf0\x8b\x00\x00\x00\x00\x00")
}

// Packet returns a message of a node. Its checksum is missing.
func Packet(command, body string) string {
	magic := NodeMagic()
	length := binary.LittleEndian.AppendUint32(nil, uint32(len(body)))
	return string(magic[:]) + command + strings.Repeat("\x00", 12-len(command)) + string(length) + "\x00\x00\x00\x00" + body
}

// StartNode starts a node that ends with the test.
func StartNode(t *testing.T) *Publisher {
	t.Helper()
	p := Start(t)
	p.Open(NodeOpening())
	return p
}
