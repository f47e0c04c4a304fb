package clients

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// mostPages bounds the links and forms that a stranger remembers.
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

func replaced[T any](g *generator, list []T, one T) []T {
	if len(list) < mostPages {
		return append(list, one)
	}
	list[g.IntN(len(list))] = one
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
