package e2e

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/testkit"
)

// another is one more process of a service, as on a second machine. No other test
// uses it, so it may die while other tests run.
type another struct {
	// url is where a merchants' API listens.
	url string
	cmd *exec.Cmd
	// ended is closed when it has.
	ended chan struct{}
}

// another starts one and waits until it is ready.
func (w *testbed) another(t *testing.T, service string, settings map[string]string) *another {
	t.Helper()
	block, err := testkit.ReservePorts()
	require.NoError(t, err)
	t.Cleanup(func() { _ = block.Close() })
	env := map[string]string{}
	for _, name := range []string{"MERCHANT_LISTEN", "MERCHANT_ONION_LISTEN", "INTERNAL_LISTEN"} {
		port, err := block.Port()
		require.NoError(t, err)
		env[name] = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	}
	maps.Copy(env, settings)
	log, err := os.CreateTemp(filepath.Join(w.Stack.Dir(), "log"), "another-"+service+"-*.log")
	require.NoError(t, err)
	a := &another{
		url: "http://" + env["MERCHANT_LISTEN"], ended: make(chan struct{}),
		cmd: w.Stack.Another(context.Background(), service, env),
	}
	a.cmd.Stdout, a.cmd.Stderr = log, log
	require.NoError(t, a.cmd.Start())
	require.NoError(t, log.Close())
	go func() { _ = a.cmd.Wait(); close(a.ended) }()
	t.Cleanup(func() { a.end(t, syscall.SIGKILL) })
	eventually(t, "another "+service+" is ready", func(ctx context.Context) error {
		return ready(ctx, "http://"+env["INTERNAL_LISTEN"])
	})
	return a
}

// end signals the process and waits until it is gone. A process that has already ended
// is left alone.
func (a *another) end(t *testing.T, how syscall.Signal) {
	t.Helper()
	_ = a.cmd.Process.Signal(how) // fails where it has ended
	wait(t, a.ended)
}

// ready asks a service's internal listener.
func ready(ctx context.Context, internal string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, internal+"/readyz", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("it answers %s", res.Status)
	}
	return nil
}
