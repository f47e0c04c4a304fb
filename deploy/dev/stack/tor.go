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

// tor is the SOCKS5 proxy and, in a stack with the exchange, its onion surface.
// It is ready when it listens and has made its name: whether the Tor network can
// be reached is not known here.
func tor() part {
	return part{
		name:     "tor",
		ports:    []port{{"socks", 19050}},
		programs: []programs.Program{programs.Tor()},
		prepare: func(_ context.Context, s *Stack) error {
			return os.MkdirAll(s.path("data", "tor"), 0o700)
		},
		command: torCommand,
		ready: func(ctx context.Context, s *Stack) error {
			if s.has("swap-api") && s.swapOnion() == "" {
				return errors.New("no name yet")
			}
			return dial(ctx, s.Addr("socks"))
		},
		env: func(s *Stack) map[string]string {
			return map[string]string{"SOCKS5_PROXY": s.setting("SOCKS5_PROXY", s.Addr("socks"))}
		},
	}
}

func torCommand(s *Stack) (command, error) {
	path, err := programs.Tor().Find(s.root)
	torrc := s.path("data", "torrc")
	// An own, empty configuration keeps the system's one away.
	content := fmt.Sprintf("SocksPort %s\nDataDirectory %s\nLog notice stdout\n",
		s.Addr("socks"), s.path("data", "tor"))
	if s.has("swap-api") {
		content += fmt.Sprintf("HiddenServiceDir %s\nHiddenServicePort 80 %s\n", s.path("data", "tor", "swap"), s.Addr("swap"))
	}
	if err == nil {
		err = writeFile(torrc, []byte(content))
	}
	args := []string{"-f", torrc, "--defaults-torrc", os.DevNull}
	return command{path: path, args: args, version: content}, err
}

// swapOnion is the base URL of the exchange's onion surface; empty before tor
// has made its name.
func (s *Stack) swapOnion() string {
	name, err := os.ReadFile(s.path("data", "tor", "swap", "hostname"))
	if err != nil {
		return ""
	}
	return "http://" + strings.TrimSpace(string(name))
}

// dial tells whether somebody listens.
func dial(ctx context.Context, addr string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return conn.Close()
}
