package pages

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/notice"
)

// ErrPassword says that a new password is too short or too long.
var ErrPassword = errors.New("unfit password")

// Resets sets passwords by the token in a mail's link.
type Resets interface {
	// ResetLink tells whether a link is valid and changes nothing: programs
	// open links too. ErrGone when it was used, is void or has expired.
	ResetLink(ctx context.Context, token string) error
	// ResetPassword sets the password and uses the link up. It returns the token with
	// which what stays can be ended; empty where the reset ended it. ErrGone as above,
	// ErrPassword when the password cannot be used; then the link stays.
	ResetPassword(ctx context.Context, token, password string) (end string, err error)
	// Stays lists what lets others act for the account, by that token. ErrGone when it
	// was used, or has expired.
	Stays(ctx context.Context, end string) (notice.Grants, error)
	// EndStays ends all of it, once. Errors as above.
	EndStays(ctx context.Context, end string) error
}

// resetPage asks for a password, or says what became of it.
type resetPage struct {
	kit.Frame
	Detail string
	// Action is where the form leads; without one there is no form.
	Action string
	// Min and Max are how many characters a password has.
	Min, Max int
	Problem  problem
}

// resetLink answers the link of a mail with a form.
func (s *Site) resetLink(w http.ResponseWriter, r *http.Request) {
	token := chi.URLParam(r, "token")
	if s.Resets == nil || !emailToken.MatchString(token) {
		s.failReset(w, r, ErrGone)
		return
	}
	if err := s.Resets.ResetLink(r.Context(), token); err != nil {
		s.failReset(w, r, err)
		return
	}
	s.askPassword(w, r, http.StatusOK)
}

// resetPassword takes the form.
func (s *Site) resetPassword(w http.ResponseWriter, r *http.Request) {
	token := chi.URLParam(r, "token")
	if s.Resets == nil || !emailToken.MatchString(token) {
		s.failReset(w, r, ErrGone)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		s.failReset(w, r, ErrPassword)
		return
	}
	end, err := s.Resets.ResetPassword(r.Context(), token, r.PostForm.Get("password"))
	if err != nil {
		s.failReset(w, r, err)
		return
	}
	if end == "" {
		p := s.emailPage(r, "reset_done.title", "reset_first.detail")
		p.Tone = "good"
		s.kit.Render(w, r, http.StatusOK, "email.html", &p)
		return
	}
	s.showStays(w, r, end, "reset_done.title", "reset_done.detail")
}

func (s *Site) resetPage(r *http.Request, title, detail string) resetPage {
	p := resetPage{Frame: s.frame(r), Min: account.MinPassword, Max: account.MaxPassword}
	p.Header, p.Title, p.Detail = p.T.Text("header.account"), p.T.Text(title), p.T.Text(detail)
	return p
}

// askPassword shows the form; again, with what is wrong, for a password that
// was refused. What was typed is not shown again.
func (s *Site) askPassword(w http.ResponseWriter, r *http.Request, status int) {
	p := s.resetPage(r, "reset.title", "reset.detail")
	p.Action = p.Keep(r.URL.Path)
	if status != http.StatusOK {
		p.Tone, p.Problem = "warn", problem{"password", p.T.Text("reset.unfit")}
	}
	s.kit.Render(w, r, status, "reset.html", &p)
}

// failReset answers for a link that leads nowhere any more, for a password
// that cannot be used, or for an error.
func (s *Site) failReset(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, ErrPassword):
		s.askPassword(w, r, http.StatusBadRequest)
	case errors.Is(err, ErrGone):
		p := s.resetPage(r, "reset_gone.title", "reset_gone.detail")
		p.Tone = "ended"
		s.kit.Render(w, r, http.StatusGone, "reset.html", &p)
	default:
		s.fail(w, r, err)
	}
}
