package desk

import (
	"net/http"

	"github.com/durapay/durapay/internal/config"
)

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
	return v.show(&page{Narrow: true, Parts: []part{{Forms: []form{f}}, {Links: v.doorLinks()}}}, v.t("sign_up"))
}

// signUp opens the account, begins a session and shows the keys. It is the only page that
// shows them.
func (v *visit) signUp() error {
	content := body{
		"email": v.form("email"), "password": v.r.PostForm.Get("password"), "businessName": v.form("business_name"),
	}.with("invite", v.form("invite"))
	var made struct {
		Token   string `json:"token"`
		APIKeys struct {
			Production string `json:"production"`
			Sandbox    string `json:"sandbox"`
		} `json:"apiKeys"`
	}
	if err := v.send("/api/auth/signup", content, &made); err != nil {
		return err
	}
	if err := v.begin(made.Token); err != nil {
		return err
	}
	v.status = http.StatusOK
	return v.show(&page{Narrow: true, Text: v.t("welcome.text"), Parts: []part{
		{Title: v.t("keys.sandbox"), Text: v.t("welcome.sandbox"), Copy: made.APIKeys.Sandbox},
		{Title: v.t("keys.production"), Text: v.t("welcome.production"), Copy: made.APIKeys.Production},
		{Buttons: []link{{Href: pathAfterLogIn(v.form("next")), Text: v.t("welcome.go_on")}, {Href: "/settings", Text: v.t("welcome.address")}}},
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
	return v.redirect("/")
}
