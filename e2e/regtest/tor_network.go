package regtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/internal/freeport"
)

const relays = 3

// Network is a private Tor network on this machine: a directory authority, three relays that
// let streams out to 127.0.0.0/8, and a client. They are the tor of the distribution. Nothing
// leaves the machine: every process listens on loopback, and names are answered by a name
// server here.
type Network struct {
	dir       string
	authority authority
	names     *nameServer
	control   *control
	socks     string
	running   []*exec.Cmd
	// open is what Stop closes.
	open []io.Closer
}

// StartTor makes a network in a directory of its own below the system's for
// temporary files, and returns when its client can build circuits. tor is installed first;
// programs.ErrUnsupported where that cannot be done.
func StartTor(ctx context.Context) (*Network, error) {
	if err := programs.Install(ctx, ".", io.Discard, []programs.Program{programs.Tor(), gencert()}); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "durapay-tor-")
	if err != nil {
		return nil, err
	}
	n := &Network{dir: dir}
	if err := n.start(ctx); err != nil {
		return nil, errors.Join(err, n.Stop())
	}
	return n, nil
}

func (n *Network) start(ctx context.Context) error {
	ports, err := n.reserve()
	if err != nil {
		return err
	}
	if n.names, err = startNames(); err != nil {
		return err
	}
	n.open = append(n.open, n.names)
	if err := n.startRelays(ctx, ports); err != nil {
		return err
	}
	n.socks = fmt.Sprintf("127.0.0.1:%d", ports[2+relays])
	socket := filepath.Join(n.dir, "client", "control")
	if err := n.run("client", "SocksPort "+n.socks+"\nControlPort unix:"+socket+"\n"); err != nil {
		return err
	}
	if n.control, err = dialControl(ctx, socket); err != nil {
		return err
	}
	n.open = append(n.open, n.control)
	return n.control.awaitCircuits(ctx)
}

// reserve takes the ports of the authority (two), the relays and the client.
func (n *Network) reserve() ([]int, error) {
	block, err := freeport.Reserve()
	if err != nil {
		return nil, err
	}
	n.open = append(n.open, block)
	ports := make([]int, 2+relays+1)
	for i := range ports {
		if ports[i], err = block.Port(); err != nil {
			return nil, err
		}
	}
	return ports, nil
}

// startRelays starts the authority and the relays, and waits until the authority
// knows the relays.
func (n *Network) startRelays(ctx context.Context, ports []int) (err error) {
	if n.authority, err = newAuthority(ctx, filepath.Join(n.dir, "authority"), ports[0], ports[1]); err != nil {
		return err
	}
	if err := n.run("authority", n.authority.torrc()); err != nil {
		return err
	}
	resolver := filepath.Join(n.dir, "resolv.conf")
	if err := os.WriteFile(resolver, []byte("nameserver "+n.names.address()+"\n"), 0o600); err != nil {
		return err
	}
	for i := range relays {
		if err := n.run(fmt.Sprintf("relay%d", i), relayTorrc(ports[2+i], resolver)); err != nil {
			return err
		}
	}
	return n.awaitConsensus(ctx)
}

// run starts a tor with what all of them need and some lines of its own.
func (n *Network) run(name, lines string) error {
	data := filepath.Join(n.dir, name)
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	file := filepath.Join(n.dir, name+".torrc")
	content := n.Torrc() + fmt.Sprintf("DataDirectory %s\nNickname %s\nLog notice file %s.log\n", data, name, data) + lines
	if !strings.Contains(lines, "SocksPort") {
		content += "SocksPort 0\n"
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		return err
	}
	path, err := programs.Tor().Find(".")
	if err != nil {
		return err
	}
	cmd := exec.Command(path, "-f", file, "--defaults-torrc", os.DevNull, "--quiet") //nolint:noctx // Stop ends it
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	n.running = append(n.running, cmd)
	return nil
}

// Torrc is the configuration with which a tor belongs to this network.
func (n *Network) Torrc() string {
	return "TestingTorNetwork 1\nPathsNeededToBuildCircuits 0.67\nShutdownWaitLength 0\n" + n.authority.line()
}

// SOCKS is the address of the client's proxy, host:port.
func (n *Network) SOCKS() string { return n.socks }

// Resolved reports whether a relay has asked for the address of a name. Every
// name's is 127.0.0.1.
func (n *Network) Resolved(name string) bool { return n.names.asked(name) }

// awaitConsensus waits until the authority names every relay as running: a
// client that comes earlier waits longer and longer before it asks again.
func (n *Network) awaitConsensus(ctx context.Context) error {
	url := fmt.Sprintf("http://127.0.0.1:%d/tor/status-vote/current/consensus", n.authority.dirPort)
	err := untilDone(ctx, func(ctx context.Context) error {
		// Else tor compresses as it likes.
		text, _, err := clients.Fetch(ctx, nil, url, map[string]string{"Accept-Encoding": "identity"})
		if err == nil && strings.Count(text, "HSDir Running") != relays+1 {
			err = errors.New("it lacks a relay")
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("no consensus of the network, see %s: %w", n.dir, err)
	}
	return nil
}

// Publish makes an onion service of a local address (host:port) and returns its
// host name when its descriptor can be fetched. It goes with the network.
func (n *Network) Publish(ctx context.Context, address string) (host string, err error) {
	return n.control.publish(ctx, address)
}

// Circuits are the circuits over which the client has connected to a host so
// far: names that mean something within this network only.
func (n *Network) Circuits(host string) []string { return n.control.circuitsTo(host) }

// Stop ends every process and removes what they left.
func (n *Network) Stop() error {
	var group errgroup.Group
	for _, cmd := range n.running {
		group.Go(func() error {
			_ = cmd.Process.Kill() // nothing of it is kept
			_ = cmd.Wait()
			return nil
		})
	}
	err := group.Wait()
	for _, open := range n.open {
		err = errors.Join(err, open.Close())
	}
	return errors.Join(err, os.RemoveAll(n.dir))
}
