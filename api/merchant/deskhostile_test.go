package merchant_test

import (
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	nethtml "golang.org/x/net/html"

	"github.com/durapay/durapay/api/desk"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/secret"
)

type pageForm struct {
	page, action string
	get          bool
	// values are the values that the form sends if it is not changed. texts are the kinds of its
	// free text fields.
	values url.Values
	texts  map[string]string
}

func formsOf(t *testing.T, page, body string) (all []pageForm) {
	t.Helper()
	root, err := nethtml.Parse(strings.NewReader(body))
	require.NoError(t, err)
	for n := range root.Descendants() {
		if n.Type != nethtml.ElementNode || n.Data != "form" {
			continue
		}
		f := pageForm{page: page, action: attribute(n, "action"), get: attribute(n, "method") == "get", values: url.Values{}, texts: map[string]string{}}
		for field := range n.Descendants() {
			f.take(field)
		}
		all = append(all, f)
	}
	return all
}

// take adds a field.
func (f *pageForm) take(n *nethtml.Node) {
	name, kind := attribute(n, "name"), attribute(n, "type")
	switch {
	case n.Type != nethtml.ElementNode || name == "":
	case n.Data == "textarea":
		f.texts[name] = n.Data
	case n.Data == "select":
		for option := range n.Descendants() {
			if option.Data == "option" && (!f.values.Has(name) || slices.ContainsFunc(option.Attr, func(a nethtml.Attribute) bool { return a.Key == "selected" })) {
				f.values.Set(name, attribute(option, "value"))
			}
		}
	case n.Data != "input" || kind == "checkbox" || kind == "password":
	case kind == "hidden":
		f.values.Set(name, attribute(n, "value"))
	default:
		f.texts[name] = kind
		f.values.Set(name, attribute(n, "value"))
	}
}

func attribute(n *nethtml.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// hostileAs returns a hostile text in a form that a field of a kind may accept.
func hostileAs(kind, hostile string) string {
	switch kind {
	case "url":
		return "https://shop.example/" + hostile
	case "email":
		return hostile + "@example.com"
	default:
		return hostile
	}
}

// formReader sends forms, and reads every page that may show their content.
type formReader struct {
	shopper
	forms map[string]deskForm
	// tried are the fields that were sent, and shown those whose text was found on a page.
	tried, shown map[string]bool
}

// TestWhatIsTypedIntoFormsIsShownAsText writes hostile texts into every text field of every form
// on a page, one field at a time. It reads the answer, the page to which it redirects, and each
// page to which these link.
func TestWhatIsTypedIntoFormsIsShownAsText(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	b.receive(t, s.charge, money.OneXMR)
	b.exec(t, "UPDATE charges SET status = 'confirmed', confirmed_at = now() WHERE id = $1", s.charge)
	routes, open := desk.Routes()
	live := b.enterShop(t, s.shop, "")
	forms := s.deskForms()
	forms["POST /sign-up"] = deskForm{filled: url.Values{"email": {"tea@example.com"}, "password": {password}, "business_name": {"Tea"}}}
	forms["POST /log-in"] = deskForm{filled: url.Values{"email": {s.email}, "password": {"another password"}}}
	r := formReader{forms: forms, tried: map[string]bool{}, shown: map[string]bool{}}
	for _, v := range []shopper{live, live.inSandbox(t), {b: b}} {
		r.shopper = v
		pages := []string{"/swaps?to=ltc&amount=1.5"}
		for _, route := range routes {
			method, path := s.shopPath(route)
			if method == http.MethodGet && !strings.Contains(path, ".") && open[route] == (v.cookie == "") {
				pages = append(pages, path)
			}
		}
		r.tryPages(t, pages)
	}
	r.shopper = live
	offer := live.post(t, "/settings/two-factor/setup", nil)
	for _, f := range formsOf(t, "/settings/two-factor", offer.body) {
		r.tryFields(t, f)
	}
	b.exec(t, "UPDATE merchants SET totp_enabled_at = now() WHERE merchant_id = $1", s.id)
	r.tryPages(t, []string{"/settings", "/settings/two-factor", "/keys", "/staff", "/staff/" + s.person, "/swaps"}) // these have a field for a code
	operator := b.enterDesk(t, b.operatorOf(t))
	for _, path := range s.deskPages() {
		plain(t, operator.send(t, http.MethodGet, path, nil), path)
	}
	for _, field := range []string{
		"/settings/profile business_name", "/settings/profile contact", "/ask description", "/ask order_id", "/payment-requests description",
		"/payment-requests reference", "/keys label", "/staff/invites note",
	} {
		require.True(t, r.shown[field], "what is typed into %s is shown nowhere", field)
	}
	require.Greater(t, len(r.tried), 40, "fields: %v", slices.Sorted(maps.Keys(r.tried)))
}

func (r formReader) tryPages(t *testing.T, pages []string) {
	t.Helper()
	for _, page := range pages {
		for _, f := range formsOf(t, page, r.send(t, http.MethodGet, page, nil).body) {
			r.tryFields(t, f)
		}
	}
}

// tryFields sends a form once for each text and field.
func (r formReader) tryFields(t *testing.T, f pageForm) {
	t.Helper()
	routes, _ := desk.Routes()
	for name, kind := range f.texts {
		field := f.action + " " + name
		if r.tried[field] {
			continue
		}
		r.tried[field] = true
		for _, hostile := range hostileTexts() {
			sent := maps.Clone(f.values)
			maps.Copy(sent, r.forms[routeOf(routes, f.action)].filled)
			sent.Set(name, hostileAs(kind, hostile))
			if sent.Has("once") {
				sent.Set("once", secret.NewID("desk-"))
			}
			var a answer
			if f.get {
				a = r.send(t, http.MethodGet, f.action+"?"+sent.Encode(), nil)
			} else {
				if r.cookie != "" { // a form is accepted only once
					sent.Set("form", formCode.FindStringSubmatch(r.page(t, "/settings/account"))[1])
				}
				a = r.send(t, http.MethodPost, f.action, sent)
			}
			plain(t, a, field)
			if a.status < http.StatusBadRequest && !f.get {
				r.readOn(t, a, f, field, hostile)
			}
		}
	}
}

// readOn reads the pages that show the content of a form.
func (r formReader) readOn(t *testing.T, a answer, f pageForm, field, hostile string) {
	t.Helper()
	bodies := []answer{a}
	if to := a.header.Get("Location"); to != "" {
		bodies = append(bodies, r.send(t, http.MethodGet, to, nil))
	}
	bodies = append(bodies, r.send(t, http.MethodGet, f.page, nil))
	for _, body := range slices.Clone(bodies) { // the pages of customers, and of people who get a link
		for _, path := range regexpFind(publicURL+`(/(?:pay|refund|join|request)[0-9A-Za-z_/-]+)`, body.body) {
			bodies = append(bodies, r.send(t, http.MethodGet, path, nil))
		}
	}
	for _, body := range bodies {
		plain(t, body, field)
		if strings.Contains(body.body, html.EscapeString(strings.TrimSpace(hostile))) {
			r.shown[field] = true
		}
	}
}
