// Package temporaltest gives each test a Temporal of its own: a namespace of a real
// development server, which the tests of a process share. The server and its files are removed
// when the process ends.
package temporaltest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/freeport"
)

// perServer is the number of namespaces of a server. They are created when it starts, because
// the server needs seconds to know a namespace that is created later.
const perServer = 8

// patience is the maximum time for the start of a server, and for its first answer.
const patience = 8 * time.Minute

// New returns a client of an empty namespace with the search attributes of the workflows. On a
// machine without the temporal command it skips the test; with CI=true it fails the test.
func New(tb testing.TB) client.Client {
	tb.Helper()
	address, namespace := At(tb)
	c, err := client.DialContext(tb.Context(), client.Options{
		HostPort: address, Namespace: namespace, Logger: slog.New(slog.DiscardHandler),
		ConnectionOptions: client.ConnectionOptions{GetSystemInfoTimeout: patience},
	})
	require.NoError(tb, err)
	tb.Cleanup(c.Close)
	return c
}

// At returns the address and name of an empty namespace, for clients that the test opens
// itself.
func At(tb testing.TB) (address, namespace string) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("starts Temporal's development server")
	}
	path, err := program()
	if errors.Is(err, programs.ErrMissing) && os.Getenv("CI") == "" {
		tb.Skip(err)
	}
	require.NoError(tb, err)
	address, namespace, err = shared.take(tb, path)
	require.NoError(tb, err)
	return address, namespace
}

// program returns the path of the temporal command.
func program() (string, error) {
	root, err := os.Getwd()
	for ; err == nil && root != "/"; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
	}
	if err != nil {
		return "", err
	}
	return programs.Temporal().Find(root)
}

// servers are the servers of this process. Only the last one has free namespaces.
type servers struct {
	mu      sync.Mutex
	address string
	used    int
	// leases keep the servers running.
	leases []io.Closer
}

var shared servers //nolint:gochecknoglobals // one server per test process is the purpose of this package

// take returns a namespace that no other test has.
func (s *servers) take(tb testing.TB, path string) (address, namespace string, err error) {
	tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.address == "" || s.used == perServer {
		address, lease, err := start(path, freeport.For(tb))
		if err != nil {
			return "", "", err
		}
		s.address, s.used, s.leases = address, 0, append(s.leases, lease)
	}
	namespace = names()[s.used]
	s.used++
	return s.address, namespace, nil
}

func names() []string {
	list := make([]string, perServer)
	for i := range list {
		list[i] = "test-" + strconv.Itoa(i)
	}
	return list
}

// keeper is a script that runs the server until its standard input ends, which is when the
// test process ends, and then removes the folder.
const keeper = `dir=$1; shift; "$@" & read -r _; kill -KILL $!; wait $!; rm -rf "$dir"`

// start starts a server and waits until every namespace can be used. The server runs as long
// as the lease is held.
func start(path string, port int) (address string, lease io.Closer, err error) {
	dir, err := os.MkdirTemp("", "durapay-temporal-")
	if err != nil {
		return "", nil, fmt.Errorf("temporal: %w", err)
	}
	args := []string{
		"-c", keeper, "sh", dir, path, "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", strconv.Itoa(port),
		"--log-level", "error", "--db-filename", filepath.Join(dir, "temporal.sqlite"),
		"--sqlite-pragma", "journal_mode=WAL", "--sqlite-pragma", "synchronous=OFF", "--dynamic-config-value", "matching.enableFairness=true",
	}
	for _, name := range names() {
		args = append(args, "--namespace", name)
	}
	attributes := stack.SearchAttributes()
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		args = append(args, "--search-attribute", name+"="+attributes[name])
	}
	cmd := exec.Command("/bin/sh", args...) //nolint:noctx // the server outlives every test's context
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Setpgid: true}
	if lease, err = cmd.StdinPipe(); err != nil {
		return "", nil, fmt.Errorf("temporal: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return "", nil, fmt.Errorf("temporal: %w", err)
	}
	address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	return address, lease, await(address)
}

// await returns when the last namespace accepts requests.
func await(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		err := stack.TemporalReady(ctx, address, names()[perServer-1])
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond) // the server does not signal that it is ready, so poll it
	}
}
