package strangers

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// most bounds the links and forms that a stranger remembers.
const most = 300

type form struct {
	action *url.URL
	method string
	fields url.Values
}

// pages are the links and forms that a stranger has seen on the services asked.
type pages struct {
	hosts map[string]bool
	links []*url.URL
	forms []form
}

// read remembers links and forms of a page.
func (p *pages) read(g *generator, at *url.URL, body string) {
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		return
	}
	var within *form
	keep := func(f *form) {
		if f != nil && p.hosts[f.action.Host] {
			p.forms = replaced(g, p.forms, *f)
		}
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "a":
			p.follow(g, at, attribute(n, "href"))
		case "form":
			keep(within)
			within = nil
			if action, err := at.Parse(attribute(n, "action")); err == nil {
				within = &form{action: action, method: strings.ToUpper(attribute(n, "method")), fields: url.Values{}}
			}
		case "input", "textarea", "button", "option":
			name := attribute(n, "name")
			if n.Data == "option" && n.Parent != nil {
				name = attribute(n.Parent, "name")
			}
			if within != nil && name != "" {
				within.fields.Add(name, attribute(n, "value"))
			}
		}
	}
	keep(within)
}

func (p *pages) follow(g *generator, at *url.URL, link string) {
	if found, err := at.Parse(link); err == nil && p.hosts[found.Host] {
		p.links = replaced(g, p.links, found)
	}
}

func replaced[T any](g *generator, list []T, one T) []T {
	if len(list) < most {
		return append(list, one)
	}
	list[g.IntN(len(list))] = one
	return list
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
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
	body := filled.Encode()
	req, err := newRequest(ctx, http.MethodPost, f.action.String(), "application/x-www-form-urlencoded", body)
	if err == nil {
		req.Header.Set("Origin", f.action.Scheme+"://"+f.action.Host)
	}
	return req, body, err
}
