package pages

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/notice"
)

// maxEndToken is the maximum length, in bytes, of the token that ends the remaining access.
const maxEndToken = 1024

// endLink answers the link of a mail with the list of remaining access and a button that ends
// it.
func (s *Site) endLink(w http.ResponseWriter, r *http.Request) {
	s.showStays(w, r, chi.URLParam(r, "token"), "stays.title", "stays.detail")
}

// showStays lists the access that a password reset did not end, with the button.
func (s *Site) showStays(w http.ResponseWriter, r *http.Request, end, title, detail string) {
	if s.Resets == nil || len(end) > maxEndToken {
		s.failEnd(w, r, ErrGone)
		return
	}
	stays, err := s.Resets.Stays(r.Context(), end)
	if err != nil {
		s.failEnd(w, r, err)
		return
	}
	p := s.emailPage(r, title, detail)
	p.Tone, p.Listed, p.Lines = "good", p.T.Text("stays.listed"), staysLines(p.Frame, stays)
	p.Action, p.Button = p.Keep(account.EndPath+end), p.T.Text("stays.end")
	s.kit.Render(w, r, http.StatusOK, "email.html", &p)
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
func (s *Site) endStays(w http.ResponseWriter, r *http.Request) {
	end := chi.URLParam(r, "token")
	if s.Resets == nil || len(end) > maxEndToken {
		s.failEnd(w, r, ErrGone)
		return
	}
	if err := s.Resets.EndStays(r.Context(), end); err != nil {
		s.failEnd(w, r, err)
		return
	}
	p := s.emailPage(r, "stays_done.title", "stays_done.detail")
	p.Tone = "good"
	s.kit.Render(w, r, http.StatusOK, "email.html", &p)
}

// failEnd answers a link that is no longer valid, or an error.
func (s *Site) failEnd(w http.ResponseWriter, r *http.Request, err error) {
	if !errors.Is(err, ErrGone) {
		s.fail(w, r, err)
		return
	}
	p := s.emailPage(r, "reset_gone.title", "reset_gone.detail")
	p.Tone = "ended"
	s.kit.Render(w, r, http.StatusGone, "email.html", &p)
}
