package listen

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/webhook"
)

const testKey = "cm_test_0123456789abcdef0123456789abcdef0123456789abcdef"

// feed answers as GET /api/events does.
type feed struct {
	mu     sync.Mutex
	events []event
	// status is answered in place of a page, so often.
	status, times int
}

func (f *feed) add(names ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range names {
		f.events = append(f.events, event{strconv.Itoa(len(f.events)+1) + "-1762423200000", name, `{"event":"` + name + `","data":{"description":"Tüte"}}`})
	}
}

func (f *feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if r.Header.Get("X-Api-Key") != testKey {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if f.times > 0 {
		f.times--
		w.WriteHeader(f.status)
		_, _ = io.WriteString(w, `{"error":"not now"}`)
		return
	}
	from, _, _ := strings.Cut(r.URL.Query().Get("after"), "-")
	first, _ := strconv.Atoi(from)
	page := feedPage{Events: f.events[first:min(first+2, len(f.events))], More: first+2 < len(f.events)}
	if n := first + len(page.Events); n > 0 {
		cursor := strconv.Itoa(n) + "-1762423200000"
		page.Next = &cursor
	}
	_ = json.NewEncoder(w).Encode(page)
}

// receiver takes events, or refuses so many first.
type receiver struct {
	mu       sync.Mutex
	refuses  int
	got      []string
	received chan string
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuses > 0 {
		r.refuses--
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if q.Header.Get(webhook.SignatureHeader) == webhook.Sign("secret", body) {
		r.got = append(r.got, string(body))
		r.received <- string(body)
	}
}

// listening runs a Listener until the test stops it.
func listening(t *testing.T, f *feed, r *receiver, change ...func(*Listener)) (out *strings.Builder, stop func() error) {
	t.Helper()
	r.received = make(chan string, 100)
	api, target := httptest.NewServer(f), httptest.NewServer(r)
	t.Cleanup(api.Close)
	t.Cleanup(target.Close)
	out = &strings.Builder{}
	l := &Listener{
		API: API{Base: api.URL, Key: testKey, Client: http.DefaultClient}, ForwardTo: target.URL, Secret: "secret", Out: out,
		Saved: func(string) error { return nil }, Pause: func(context.Context, time.Duration) { time.Sleep(time.Millisecond) },
	}
	for _, c := range change {
		c(l)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	return out, func() error { cancel(); return <-ended }
}

func body(name string) string { return `{"event":"` + name + `","data":{"description":"Tüte"}}` }

func TestEventsAreForwardedOnceAndInOrder(t *testing.T) {
	t.Parallel()
	f, r := &feed{}, &receiver{refuses: 2}
	f.add("old.1", "old.2", "old.3")
	saved := make(chan string, 1000)
	out, stop := listening(t, f, r, func(l *Listener) {
		l.Saved = func(cursor string) error { saved <- cursor; return nil }
	})
	<-saved // it has found the end
	f.add("charge.created", "charge.pending", "charge.confirmed")
	for _, name := range []string{"charge.created", "charge.pending", "charge.confirmed"} {
		require.Equal(t, body(name), <-r.received)
	}
	f.mu.Lock()
	f.status, f.times = http.StatusServiceUnavailable, 3
	f.mu.Unlock()
	f.add("charge.expired")
	require.Equal(t, body("charge.expired"), <-r.received, "after the API was away")
	for cursor := range saved {
		if cursor == "7-1762423200000" {
			break
		}
	}
	require.NoError(t, stop())
	require.Len(t, r.got, 4)
	require.Contains(t, out.String(), "Signing secret: secret")
	require.Contains(t, out.String(), "4 events were taken")
	require.NotContains(t, out.String(), testKey)
}

func TestAReceiverThatRefusesIsGivenUp(t *testing.T) {
	t.Parallel()
	f, r := &feed{}, &receiver{refuses: attempts}
	f.add("first", "second", "third")
	out, stop := listening(t, f, r, func(l *Listener) { l.After = "1-1762423200000" })
	require.Equal(t, body("third"), <-r.received)
	require.NoError(t, stop())
	require.Contains(t, out.String(), "second was not taken")
}

func TestItContinuesFromNowWhereTheFeedDoesNot(t *testing.T) {
	t.Parallel()
	f, r := &feed{status: http.StatusGone, times: 1}, &receiver{}
	f.add("first")
	ready := make(chan struct{}, 100)
	out, stop := listening(t, f, r, func(l *Listener) {
		l.After = "1-1762423200000"
		l.Saved = func(string) error { ready <- struct{}{}; return nil }
	})
	<-ready
	f.add("second")
	require.Equal(t, body("second"), <-r.received)
	require.NoError(t, stop())
	require.Contains(t, out.String(), "going on from now")
}

func TestKeysThatAreNotTaken(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(&feed{})
	t.Cleanup(api.Close)
	for key, want := range map[string]error{
		"cm_live_0123456789abcdef0123456789abcdef0123456789abcdef": ErrLiveKey, "dk_live_x": ErrLiveKey, "cm_test_x": ErrKey,
	} {
		l := &Listener{API: API{Base: api.URL, Key: key, Client: http.DefaultClient}, ForwardTo: api.URL, Out: io.Discard}
		require.ErrorIs(t, l.Run(t.Context()), want, key)
	}
}

func TestTheSecretStays(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first, err := OpenState(folder, "http://a", "k")
	require.NoError(t, err)
	require.NoError(t, first.Save("7-1"))
	again, err := OpenState(folder, "http://a", "k")
	require.NoError(t, err)
	require.Equal(t, first.Secret, again.Secret)
	require.Equal(t, "7-1", again.Cursor)
	other, err := OpenState(folder, "http://b", "k")
	require.NoError(t, err)
	require.NotEqual(t, first.Secret, other.Secret)
	files, err := filepath.Glob(filepath.Join(folder, "durapay", "*"))
	require.NoError(t, err)
	require.Len(t, files, 2)
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), file)
	}
}

func TestALineNamesWhatItsEventIsAbout(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"event":"charge.confirmed","data":{"id":"ch_0123456789abcdef01234567"}}`: "ch_0123456789abcdef01234567",
		`{"event":"ping","data":{}}`: "-", `[]`: "-", ``: "-",
	} {
		require.Equal(t, want, event{Body: body}.about(), body)
	}
}
