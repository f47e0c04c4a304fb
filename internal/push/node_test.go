package push_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/push"
	"github.com/durapay/durapay/internal/push/pushtest"
)

// met listens to a node that has sent all messages of its opening.
func met(t *testing.T, p *pushtest.Publisher) *push.Hints {
	t.Helper()
	h := push.Node(p.Address, pushtest.NodeMagic()).Listen(t.Context())
	await(t, h) // a connection is a hint
	require.NoError(t, h.Err())
	p.Await(within(t), pushtest.Pong)
	return h
}

// Our peer requests that transactions are announced, and offers nothing.
func TestPeerIntroducesItself(t *testing.T) {
	t.Parallel()
	p := pushtest.StartNode(t)
	met(t, p)
	p.Await(within(t), "/durapay/\x00\x00\x00\x00\x01"+pushtest.Packet("verack", "")[:20])
}

func TestAnnouncementIsAHint(t *testing.T) {
	t.Parallel()
	p := pushtest.StartNode(t)
	h := met(t, p)
	for _, message := range []string{
		pushtest.Packet("inv", "\x01\x01\x00\x00\x00"+strings.Repeat("x", 32)),
		pushtest.Packet("headers", ""),
		pushtest.Packet("cmpctblock", strings.Repeat("x", 1<<20)),
	} {
		p.Say(message)
		await(t, h)
	}
	require.NoError(t, h.Err())
}

// A pong means that all messages before the ping were processed.
func TestWhatAnnouncesNothingIsNoHint(t *testing.T) {
	t.Parallel()
	p := pushtest.StartNode(t)
	h := met(t, p)
	p.Say(pushtest.Packet("addr", "\x00") + pushtest.Packet("ping", "") + pushtest.Packet("ping", "123456789") +
		pushtest.Packet("invalid", "") + pushtest.Packet("", "") + pushtest.Packet("longest_name", "x") +
		pushtest.Packet("ping", "12345678"))
	p.Await(within(t), "12345678")
	require.False(t, h.Take())
	require.NoError(t, h.Err())
}

func TestGarbageOfANodeEndsTheConnection(t *testing.T) {
	t.Parallel()
	opening := pushtest.NodeOpening()
	main := "\xfb\xc0\xb6\xdb"
	for name, text := range map[string]string{
		"another protocol":          pushtest.Opening(),
		"another network":           main + opening[4:],
		"no version at first":       pushtest.Packet("verack", ""),
		"a version above the limit": opening[:16] + "\x01\x00\x10\x00\x00\x00\x00\x00",
		"another network later":     opening + main + pushtest.Packet("inv", "")[4:],
		"something later":           opening + strings.Repeat(" ", 24),
		"a message above the limit": opening + pushtest.Packet("inv", "")[:16] + "\x01\x00\x10\x00\x00\x00\x00\x00",
		"a message of gigabytes":    opening + pushtest.Packet("inv", "")[:16] + "\xff\xff\xff\xff\x00\x00\x00\x00",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pushtest.StartNode(t)
			p.Open(text)
			h := push.Node(p.Address, pushtest.NodeMagic()).Listen(t.Context())
			require.Eventually(t, func() bool {
				err := h.Err()
				return err != nil && strings.Contains(err.Error(), "does not speak")
			}, patience, time.Millisecond)
			h.Take()
			p.Open(opening)
			p.Await(within(t), pushtest.Pong)
			await(t, h)
		})
	}
}
