package listen

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// How often the feed is read, and how often an event is tried that is not taken.
const (
	readEvery = time.Second
	attempts  = 5
)

// Listener forwards events.
type Listener struct {
	API API
	// ForwardTo is where events are posted to. It may be on this machine: redirects
	// are not followed.
	ForwardTo string
	// Types are the events that are forwarded; all for none.
	Types []string
	// Trigger are events that are brought about at the start.
	Trigger []string
	// Secret signs the events that are posted.
	Secret string
	// After is the cursor to continue from; empty for new events only.
	After string
	// Saved gets the cursor after each event that was accepted or given up.
	Saved func(cursor string) error
	Out   io.Writer
	// Pause waits; the tests do not.
	Pause func(ctx context.Context, d time.Duration)

	receiver *http.Client
	taken    int
}

// requestTimeout is how long the receiver may take for an event.
const requestTimeout = 30 * time.Second

// Run forwards until the context ends, which is no error. It returns ErrKey, ErrLiveKey,
// or the API's error while it looks for the newest event or triggers the events.
func (l *Listener) Run(ctx context.Context) error {
	if live, _ := secret.ParseAPIKey(l.API.Key); live || strings.HasPrefix(l.API.Key, "dk_live_") {
		return ErrLiveKey
	}
	l.receiver = &http.Client{Timeout: requestTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	after := l.After
	if after == "" {
		var err error
		if after, err = l.API.end(ctx); err != nil {
			return err
		}
	}
	l.sayf("Forwarding events of the sandbox to %s\nSigning secret: %s\n", l.ForwardTo, l.Secret)
	for _, eventType := range l.Trigger {
		if err := l.API.Trigger(ctx, eventType); err != nil {
			return err
		}
	}
	for {
		next, more, err := l.forward(ctx, after)
		switch {
		case ctx.Err() != nil:
			l.sayf("Done: %d events were taken.\n", l.taken)
			return nil //nolint:nilerr // the caller ended the context
		case errors.Is(err, ErrKey):
			return err
		case errors.Is(err, errLost):
			l.sayf("%s: going on from now\n", errLost)
			if next, err = l.API.end(ctx); err != nil {
				next = after
			}
		case err != nil:
			l.sayf("%s: trying again\n", err)
		}
		if after = next; !more {
			l.Pause(ctx, readEvery)
		}
	}
}

// forward posts the events after a cursor, and returns the cursor to continue from.
func (l *Listener) forward(ctx context.Context, after string) (next string, more bool, err error) {
	p, err := l.API.page(ctx, after, l.Types)
	if err != nil {
		return after, false, err
	}
	for _, e := range p.Events {
		if !l.deliver(ctx, e) {
			return after, false, ctx.Err()
		}
		after = e.Cursor
		if err := l.Saved(after); err != nil {
			return after, false, err
		}
	}
	if p.Next != nil {
		after = *p.Next
	}
	return after, p.More, l.Saved(after)
}

// deliver posts one event until it is taken, or gives it up; false when it was
// interrupted.
func (l *Listener) deliver(ctx context.Context, e event) bool {
	for n := range attempts {
		begun := time.Now()
		status, err := l.post(ctx, e)
		if err != nil && ctx.Err() != nil {
			return false
		}
		outcome := fmt.Sprintf("%d", status)
		if err != nil {
			outcome = err.Error()
		}
		l.sayf("%s  %s  %s  %s  %d ms\n", begun.Format(time.TimeOnly), e.Type, e.about(), outcome, time.Since(begun).Milliseconds())
		if err == nil && status >= 200 && status < 300 {
			l.taken++
			return true
		}
		if n < attempts-1 {
			l.Pause(ctx, time.Second<<n)
		}
	}
	l.sayf("%s was not taken: going on with the next one\n", e.Type)
	return true
}

func (l *Listener) post(ctx context.Context, e event) (int, error) {
	body := []byte(e.Body)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.ForwardTo, strings.NewReader(e.Body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(webhook.SignatureHeader, webhook.Sign(l.Secret, body))
	answer, err := l.receiver.Do(r)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}

func (l *Listener) sayf(format string, args ...any) { _, _ = fmt.Fprintf(l.Out, format, args...) }

// State is what stays between two runs with the same key at the same address.
type State struct {
	// Secret signs the events that are posted. It is made once.
	Secret string `json:"secret"`
	// Cursor is where the last run stopped.
	Cursor string `json:"cursor"`

	file string
}

// OpenState reads the state of a key at an address, below a folder of the developer's
// own, and creates it where there is none. Only the developer may read the file.
func OpenState(folder, base, key string) (*State, error) {
	sum := sha256.Sum256([]byte(base + " " + key))
	s := &State{file: filepath.Join(folder, "durapay", "listen-"+hex.EncodeToString(sum[:8])+".json")}
	raw, err := os.ReadFile(s.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.Secret = secret.NewSecret()
		return s, s.Save("")
	case err != nil:
		return nil, err
	}
	return s, json.Unmarshal(raw, s)
}

// Save keeps a cursor.
func (s *State) Save(cursor string) error {
	if cursor == s.Cursor && cursor != "" {
		return nil
	}
	s.Cursor = cursor
	raw, err := json.Marshal(s) //nolint:gosec // the file is the developer's own
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return err
	}
	whole := s.file + ".new"
	if err := os.WriteFile(whole, raw, 0o600); err != nil {
		return err
	}
	return os.Rename(whole, s.file)
}
