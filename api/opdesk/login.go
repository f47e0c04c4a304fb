package opdesk

import (
	"errors"
	"net/http"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
)

// showLogIn shows the login form.
func (v *visit) showLogIn() error {
	v.render(http.StatusOK, logInPage("", v.r.URL.Query().Get("next")))
	return nil
}

// logIn sends the login to the API and begins a session if the account is an operator's.
func (v *visit) logIn() error {
	form := v.r.PostForm
	body := web.Credentials(form.Get("email"), form.Get("password"), form.Get("code"))
	var answer struct {
		Token       string `json:"token"`
		Requires2FA bool   `json:"requires_2fa"`
	}
	if err := web.Send(v.API, v.r, web.Request{Method: http.MethodPost, Path: "/api/auth/login", Body: body}, &answer); err != nil {
		return v.refuseLogIn(err)
	}
	if answer.Requires2FA {
		return v.refuseLogIn(&apiError{Text: "The code of your second factor is missing.", Status: http.StatusUnauthorized})
	}
	login, err := v.Tokens.Read(answer.Token)
	if err != nil {
		return err
	}
	v.begin(login)
	if err := v.get("/api/admin/alerts?limit=1", &struct{}{}); err != nil {
		v.session = session{}
		return v.refuseLogIn(err)
	}
	v.keepSession()
	v.redirect(pathAfterLogIn(form.Get("next")))
	return nil
}

// refuseLogIn shows the login form again with the API's error text.
func (v *visit) refuseLogIn(err error) error {
	var refused *apiError
	if !errors.As(err, &refused) {
		return err
	}
	v.render(refused.Status, logInPage(refused.Text, v.r.PostForm.Get("next")))
	return nil
}

func logInPage(problem, next string) *page {
	return &page{
		Title: "Log in", Problem: problem, Narrow: true,
		Text: "For operators. The account needs two-factor authentication.",
		Forms: []form{{
			Action: Root + "/log-in", Button: "Log in", Hidden: []hidden{{Name: "next", Value: pathAfterLogIn(next)}},
			Fields: []field{
				{ID: "email", Name: "email", Label: "Email", Type: "email", Autocomplete: "username", Max: 254, Required: true},
				{ID: "password", Name: "password", Label: "Password", Type: "password", Autocomplete: "current-password", Max: 200, Required: true},
				{ID: "code", Name: "code", Label: "Two-factor code or backup code", Type: "text", Autocomplete: "one-time-code", Max: 40, Exact: true},
			},
		}},
	}
}

// pathAfterLogIn returns the page of the desk that the visitor asked for, or else the first one.
func pathAfterLogIn(next string) string { return kit.PathAfterLogIn(next, Root+"/") }

// logOut ends the session.
func (v *visit) logOut() error {
	if err := v.endSession(); err != nil {
		return err
	}
	v.redirect(Root + "/log-in")
	return nil
}
