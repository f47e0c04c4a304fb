package desk

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/durapay/durapay/api/ownapi"
	"github.com/durapay/durapay/api/pages/sheet"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// codeField is the hidden field of the code that every form of a session has.
const codeField = "form"

// actsWithin is how long what a form asks for goes on after its browser has gone, which a
// second press of its button makes it do.
const actsWithin = time.Minute

// once marks the route of a form that does more each time it is sent: the same form is
// taken one time. found is the page on which what it makes is found.
func (rt route) once(found string) route {
	rt.found = found
	return rt
}

// secretly marks one whose answer shows what nobody sees again.
func (rt route) secretly() route {
	rt.shownOnce = true
	return rt
}

// formCode is what the forms of a page carry, and nobody else's: a random part, which is
// another one on each page, and what proves it to be of the session. A form of one shop or
// mode does not count in another, which a second window may have gone to.
func (v *visit) formCode() string {
	if v.freed {
		return v.r.PostForm.Get(codeField) // it did nothing, and is the same form still
	}
	nonce := secret.NewID("")
	return nonce + "." + v.proofOf(nonce)
}

func (v *visit) proofOf(nonce string) string {
	of := strings.Join([]string{"form", v.session.of.ID, string(v.session.Mode), v.session.Shop, nonce}, ":")
	return base64.RawURLEncoding.EncodeToString(secret.Code(v.Key, of))
}

func (v *visit) isOwnForm() bool {
	nonce, proof, _ := strings.Cut(v.r.PostForm.Get(codeField), ".")
	return secret.Equal([]byte(proof), []byte(v.proofOf(nonce)))
}

// sentForm names the form with what was filled in. A password that was asked for besides
// does not make it another one.
func (v *visit) sentForm() string {
	fields := url.Values{}
	for name, values := range v.r.PostForm {
		if name != stepUpField {
			fields[name] = values
		}
	}
	return hex.EncodeToString(secret.Code(v.Key, "sent:"+v.r.URL.Path+"?"+fields.Encode()))
}

// act serves a form that is taken once, or any other. It is claimed before it does
// anything: whoever sends it again, also at the same moment, finds it taken. If the
// process dies in between it has done at most what was asked, and is not taken again.
func (v *visit) act(rt route) error {
	if rt.found == "" || v.r.PostForm.Has(keyField) { // a key of a keypad asks for nothing yet
		return rt.serve(v)
	}
	sent := v.r
	ctx, cancel := context.WithTimeout(context.WithoutCancel(sent.Context()), actsWithin)
	defer func() {
		cancel()
		v.r = sent // the page that says what was refused is still to be made
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
	// What was refused did nothing, and may be sent again. Of what failed otherwise nobody
	// knows.
	if refused, ok := errors.AsType[*ownapi.Error](err); ok && refused.Status < http.StatusInternalServerError {
		if err := v.Store.FreeForm(ctx, id); err != nil {
			v.Log.ErrorContext(ctx, "a form that was refused stays taken", slog.Any("error", err))
			return refused
		}
		v.freed = true
	}
	return err
}

// keepResult keeps where a form has led, for whoever sends it again.
func (v *visit) keepResult(path string) {
	if v.claim == "" {
		return
	}
	if err := v.Store.SetFormResult(v.r.Context(), db.SetFormResultParams{ID: v.claim, LeadsTo: path}); err != nil {
		v.Log.WarnContext(v.r.Context(), "where a form led is not kept", slog.Any("error", err))
	}
}

// sentBefore says that a form was sent before, and leads to what it made.
func (v *visit) sentBefore(rt route, id string) error {
	found := strings.ReplaceAll(rt.found, "{id}", v.id())
	led, err := v.Store.GetFormResult(v.r.Context(), id)
	if err == nil && led != nil { // without a row the first one was refused meanwhile
		found = *led
	}
	text := v.t("sent_before.text")
	if rt.shownOnce {
		text += " " + v.t("sent_before.secret")
	}
	v.status, v.problem = http.StatusConflict, text
	return v.show(&sheet.Page{Narrow: true, Parts: []sheet.Part{{Buttons: []sheet.Link{{Href: found, Text: v.t("sent_before.look")}}}}}, v.t("sent_before.title"))
}
