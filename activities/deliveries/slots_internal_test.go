package deliveries

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzReceiverHost: the host that attempts are counted under is the same in
// any spelling of a URL, and nothing makes it fail.
func FuzzReceiverHost(f *testing.F) {
	for _, seed := range []string{
		"https://shop.example/hook", "http://SHOP.example.:8080", "http://[::1%25x]:80/", "%zz", "", "https://user:x@shop.example", "//x", "http://x..",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, target string) {
		host := hostOf(target)
		require.Equal(t, strings.ToLower(host), host)
		s := NewSlots(torPart)
		release, ok := s.Take("owner", target, true)
		require.True(t, ok)
		release()
		require.Empty(t, s.all.by)
		require.Empty(t, s.tor.by)
	})
}
