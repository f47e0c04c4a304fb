package watch_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/watch"
	"github.com/durapay/durapay/internal/watch/watchtest"
)

// maxWait is the maximum time to wait for an expected event.
const maxWait = 8 * time.Minute

func await(t *testing.T, h *watch.Hints) {
	t.Helper()
	select {
	case <-h.Waiting():
	case <-time.After(maxWait):
		require.Fail(t, "there is no hint", "%v", h.Err())
	}
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), maxWait)
	t.Cleanup(cancel)
	return ctx
}

// connected listens to a publisher that has received our subscriptions.
func connected(t *testing.T, p *watchtest.Publisher) *watch.Hints {
	t.Helper()
	h := watch.MonerodPublisher(p.Address).Listen(t.Context())
	await(t, h) // a connection is a hint
	require.NoError(t, h.Err())
	p.Await(within(t), "\x00\x18\x01json-minimal-txpool_add")
	p.Await(within(t), "\x00\x18\x01json-minimal-chain_main")
	return h
}

func TestMessageIsAHint(t *testing.T) {
	t.Parallel()
	p := watchtest.StartPublisher(t)
	h := connected(t, p)
	for _, message := range []string{
		watchtest.Message("json-minimal-txpool_add:[]"),
		watchtest.Message(""),
		"\x01\x06hashtx" + "\x01\x02..\x00\x04....",                       // three frames
		"\x02\x00\x00\x00\x00\x00\x00\x01\x00" + strings.Repeat("x", 256), // a long one
	} {
		p.Say(message)
		await(t, h)
	}
	require.NoError(t, h.Err())
}

// A command is not a hint, and neither is a frame that another frame continues. The
// next message comes after them, so by then they were processed.
func TestWhatIsNoMessageIsNoHint(t *testing.T) {
	t.Parallel()
	p := watchtest.StartPublisher(t)
	h := connected(t, p)
	p.Say("\x04\x05\x04PING" + "\x01\x01x")
	select {
	case <-h.Waiting():
		require.Fail(t, "half a message is a hint")
	case <-time.After(100 * time.Millisecond): // too short a wait can miss a fault but never invent one
	}
	p.Say("\x00\x01x")
	await(t, h)
}

func TestHintsAreCoalesced(t *testing.T) {
	t.Parallel()
	t.Run("of ZeroMQ", func(t *testing.T) {
		t.Parallel()
		p := watchtest.StartPublisher(t)
		coalesces(t, p, connected(t, p), watchtest.Message("json-minimal-txpool_add:[]"))
	})
	t.Run("of a node", func(t *testing.T) {
		t.Parallel()
		p := watchtest.StartNode(t)
		coalesces(t, p, met(t, p), watchtest.Packet("inv", "x"))
	})
}

func coalesces(t *testing.T, p *watchtest.Publisher, h *watch.Hints, message string) {
	t.Helper()
	p.Say(strings.Repeat(message, 5000))
	// The connection ends after the messages, so all of them were processed.
	p.Stop()
	require.Eventually(t, func() bool { return h.Err() != nil }, maxWait, time.Millisecond)
	require.True(t, h.Take())
	require.False(t, h.Take(), "of so many messages one hint waits")
}

func TestPublisherThatComesBackGivesHintsAgain(t *testing.T) {
	t.Parallel()
	t.Run("ZeroMQ", func(t *testing.T) {
		t.Parallel()
		p := watchtest.StartPublisher(t)
		comesBack(t, p, connected(t, p), "json-minimal-chain_main", watchtest.Message("x"))
	})
	t.Run("a node", func(t *testing.T) {
		t.Parallel()
		p := watchtest.StartNode(t)
		comesBack(t, p, met(t, p), watchtest.Pong, watchtest.Packet("headers", ""))
	})
}

// comesBack restarts the publisher and sends a message once the subscriber has sent
// its opening again.
func comesBack(t *testing.T, p *watchtest.Publisher, h *watch.Hints, said, message string) {
	t.Helper()
	for range 2 {
		p.Stop()
		require.Eventually(t, func() bool { return h.Err() != nil }, maxWait, time.Millisecond)
		require.False(t, h.Take())
		p.Start()
		await(t, h) // messages may have been missed before the connection
		p.Await(within(t), said)
		p.Say(message)
		await(t, h)
	}
}

// Each kind of garbage ends the connection, and the next connection works.
func TestGarbageEndsTheConnection(t *testing.T) {
	t.Parallel()
	opening := watchtest.Opening()
	for name, text := range map[string]string{
		"another protocol":        "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n" + strings.Repeat(" ", 64),
		"an older version":        strings.Replace(opening, "\x7f\x03", "\x7f\x01", 1),
		"another mechanism":       strings.Replace(opening, "NULL", "PLAI", 1),
		"a longer mechanism":      strings.Replace(opening, "NULL\x00", "NULLX", 1),
		"no command at first":     opening[:64] + watchtest.Message("x"),
		"unknown flags":           opening + "\xff\x00",
		"a frame of exabytes":     opening + "\x02\x7f\xff\xff\xff\xff\xff\xff\xff",
		"a frame of 281 terabyte": opening + "\x02\x00\x02\x00\x00\x00\x00\x00\x00",
		"a frame above the limit": opening + "\x02\x00\x00\x00\x00\x00\x10\x00\x01",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := watchtest.StartPublisher(t)
			p.Open(text)
			h := watch.MonerodPublisher(p.Address).Listen(t.Context())
			require.Eventually(t, func() bool {
				err := h.Err()
				return err != nil && strings.Contains(err.Error(), "does not speak")
			}, maxWait, time.Millisecond)
			h.Take()
			p.Open(opening)
			p.Await(within(t), "json-minimal-chain_main")
			await(t, h)
		})
	}
}

func TestListeningEnds(t *testing.T) {
	t.Parallel()
	p := watchtest.StartPublisher(t)
	ctx, cancel := context.WithCancel(t.Context())
	h := watch.BitcoindPublisher(p.Address).Listen(ctx)
	await(t, h)
	p.Await(within(t), "\x00\x07\x01hashtx")
	p.Await(within(t), "\x00\x0a\x01hashblock")
	cancel()
	require.Eventually(t, func() bool { return p.Connections() == 0 }, maxWait, time.Millisecond)
}

func TestWithoutAPublisherThereAreNoHints(t *testing.T) {
	t.Parallel()
	h := watch.MonerodPublisher("").Listen(t.Context())
	require.Error(t, h.Err())
	require.False(t, h.Take())
}
