package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/internal/testkit"
)

// ForTest starts a private stack in a temporary folder and stops it when the test ends. A
// short test run skips the test, because it starts no process except PostgreSQL.
func ForTest(tb testing.TB, o Options) *Stack {
	tb.Helper()
	SkipShort(tb)
	o.Dir, o.Private = tb.TempDir(), true
	s, err := Start(tb.Context(), o)
	if err != nil {
		tb.Fatalf("the stack does not start: %v", err)
	}
	tb.Cleanup(func() {
		if err := s.Stop(); err != nil {
			tb.Errorf("stop the stack: %v", err)
		}
	})
	return s
}

// SkipShort skips a test that starts processes in a short test run. Up starts no process in a
// short test run, so a test that does not call SkipShort fails.
func SkipShort(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("starts processes")
	}
}

// perServer is the number of namespaces of a server. They are created when it starts, because
// the server needs seconds to know a namespace that is created later.
const perServer = 8

// NewTemporal gives each test a Temporal of its own: a client of an empty namespace of a real
// development server, with the search attributes of the workflows. The tests of a process share
// the server. On a machine without the temporal command it skips the test; with CI=true it
// fails the test.
func NewTemporal(tb testing.TB) client.Client {
	tb.Helper()
	o := clientOptions(TemporalAt(tb))
	o.ConnectionOptions.GetSystemInfoTimeout = defaultTimeout
	c, err := client.DialContext(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.Close)
	return c
}

// TemporalAt is NewTemporal for clients that the test opens itself: the address and name of an
// empty namespace.
func TemporalAt(tb testing.TB) (address, namespace string) {
	tb.Helper()
	SkipShort(tb)
	address, namespace, err := temporals.take(tb)
	if errors.Is(err, programs.ErrMissing) && os.Getenv("CI") == "" {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return address, namespace
}

// temporals are the servers of this process. Only the last one has free namespaces.
var temporals temporalServers //nolint:gochecknoglobals // one server per test process is the purpose of NewTemporal

type temporalServers struct {
	mu      sync.Mutex
	address string
	used    int
	// leases keep the servers running.
	leases []io.Closer
}

// take returns a namespace that no other test has.
func (s *temporalServers) take(tb testing.TB) (address, namespace string, err error) {
	tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.address == "" || s.used == perServer {
		address, lease, err := startTemporal(testkit.Port(tb))
		if err != nil {
			return "", "", err
		}
		s.address, s.used, s.leases = address, 0, append(s.leases, lease)
	}
	s.used++
	return s.address, testNamespace(s.used), nil
}

func testNamespace(number int) string { return fmt.Sprintf("test-%d", number) }

// startTemporal starts a server and waits until every namespace can be used. The server runs as
// long as the lease is held, and its files are removed with it.
func startTemporal(port int) (address string, lease io.Closer, err error) {
	root, err := repository()
	if err != nil {
		return "", nil, err
	}
	path, err := programs.Temporal.Find(root)
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "durapay-temporal-")
	if err != nil {
		return "", nil, fmt.Errorf("temporal: %w", err)
	}
	program := append([]string{path}, developmentServer(port, filepath.Join(dir, developmentFile), "OFF")...)
	program = append(program, "--headless", "--log-level", "error")
	for i := range perServer {
		program = append(program, "--namespace", testNamespace(i+1))
	}
	if lease, err = testkit.Keep(dir, "KILL", nil, program...); err != nil {
		return "", nil, err
	}
	address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	ctx, cancel := context.WithTimeout(context.Background(), defaultTimeout)
	defer cancel()
	for {
		err := TemporalReady(ctx, address, testNamespace(perServer))
		if err == nil || pause(ctx, 50*time.Millisecond) != nil { // the server does not signal that it is ready
			return address, lease, err
		}
	}
}
