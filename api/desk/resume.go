package desk

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/internal/secret"
)

const (
	// endedParameter says on the page of the login that a session has ended.
	endedParameter = "ended"
	// keptField is the hidden field of the login that holds a form; see keptForm.
	keptField = "kept"
	// maxKeptForm is the maximum length of a form that the login holds, in bytes.
	maxKeptForm = 10 << 10
)

// keptForm is a form that was sent after its session had ended. The page of the login holds it,
// sealed. After the login of the person who wrote it, its page is shown again in the shop and the mode
// where it was written, with what was filled in. Nothing is done until the person sends it.
type keptForm struct {
	formSource

	Path   string     `json:"p"`
	Fields url.Values `json:"f"`
}

// neverKept are the fields that a person types again.
func neverKept() []string {
	return []string{codeField, stepUpField, "password", "new_password", "code", "totp_code", setupField}
}

// keepForm shows the login with the form that the request sent. It reports whether it did: a form
// without a page of its own, one that is too large, or one that no page of the desk wrote is not kept.
func (v *visit) keepForm() bool {
	rt, known := v.routes[http.MethodPost+" "+v.pattern(http.MethodPost, v.r.URL.Path)]
	source, ours := v.sentSource()
	if !known || rt.page == nil || rt.open() || !ours {
		return false
	}
	fields := url.Values{}
	maps.Copy(fields, v.r.PostForm)
	for _, name := range neverKept() {
		fields.Del(name)
	}
	kept := secret.SealText(v.Key, keptField, keptForm{source, v.r.URL.Path, fields})
	if len(kept) > maxKeptForm {
		return false
	}
	v.r.PostForm = url.Values{keptField: {kept}}
	v.status, v.problem = http.StatusUnauthorized, v.t("log_in.ended_form")
	return v.showLogIn() == nil
}

// resume shows the page of the form that the login held, filled in. It reports whether there was one.
// A person who no longer works in the form's shop does not get it back.
func (v *visit) resume() (bool, error) {
	var kept keptForm
	if !secret.UnsealText(v.Key, keptField, v.form(keptField), &kept) || kept.Account != v.session.of.MerchantID {
		return false, nil
	}
	params := chi.NewRouteContext()
	rt, known := v.routes[http.MethodPost+" "+v.router.Find(params, http.MethodPost, kept.Path)]
	v.session.place = kept.place
	err := v.readRole()
	if errors.Is(err, errNoShop) && rt.personal() {
		err = nil // the page is not about the shop
	}
	if errors.Is(err, errNoShop) {
		v.say(http.StatusForbidden, v.t("refused.title"), v.t("log_in.shop_left", kept.ShopName))
		return true, nil
	}
	if err != nil {
		return true, err
	}
	v.keepSession()
	if !known || rt.page == nil {
		return true, v.redirect("/")
	}
	if err := v.forbids(rt); err != nil {
		return true, err
	}
	v.r = v.r.Clone(context.WithValue(v.r.Context(), chi.RouteCtxKey, params))
	v.r.URL = &url.URL{Path: kept.Path}
	v.r.PostForm, v.r.Form = kept.Fields, kept.Fields
	v.personal = rt.personal()
	v.problem = v.t("log_in.resumed")
	return true, rt.page(v)
}
