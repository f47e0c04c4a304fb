package pages

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"
)

// Notices turns off mails about a merchant's business with the token of a mailed link.
type Notices interface {
	// NoticesLink checks that a link is valid and changes nothing, because programs open links
	// too. It returns ErrGone if this service did not issue the link, or if the account was
	// deleted.
	NoticesLink(ctx context.Context, token string) error
	// TurnNoticesOff turns off the kinds of mails that the link names. A second call changes
	// nothing. Errors: those of NoticesLink.
	TurnNoticesOff(ctx context.Context, token string) error
}

// maxNoticesToken is the maximum length of the token, in bytes.
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

// turnNoticesOff handles the button, and the request that mail programs send instead (RFC
// 8058).
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

// failNotices answers a link that is not valid, or an error.
func (s *Site) failNotices(w http.ResponseWriter, r *http.Request, err error) {
	if !errors.Is(err, ErrGone) {
		s.fail(w, r, err)
		return
	}
	p := s.emailPage(r, "notices_gone.title", "notices_gone.detail")
	p.Tone = "ended"
	s.kit.Render(w, r, http.StatusGone, "email.html", &p)
}
