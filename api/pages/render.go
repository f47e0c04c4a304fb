package pages

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/charge"
)

//go:embed templates
var templateFiles embed.FS

type templates struct{ *template.Template }

// parseTemplates panics on a template that does not parse: they are embedded.
func parseTemplates() templates {
	return templates{template.Must(template.ParseFS(templateFiles, "templates/*.html"))}
}

// anyPage is what every template is filled in from: a type that embeds frame.
type anyPage interface{ common() *frame }

// frame is what every page has.
type frame struct {
	T           translator
	Style, Icon string
	// Chosen is the language that the visitor chose, empty for the browser's:
	// links and forms keep it.
	Chosen string
	// Languages lead to the page in other languages; empty for an answer that
	// only a form has.
	Languages template.HTML
	// Header says what kind of page it is, where it has no Business; Label stands
	// before the Business where it has one.
	Header, Label string
	// Title is the heading of the page and the title of the tab.
	Title    string
	Business string
	Sandbox  bool
	// Tone is the colour family, see stage.tone.
	Tone string
	// Refresh is the number of seconds until the page reloads itself, or 0.
	Refresh int
	// FormOrigin is the one origin that the form of the page may lead to, in place
	// of this service; empty for this service.
	FormOrigin string
}

func (s *Site) frame(r *http.Request) frame {
	t, chosen := s.languages.of(r)
	f := frame{
		T: t, Languages: s.languages.links(t, r.URL), Style: s.assets.style.path, Icon: s.assets.icon.path, Tone: "calm",
		Header: t.Text("header.pay"), Label: t.Text("header.pay_to"),
	}
	if chosen {
		f.Chosen = t.code
	}
	return f
}

func (f *frame) common() *frame { return f }

// keep adds the language that the visitor chose to a path without a query.
func (f *frame) keep(path string) string {
	if f.Chosen == "" {
		return path
	}
	return path + "?" + langParam + "=" + f.Chosen
}

// message is a page that only says something.
type message struct {
	frame
	Detail string
	// Retry is the link that tries again, or empty.
	Retry string
}

// busyPause is a time, in seconds, in which an open payment may well end.
const busyPause = "60"

// fail answers an error: what the visitor may know of it, and no more.
func (s *Site) fail(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, ErrNotFound):
		s.say(w, r, http.StatusNotFound, "not_found.title", "not_found.detail")
	case errors.Is(err, ErrGone):
		s.say(w, r, http.StatusGone, "gone.title", "gone.detail")
	case errors.Is(err, ErrBusy), errors.Is(err, account.ErrBusy):
		w.Header().Set("Retry-After", busyPause)
		s.say(w, r, http.StatusTooManyRequests, "busy.title", "busy.detail")
	default:
		s.Log.ErrorContext(r.Context(), "payment page failed", slog.Any("error", err))
		s.say(w, r, http.StatusInternalServerError, "error.title", "error.detail")
	}
}

// gone answers for a charge whose link is switched off or has run out.
func (s *Site) gone(w http.ResponseWriter, r *http.Request, v View) {
	title := "gone_inactive.title"
	if v.LinkState == charge.LinkExpired {
		title = "gone_expired.title"
	}
	s.say(w, r, http.StatusGone, title, "gone.detail")
}

func (s *Site) say(w http.ResponseWriter, r *http.Request, status int, title, detail string) {
	m := message{frame: s.frame(r)}
	m.Title, m.Detail, m.Tone = m.T.Text(title), m.T.Text(detail), "ended"
	if status == http.StatusInternalServerError || status == http.StatusTooManyRequests {
		m.Retry = m.keep(r.URL.Path)
		if r.URL.Path == account.ConnectPath { // which is nothing without its query
			m.Retry = r.URL.RequestURI()
		}
	}
	s.render(w, r, status, "message.html", &m)
}

// render writes a page. It is built in memory first, so that a template that
// fails cannot leave half a page behind.
func (s *Site) render(w http.ResponseWriter, r *http.Request, status int, name string, data anyPage) {
	var body bytes.Buffer
	if err := s.templates.ExecuteTemplate(&body, name, data); err != nil {
		s.Log.ErrorContext(r.Context(), "template failed", slog.String("template", name), slog.Any("error", err))
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	f := data.common()
	secure(h)
	if f.FormOrigin != "" {
		h.Set("Content-Security-Policy", policy(f.FormOrigin))
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	h.Set("Content-Language", f.T.code)
	if f.Refresh > 0 {
		h.Set("Refresh", strconv.Itoa(f.Refresh))
	}
	h.Add("Vary", "Accept-Language")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
}

// secure sets the headers that keep a page to itself: nothing from elsewhere,
// no script, no frame around it, and no trace of its address in other sites.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy("'self'"))
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("X-Robots-Tag", "noindex, nofollow")
}

// policy is the security policy of a page whose forms lead to one place.
func policy(forms string) string {
	return "default-src 'none'; style-src 'self'; img-src 'self'; form-action " + forms + "; base-uri 'none'; frame-ancestors 'none'"
}
