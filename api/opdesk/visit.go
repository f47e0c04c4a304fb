package opdesk

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
)

// visit is one request and its session.
type visit struct {
	*Desk

	w       http.ResponseWriter
	r       *http.Request
	session session
	// status is the page's HTTP status. problem is the API's error text for the submitted
	// form, if any.
	status  int
	problem string
}

// id returns the id in the page's path, escaped for a path of the API.
func (v *visit) id() string { return url.PathEscape(v.param("id")) }

func (v *visit) param(name string) string { return kit.PathValue(v.r, name) }

// redirect redirects to a page of the desk, and keeps the answer out of caches. The referrer is kept
// within the desk, because without one a browser hides where a form comes from.
func (v *visit) redirect(path string) {
	h := v.w.Header()
	kit.Secure(h)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Location", path)
	v.w.WriteHeader(http.StatusSeeOther)
}

// done redirects to a page that confirms the success of the form.
func (v *visit) done(path string) error {
	v.redirect(path + "?done=1")
	return nil
}

// fail answers an error as a page that shows only what the operator may know.
func (v *visit) fail(err error) {
	var refused *apiError
	switch {
	case errors.Is(err, errNoSession), errors.As(err, &refused) && refused.Status == http.StatusUnauthorized:
		v.setCookie("", -1)
		path := Root + "/log-in"
		if v.r.Method == http.MethodGet {
			path += "?next=" + url.QueryEscape(v.r.URL.RequestURI())
		}
		v.redirect(path)
	case errors.Is(err, kit.ErrForeignForm):
		v.say(http.StatusForbidden, "This form has expired", "Reload the page and try again.")
	case refused != nil:
		v.say(refused.Status, http.StatusText(refused.Status), refused.Text)
	default:
		v.Log.ErrorContext(v.r.Context(), "a page of the operators' desk failed", slog.Any("error", err))
		v.say(http.StatusInternalServerError, "Something went wrong", "The log has the reason, by the identifier in X-Request-Id.")
	}
}

func (v *visit) say(status int, title, text string) {
	v.render(status, &page{Title: title, Problem: text, Narrow: true})
}

// show answers with a page of the session.
func (v *visit) show(p *page) error {
	if v.r.URL.Query().Get("done") != "" {
		p.Notice = "Done."
	}
	v.render(v.status, p)
	return nil
}

func (v *visit) render(status int, p *page) {
	v.kit.Render(v.w, v.r, status, kit.SheetTemplate, v.sheet(p))
}

// apiError is an error answer of the API. Its text is for the operator.
type apiError = web.Error

// get reads from the API.
func (v *visit) get(path string, into any) error { return v.call(http.MethodGet, path, nil, into) }

// post sends a POST request to the API. body may be nil.
func (v *visit) post(path string, body, into any) error {
	return v.call(http.MethodPost, path, body, into)
}

// call sends a request of the session to the API.
func (v *visit) call(method, path string, body, into any) error {
	token, err := v.token()
	if err != nil {
		return err
	}
	return web.Send(v.API, v.r, web.Request{Method: method, Path: path, Authorization: "Bearer " + token, Body: body}, into)
}

// giveBack answers a form that the API refused with the form's page: it keeps the typed values
// and shows the error. It returns false if there is no such page, for example because the path
// does not exist, or if the session has ended.
func (v *visit) giveBack(rt route, err error) bool {
	refused, is := errors.AsType[*apiError](err)
	if !is || rt.page == nil || refused.Status == http.StatusUnauthorized {
		return false
	}
	v.status, v.problem = refused.Status, refused.Text
	return rt.page(v) == nil
}

// refill puts the typed values back into the form that was refused. If the form's row is on
// another page of its list, refill adds the form below.
func (v *visit) refill(s *kit.Page) {
	found := false
	each := func(f *form) {
		if f.Action != v.r.URL.Path || f.Get {
			return
		}
		found = true
		next := map[string]int{}
		for i := range f.Fields {
			name := f.Fields[i].Name
			if typed := v.r.PostForm[name]; next[name] < len(typed) {
				f.Fields[i].Value = typed[next[name]]
			}
			next[name]++
		}
	}
	s.Forms(each)
	if !found && v.r.PostForm.Has("note") {
		again := noteForm(v.r.URL.Path, v.param("id"), "Note it")
		each(again)
		s.Parts = append(s.Parts, kit.Part{Forms: []form{*again}})
	}
}
