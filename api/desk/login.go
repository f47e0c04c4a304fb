package desk

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/config"
)

// showLogIn shows the login form.
func (v *visit) showLogIn() error {
	p := &page{Narrow: true, Parts: []part{{
		Forms: []form{{
			Action: "/log-in", Button: v.t("log_in"), Hidden: v.afterLogIn(),
			Fields: []field{
				v.email(), v.secretField("password", "password", "current-password"),
				hinted(field{Name: "code", Label: v.t("log_in.code"), Type: "text", Autocomplete: "one-time-code", Max: 40, Exact: true}, v.t("log_in.code_hint")),
			},
		}},
	}, {Links: v.doorLinks()}}}
	asked := v.r.URL.Query()
	switch {
	case v.problem != "":
	case strings.HasPrefix(v.nextParameter(), "/join/"):
		p.Notice = v.t("join.log_in")
	case asked.Get(endedParameter) != "":
		p.Notice = v.t("log_in.ended")
	case asked.Get(deletedParameter) != "":
		p.Notice = v.t("account.deleted")
	}
	return v.show(p, v.t("log_in"))
}

// deletedParameter says on the page of the login that the account is gone.
const deletedParameter = "deleted"

// afterLogIn returns the hidden fields with what follows the login: a form that was kept, or a page.
func (v *visit) afterLogIn() []kit.Hidden {
	if kept := v.r.PostForm.Get(keptField); kept != "" {
		return []kit.Hidden{{Name: keptField, Value: kept}}
	}
	return v.next()
}

// next returns the hidden field with the page that a visitor without a session asked for.
func (v *visit) next() []kit.Hidden {
	return []kit.Hidden{{Name: "next", Value: pathAfterLogIn(v.nextParameter())}}
}

// nextParameter returns the page that the request names for after the login, unchecked.
func (v *visit) nextParameter() string {
	if v.r.Method == http.MethodPost {
		return v.form("next")
	}
	return v.r.URL.Query().Get("next")
}

func (v *visit) email() field {
	return field{Name: "email", Label: v.t("email"), Type: "email", Autocomplete: "username", Value: v.filled("email", ""), Max: 254, Required: true}
}

// doorLinks returns the links between the pages that need no session.
func (v *visit) doorLinks() []link {
	all := []link{{Href: "/log-in", Text: v.t("log_in")}}
	if v.SignUp != "closed" {
		all = append(all, link{Href: "/sign-up", Text: v.t("sign_up")})
	}
	all = append(all, link{Href: "/forgot-password", Text: v.t("forgotten")}, link{Href: "/docs/merchant/quickstart", Text: v.t("docs")})
	all = slices.DeleteFunc(all, func(l link) bool { return l.Href == v.r.URL.Path })
	for i := range all {
		if next := pathAfterLogIn(v.nextParameter()); next != "/" && i < len(all)-1 {
			all[i].Href += "?" + url.Values{"next": {next}}.Encode()
		}
	}
	return all
}

// logIn begins a session if the API accepts the login.
func (v *visit) logIn() error {
	var result answer
	if err := v.send("/api/auth/login", web.Credentials(v.form("email"), v.r.PostForm.Get("password"), v.form("code")), &result); err != nil {
		return err
	}
	if result.is("requires_2fa") {
		return v.refusal(http.StatusUnauthorized, "log_in.needs_code")
	}
	if err := v.begin(result.text("token")); err != nil {
		return err
	}
	if resumed, err := v.resume(); resumed || err != nil {
		return err
	}
	v.keepSession()
	next := pathAfterLogIn(v.form("next"))
	if next == "/" { // a person who also works in other shops chooses one
		if works, err := v.worksIn(); err != nil || len(works) > 0 {
			next = "/shops"
		}
	}
	return v.redirect(next)
}

// send sends the API a request without a session.
func (v *visit) send(path string, content, into any) error {
	return web.Send(v.API, v.r, web.Request{Method: http.MethodPost, Path: path, Body: content}, into)
}

// maxNext is the maximum length, in bytes, of the address that a login leads to.
const maxNext = 2000

// pathAfterLogIn returns the page that the visitor asked for if it is on this desk; otherwise
// it returns the first page.
func pathAfterLogIn(next string) string {
	if len(next) > maxNext {
		return "/"
	}
	return kit.PathAfterLogIn(next, "/")
}

// logOut ends the session.
func (v *visit) logOut() error {
	if err := v.endSession(); err != nil {
		return err
	}
	return v.redirect("/log-in")
}

// showForgotten shows the form for a link to a new password.
func (v *visit) showForgotten() error {
	return v.show(&page{Narrow: true, Text: v.t("forgotten.text"), Parts: []part{{
		Forms: []form{{Action: "/forgot-password", Button: v.t("forgotten.send"), Fields: []field{v.email()}}},
	}, {Links: v.doorLinks()}}}, v.t("forgotten"))
}

// forgotten requests the mail with the link.
func (v *visit) forgotten() error {
	if err := v.send("/api/auth/forgot-password", body{"email": v.form("email")}, &struct{}{}); err != nil {
		return err
	}
	return v.show(&page{Narrow: true, Notice: v.t("forgotten.sent"), Parts: []part{{Links: v.doorLinks()}}}, v.t("forgotten"))
}

// showSignUp shows the form for a new account.
func (v *visit) showSignUp() error {
	if v.SignUp == config.SignUpClosed {
		return v.show(&page{Narrow: true, Text: v.t("sign_up.closed"), Parts: []part{{Links: v.doorLinks()}}}, v.t("sign_up"))
	}
	f := form{Action: "/sign-up", Button: v.t("sign_up"), Hidden: v.next(), Fields: []field{
		v.email(),
		hinted(v.secretField("password", "password", "new-password"), v.t("sign_up.password_hint")),
		hinted(needed(v.text("business_name", "business", 200)), v.t("sign_up.business_hint")),
	}}
	if v.SignUp == config.SignUpInvite {
		f.Fields = append(f.Fields, exact(hinted(needed(v.text("invite", "sign_up.invite", 100)), v.t("sign_up.invite_hint"))))
	}
	p := &page{Narrow: true, Parts: []part{{Forms: []form{f}}, {Links: v.doorLinks()}, v.service(number(v.Service.FeeRate.String()))}}
	if strings.HasPrefix(v.nextParameter(), "/join/") && v.problem == "" {
		p.Notice = v.t("join.log_in")
	}
	return v.show(p, v.t("sign_up"))
}

// signUp opens the account, begins a session and shows the keys. It is the only page that
// shows them.
func (v *visit) signUp() error {
	content := body{
		"email": v.form("email"), "password": v.r.PostForm.Get("password"), "businessName": v.form("business_name"),
	}.with("invite", v.form("invite"))
	if v.session.of.MerchantID != "" && strings.EqualFold(v.me().text("email"), v.form("email")) { // the page with the keys was reloaded
		v.status, v.problem = http.StatusConflict, v.t("sent_before.text")+" "+v.t("sent_before.secret")
		return v.show(&page{Narrow: true, Parts: []part{{Links: []link{{Href: "/keys", Text: v.t("keys.title")}}}}}, v.t("sent_before.title"))
	}
	var made answer
	if err := v.send("/api/auth/signup", content, &made); err != nil {
		return err
	}
	if err := v.begin(made.text("token")); err != nil {
		return err
	}
	v.keepSession()
	if next := pathAfterLogIn(v.form("next")); strings.HasPrefix(next, "/join/") {
		return v.redirect(next) // a person who joins a shop needs no keys
	}
	v.status, v.business = http.StatusOK, v.form("business_name")
	return v.show(&page{Narrow: true, Text: v.t("welcome.text"), Parts: []part{
		{Title: v.t("keys.sandbox"), Text: v.t("welcome.sandbox"), Copy: made.in("apiKeys").text("sandbox")},
		{Title: v.t("keys.production"), Text: v.t("welcome.production"), Copy: made.in("apiKeys").text("production")},
		{Buttons: []link{{Href: pathAfterLogIn(v.form("next")), Text: v.t("welcome.go_on")}}},
	}}, v.t("welcome.title"))
}

// setMode switches the session to live or to the sandbox.
func (v *visit) setMode() error {
	v.session.Mode = config.Live
	if v.form("mode") == string(config.Sandbox) {
		if !v.hasSandbox() {
			return errNotForRole
		}
		v.session.Mode = config.Sandbox
	}
	v.keepSession()
	return v.redirect(pathAfterLogIn(v.form("next")))
}
