package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"testing"
	"time"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/fixture"
)

// maxWait is how long anything may take that is expected to happen, on a
// machine that is busy with everything else too. It is longer than any pause of a
// retry: a claim of a refund waits ten minutes when the daemon was slow once. Nothing is
// concluded from how long it takes.
const maxWait = 20 * time.Minute

// unbounded lets every test wait for its stack at the same time. The kinds of stacks bound
// how many work: two processors are busy with those.
const unbounded = "1000"

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		return // each test here starts a stack
	}
	if err := flag.Set("test.parallel", unbounded); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := stopTor(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// testbed is a running stack and the people around it.
type testbed struct {
	*fixture.Fixture

	// url is the service that is asked.
	url string
	// daemon is between the services and monerod, where the stack has that.
	daemon *proxy
	// env are the settings of the stack, and own those that it was started with.
	env, own map[string]string
	// spent is set by a test that leaves something under way: no other test gets the stack.
	spent bool
}

func (w *testbed) base() *testbed { return w }

// settings are those of every stack here, and more.
func settings(more map[string]string) map[string]string {
	env := fixture.Settings(map[string]string{"ADDRESS_POOL_TARGET": "60"})
	maps.Copy(env, more)
	return env
}

// openWith starts a stack of these parts and what they need; prepare, if there is one,
// runs when its ports are known.
func openWith(env map[string]string, parts []string, prepare func(*stack.Stack) error) (*testbed, error) {
	f, err := fixture.Open(stack.Options{Env: env, Parts: parts})
	if err != nil {
		return nil, err
	}
	if prepare != nil {
		err = prepare(f.Stack)
	}
	if err == nil {
		err = f.Start(context.Background())
	}
	if err != nil {
		return nil, errors.Join(err, f.Stop(true))
	}
	return &testbed{Fixture: f, url: f.URLs["MERCHANT_URL"], env: env, own: maps.Clone(env)}, nil
}
