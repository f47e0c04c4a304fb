package pages

import (
	"net/http"
	"strings"
	"time"

	"github.com/durapay/durapay/api/pages/kit"
)

// statusPath ends the path of the status of a charge.
const statusPath = "/status"

// statusPage shows the current status of a charge in a frame of its page. The frame reloads
// itself, so the page around it does not reload while a buyer copies from it or fills in a form.
type statusPage struct {
	kit.Frame
	// Details are sentences. Expires is one more, ExpiresAt its time for machines.
	Details            []string
	Expires, ExpiresAt string
	// Next leads from a page that no longer shows what is due to one that does.
	Next *link
}

// status answers the frame. The query names the amount that the page around it asks for.
func (s *Site) status(w http.ResponseWriter, r *http.Request) {
	view, found := s.viewed(w, r)
	if !found {
		return
	}
	if view.Unpayable {
		s.gone(w, r, view)
		return
	}
	f := s.frame(r)
	s.kit.Render(w, r, http.StatusOK, "status.html", newStatusPage(f, view, s.Now(), choiceOf(r, f), r.URL.Query().Get("due")))
}

// newStatusPage returns the status of a charge for a page that asks for an amount.
func newStatusPage(f kit.Frame, v View, now time.Time, c choice, asked string) *statusPage {
	at, t := stageOf(v), f.T
	p := &statusPage{Frame: f}
	p.Framed, p.Title = true, t.Text(string(at)+".title")
	p.Tone = toneOf(at, v)
	if at.moving() && !c.still {
		p.Refresh = refreshSeconds
	}
	unwatched, rival := at.payable() && v.Unwatched, at.payable() && v.RivalSeen
	say := func(text string) { p.Details = append(p.Details, text) }
	if unwatched {
		say(unwatchedText(t, at))
	}
	switch {
	case rival:
		p.Title = t.Text("rival.title")
		say(t.Text("rival.seen"))
	case at.confirms():
		p.Title = t.Text("seen.title")
		say(merchantText(t, v.BusinessName, "close.detail", "close.to"))
	case at != stageWaiting || !unwatched:
		say(detail(t, at, v))
	}
	switch {
	case !at.payable():
		p.Next = &link{c.link(v.ID), t.Text("status.next")}
	case v.AmountDueXMR.String() != asked:
		p.Next = &link{c.link(v.ID), t.Text("partial.rest")}
	case !unwatched && !rival: // a buyer who should not pay now gets no deadline
		until := time.Time(v.ExpiresAt)
		p.Expires, p.ExpiresAt = expires(t, until, now), until.UTC().Format(time.RFC3339)
	}
	return p
}

// unwatchedText says that payments are not seen at the moment.
func unwatchedText(t kit.Translator, at stage) string {
	if at.confirms() {
		return t.Text("unwatched.confirming")
	}
	return t.Text("unwatched.detail")
}

// isStatus reports whether a request comes from the frame of a charge's page.
func isStatus(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/pay/") && strings.HasSuffix(r.URL.Path, statusPath)
}

// sayStatus shows a message in the frame, which goes on reloading after a fault.
func (s *Site) sayStatus(w http.ResponseWriter, r *http.Request, status int, title, detail string) {
	f := s.frame(r)
	p := &statusPage{Frame: f, Details: []string{f.T.Text(detail)}}
	p.Framed, p.Title, p.Tone = true, f.T.Text(title), "ended"
	if status >= http.StatusTooManyRequests && !choiceOf(r, f).still {
		p.Refresh = refreshSeconds
	}
	s.kit.Render(w, r, status, "status.html", p)
}
