package desk

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/permission"
)

// forbids returns an error if the person may not use a route: errLiveOnly where the sandbox does
// not have it, errNotForRole where their role in the shop does not permit it.
func (v *visit) forbids(rt route) error {
	switch {
	case rt.live && v.sandbox():
		return errLiveOnly
	case rt.open(), rt.personal(), v.session.Shop == "", v.may(rt.operation):
		return nil
	default:
		return errNotForRole
	}
}

// may reports whether the person's role in the shop permits an operation of the API. Pages
// leave out parts that the role could not read.
func (v *visit) may(operation string) bool {
	return v.session.Shop == "" || (v.session.role != permission.Merchant && permission.May(v.session.role, v.sandbox(), operation))
}

// pattern returns the pattern of the route that a path matches; empty for none.
func (d *Desk) pattern(method, path string) string {
	return d.router.Find(chi.NewRouteContext(), method, path)
}

// allowsPath reports whether the person may use the target of a link or a form. Everyone may
// use targets that are not part of the desk.
func (v *visit) allowsPath(method, href string) bool {
	u, err := url.Parse(href)
	if err != nil || u.Host != "" {
		return true
	}
	rt, known := v.routes[method+" "+v.pattern(method, u.Path)]
	return !known || v.forbids(rt) == nil
}

// onlyAllowed removes links and forms that the person may not use from a page, so a page shows
// only what works.
func (v *visit) onlyAllowed(p *kit.Page) {
	if v.session.Shop == "" && !v.sandbox() {
		return
	}
	p.Nav, p.Corner = v.onlyLinks(p.Nav), v.onlyForms(p.Corner)
	for i := range p.Parts {
		part := &p.Parts[i]
		part.Links, part.Buttons, part.Forms = v.onlyLinks(part.Links), v.onlyLinks(part.Buttons), v.onlyForms(part.Forms)
		for _, c := range part.Cells() {
			v.onlyCell(c)
		}
	}
}

func (v *visit) onlyLinks(all []kit.Link) []kit.Link {
	return slices.DeleteFunc(all, func(l kit.Link) bool { return !v.allowsPath(http.MethodGet, l.Href) })
}

func (v *visit) onlyForms(all []kit.Form) []kit.Form {
	return slices.DeleteFunc(all, func(f kit.Form) bool { return !v.allowsForm(f) })
}

func (v *visit) allowsForm(f kit.Form) bool {
	method := http.MethodPost
	if f.Get {
		method = http.MethodGet
	}
	return v.allowsPath(method, f.Action)
}

func (v *visit) onlyCell(c *kit.Cell) {
	if c.Href != "" && !v.allowsPath(http.MethodGet, c.Href) {
		c.Href = ""
	}
	c.Links = v.onlyLinks(c.Links)
	if c.Form != nil && !v.allowsForm(*c.Form) {
		c.Form = nil
	}
}
