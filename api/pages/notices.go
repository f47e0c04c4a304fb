package pages

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"
)

// Notices turns mails about a merchant's business off by the token in a mail's link.
type Notices interface {
	// NoticesLink tells whether a link is valid and changes nothing: programs open
	// links too. ErrGone when it is not ours, or the account is gone.
	NoticesLink(ctx context.Context, token string) error
	// TurnNoticesOff turns the kinds of the link off. Run twice, the second run changes
	// nothing. Errors as above.
	TurnNoticesOff(ctx context.Context, token string) error
}

// maxNoticesToken bounds a token of a link that turns mails off, in bytes.
const maxNoticesToken = 1024

// noticesLink answers the link of a mail with a button.
func (s *Site) noticesLink(w http.ResponseWriter, r *http.Request) {
	if err := s.withNotices(r, Notices.NoticesLink); err != nil {
		s.failNotices(w, r, err)
		return
	}
	p := s.emailPage(r, "notices.title", "notices.detail")
	p.Action, p.Button = p.Keep(r.URL.Path), p.T.Text("notices.off")
	s.kit.Render(w, r, http.StatusOK, "email.html", &p)
}

// turnNoticesOff takes the button, and what mail programs send instead of it (RFC 8058).
func (s *Site) turnNoticesOff(w http.ResponseWriter, r *http.Request) {
	if err := s.withNotices(r, Notices.TurnNoticesOff); err != nil {
		s.failNotices(w, r, err)
		return
	}
	p := s.emailPage(r, "notices_done.title", "notices_done.detail")
	p.Tone = "good"
	s.kit.Render(w, r, http.StatusOK, "email.html", &p)
}

func (s *Site) withNotices(r *http.Request, do func(Notices, context.Context, string) error) error {
	token := chi.URLParam(r, "token")
	if s.Notices == nil || len(token) > maxNoticesToken {
		return ErrGone
	}
	return do(s.Notices, r.Context(), token)
}

// failNotices answers for a link that leads nowhere, or for an error.
func (s *Site) failNotices(w http.ResponseWriter, r *http.Request, err error) {
	if !errors.Is(err, ErrGone) {
		s.fail(w, r, err)
		return
	}
	p := s.emailPage(r, "notices_gone.title", "notices_gone.detail")
	p.Tone = "ended"
	s.kit.Render(w, r, http.StatusGone, "email.html", &p)
}
