package watch_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/watch"
	"github.com/durapay/durapay/internal/watch/watchtest"
)

// met listens to a node that has sent all messages of its opening.
func met(t *testing.T, p *watchtest.Publisher) *watch.Hints {
	t.Helper()
	h := watch.NodePublisher(p.Address, watchtest.NodeMagic()).Listen(t.Context())
	await(t, h) // a connection is a hint
	require.NoError(t, h.Err())
	p.Await(within(t), watchtest.Pong)
	return h
}

// Our peer requests that transactions are announced, and offers nothing.
func TestPeerIntroducesItself(t *testing.T) {
	t.Parallel()
	p := watchtest.StartNode(t)
	met(t, p)
	p.Await(within(t), "/durapay/\x00\x00\x00\x00\x01"+watchtest.Packet("verack", "")[:20])
}

func TestAnnouncementIsAHint(t *testing.T) {
	t.Parallel()
	p := watchtest.StartNode(t)
	h := met(t, p)
	for _, message := range []string{
		watchtest.Packet("inv", "\x01\x01\x00\x00\x00"+strings.Repeat("x", 32)),
		watchtest.Packet("headers", ""),
		watchtest.Packet("cmpctblock", strings.Repeat("x", 1<<20)),
	} {
		p.Say(message)
		await(t, h)
	}
	require.NoError(t, h.Err())
}

// A pong means that all messages before the ping were processed.
func TestWhatAnnouncesNothingIsNoHint(t *testing.T) {
	t.Parallel()
	p := watchtest.StartNode(t)
	h := met(t, p)
	p.Say(watchtest.Packet("addr", "\x00") + watchtest.Packet("ping", "") + watchtest.Packet("ping", "123456789") +
		watchtest.Packet("invalid", "") + watchtest.Packet("", "") + watchtest.Packet("longest_name", "x") +
		watchtest.Packet("ping", "12345678"))
	p.Await(within(t), "12345678")
	require.False(t, h.Take())
	require.NoError(t, h.Err())
}

func TestGarbageOfANodeEndsTheConnection(t *testing.T) {
	t.Parallel()
	opening := watchtest.NodeOpening()
	main := "\xfb\xc0\xb6\xdb"
	for name, text := range map[string]string{
		"another protocol":          watchtest.Opening(),
		"another network":           main + opening[4:],
		"no version at first":       watchtest.Packet("verack", ""),
		"a version above the limit": opening[:16] + "\x01\x00\x10\x00\x00\x00\x00\x00",
		"another network later":     opening + main + watchtest.Packet("inv", "")[4:],
		"something later":           opening + strings.Repeat(" ", 24),
		"a message above the limit": opening + watchtest.Packet("inv", "")[:16] + "\x01\x00\x10\x00\x00\x00\x00\x00",
		"a message of gigabytes":    opening + watchtest.Packet("inv", "")[:16] + "\xff\xff\xff\xff\x00\x00\x00\x00",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := watchtest.StartNode(t)
			p.Open(text)
			h := watch.NodePublisher(p.Address, watchtest.NodeMagic()).Listen(t.Context())
			require.Eventually(t, func() bool {
				err := h.Err()
				return err != nil && strings.Contains(err.Error(), "does not speak")
			}, maxWait, time.Millisecond)
			h.Take()
			p.Open(opening)
			p.Await(within(t), watchtest.Pong)
			await(t, h)
		})
	}
}
