package pages

import (
	"context"
	"errors"
	"net/http"
	"regexp"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/kit"
)

// Emails confirms addresses by the token in a mail's link.
type Emails interface {
	// EmailLink tells whether a link is valid and changes nothing: programs
	// open links too. ErrGone when it was used, replaced or has expired.
	EmailLink(ctx context.Context, token string) error
	// ConfirmEmail confirms the address and uses the link up. Errors as above.
	ConfirmEmail(ctx context.Context, token string) error
}

var emailToken = regexp.MustCompile(`^[0-9a-f]{64}$`)

// emailPage asks for what the link of a mail is for, or says what became of it.
type emailPage struct {
	kit.Frame
	Detail string
	// Listed is what Lines are; without lines there is no list.
	Listed string
	Lines  []string
	// Action is where the button leads; without one there is no button. Button is what
	// it says.
	Action, Button string
}

// emailLink answers the link of a verification mail with a button.
func (s *Site) emailLink(w http.ResponseWriter, r *http.Request) {
	if err := s.withToken(r, Emails.EmailLink); err != nil {
		s.failEmail(w, r, err)
		return
	}
	p := s.emailPage(r, "email.title", "email.detail")
	p.Action, p.Button = p.Keep(r.URL.Path), p.T.Text("email.confirm")
	s.kit.Render(w, r, http.StatusOK, "email.html", &p)
}

// confirmEmail takes the button.
func (s *Site) confirmEmail(w http.ResponseWriter, r *http.Request) {
	if err := s.withToken(r, Emails.ConfirmEmail); err != nil {
		s.failEmail(w, r, err)
		return
	}
	p := s.emailPage(r, "email_done.title", "email_done.detail")
	p.Tone = "good"
	s.kit.Render(w, r, http.StatusOK, "email.html", &p)
}

func (s *Site) withToken(r *http.Request, do func(Emails, context.Context, string) error) error {
	token := chi.URLParam(r, "token")
	if s.Emails == nil || !emailToken.MatchString(token) {
		return ErrGone
	}
	return do(s.Emails, r.Context(), token)
}

func (s *Site) emailPage(r *http.Request, title, detail string) emailPage {
	p := emailPage{Frame: s.frame(r)}
	p.Header, p.Title, p.Detail = p.T.Text("header.account"), p.T.Text(title), p.T.Text(detail)
	return p
}

// failEmail answers for a link that leads nowhere any more, or for an error.
func (s *Site) failEmail(w http.ResponseWriter, r *http.Request, err error) {
	if !errors.Is(err, ErrGone) {
		s.fail(w, r, err)
		return
	}
	p := s.emailPage(r, "email_gone.title", "email_gone.detail")
	p.Tone = "ended"
	s.kit.Render(w, r, http.StatusGone, "email.html", &p)
}
