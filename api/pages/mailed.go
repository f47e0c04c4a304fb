package pages

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/notice"
)

// MailLink is what a link of a mail is for.
type MailLink struct {
	// Look checks that the link is valid and changes nothing, because programs open links too. It
	// returns ErrGone if this service did not issue the link, or if it was used or replaced, or has
	// expired.
	Look func(ctx context.Context, token string) error
	// Act does what the link is for. Errors: those of Look.
	Act func(ctx context.Context, token string) error
}

var emailToken = regexp.MustCompile(`^[0-9a-f]{64}$`)

// The maximum lengths, in bytes, of the token that turns mails off, and of the one that ends the
// remaining access.
const (
	maxNoticesToken = 1024
	maxEndToken     = 1024
)

func isNoticesToken(token string) bool { return len(token) <= maxNoticesToken }

func isEndToken(token string) bool { return len(token) <= maxEndToken }

// emailPage asks the visitor to confirm the purpose of a mailed link.
type emailPage struct {
	kit.Frame
	Detail string
	// Listed is the heading of Lines; without lines there is no list.
	Listed string
	Lines  []string
	// Action is the target of the button, and Button its label.
	Action, Button string
}

// mailed is a page of a mailed link: an answer for who opens the link, and one for who presses its
// button. An error ErrGone becomes a page with the texts of gone.
type mailed struct {
	isToken   func(token string) bool
	gone      string
	look, act func(w http.ResponseWriter, r *http.Request, token string) error
}

// registerMailed adds the pages of mailed links. guesses counts requests that hash a password.
func (s *Site) registerMailed(r, guesses chi.Router) {
	add := func(r, posts chi.Router, path string, m mailed) {
		kit.Get(r, path+"{token}", s.mailed(m, m.look))
		posts.Post(path+"{token}", s.mailed(m, m.act))
	}
	add(r, r, account.VerificationPath, s.pressed("email", "email_done", "email_gone", "email.confirm", emailToken.MatchString, s.Emails))
	add(r, r, notice.OffPath, s.pressed("notices", "notices_done", "notices_gone", "notices.off", isNoticesToken, s.Notices)) // mail programs send its form by themselves (RFC 8058)
	add(r, guesses, account.ResetPath, mailed{emailToken.MatchString, "reset_gone", s.resetLink, s.resetPassword})
	add(r, r, account.EndPath, mailed{isEndToken, "reset_gone", s.endLink, s.endStays})
}

func (s *Site) mailed(m mailed, do func(w http.ResponseWriter, r *http.Request, token string) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token, err := chi.URLParam(r, "token"), ErrGone
		if m.isToken(token) {
			err = do(w, r, token)
		}
		switch {
		case errors.Is(err, ErrGone):
			s.showMailed(w, r, http.StatusGone, "ended", m.gone)
		case err != nil:
			s.fail(w, r, err)
		}
	}
}

// pressed returns the page of a link whose purpose one press of a button serves. The ids of its
// texts begin with asks, done and gone.
func (s *Site) pressed(asks, done, gone, button string, isToken func(string) bool, link MailLink) mailed {
	return mailed{isToken, gone, func(w http.ResponseWriter, r *http.Request, token string) error {
		if err := link.Look(r.Context(), token); err != nil {
			return err
		}
		p := s.emailPage(r, asks+".title", asks+".detail")
		p.Action, p.Button = p.Keep(r.URL.Path), p.T.Text(button)
		s.kit.Render(w, r, http.StatusOK, "email.html", &p)
		return nil
	}, func(w http.ResponseWriter, r *http.Request, token string) error {
		if err := link.Act(r.Context(), token); err != nil {
			return err
		}
		s.showMailed(w, r, http.StatusOK, "good", done)
		return nil
	}}
}

func (s *Site) emailPage(r *http.Request, title, detail string) emailPage {
	p := emailPage{Frame: s.frame(r)}
	p.Header, p.Title, p.Detail = p.T.Text("header.account"), p.T.Text(title), p.T.Text(detail)
	return p
}

// showMailed shows how a link ended. The ids of its texts begin with name.
func (s *Site) showMailed(w http.ResponseWriter, r *http.Request, status int, tone, name string) {
	s.renderMailed(w, r, status, s.message(r, tone, name+".title", name+".detail"))
}

func (s *Site) renderMailed(w http.ResponseWriter, r *http.Request, status int, m *messagePage) {
	m.Header = m.T.Text("header.account")
	s.kit.Render(w, r, status, "message.html", m)
}

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
	end, err := "", r.ParseForm()
	if err != nil {
		err = ErrPassword
	} else {
		end, err = s.Resets.ResetPassword(r.Context(), token, r.PostForm.Get("password"))
	}
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
		{"stays.webhooks", counted(g.Webhooks)}, {"stays.payout", g.PayoutAddress}, {"stays.wallet", strings.Join(g.Wallets, ", ")}, {"stays.swap", strings.ToUpper(g.Swap)},
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
