package pages

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

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

// resetPage asks for a password.
type resetPage struct {
	kit.Frame
	Detail string
	// Action is the target of the form.
	Action string
	// Min and Max are the minimum and maximum number of characters of a password.
	Min, Max int
	Problem  problem
}

// resetLink answers the link of a mail with a form.
func (s *Site) resetLink(w http.ResponseWriter, r *http.Request, token string) error {
	if err := s.Resets.ResetLink(r.Context(), token); err != nil {
		return err
	}
	s.askPassword(w, r, http.StatusOK)
	return nil
}

// resetPassword handles the form.
func (s *Site) resetPassword(w http.ResponseWriter, r *http.Request, token string) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if r.ParseForm() != nil {
		s.askPassword(w, r, http.StatusBadRequest)
		return nil
	}
	end, err := s.Resets.ResetPassword(r.Context(), token, r.PostForm.Get("password"))
	switch {
	case errors.Is(err, ErrPassword):
		s.askPassword(w, r, http.StatusBadRequest)
	case err != nil:
		return err
	case end == "":
		s.renderMailed(w, r, http.StatusOK, s.message(r, "good", "reset_done.title", "reset_first.detail"))
	case !isEndToken(end):
		return ErrGone
	default:
		return s.showStays(w, r, end, "reset_done")
	}
	return nil
}

// askPassword shows the form. After a refusal it shows the form again with the error, but
// without the typed password.
func (s *Site) askPassword(w http.ResponseWriter, r *http.Request, status int) {
	p := resetPage{Frame: s.frame(r), Min: account.MinPassword, Max: account.MaxPassword}
	p.Header, p.Title, p.Detail = p.T.Text("header.account"), p.T.Text("reset.title"), p.T.Text("reset.detail")
	p.Action = p.Keep(r.URL.Path)
	if status != http.StatusOK {
		p.Tone, p.Problem = "warn", problem{"password", p.T.Text("reset.unfit")}
	}
	s.kit.Render(w, r, status, "reset.html", &p)
}

// endLink answers the link of a mail with the list of remaining access and a button that ends
// it.
func (s *Site) endLink(w http.ResponseWriter, r *http.Request, end string) error {
	return s.showStays(w, r, end, "stays")
}

// showStays lists the access that a password reset did not end, with the button.
func (s *Site) showStays(w http.ResponseWriter, r *http.Request, end, name string) error {
	stays, err := s.Resets.Stays(r.Context(), end)
	if err != nil {
		return err
	}
	p := s.emailPage(r, name+".title", name+".detail")
	p.Tone, p.Listed, p.Lines = "good", p.T.Text("stays.listed"), staysLines(p.Frame, stays)
	p.Action, p.Button = p.Keep(account.EndPath+end), p.T.Text("stays.end")
	s.kit.Render(w, r, http.StatusOK, "email.html", &p)
	return nil
}

// staysLines returns one line for each kind of remaining access.
func staysLines(f kit.Frame, g notice.Grants) []string {
	var lines []string
	for _, line := range []struct{ message, value string }{
		{"stays.keys", strings.Join(g.Keys, ", ")}, {"stays.applications", counted(g.Applications)}, {"stays.staff", counted(g.Staff)},
		{"stays.webhooks", counted(g.Webhooks)}, {"stays.payout", g.PayoutAddress}, {"stays.swap", strings.ToUpper(g.Swap)},
	} {
		if line.value != "" {
			lines = append(lines, f.T.Text(line.message, line.value))
		}
	}
	return lines
}

// counted returns a number as text; empty for 0.
func counted(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// endStays handles the button.
func (s *Site) endStays(w http.ResponseWriter, r *http.Request, end string) error {
	if err := s.Resets.EndStays(r.Context(), end); err != nil {
		return err
	}
	s.showMailed(w, r, http.StatusOK, "good", "stays_done")
	return nil
}
