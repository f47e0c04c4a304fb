package regtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
)

// control is a connection to a tor's control port.
type control struct {
	conn net.Conn
	// replies are the lines that answer commands.
	replies chan string
	calls   sync.Mutex

	mu sync.Mutex
	// ready is true once circuits can be built.
	ready bool
	// uploaded counts the descriptors of each onion service that were taken.
	uploaded map[string]int
	// circuits are those over which streams were sent to a host.
	circuits map[string][]string
	// changed is closed and replaced at each event; ended, when the connection is over.
	changed chan struct{}
	ended   bool
}

// dialControl connects as soon as the tor listens.
func dialControl(ctx context.Context, socket string) (*control, error) {
	var conn net.Conn
	err := untilDone(ctx, func(ctx context.Context) (err error) {
		conn, err = (&net.Dialer{}).DialContext(ctx, "unix", socket)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("tor's control port: %w", err)
	}
	return newControl(conn)
}

func newControl(conn net.Conn) (*control, error) {
	c := &control{
		conn: conn, replies: make(chan string, 100), uploaded: map[string]int{}, circuits: map[string][]string{},
		changed: make(chan struct{}),
	}
	go c.read()
	for _, command := range []string{"AUTHENTICATE", "SETEVENTS STATUS_CLIENT HS_DESC STREAM"} {
		if _, err := c.call(command); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return c, nil
}

// Close ends the connection.
func (c *control) Close() error { return c.conn.Close() }

// read tells events from answers: events begin with 650.
func (c *control) read() {
	lines := bufio.NewScanner(c.conn)
	for lines.Scan() {
		line := lines.Text()
		if event, ok := strings.CutPrefix(line, "650 "); ok {
			c.note(strings.Fields(event))
			continue
		}
		c.replies <- line
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	close(c.changed)
	close(c.replies)
}

// note keeps what an event says.
func (c *control) note(event []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case len(event) > 2 && event[0] == "STATUS_CLIENT":
		c.ready = c.ready || event[2] == "CIRCUIT_ESTABLISHED"
	case len(event) > 2 && event[0] == "HS_DESC" && event[1] == "UPLOADED":
		c.uploaded[event[2]]++
	case len(event) > 4 && event[0] == "STREAM" && event[2] == "SENTCONNECT":
		if host, _, err := net.SplitHostPort(event[4]); err == nil {
			c.circuits[host] = append(c.circuits[host], event[3])
		}
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// call sends a command and returns the lines of its answer.
func (c *control) call(command string) ([]string, error) {
	c.calls.Lock()
	defer c.calls.Unlock()
	if _, err := fmt.Fprintf(c.conn, "%s\r\n", command); err != nil {
		return nil, fmt.Errorf("tor's control port: %w", err)
	}
	var lines []string
	for line := range c.replies {
		lines = append(lines, line)
		if len(line) > 3 && line[3] == ' ' {
			if !strings.HasPrefix(line, "250") {
				return nil, fmt.Errorf("tor answers %s: %s", command, line)
			}
			return lines, nil
		}
	}
	return nil, fmt.Errorf("%s: tor has ended", command)
}

// await waits for an event after which the condition holds. It is asked with
// the lock held.
func (c *control) await(ctx context.Context, what string, holds func() bool) error {
	for {
		c.mu.Lock()
		done, ended, changed := holds(), c.ended, c.changed
		c.mu.Unlock()
		switch {
		case done:
			return nil
		case ended:
			return fmt.Errorf("%s: tor has ended", what)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, ctx.Err())
		}
	}
}

// awaitCircuits waits until the client has built a first circuit.
func (c *control) awaitCircuits(ctx context.Context) error {
	lines, err := c.call("GETINFO status/circuit-established")
	if err != nil {
		return err
	}
	if slices.Contains(lines, "250-status/circuit-established=1") {
		return nil
	}
	return c.await(ctx, "a circuit", func() bool { return c.ready })
}

func (c *control) publish(ctx context.Context, address string) (host string, err error) {
	lines, err := c.call("ADD_ONION NEW:ED25519-V3 Flags=DiscardPK Port=80," + address)
	if err != nil {
		return "", err
	}
	id, err := find(`(?m)^250-ServiceID=(\w+)$`, strings.Join(lines, "\n"))
	if err != nil {
		return "", err
	}
	return id + ".onion", c.await(ctx, "the descriptor of "+id, func() bool { return c.uploaded[id] > 0 })
}

// circuitsTo are the circuits of all streams to a host so far.
func (c *control) circuitsTo(host string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.circuits[host])
}
