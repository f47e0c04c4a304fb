package desk

import (
	"encoding/base64"
	"html/template"
	"net/http"
	"strings"

	"github.com/durapay/durapay/api/pages/kit"
)

// account changes how the merchant logs in, or ends the account.
func (v *visit) account() error {
	m := v.me()
	address := hinted(v.email(), v.t("account.email_hint"))
	address.Value = v.filled("email", "")
	current := func(id string) field {
		f := v.secretField("password", "account.current", "current-password")
		f.ID = id
		return f
	}
	mail := []part{{Links: v.settingsLinks(), Facts: []fact{named(v.t("email"), plain(m.text("email")))}}}
	if !m.is("emailVerified") {
		mail[0].Forms = []form{{Action: "/settings/resend-verification", Text: v.t("account.unverified"), Button: v.t("account.resend"), Lesser: true, Fields: []field{current("resend-password")}}}
	}
	return v.show(&page{Parts: append(mail,
		part{Forms: []form{{
			Action: "/settings/password", Title: v.t("password"), Button: v.t("save"),
			Fields: []field{current("current-password"), hinted(v.secretField("new_password", "account.new", "new-password"), v.t("sign_up.password_hint"))},
		}}},
		part{Forms: []form{{Action: "/settings/email", Title: v.t("email"), Button: v.t("save"), Lesser: true, Fields: []field{address, current("email-password")}}}},
		part{Forms: []form{{
			Action: "/settings/delete", Title: v.t("account.delete"), Text: v.t("account.delete_text"), Button: v.t("account.delete"), Lesser: true,
			Fields: []field{current("delete-password")},
		}}},
	)}, v.t("settings.account"))
}

// setPassword changes the password and continues in the new session that the API returns. All
// other sessions of the account end.
func (v *visit) setPassword() error {
	content := body{"current_password": v.r.PostForm.Get("password"), "new_password": v.r.PostForm.Get("new_password")}
	var changed answer
	if err := v.call(http.MethodPut, "/api/account/password", content, &changed); err != nil {
		return err
	}
	if token := changed.text("token"); token != "" {
		mode := v.session.Mode
		if err := v.begin(token); err != nil {
			return err
		}
		v.session.Mode = mode
		v.keepSession()
	}
	return v.done("/settings/account")
}

// typedEmail returns the new address.
func (v *visit) typedEmail() body {
	return body{"email": v.form("email"), "password": v.r.PostForm.Get("password")}
}

// resendVerification sends the verification mail again.
func (v *visit) resendVerification() error {
	m := v.me()
	if err := v.failure(); err != nil {
		return err
	}
	if err := v.send("/api/auth/resend-verification", body{"email": m.text("email"), "password": v.r.PostForm.Get("password")}, &struct{}{}); err != nil {
		return err
	}
	return v.done("/settings/account")
}

func (v *visit) deleteAccount() error {
	if err := v.post("/api/account/delete", body{"password": v.r.PostForm.Get("password")}, &struct{}{}); err != nil {
		return err
	}
	v.dropSession()
	return v.redirect("/log-in")
}

// twoFactor shows whether a login needs a code, with the forms that switch that on or off.
func (v *visit) twoFactor() error {
	is := v.read("/api/auth/2fa/status")
	code := needed(v.text("code", "two_factor.code", 40))
	code.Autocomplete, code.Exact = "one-time-code", true
	first := part{Links: v.settingsLinks()}
	if !is.is("enabled") {
		first.Forms = []form{{Action: "/settings/two-factor/setup", Text: v.t("two_factor.off"), Button: v.t("two_factor.set_up")}}
		if v.problem != "" && v.r.PostForm.Has("code") {
			first.Forms[0].Lesser = true // setting up again would create another secret
			first.Forms = append([]form{{Action: "/settings/two-factor/verify", Button: v.t("two_factor.enable"), Fields: []field{code}}}, first.Forms...)
		}
		return v.show(&page{Parts: []part{first}}, v.t("two_factor"))
	}
	first.Facts = []fact{named(v.t("two_factor.left"), plain(is.text("backupCodesLeft")))}
	first.Forms = []form{{Action: "/settings/two-factor/disable", Text: v.t("two_factor.on"), Button: v.t("two_factor.disable"), Lesser: true, Fields: []field{code}}}
	return v.show(&page{Parts: []part{first}}, v.t("two_factor"))
}

// setupTwoFactor shows the secret and the backup codes. It is the only page that shows them.
func (v *visit) setupTwoFactor() error {
	made := v.made("/api/auth/2fa/setup", nil)
	code := needed(v.text("code", "two_factor.code", 6))
	code.Autocomplete, code.Digits = "one-time-code", true
	p := &page{Narrow: true, Text: v.t("two_factor.scan"), Parts: []part{
		{Image: &kit.Image{Inline: inlineImage(made.text("qrCode")), Alt: v.t("two_factor.qr"), Width: 256, Height: 256}, Copy: made.text("secret")},
		{Title: v.t("two_factor.backup"), Text: v.t("two_factor.backup_text"), Plain: strings.Join(made.names("backupCodes"), "\n")},
		{Forms: []form{{Action: "/settings/two-factor/verify", Button: v.t("two_factor.enable"), Fields: []field{code}}}},
	}}
	v.inline = true
	return v.show(p, v.t("two_factor.set_up"))
}

func (v *visit) typedTwoFactor() body { return body{"code": v.form("code")} }

// inlineImage returns a PNG image of the API as an address that a page may contain. It returns
// an empty address for any other data.
func inlineImage(address string) template.URL {
	encoded, ok := strings.CutPrefix(address, "data:image/png;base64,")
	if _, err := base64.StdEncoding.DecodeString(encoded); !ok || err != nil {
		return ""
	}
	return template.URL("data:image/png;base64," + encoded) //nolint:gosec // base64 has no sign that ends an attribute
}
