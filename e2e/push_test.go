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
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/watch/watchtest"
)

// TestPush has the daemon wake the watcher, then a publisher of the test, and then one
// who lies.
func TestPush(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	s := openShop(t, w)
	// Changes that the worker notices now were announced, because polls are an hour apart.
	w.with(t, map[string]string{"WATCH_INTERVAL": "1h"})
	t.Run("the daemon announces a payment", func(t *testing.T) { noticesAPayment(t, s) })
	t.Run("the daemon announces a block", func(t *testing.T) { s.payUnannounced(t) })
	t.Run("the daemon is started anew", func(t *testing.T) { wakesAgain(t, s) })
	p := watchtest.StartPublisher(t)
	w.with(t, map[string]string{"MONEROD_ZMQ_ADDRESS": p.Address})
	t.Run("a payment is announced", func(t *testing.T) { wakes(t, s, p) })
	w.with(t, map[string]string{"WATCH_INTERVAL": "1s"})
	t.Run("the publisher falls silent", func(t *testing.T) { pollsDespiteSilence(t, s, p) })
	t.Run("the publisher floods", func(t *testing.T) { scansFewTimes(t, s, p) })
	t.Run("the publisher sends garbage", func(t *testing.T) { pollsDespiteGarbage(t, s, p) })
}

// noticesAPayment pays through another daemon, as customers do.
func noticesAPayment(t *testing.T, s *shop) {
	c := s.charge(t, "0.1")
	tx, err := s.testbed.Customer.Sign(within(t), fixture.Output{Address: c.Subaddress, Amount: c.AmountXMR})
	require.NoError(t, err)
	s.sent[c.ID] += c.AmountXMR
	require.NoError(t, s.testbed.Chain.Broadcast(within(t), s.testbed.Stack.Addr("monerod-p2p"), tx.Blob))
	s.await(t, "charge.pending", c.ID)
	s.awaitHeard(t, 1)
	s.mineUntil(t, "charge.confirmed", c.ID)
	s.requireOnce(t, c)
}

// wakesAgain kills the daemon, and its publisher with it.
func wakesAgain(t *testing.T, s *shop) {
	require.NoError(t, s.testbed.Stack.Kill("monerod"))
	s.restart(t, "monerod")
	s.payUnannounced(t)
}

// wakes announces payments and blocks.
func wakes(t *testing.T, s *shop, p *watchtest.Publisher) {
	p.Await(within(t), "json-minimal-txpool_add")
	for range 2 {
		c := s.charge(t, "0.1")
		s.pay(t, c)
		s.announceUntil(t, p, "charge.pending", c)
		s.awaitHeard(t, 1)
		s.mine(t, 2)
		s.announceUntil(t, p, "charge.confirmed", c)
		s.requireOnce(t, c)
	}
}

// announceUntil sends hints until an event of a charge has arrived: the daemon may not
// show at once what it was given.
func (s *shop) announceUntil(t *testing.T, p *watchtest.Publisher, event string, c clients.Charge) {
	t.Helper()
	eventually(t, event, func(ctx context.Context) error {
		p.Say(watchtest.Message("json-minimal"))
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := s.Hooks.Await(ctx, fixture.AllOf(fixture.ArrivedAt(eventsPath), fixture.EventOf(event, c.ID)))
		return err
	})
}

// pollsDespiteSilence relies on a publisher, which then announces nothing.
func pollsDespiteSilence(t *testing.T, s *shop, p *watchtest.Publisher) {
	p.Await(within(t), "json-minimal-txpool_add")
	s.awaitProof(t, p)
	s.payUnannounced(t)
	s.grow(t, 1, "the publisher is not relied on", func(ctx context.Context) error { return s.isHeard(ctx, 0) })
}

// awaitProof announces payments until the publisher is relied on: a poll can be there
// before a hint.
func (s *shop) awaitProof(t *testing.T, p *watchtest.Publisher) {
	t.Helper()
	ctx, stop := context.WithCancel(within(t))
	defer stop()
	var said atomic.Int64
	go p.Flood(ctx, &said)
	s.pay(t, s.charge(t, "0.1"))
	s.awaitHeard(t, 1)
}

// scansFewTimes counts the scans while messages come without end.
func scansFewTimes(t *testing.T, s *shop, p *watchtest.Publisher) {
	var said atomic.Int64
	ctx, stop := context.WithCancel(within(t))
	flooded := make(chan struct{})
	before := s.testbed.daemon.count(poolPath)
	go func() {
		defer close(flooded)
		p.Flood(ctx, &said)
	}()
	s.payUnannounced(t)
	stop()
	<-flooded
	scanned := s.testbed.daemon.count(poolPath) - before
	require.Positive(t, scanned)
	require.Greater(t, said.Load(), int64(100*scanned), "messages are coalesced")
}

func pollsDespiteGarbage(t *testing.T, s *shop, p *watchtest.Publisher) {
	const garbage = "\xff\xff\xff\xff"
	p.Open(garbage)
	p.Say(garbage)
	s.awaitHeard(t, 0)
	s.payUnannounced(t)
}

// payUnannounced pays a charge, and says nothing of it.
func (s *shop) payUnannounced(t *testing.T) {
	t.Helper()
	c := s.charge(t, "0.1")
	s.pay(t, c)
	s.mineUntil(t, "charge.confirmed", c.ID)
	s.requireOnce(t, c)
}

// requireOnce checks that no event of a charge has two deliveries.
func (s *shop) requireOnce(t *testing.T, c clients.Charge) {
	t.Helper()
	counted := map[string]int{}
	for _, event := range s.arrived(c.ID) {
		counted[event]++
	}
	for event, times := range counted {
		require.Equal(t, 1, times, event)
	}
	require.Contains(t, counted, "charge.confirmed")
}

// heardMetric is the pattern of a metric.
const heardMetric = `durapay_publisher_heard\{chain="xmr-Mainnet"\}`

// awaitHeard waits until the metric of the daemon's publisher is 1 (the worker
// relies on it) or 0.
func (s *shop) awaitHeard(t *testing.T, heard float64) {
	t.Helper()
	eventually(t, "the publisher is heard or not", func(ctx context.Context) error { return s.isHeard(ctx, heard) })
}

func (s *shop) isHeard(ctx context.Context, heard float64) error {
	value, err := s.workerMetric(ctx, heardMetric)
	if err == nil && value != heard {
		err = fmt.Errorf("%s is %v", heardMetric, value)
	}
	return err
}

// workerMetric is the sum of what the worker exposes by names of a pattern.
func (s *shop) workerMetric(ctx context.Context, pattern string) (float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.testbed.Stack.Addr("worker-internal")+"/metrics", nil)
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
	found := regexp.MustCompile(`(?m)^`+pattern+` (\S+)$`).FindAllSubmatch(text, -1)
	if found == nil {
		return 0, fmt.Errorf("there is no %s", pattern)
	}
	var sum float64
	for _, f := range found {
		value, err := strconv.ParseFloat(string(f[1]), 64)
		if err != nil {
			return 0, err
		}
		sum += value
	}
	return sum, nil
}
