package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// tor is the SOCKS5 proxy and has the onion services of the stack's APIs. It is ready when it
// listens and has created their names. It does not check whether the Tor network can be
// reached.
func tor() part {
	return part{
		name:     "tor",
		ports:    []port{{"socks", 19050}},
		programs: []programs.Program{programs.Tor},
		files:    true,
		command:  torCommand,
		ready: func(ctx context.Context, s *Stack) error {
			for _, o := range onionServices() {
				if s.has(o.part) && s.onion(o.name) == "" {
					return errors.New("no name yet")
				}
			}
			return dial(ctx, s.Addr("socks"))
		},
	}
}

// onionService is an onion service: the part behind it, and the part's listener for it, whose
// port is named NAME-onion.
type onionService struct{ name, part string }

func onionServices() []onionService {
	return []onionService{{"merchant", "merchant-api"}, {"swap", "swap-api"}}
}

// torNetwork returns the file with the configuration of a network other than the public one.
func (s *Stack) torNetwork() string { return s.path("data", "torrc-network") }

func torCommand(s *Stack) (command, error) {
	torrc := s.path("data", "torrc")
	// A configuration of its own, even an empty one, replaces the system's.
	var lines strings.Builder
	fmt.Fprintf(&lines, "SocksPort %s\nDataDirectory %s\nLog notice stdout\n", s.Addr("socks"), s.path("data", "tor"))
	if network, err := os.ReadFile(s.torNetwork()); err == nil {
		lines.Write(network)
	}
	for _, o := range onionServices() {
		if s.has(o.part) {
			fmt.Fprintf(&lines, "HiddenServiceDir %s\nHiddenServicePort 80 %s\nHiddenServiceExportCircuitID haproxy\n"+
				"HiddenServiceMaxStreams 64\nHiddenServiceMaxStreamsCloseCircuit 1\nHiddenServicePoWDefensesEnabled 1\n",
				s.path("data", "tor", o.name), s.Addr(o.name+"-onion"))
		}
	}
	args := []string{"-f", torrc, "--defaults-torrc", os.DevNull}
	return command{args: args, version: lines.String()}, writeFile(torrc, []byte(lines.String()))
}

// JoinTor restarts tor in the network that the lines of configuration describe. The onion
// names do not change.
func (s *Stack) JoinTor(ctx context.Context, network string) error {
	if err := writeFile(s.torNetwork(), []byte(network)); err != nil {
		return err
	}
	if err := s.Kill("tor"); err != nil {
		return err
	}
	return s.StartPart(ctx, "tor")
}

// onion returns the base URL of an onion service; empty before tor has created its name.
func (s *Stack) onion(name string) string {
	host, err := os.ReadFile(s.path("data", "tor", name, "hostname"))
	if err != nil {
		return ""
	}
	return "http://" + strings.TrimSpace(string(host))
}

// dial returns an error if no process listens at an address.
func dial(ctx context.Context, addr string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return conn.Close()
}
