package desk

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
)

// visit is one request and its session.
type visit struct {
	*Desk

	w       http.ResponseWriter
	r       *http.Request
	session session
	// accountRow is the person's account row, read when the request arrived. The first API
	// call uses it; after that, and without a session, it is nil.
	accountRow *db.Merchant
	// status is the page's HTTP status, and problem its error text.
	status  int
	problem string
	// worded is the text of the desk's own refusal, if any.
	worded string
	// failed is the error of what the page has read; see read.
	failed error
	// refresh is the interval, in seconds, at which the page reloads itself; 0 if it does not.
	refresh int
	// inline is set for a page that contains a picture inline.
	inline bool
	// personal is set for a page of the person's own account, which is the same in every shop.
	personal bool
	// claim is the id of a form that is accepted once. freed is set if the form was refused;
	// see act.
	claim string
	freed bool
	texts *kit.Translator
	// business is the name of the person's own shop.
	business string
	// zone and currency are the person's settings.
	zone, currency string
	// hasEnded is set if the session of the request has ended.
	hasEnded bool
}

func (d *Desk) visit(w http.ResponseWriter, r *http.Request) *visit {
	v := &visit{Desk: d, w: w, r: r, status: http.StatusOK}
	v.keepLanguage()
	return v
}

// body is the JSON content of a request to the API.
type body map[string]any

// get reads from the API.
func (v *visit) get(path string, into any) error { return v.call(http.MethodGet, path, nil, into) }

// post sends a POST request to the API. content may be nil.
func (v *visit) post(path string, content, into any) error {
	return v.call(http.MethodPost, path, content, into)
}

// call sends a request of the session to the API.
func (v *visit) call(method, path string, content, into any) error {
	return web.Send(v.API, v.asDesk(), v.requestTo(method, path, content), into)
}

// requestTo returns a request with the session's token.
func (v *visit) requestTo(method, path string, content any) web.Request {
	return web.Request{Method: method, Path: path, Authorization: "Bearer " + v.session.Token, Body: content}
}

// asDesk returns the request with the mark that lets it do what a key of its mode can do.
func (v *visit) asDesk() *http.Request {
	d := access.Desk{Mode: v.session.Mode}
	if v.r.Method == http.MethodGet { // a form always reads the current row
		d.Account, v.accountRow = v.accountRow, nil
	}
	if !v.personal {
		d.Shop = v.session.Shop
	}
	return v.r.WithContext(access.FromDesk(v.r.Context(), d))
}

// own sends a request about the person's own account, independent of the shop.
func (v *visit) own(method, path string, content, into any) error {
	self := *v
	self.personal, v.accountRow = true, nil
	return self.call(method, path, content, into)
}

// id returns the id in the page's path, escaped for a path of the API.
func (v *visit) id() string { return url.PathEscape(kit.PathValue(v.r, "id")) }

// shop returns the merchant in whose shop the person works.
func (v *visit) shop() string {
	if v.session.Shop != "" {
		return v.session.Shop
	}
	return v.session.of.MerchantID
}

func (v *visit) sandbox() bool { return v.session.Mode == config.Sandbox }

// hasSandbox reports whether the person's role may use the sandbox.
func (v *visit) hasSandbox() bool {
	return v.session.Shop == "" || permission.HasSandbox(v.session.role)
}

// t returns a text in the reader's language.
func (v *visit) t(id string, args ...any) string { return v.translator().Text(id, args...) }

func (v *visit) translator() kit.Translator {
	if v.texts == nil {
		t := v.kit.Frame(v.r).T
		v.texts = &t
	}
	return *v.texts
}

// form returns a field of the submitted form, without surrounding space.
func (v *visit) form(name string) string { return strings.TrimSpace(v.r.PostForm.Get(name)) }

// filled returns the value to show in a field: the submitted one if the form was refused,
// otherwise the current value.
func (v *visit) filled(name, is string) string {
	if v.problem != "" && v.r.PostForm.Has(name) {
		return v.r.PostForm.Get(name)
	}
	return is
}

// redirect redirects to a page of the desk.
func (v *visit) redirect(path string) error {
	v.keepResult(path)
	h := v.w.Header()
	kit.Secure(h)
	h.Set("Cache-Control", "no-store")
	h.Set("Location", path)
	v.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// done redirects to a page that confirms the success of the form.
func (v *visit) done(path string) error { return v.redirect(path + "?done=1") }

// say shows a page with a text and a link to the first page.
func (v *visit) say(status int, title, text string) {
	v.status, v.problem = status, text
	_ = v.show(&kit.Page{Narrow: true, Parts: []kit.Part{{Links: []kit.Link{{Href: "/", Text: v.t("nav.home")}}}}}, title)
}

// show answers with a page, unless what it shows could not be read.
func (v *visit) show(p *kit.Page, title string) error {
	if err := v.failure(); err != nil {
		v.refresh, v.inline = 0, false
		return err
	}
	p.Frame = v.kit.Frame(v.r)
	p.Title, p.Set, p.Home, p.SendsOrigin = title, cmp.Or(v.business, "Durapay"), "/", true
	p.Problem, p.Skip = v.problem, v.t("skip")
	p.Refresh, p.InlineImages = v.refresh, v.inline
	if v.r.Method == http.MethodPost && v.status == http.StatusOK {
		p.Languages = "" // content that is shown only once does not exist in another language
	}
	if v.problem == "" && v.r.URL.Query().Get("done") != "" {
		p.Notice = v.t("done")
	}
	if v.session.of.MerchantID != "" {
		v.complete(p)
		v.suit(p)
		if later := p.Later; later != nil {
			p.Later = func() []part {
				p.Parts = later()
				v.suit(p)
				return p.Parts
			}
		}
	}
	v.kit.Render(v.w, v.r, v.status, kit.SheetTemplate, p)
	return nil
}

// section returns the page of the navigation bar that a path belongs to.
func section(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch first {
	case "webhooks", "deliveries", "keys", "staff", "actions", "shops":
		return "/settings"
	case "payment-requests":
		return "/ask"
	default:
		return "/" + first
	}
}

// complete adds the parts that all pages of a session have.
func (v *visit) complete(p *kit.Page) {
	p.NavLabel, p.MenuLabel, p.ChipsLabel, p.Sandbox, p.Mode = v.t("nav"), v.t("menu"), v.t("charges.state"), v.sandbox(), v.t("mode.is_"+string(v.session.Mode))
	if v.session.Shop != "" {
		p.Set, p.Home = v.session.ShopName, "/shops"
	}
	within := section(v.r.URL.Path)
	if within == "/till" {
		p.Home = ""
		return // the customer sees the screen
	}
	if within == "/settings" {
		p.Sub, p.SubLabel = v.settingsLinks(), v.t("nav.settings")
	}
	for _, item := range []struct{ path, text string }{
		{"/", "nav.home"}, {"/charges", "nav.charges"}, {"/ask", "nav.ask"}, {"/till", "nav.till"}, {"/refunds", "nav.refunds"},
		{"/payouts", "nav.payouts"}, {"/swaps", "nav.swaps"}, {"/reports", "nav.reports"}, {"/settings", "nav.settings"},
	} {
		p.Nav = append(p.Nav, kit.Link{Href: item.path, Text: v.t(item.text), Current: v.r.URL.Path == item.path, Within: within == item.path})
	}
	other, text := config.Sandbox, v.t("mode.sandbox")
	if v.sandbox() {
		other, text = config.Live, v.t("mode.live")
	}
	if other == config.Live || v.hasSandbox() {
		p.Corner = append(p.Corner, kit.Form{Action: "/mode", Button: text, Small: true, Hidden: []kit.Hidden{{Name: "mode", Value: string(other)}}})
	}
	p.Corner = append(p.Corner, kit.Form{Action: "/log-out", Button: v.t("log_out"), Small: true})
}

// suit signs the forms of a page for the session and removes links and forms that the person
// may not use.
func (v *visit) suit(p *kit.Page) {
	p.Sign(v.formCode())
	v.onlyAllowed(p)
}
