package pages

import (
	"context"
	"errors"
	"net/http"
	"regexp"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/kit"
)

// Emails confirms addresses with the token of a mailed link.
type Emails interface {
	// EmailLink checks that a link is valid and changes nothing, because programs open links
	// too. It returns ErrGone if the link was used or replaced, or has expired.
	EmailLink(ctx context.Context, token string) error
	// ConfirmEmail confirms the address; the link is then used. Errors: those of EmailLink.
	ConfirmEmail(ctx context.Context, token string) error
}

var emailToken = regexp.MustCompile(`^[0-9a-f]{64}$`)

// emailPage asks the visitor to confirm the purpose of a mailed link, or shows the result.
type emailPage struct {
	kit.Frame
	Detail string
	// Listed is the heading of Lines; without lines there is no list.
	Listed string
	Lines  []string
	// Action is the target of the button; empty for no button. Button is its label.
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

// confirmEmail handles the button.
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

// failEmail answers a link that is no longer valid, or an error.
func (s *Site) failEmail(w http.ResponseWriter, r *http.Request, err error) {
	if !errors.Is(err, ErrGone) {
		s.fail(w, r, err)
		return
	}
	p := s.emailPage(r, "email_gone.title", "email_gone.detail")
	p.Tone = "ended"
	s.kit.Render(w, r, http.StatusGone, "email.html", &p)
}

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
