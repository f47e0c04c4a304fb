package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/merchant"
	"github.com/durapay/durapay/internal/push/pushtest"
)

// TestPush has a daemon tell the watcher, and then somebody who lies.
func TestPush(t *testing.T) {
	t.Parallel()
	env := settings(nil)
	w, err := openFixture(env, nil)
	require.NoError(t, err)
	s := openShop(t, w)
	t.Run("a payment and a block wake the watcher", func(t *testing.T) { wakes(t, s, env) })
	t.Run("the publisher is started anew", func(t *testing.T) { wakesAgain(t, s) })
	liar := pushtest.Start(t)
	env["WATCH_INTERVAL"], env["MONEROD_ZMQ_ADDRESS"] = "1s", liar.Address
	s.renew(t)
	t.Run("the publisher announces nothing", func(t *testing.T) { pollsBesideSilence(t, s, liar) })
	t.Run("the publisher floods", func(t *testing.T) { scansFewTimes(t, s, liar) })
	t.Run("the publisher sends garbage", func(t *testing.T) { pollsBesideGarbage(t, s, liar) })
}

// wakes has the watcher poll once an hour: what is noticed was announced.
func wakes(t *testing.T, s *shop, env map[string]string) {
	env["WATCH_INTERVAL"] = "1h"
	s.renew(t)
	s.awaitHeard(t, 1)
	for range 2 {
		s.payAndConfirm(t)
	}
}

// wakesAgain kills the daemon, and its publisher with it.
func wakesAgain(t *testing.T, s *shop) {
	require.NoError(t, s.fixture.stack.Kill("monerod"))
	s.restart(t, "monerod")
	s.payAndConfirm(t)
}

func pollsBesideSilence(t *testing.T, s *shop, liar *pushtest.Publisher) {
	liar.Await(within(t), "json-minimal-txpool_add")
	s.payAndConfirm(t)
	s.awaitHeard(t, 0) // it did not announce the block
}

// scansFewTimes counts the questions to the wallet while messages come without end.
func scansFewTimes(t *testing.T, s *shop, liar *pushtest.Publisher) {
	var said atomic.Int64
	ctx, stop := context.WithCancel(within(t))
	flooded := make(chan struct{})
	before := s.metric(t, scansMetric)
	go func() {
		defer close(flooded)
		liar.Flood(ctx, &said)
	}()
	s.payAndConfirm(t)
	stop()
	<-flooded
	scanned := s.metric(t, scansMetric) - before
	require.Positive(t, scanned)
	require.Greater(t, float64(said.Load()), 100*scanned, "messages are coalesced")
}

func pollsBesideGarbage(t *testing.T, s *shop, liar *pushtest.Publisher) {
	liar.Open("\xff\xff\xff\xff")
	liar.Say("\xff\xff\xff\xff")
	s.awaitHeard(t, 0)
	s.payAndConfirm(t)
}

// renew starts the worker with other settings.
func (s *shop) renew(t *testing.T) {
	t.Helper()
	require.NoError(t, s.fixture.stack.Restart(within(t), "worker"))
}

// payAndConfirm makes a charge and pays it, which its shop is told of once each.
func (s *shop) payAndConfirm(t *testing.T) {
	t.Helper()
	c := s.charge(t, "0.1")
	s.pay(t, c)
	s.await(t, "charge.pending", c.ID)
	s.mineUntil(t, "charge.confirmed", c.ID)
	s.requireOnce(t, c)
}

// requireOnce checks that each event of a charge has one delivery.
func (s *shop) requireOnce(t *testing.T, c merchant.Charge) {
	t.Helper()
	counted := map[string]int{}
	for _, q := range s.requestsAbout(eventsPath, c.ID) {
		counted[q.Event.Name]++
	}
	require.Equal(t, map[string]int{"charge.created": 1, "charge.pending": 1, "charge.confirmed": 1}, counted)
}

const (
	heardMetric = `durapay_publisher_heard{wallet="live"}`
	scansMetric = `durapay_wallet_rpc_calls_total{method="get_transfers",outcome="ok",wallet="live"}`
)

// awaitHeard waits until the daemon's publisher counts as heard (1) or not (0).
func (s *shop) awaitHeard(t *testing.T, heard float64) {
	t.Helper()
	eventually(t, "the publisher is heard or not", func(ctx context.Context) error {
		value, err := s.workerMetric(ctx, heardMetric)
		if err == nil && value != heard {
			err = fmt.Errorf("%s is %v", heardMetric, value)
		}
		return err
	})
}

func (s *shop) metric(t *testing.T, name string) float64 {
	t.Helper()
	value, err := s.workerMetric(within(t), name)
	require.NoError(t, err)
	return value
}

// workerMetric is a number that the worker exposes.
func (s *shop) workerMetric(ctx context.Context, name string) (float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.fixture.stack.Addr("worker-internal")+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("there is no %s", name)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}
