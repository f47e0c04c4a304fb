package clients

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Strangers are who ask services at random what they have no right to, and what they ask. The
// choices come from a seed.
type Strangers struct {
	Seed     uint64
	Requests int
	// Services are the base URLs of services that have their document at /openapi.json.
	Services []string
	// Documents are further OpenAPI documents by base URL.
	Documents map[string][]byte
	// Pages are URLs where visits begin.
	Pages []string
	// Meet returns the clients that ask. Ask calls it again after each thousand requests,
	// because strangers end their own accounts, keys and sessions.
	Meet func(ctx context.Context) ([]Stranger, error)
	// IDs belong to a shop that the strangers must not touch. No answer may have one of Secrets.
	IDs, Secrets []string
	// State returns what an account has, to compare it before and after a refused request.
	State func(ctx context.Context, account string) (string, error)
}

// StrangersReport is what came of it.
type StrangersReport struct {
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

const workers = 4

// Ask makes the requests.
func (o Strangers) Ask(ctx context.Context) (*StrangersReport, error) {
	var operations []operation
	hosts := map[string]bool{}
	add := func(base string, raw []byte) error {
		found, err := operationsOf(base, raw)
		operations = append(operations, found...)
		return err
	}
	for _, service := range o.Services {
		raw, _, err := Fetch(ctx, nil, service+"/openapi.json", nil)
		if err == nil {
			err = add(service, []byte(raw))
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
	r := &StrangersReport{Status: map[string]map[int]int{}}
	for begun := 0; begun < o.Requests; begun += round {
		list, err := o.Meet(ctx)
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
func (v *visitor) ask(ctx context.Context, o Strangers, operations []operation, r *StrangersReport) error {
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
	got, err := read(v.client(), req)
	if err != nil {
		if len(body) <= large {
			r.fault(v, req, body, 0, err.Error())
		}
		return ctx.Err()
	}
	status, answer, header := got.Status, string(got.Body), got.Header
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

func (r *StrangersReport) count(v *visitor, status int) {
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

func (r *StrangersReport) fault(v *visitor, req *http.Request, body string, status int, what string) {
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

const mostPages = 300

// pages are the links and forms that a stranger has seen on the services asked.
type pages struct {
	hosts map[string]bool
	links []*url.URL
	forms []form
}

// read remembers links and forms of a page.
func (p *pages) read(g *generator, at *url.URL, body string) {
	links, forms, err := readPage(at, strings.NewReader(body))
	if err != nil {
		return
	}
	for _, link := range links {
		p.follow(g, at, link)
	}
	for _, f := range forms {
		if p.hosts[f.action.Host] {
			p.forms = replaced(g, p.forms, f)
		}
	}
}

func (p *pages) follow(g *generator, at *url.URL, link string) {
	if found, err := at.Parse(link); err == nil && p.hosts[found.Host] {
		p.links = replaced(g, p.links, found)
	}
}

func replaced[T any](g *generator, list []T, item T) []T {
	if len(list) < mostPages {
		return append(list, item)
	}
	list[g.IntN(len(list))] = item
	return list
}

// request draws a visit of a link, or a form that is filled in.
func (p *pages) request(ctx context.Context, g *generator) (*http.Request, string, error) {
	if len(p.forms) == 0 || g.in(2) {
		req, err := newRequest(ctx, http.MethodGet, pick(g.dice, p.links).String(), "", "")
		return req, "", err
	}
	f := pick(g.dice, p.forms)
	filled := url.Values{}
	for _, name := range slices.Sorted(maps.Keys(f.fields)) { // in order: the seed repeats it
		values := f.fields[name]
		switch {
		case g.in(12): // left out
		case values[0] == "" || g.in(6):
			filled.Set(name, g.text())
		default:
			filled.Set(name, pick(g.dice, values))
		}
	}
	if g.in(20) {
		filled.Add(g.text(), g.text())
	}
	if f.method != http.MethodPost {
		address := *f.action
		address.RawQuery = filled.Encode()
		req, err := newRequest(ctx, http.MethodGet, address.String(), "", "")
		return req, "", err
	}
	req, err := postForm(ctx, f.action.String(), filled)
	if err == nil {
		req.Header.Set("Origin", f.action.Scheme+"://"+f.action.Host)
	}
	return req, filled.Encode(), err
}
