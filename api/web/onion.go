package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/pires/go-proxyproto"
)

// Together names all circuits at once, where they are counted as one client.
const Together = "circuits"

// circuitLineTime is how long Tor's line may take. Tor sends it first of all,
// so that nobody but Tor itself, on a busy machine, can be slow with it.
const circuitLineTime = 30 * time.Second

// circuitNet is the network whose addresses Tor makes of the numbers of its
// circuits (HiddenServiceExportCircuitID haproxy). Nobody else has them: it is
// of a private range.
func circuitNet() netip.Prefix { return netip.MustParsePrefix("fc00:dead:beef:4dad::/64") }

// ListenOnion makes a listener one for Tor alone: each connection must begin
// with the line of the PROXY protocol, version 1, in which Tor writes the
// circuit that a visitor came through. A connection without it, or with
// another one, is closed unanswered.
func ListenOnion(listener net.Listener) net.Listener {
	return &proxyproto.Listener{
		Listener: listener, ReadHeaderTimeout: circuitLineTime, ValidateHeader: checkCircuit,
		ConnPolicy: func(proxyproto.ConnPolicyOptions) (proxyproto.Policy, error) { return proxyproto.REQUIRE, nil },
	}
}

// checkCircuit refuses lines that Tor does not write.
func checkCircuit(h *proxyproto.Header) error {
	if h.Version != 1 || h.SourceAddr == nil {
		return errors.New("not a line of Tor's")
	}
	from, ok := ParseIP(h.SourceAddr.String())
	if !ok || !circuitNet().Contains(from) {
		return fmt.Errorf("%s is not a circuit", h.SourceAddr)
	}
	return nil
}

// throughOnion marks the context of connections to the onion listener.
type throughOnion struct{}

// OnionContext marks a connection of the onion listener: http.Server.ConnContext.
func OnionContext(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, throughOnion{}, true)
}

// Circuit names the Tor circuit that a request came through, if it came to the
// onion listener. A visitor can have as many circuits as it wants, so whatever
// is counted by circuit has a bound over all of them Together as well.
func Circuit(r *http.Request) (name string, ok bool) {
	if r.Context().Value(throughOnion{}) == nil {
		return "", false
	}
	ip, ok := ParseIP(r.RemoteAddr)
	return "circuit " + ip.String(), ok
}
