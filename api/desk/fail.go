package desk

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
)

// fail answers an error as a page that shows only what the merchant may know.
func (v *visit) fail(rt route, err error) {
	v.failed = nil // the page with the error may read as well
	if wrong, ok := errors.AsType[wrongPasswordError](err); ok && v.sessionStillValid() {
		v.setProblem(wrong.refused)
		v.askStepUp()
		return
	}
	refused, isRefused := errors.AsType[*web.Error](err)
	switch {
	case isRefused && (refused.Status != http.StatusUnauthorized || rt.open() || v.sessionStillValid()):
		v.refuse(rt, refused)
	case isRefused, errors.Is(err, errNoSession), errors.As(err, &wrongPasswordError{}):
		v.toLogIn()
	case errors.Is(err, errNoShop):
		_ = v.redirect("/shops")
	case errors.Is(err, errNotForRole):
		v.say(http.StatusForbidden, v.t("refused.title"), v.t("shops.not_yours"))
	case errors.Is(err, errLiveOnly):
		v.say(http.StatusNotFound, v.t("home.sandbox"), v.t("sandbox.live_only"))
	case errors.Is(err, kit.ErrForeignForm):
		v.refuseForm(rt)
	default:
		v.Log.ErrorContext(v.r.Context(), "a page of the desk failed", slog.Any("error", err))
		v.say(http.StatusInternalServerError, v.t("failed.title"), v.t("failed.text"))
	}
}

// refuseForm answers a form that another page wrote. One that the person wrote here in an earlier
// session is shown again as it was filled in, with a new code. Nothing was done.
func (v *visit) refuseForm(rt route) {
	of, ours := v.sentSource()
	if ours && rt.page != nil && v.session.of.MerchantID != "" && of.wroteIn(v.source()) {
		for _, name := range neverKept() {
			v.r.PostForm.Del(name)
		}
		v.status, v.problem = http.StatusForbidden, v.t("log_in.resumed")
		if rt.page(v) == nil {
			return
		}
	}
	v.say(http.StatusForbidden, v.t("foreign.title"), v.t("foreign.text"))
}

// refuse shows the API's error text on the page of the form, or on a page of its own.
func (v *visit) refuse(rt route, refused *web.Error) {
	if needsStepUp(refused) && rt.method == http.MethodPost {
		v.askStepUp()
		return
	}
	if rt.page != nil && v.problem == "" {
		v.status = refused.Status
		v.setProblem(refused)
		if rt.page(v) == nil {
			return
		}
	}
	v.setProblem(refused)
	title := "refused.title"
	if rt.method == http.MethodGet && refused.Status == http.StatusNotFound {
		title = "not_found.title"
	}
	v.say(refused.Status, v.t(title), v.problem)
}

// sessionStillValid asks the API whether the session is still valid, because the API also answers 401 to
// a wrong code or password.
func (v *visit) sessionStillValid() bool {
	return v.own(http.MethodGet, "/api/auth/me", nil, &struct{}{}) == nil
}

// toLogIn redirects to the login, which then leads back to the page. A form is kept for after the
// login.
func (v *visit) toLogIn() {
	v.dropSession()
	if v.r.Method == http.MethodPost && v.keepForm() {
		return
	}
	if v.r.Method != http.MethodGet {
		_ = v.redirect("/log-in?" + endedParameter + "=1")
		return
	}
	path := "/log-in"
	asked := url.Values{}
	if v.r.URL.Path != "/" {
		asked.Set("next", v.r.URL.RequestURI())
	}
	if v.hasEnded {
		asked.Set(endedParameter, "1")
	}
	if len(asked) > 0 {
		path += "?" + asked.Encode()
	}
	_ = v.redirect(path)
}
