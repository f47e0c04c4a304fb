package desk

import (
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// codeField is the hidden field with the code that every form of a session has.
const codeField = "form"

// actsWithin is the time limit of a form's action. The action continues when its browser
// disconnects, which a second press of the button causes.
const actsWithin = time.Minute

// once marks the route of a form whose action must not repeat: the same form is accepted one
// time. found is the page that shows its result.
func (rt route) once(found string) route {
	rt.found = found
	return rt
}

// secretly marks a route whose answer shows a secret that no later page shows.
func (rt route) secretly() route {
	rt.shownOnce = true
	return rt
}

// formSource is the session and the place that a form was written in. Its code seals it, so it is
// known after the session has ended.
type formSource struct {
	place

	// Session is the ID of the session, and Account the merchant ID of the person.
	Session string `json:"i"`
	Account string `json:"a"`
}

// source returns the source of the forms that the visit shows.
func (v *visit) source() formSource {
	return formSource{v.session.place, v.session.of.ID, v.session.of.MerchantID}
}

// formCode returns the code in the forms of a page, which is different on each page. A form of one
// shop or mode is not valid in another, because a second window may have switched.
func (v *visit) formCode() string {
	if v.freed {
		return v.r.PostForm.Get(codeField) // the form had no effect, so it keeps its code
	}
	return secret.SealText(v.Key, codeField, v.source())
}

// sentSource returns the source of the form that was sent. It reports false for a form without a code
// of this desk.
func (v *visit) sentSource() (of formSource, ok bool) {
	ok = secret.UnsealText(v.Key, codeField, v.r.PostForm.Get(codeField), &of)
	return of, ok
}

func (v *visit) isOwnForm() bool {
	of, ok := v.sentSource()
	return ok && of.Session == v.session.of.ID && of.wroteIn(v.source())
}

// wroteIn reports whether the same person wrote both in the same shop and mode.
func (f formSource) wroteIn(other formSource) bool {
	return f.Account == other.Account && f.Mode == other.Mode && f.Shop == other.Shop
}

// sentForm returns an identifier for the form and its values. The password that the API asked
// for again is not part of it.
func (v *visit) sentForm() string {
	fields := url.Values{}
	for name, values := range v.r.PostForm {
		if name != stepUpField {
			fields[name] = values
		}
	}
	return hex.EncodeToString(secret.Code(v.Key, "sent:"+v.r.URL.Path+"?"+fields.Encode()))
}

// act serves a form. A form that is accepted once is claimed before its action runs, so a
// second request with the same form, even a concurrent one, is answered by sentBefore. If the
// process crashes in between, the action ran at most once, and the form is not accepted again.
func (v *visit) act(rt route) error {
	if rt.found == "" || v.r.PostForm.Has(keyField) { // a key of the keypad has no effect yet
		return rt.serve(v)
	}
	sent := v.r
	ctx, cancel := context.WithTimeout(context.WithoutCancel(sent.Context()), actsWithin)
	defer func() {
		cancel()
		v.r = sent // the page with the error is still to be rendered
	}()
	v.r = sent.WithContext(ctx)
	id := v.sentForm()
	claimed, err := v.Store.ClaimForm(ctx, db.ClaimFormParams{ID: id, ExpiresAt: v.session.of.ExpiresAt()})
	if err != nil {
		return err
	}
	if claimed == 0 {
		return v.sentBefore(rt, id)
	}
	v.claim = id
	err = rt.serve(v)
	// A refused form had no effect, so the person may repeat it. After any other error the
	// outcome is unknown, so the form stays claimed.
	if refused, ok := errors.AsType[*web.Error](err); ok && refused.Status < http.StatusInternalServerError {
		if err := v.Store.FreeForm(ctx, id); err != nil {
			v.Log.ErrorContext(ctx, "a form that was refused stays taken", slog.Any("error", err))
			return refused
		}
		v.freed = true
	}
	return err
}

// keepResult stores where a form has led, for a client that sends it again.
func (v *visit) keepResult(path string) {
	if v.claim == "" {
		return
	}
	if err := v.Store.SetFormResult(v.r.Context(), db.SetFormResultParams{ID: v.claim, LeadsTo: path}); err != nil {
		v.Log.WarnContext(v.r.Context(), "where a form led is not kept", slog.Any("error", err))
	}
}

// sentBefore shows that the form was sent earlier, with a link to its result.
func (v *visit) sentBefore(rt route, id string) error {
	found := strings.ReplaceAll(rt.found, "{id}", v.id())
	led, err := v.Store.GetFormResult(v.r.Context(), id)
	if err == nil && led != nil { // no row: the first attempt was refused meanwhile
		found = *led
	}
	text := v.t("sent_before.text")
	if rt.shownOnce {
		text += " " + v.t("sent_before.secret")
	}
	v.status, v.problem = http.StatusConflict, text
	return v.show(&kit.Page{Narrow: true, Parts: []kit.Part{{Buttons: []kit.Link{{Href: found, Text: v.t("sent_before.look")}}}}}, v.t("sent_before.title"))
}
