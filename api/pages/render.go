package pages

import (
	"embed"
	"errors"
	"log/slog"
	"net/http"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/charge"
)

//go:embed templates
var templateFiles embed.FS

// frame returns the frame that every page of this package has.
func (s *Site) frame(r *http.Request) kit.Frame {
	f := s.kit.Frame(r)
	f.Header, f.Label = f.T.Text("header.pay"), f.T.Text("header.pay_to")
	return f
}

// busyPause is a time, in seconds, after which an open payment has often ended.
const busyPause = "60"

// fail answers an error and shows only what the visitor may know.
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

// gone answers for a charge whose link is switched off or has expired.
func (s *Site) gone(w http.ResponseWriter, r *http.Request, v View) {
	title := "gone_inactive.title"
	if v.LinkState == charge.LinkExpired {
		title = "gone_expired.title"
	}
	s.say(w, r, http.StatusGone, title, "gone.detail")
}

func (s *Site) say(w http.ResponseWriter, r *http.Request, status int, title, detail string) {
	m := kit.Message{Frame: s.frame(r)}
	m.Title, m.Detail, m.Tone = m.T.Text(title), m.T.Text(detail), "ended"
	if status == http.StatusInternalServerError || status == http.StatusTooManyRequests {
		m.Retry = m.Keep(r.URL.Path)
		if r.URL.Path == account.ConnectPath { // its path needs the query
			m.Retry = r.URL.RequestURI()
		}
	}
	s.kit.Render(w, r, status, "message.html", &m)
}
