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

// ErrPassword is returned for a new password that is too short or too long.
var ErrPassword = errors.New("unfit password")

// Resets sets passwords with the token of a mailed link.
type Resets interface {
	// ResetLink checks that a link is valid and changes nothing, because programs open links
	// too. It returns ErrGone if the link was used or made void, or has expired.
	ResetLink(ctx context.Context, token string) error
	// ResetPassword sets the password; the link is then used. It returns a token that can end
	// the access that other people and programs still have; the token is empty if the reset
	// ended that access. Errors: ErrGone as above; ErrPassword if the password cannot be used,
	// and then the link remains valid.
	ResetPassword(ctx context.Context, token, password string) (end string, err error)
	// Stays lists the people and programs that still have access to the account, by that
	// token. It returns ErrGone if the token was used or has expired.
	Stays(ctx context.Context, end string) (notice.Grants, error)
	// EndStays ends all of that access, once. Errors: those of Stays.
	EndStays(ctx context.Context, end string) error
}

// resetPage asks for a password, or shows the result.
type resetPage struct {
	kit.Frame
	Detail string
	// Action is the target of the form; empty for no form.
	Action string
	// Min and Max are the minimum and maximum number of characters of a password.
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

// resetPassword handles the form.
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

// askPassword shows the form. After a refusal it shows the form again with the error, but
// without the typed password.
func (s *Site) askPassword(w http.ResponseWriter, r *http.Request, status int) {
	p := s.resetPage(r, "reset.title", "reset.detail")
	p.Action = p.Keep(r.URL.Path)
	if status != http.StatusOK {
		p.Tone, p.Problem = "warn", problem{"password", p.T.Text("reset.unfit")}
	}
	s.kit.Render(w, r, status, "reset.html", &p)
}

// failReset answers a link that is no longer valid, a password that cannot be used, or an
// error.
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
