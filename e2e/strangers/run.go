package strangers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// Options say who asks what.
type Options struct {
	Seed     uint64
	Requests int
	// Services are the base URLs of services that have their document at /openapi.json.
	Services []string
	// Documents are further OpenAPI documents by base URL.
	Documents map[string][]byte
	// Pages are URLs where visits begin.
	Pages []string
	// Strangers returns the clients that ask. Run calls it again after each thousand requests,
	// because strangers end their own accounts, keys and sessions.
	Strangers func(ctx context.Context) ([]Stranger, error)
	// IDs belong to a shop that the strangers must not touch. No answer may have one of Secrets.
	IDs, Secrets []string
	// State returns what an account has, to compare it before and after a refused request.
	State func(ctx context.Context, account string) (string, error)
}

// Report is what came of it.
type Report struct {
	// Status counts answers by stranger and status, and Accepted all below 400.
	Status   map[string]map[int]int
	Accepted int
	// Faults are answers that must not be, each with its request. At most 50 are kept.
	Faults []string

	mu sync.Mutex
}

// round is how many requests the same strangers make.
const round = 1000

// large is a size from which a service may close the connection while the body is still being sent.
const large = 64 << 10

// workers is how many requests are under way at the same time.
const workers = 4

// Run makes the requests.
func Run(ctx context.Context, o Options) (*Report, error) {
	var operations []operation
	hosts := map[string]bool{}
	add := func(base string, raw []byte) error {
		found, err := operationsOf(base, raw)
		operations = append(operations, found...)
		return err
	}
	for _, service := range o.Services {
		raw, err := fetch(ctx, service+"/openapi.json")
		if err == nil {
			err = add(service, raw)
		}
		if err != nil {
			return nil, err
		}
	}
	for base, raw := range o.Documents {
		if err := add(base, raw); err != nil {
			return nil, err
		}
	}
	first := make([]*url.URL, len(o.Pages))
	for i, page := range o.Pages {
		var err error
		if first[i], err = url.Parse(page); err != nil {
			return nil, err
		}
		hosts[first[i].Host] = true
	}
	r := &Report{Status: map[string]map[int]int{}}
	for begun := 0; begun < o.Requests; begun += round {
		list, err := o.Strangers(ctx)
		if err != nil {
			return r, fmt.Errorf("the strangers after %d requests: %w", begun, err)
		}
		var group sync.WaitGroup
		failed := make([]error, workers)
		for w := range workers {
			group.Go(func() {
				for i := w; i < len(list); i += workers {
					g := &generator{dice: newDice(o.Seed, uint64(begun+i)), known: o.IDs}
					v := &visitor{Stranger: list[i], generator: g, pages: &pages{hosts: hosts, links: append([]*url.URL{}, first...)}, from: map[int]*http.Client{}}
					for range min(round, o.Requests-begun) / len(list) {
						failed[w] = errors.Join(failed[w], v.ask(ctx, o, operations, r))
					}
				}
			})
		}
		group.Wait()
		if err := errors.Join(failed...); err != nil {
			return r, err
		}
	}
	return r, nil
}

// ask makes one request. An error ends the run.
func (v *visitor) ask(ctx context.Context, o Options, operations []operation, r *Report) error {
	var req *http.Request
	var body string
	var err error
	if v.in(3) {
		req, body, err = v.pages.request(ctx, v.generator)
	} else {
		req, body, err = v.request(ctx, pick(v.dice, operations))
	}
	if err != nil {
		return nil //nolint:nilerr // Go's client sends no such request
	}
	for name, value := range v.Headers {
		req.Header.Set(name, value)
	}
	compared := v.Account != "" && v.in(10)
	var before string
	if compared {
		if before, err = o.State(ctx, v.Account); err != nil {
			return err
		}
	}
	status, answer, header, err := v.send(req)
	if err != nil {
		if len(body) <= large {
			r.fault(v, req, body, 0, err.Error())
		}
		return ctx.Err()
	}
	r.count(v, status)
	if why := wrong(req, status, header, answer, o.Secrets); why != "" {
		r.fault(v, req, body, status, why+": "+answer)
	}
	if compared && status >= http.StatusBadRequest {
		after, err := o.State(ctx, v.Account)
		if err != nil {
			return err
		}
		if after != before {
			r.fault(v, req, body, status, "a refused request has changed the account:\n"+before+"\n"+after)
		}
	}
	if v.notice(answer); strings.HasPrefix(header.Get("Content-Type"), "text/html") {
		v.pages.read(v.generator, req.URL, answer)
	}
	v.pages.follow(v.generator, req.URL, header.Get("Location"))
	return nil
}

// send sends a request and reads the answer.
func (v *visitor) send(req *http.Request) (status int, body string, header http.Header, err error) {
	resp, err := v.client().Do(req)
	if err != nil {
		return 0, "", nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 8<<20))
	return resp.StatusCode, string(raw), resp.Header, err
}

// wrong returns why an answer must not be, or "".
func wrong(req *http.Request, status int, header http.Header, body string, secrets []string) string {
	notReady := status == http.StatusServiceUnavailable && req.URL.Path == "/readyz"
	if status >= http.StatusInternalServerError && !notReady && (status != http.StatusServiceUnavailable || header.Get("Retry-After") == "") {
		return "a server error"
	}
	for _, word := range append([]string{"SQLSTATE", "goroutine ", "runtime error"}, secrets...) {
		if strings.Contains(body, word) {
			return "the answer has " + word
		}
	}
	return ""
}

func (r *Report) count(v *visitor, status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Status[v.Name] == nil {
		r.Status[v.Name] = map[int]int{}
	}
	r.Status[v.Name][status]++
	if status < http.StatusBadRequest {
		r.Accepted++
	}
}

func (r *Report) fault(v *visitor, req *http.Request, body string, status int, what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.Faults) < 50 {
		r.Faults = append(r.Faults, fmt.Sprintf("%s: %s %s %.300q: %d %.600s", v.Name, req.Method, req.URL, body, status, what))
	}
}

func newRequest(ctx context.Context, method, address, contentType, body string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	return req, nil
}

// unquoted returns the text of a JSON string, and other JSON as it is.
func unquoted(raw string) string { return strings.Trim(raw, `"`) }
