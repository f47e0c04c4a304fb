// Package browsertest opens pages in a Chromium, for tests of what a browser
// shows, fetches and refuses.
package browsertest

import (
	"context"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Seen is what a tab has fetched, and what its security policy has blocked.
type Seen struct {
	mu               sync.Mutex
	fetched, blocked []string
}

// Fetched are the addresses that were asked for, in their order.
func (s *Seen) Fetched() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.fetched)
}

// Blocked are the browser's texts about what ran into the security policy.
func (s *Seen) Blocked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.blocked)
}

func (s *Seen) note(event any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		s.fetched = append(s.fetched, e.Request.URL)
	case *cdplog.EventEntryAdded:
		if e.Entry.Source == cdplog.EntrySourceSecurity {
			s.blocked = append(s.blocked, e.Entry.Text)
		}
	}
}

// Start opens a tab in a Chromium of its own. Where none is installed the test
// is skipped. The tab lives for ten minutes at most, and ends with the test.
func Start(t *testing.T) (context.Context, *Seen) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	path, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Skip("chromium-headless-shell is not installed")
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()),
		chromedp.WSURLReadTimeout(8*time.Minute), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("hide-scrollbars", true),
	)
	t.Cleanup(stop)
	tab, _ := chromedp.NewContext(allocator)
	t.Cleanup(func() { _ = chromedp.Cancel(tab) })
	Call(t, tab, network.Enable, network.EnableParams{})
	Call(t, tab, cdplog.Enable, cdp.Empty{})
	seen := &Seen{}
	require.NoError(t, chromedp.Listen(tab, seen.note))
	limited, done := context.WithTimeout(tab, time.Hour)
	t.Cleanup(done)
	return limited, seen
}

// Call gives the browser a command of its protocol.
func Call[P, R any](t *testing.T, tab context.Context, command cdp.Command[P, R], params P) R {
	t.Helper()
	result, err := chromedp.Call(tab, command, params)
	require.NoError(t, err)
	return result
}
