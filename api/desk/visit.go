package desk

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/merchant/auth"
	"github.com/durapay/durapay/api/ownapi"
	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/pages/sheet"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/staff"
)

// visit is one request, and who makes it.
type visit struct {
	*Desk

	w       http.ResponseWriter
	r       *http.Request
	session session
	// accountRow is the person's account as it was when the request came, for the first that is
	// asked of the API; nil for nobody, and later.
	accountRow *db.Merchant
	// status is what the page is answered with, problem what it says went wrong, and
	// problemLang its language where it is not the reader's.
	status               int
	problem, problemLang string
	// worded is the text of the desk's own refusal; empty for none.
	worded string
	// refresh is after how many seconds the page shows itself anew; 0 for never.
	refresh int
	// inline is set for a page with a picture that is written into it.
	inline bool
	// personal is set for a page of the person's own account, in whichever shop they work.
	personal bool
	// claim names the form that is taken once, freed is set when it was refused; see act.
	claim string
	freed bool
	texts *kit.Translator
}

// number is a number of the API, digit for digit; empty for null.
type number = json.Number

// body is what the API is sent.
type body map[string]any

// get reads from the API.
func (v *visit) get(path string, into any) error { return v.call(http.MethodGet, path, nil, into) }

// post changes something by the API; content is nil for none.
func (v *visit) post(path string, content, into any) error {
	return v.call(http.MethodPost, path, content, into)
}

// put changes something of the account by the API.
func (v *visit) put(path string, content any) error {
	return v.call(http.MethodPut, path, content, &struct{}{})
}

// call sends a request of the session to the API.
func (v *visit) call(method, path string, content, into any) error {
	return ownapi.Send(v.API, v.asDesk(), v.requestTo(method, path, content), into)
}

// requestTo is a request of the session.
func (v *visit) requestTo(method, path string, content any) ownapi.Request {
	return ownapi.Request{Method: method, Path: path, Authorization: "Bearer " + v.session.Token, Body: content}
}

// asDesk is the visit as what stands for a key of its mode.
func (v *visit) asDesk() *http.Request {
	d := auth.Desk{Mode: v.session.Mode}
	if v.r.Method == http.MethodGet { // a form may come in slowly
		d.Account, v.accountRow = v.accountRow, nil
	}
	if !v.personal {
		d.Shop = v.session.Shop
	}
	return v.r.WithContext(auth.FromDesk(v.r.Context(), d))
}

// own sends a request about the person's own account, in whichever shop they work.
func (v *visit) own(method, path string, content, into any) error {
	self := *v
	self.personal, v.accountRow = true, nil
	return self.call(method, path, content, into)
}

// id is the part of the path that names what a page is about, as it may stand in a
// path of the API.
func (v *visit) id() string {
	value := chi.URLParam(v.r, "id")
	if plain, err := url.PathUnescape(value); err == nil {
		value = plain
	}
	return url.PathEscape(value)
}

// shop is the merchant in whose shop the person works.
func (v *visit) shop() string {
	if v.session.Shop != "" {
		return v.session.Shop
	}
	return v.session.of.MerchantID
}

// sandbox says whether the merchant looks at the sandbox.
func (v *visit) sandbox() bool { return v.session.Mode == config.Sandbox }

// hasSandbox says whether the person's role has a sandbox.
func (v *visit) hasSandbox() bool { return v.session.Shop == "" || staff.HasSandbox(v.session.role) }

// t is a text in the reader's language.
func (v *visit) t(id string, args ...any) string { return v.translator().Text(id, args...) }

func (v *visit) translator() kit.Translator {
	if v.texts == nil {
		t := v.kit.Frame(v.r).T
		v.texts = &t
	}
	return *v.texts
}

// form is a field of the form that was sent, without space around it.
func (v *visit) form(name string) string { return strings.TrimSpace(v.r.PostForm.Get(name)) }

// filled is what a field shows: what was sent when the form was refused, otherwise
// what it is.
func (v *visit) filled(name, is string) string {
	if v.problem != "" && v.r.PostForm.Has(name) {
		return v.r.PostForm.Get(name)
	}
	return is
}

// redirect leads to a page of the desk.
func (v *visit) redirect(path string) error {
	v.keepResult(path)
	h := v.w.Header()
	kit.Secure(h)
	h.Set("Cache-Control", "no-store")
	h.Set("Location", path)
	v.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// done leads from a form that was taken to a page, which says so.
func (v *visit) done(path string) error { return v.redirect(path + "?done=1") }

// fail answers an error as a page: what the merchant may know of it.
func (v *visit) fail(rt route, err error) {
	if wrong, ok := errors.AsType[wrongPasswordError](err); ok && v.goesOn() {
		v.tell(wrong.refused)
		v.askStepUp()
		return
	}
	refused, isRefused := errors.AsType[*ownapi.Error](err)
	switch {
	case isRefused && (refused.Status != http.StatusUnauthorized || rt.open || v.goesOn()):
		v.refuse(rt, refused)
	case isRefused, errors.Is(err, errNoSession), errors.As(err, &wrongPasswordError{}):
		v.toLogIn()
	case errors.Is(err, errNoShop):
		_ = v.redirect("/shops")
	case errors.Is(err, errNotForRole):
		v.say(http.StatusForbidden, v.t("refused.title"), v.t("shops.not_yours"))
	case errors.Is(err, errLiveOnly):
		v.say(http.StatusNotFound, v.t("home.sandbox"), v.t("sandbox.live_only"))
	case errors.Is(err, errForeignForm):
		v.say(http.StatusForbidden, v.t("foreign.title"), v.t("foreign.text"))
	default:
		v.Log.ErrorContext(v.r.Context(), "a page of the desk failed", slog.Any("error", err))
		v.say(http.StatusInternalServerError, v.t("failed.title"), v.t("failed.text"))
	}
}

// refuse shows what the API says against a request: on the page that the form stands
// on, where there is one.
func (v *visit) refuse(rt route, refused *ownapi.Error) {
	if needsStepUp(refused) && rt.method == http.MethodPost {
		v.askStepUp()
		return
	}
	if rt.page != nil && v.problem == "" {
		v.status = refused.Status
		v.tell(refused)
		if rt.page(v) == nil {
			return
		}
	}
	v.tell(refused)
	v.say(refused.Status, v.t("refused.title"), v.problem)
}

// goesOn asks the API whether the session does: a wrong code or password is answered
// 401, too.
func (v *visit) goesOn() bool { return v.own(http.MethodGet, "/api/auth/me", nil, &struct{}{}) == nil }

// toLogIn leads to the login, and from there back to a page.
func (v *visit) toLogIn() {
	v.dropSession()
	path := "/log-in"
	if v.r.Method == http.MethodGet && v.r.URL.Path != "/" {
		path += "?next=" + url.QueryEscape(v.r.URL.RequestURI())
	}
	_ = v.redirect(path)
}

// say shows a page with a text, and the way back to the first page.
func (v *visit) say(status int, title, text string) {
	v.status, v.problem = status, text
	_ = v.show(&sheet.Page{Narrow: true, Parts: []sheet.Part{{Buttons: []sheet.Link{{Href: "/", Text: v.t("nav.home")}}}}}, title)
}

// show answers with a page.
func (v *visit) show(p *sheet.Page, title string) error {
	p.Frame = v.kit.Frame(v.r)
	p.Title, p.Set, p.Home, p.TellsOrigin = title, "Durapay", "/", true
	p.Problem, p.ProblemLang, p.Skip = v.problem, v.problemLang, v.t("skip")
	p.Refresh, p.InlineImages = v.refresh, v.inline
	if v.r.Method == http.MethodPost && v.status == http.StatusOK {
		p.Languages = "" // what is shown once is not there in another language
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
	v.kit.Render(v.w, v.r, v.status, sheet.Template, p)
	return nil
}

// section is the page of the bar that a path belongs to.
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

// complete adds what the pages of a session have.
func (v *visit) complete(p *sheet.Page) {
	p.NavLabel, p.Sandbox = v.t("nav"), v.sandbox()
	if v.session.Shop != "" {
		p.Set, p.Home = v.session.ShopName, "/shops"
	}
	for _, item := range []struct{ path, text string }{
		{"/", "nav.home"}, {"/charges", "nav.charges"}, {"/ask", "nav.ask"}, {"/till", "nav.till"}, {"/refunds", "nav.refunds"},
		{"/payouts", "nav.payouts"}, {"/swaps", "nav.swaps"}, {"/reports", "nav.reports"}, {"/settings", "nav.settings"},
	} {
		p.Nav = append(p.Nav, sheet.Link{Href: item.path, Text: v.t(item.text), Current: v.r.URL.Path == item.path, Within: section(v.r.URL.Path) == item.path})
	}
	other, text := config.Sandbox, v.t("mode.sandbox")
	if v.sandbox() {
		other, text = config.Live, v.t("mode.live")
	}
	if other == config.Live || v.hasSandbox() {
		p.Corner = append(p.Corner, sheet.Form{Action: "/mode", Button: text, Small: true, Hidden: []sheet.Hidden{{Name: "mode", Value: string(other)}}})
	}
	p.Corner = append(p.Corner, sheet.Form{Action: "/log-out", Button: v.t("log_out"), Small: true})
}

// suit makes the forms of a page those of the session, and leaves what the person may do.
func (v *visit) suit(p *sheet.Page) {
	p.Sign(v.formCode())
	v.onlyAllowed(p)
}
