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

// maxEndToken bounds a token with which what stays is ended, in bytes.
const maxEndToken = 1024

// endLink answers the link of a mail with what stays, and the button that ends it.
func (s *Site) endLink(w http.ResponseWriter, r *http.Request) {
	s.showStays(w, r, chi.URLParam(r, "token"), "stays.title", "stays.detail")
}

// showStays lists what a reset of the password left, with the button.
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

// staysLines are the lines of what stays.
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

// counted is a number, and empty for none.
func counted(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// endStays takes the button.
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

// failEnd answers for a link that leads nowhere any more, or for an error.
func (s *Site) failEnd(w http.ResponseWriter, r *http.Request, err error) {
	if !errors.Is(err, ErrGone) {
		s.fail(w, r, err)
		return
	}
	p := s.emailPage(r, "reset_gone.title", "reset_gone.detail")
	p.Tone = "ended"
	s.kit.Render(w, r, http.StatusGone, "email.html", &p)
}
