package pages

import (
	"context"
	"errors"
	"net/http"
	"regexp"

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

func (s *Site) renderMailed(w http.ResponseWriter, r *http.Request, status int, m *kit.Message) {
	m.Header = m.T.Text("header.account")
	s.kit.Render(w, r, status, "message.html", m)
}
