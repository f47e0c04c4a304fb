package telemetry

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Timing of readiness: how long a check may take, and how long its result is
// given again, so that frequent probes do not load the parts.
const (
	checkTimeout = 2 * time.Second
	resultAge    = time.Second
)

// Check returns nil while a part of the service is usable.
type Check func(ctx context.Context) error

// Readiness reports whether every part that requests need is usable. It is an
// http.Handler for /readyz and safe for concurrent use.
type Readiness struct {
	parts   []*part
	timeout time.Duration
	maxAge  time.Duration
	now     func() time.Time
	log     *slog.Logger
	// mentioned is fixed before the first probe.
	mentioned []mention

	leaving atomic.Bool

	mu      sync.Mutex
	checked time.Time
	failing []string
}

// Mention adds a part that is shown, "ok" or "failing", but does not decide:
// without it the service does less, and still serves. up may be called at any time
// and must not wait.
func (r *Readiness) Mention(name string, up func() bool) *Readiness {
	r.mentioned = append(r.mentioned, mention{name, up})
	return r
}

// mention is a part that does not decide.
type mention struct {
	name string
	up   func() bool
}

// Informational adds a check that runs with the rest and is shown, but does not decide,
// like a mentioned part.
func (r *Readiness) Informational(name string, check Check) *Readiness {
	r.parts = append(r.parts, &part{name: name, check: check, busy: make(chan struct{}, 1), informational: true})
	return r
}

// part is one named check. At most one run of it is under way: a check that
// does not heed its context is not started again while it hangs.
type part struct {
	name  string
	check Check
	busy  chan struct{}
	// informational is true for a part that does not decide.
	informational bool
}

// NewReadiness returns readiness over named checks. The names are in the public
// answer; errors go to the log alone.
func NewReadiness(checks map[string]Check, now func() time.Time, log *slog.Logger) *Readiness {
	r := &Readiness{timeout: checkTimeout, maxAge: resultAge, now: now, log: log}
	for _, name := range slices.Sorted(maps.Keys(checks)) {
		r.parts = append(r.parts, &part{name: name, check: checks[name], busy: make(chan struct{}, 1)})
	}
	return r
}

// leave is how a process that is about to stop is named among what fails.
const leave = "stopping"

// Leave makes the service not ready for good: the process is about to stop, and load
// balancers send requests to other instances.
func (r *Readiness) Leave() { r.leaving.Store(true) }

// deciding leaves out the parts that are only shown.
func (r *Readiness) deciding(failed []string) []string {
	if r.leaving.Load() {
		failed = append(slices.Clone(failed), leave)
	}
	return slices.DeleteFunc(slices.Clone(failed), func(name string) bool {
		return slices.ContainsFunc(r.parts, func(p *part) bool { return p.informational && p.name == name })
	})
}

// failed runs the checks side by side, unless they ran within the last second, and returns the
// names of all parts that failed, in order. A check that takes longer than two seconds has failed.
func (r *Readiness) failed(ctx context.Context) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.checked.IsZero() && r.now().Sub(r.checked) < r.maxAge {
		return r.failing
	}
	errs := r.run(context.WithoutCancel(ctx))
	failing := slices.Sorted(maps.Keys(errs))
	r.logChange(ctx, failing, errs)
	r.failing, r.checked = failing, r.now()
	return failing
}

func (r *Readiness) run(ctx context.Context) map[string]error {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	results := make([]error, len(r.parts))
	var wait sync.WaitGroup
	for i, p := range r.parts {
		wait.Go(func() { results[i] = p.run(ctx) })
	}
	wait.Wait()
	failed := map[string]error{}
	for i, p := range r.parts {
		if results[i] != nil {
			failed[p.name] = results[i]
		}
	}
	return failed
}

func (p *part) run(ctx context.Context) error {
	select {
	case p.busy <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	result := make(chan error, 1)
	go func() {
		defer func() { <-p.busy }()
		result <- p.check(ctx)
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *Readiness) logChange(ctx context.Context, failing []string, errs map[string]error) {
	for name, err := range errs {
		if !slices.Contains(r.failing, name) {
			r.log.WarnContext(ctx, "not ready", "part", name, "error", err)
		}
	}
	for _, name := range r.failing {
		if !slices.Contains(failing, name) {
			r.log.InfoContext(ctx, "ready again", "part", name)
		}
	}
}

// statusAnswer is the body of /livez and /readyz.
type statusAnswer struct {
	Status string            `json:"status"`
	Parts  map[string]string `json:"parts,omitempty"`
	Error  string            `json:"error,omitempty"`
}

// ServeHTTP answers 200 when every part is usable, else 503 with the names of
// those that are not.
func (r *Readiness) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	failed := r.failed(req.Context())
	answer := statusAnswer{Status: "ready", Parts: map[string]string{}}
	for _, p := range r.parts {
		answer.Parts[p.name] = "ok"
	}
	for _, m := range r.mentioned {
		answer.Parts[m.name] = "ok"
		if !m.up() {
			answer.Parts[m.name] = "failing"
		}
	}
	for _, name := range failed {
		answer.Parts[name] = "failing"
	}
	status := http.StatusOK
	if failing := r.deciding(failed); len(failing) > 0 {
		status = http.StatusServiceUnavailable
		answer.Status, answer.Error = "unavailable", "not ready: "+strings.Join(failing, ", ")
	}
	writeStatus(w, status, answer)
}

func writeStatus(w http.ResponseWriter, status int, body statusAnswer) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		return // the client is gone
	}
}
