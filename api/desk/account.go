package desk

import "net/http"

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
	mail := []part{{Facts: []fact{named(v.t("email"), plain(m.text("email")))}}}
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
			Action: "/settings/delete", Title: v.t("account.delete"), Text: v.t("account.delete_text"), Button: v.t("sure"), Lesser: true,
			Sure: v.t("account.delete"), Open: v.refusedOf("/settings/delete"),
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
	return v.redirect("/log-in?" + deletedParameter + "=1")
}
